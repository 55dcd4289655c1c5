import type { KeyBounds } from './extractSymbols.ts'

/** A programming, markup or data language. */
export interface SourceLanguage {
  id: string
  title: string
  /** Lower case, without the dot. */
  extensions: readonly string[]
  /** Whole file names, lower case. */
  names?: readonly string[]
  /** Without a grammar or a reader, files have no symbols and are only searchable as text. */
  grammar?: GrammarFiles
  /** Reads its symbols instead of a tag query for the whole file (symbolReader.ts). */
  reader?: 'markdown' | 'component'
  /** Id of the language to try if this grammar finds errors. */
  fallbackLanguage?: string
}

/** Locations of a grammar and its tag queries: a file in a package, and names in resources/grammars. */
export interface GrammarFiles {
  wasm: string
  queries: readonly string[]
  conditional?: ConditionalQuery
  keys?: KeyBounds
}

/**
 * An extra tag query for texts that contain certain words. Leaving it out prepares TypeScript's queries a third
 * faster.
 */
export interface ConditionalQuery {
  query: string
  when: RegExp
}

const commonjs: ConditionalQuery = { query: 'commonjs', when: /\b(?:exports|prototype|require)\b/ }

const vscode = (name: string): string => `@vscode/tree-sitter-wasm/wasm/tree-sitter-${name}.wasm`

const repomix = (name: string): string => `@repomix/tree-sitter-wasms/out/tree-sitter-${name}.wasm`
const lumis = (name: string): string => `@lumis-sh/wasm-${name}/tree-sitter-${name}.wasm`
const treeSitterGrammars = (name: string): string =>
  `@tree-sitter-grammars/tree-sitter-${name}/tree-sitter-${name}.wasm`

/** All known languages. Those with a grammar or a reader have symbols. */
export const languages: readonly SourceLanguage[] = [
  {
    id: 'typescript',
    title: 'TypeScript',
    extensions: ['ts', 'mts', 'cts'],
    grammar: { wasm: vscode('typescript'), queries: ['ecmascript', 'typescript'], conditional: commonjs },
  },
  {
    id: 'tsx',
    title: 'TSX',
    extensions: ['tsx'],
    grammar: { wasm: vscode('tsx'), queries: ['ecmascript', 'typescript', 'tsx'], conditional: commonjs },
  },
  {
    id: 'javascript',
    title: 'JavaScript',
    extensions: ['js', 'mjs', 'cjs', 'jsx'],
    grammar: { wasm: vscode('javascript'), queries: ['ecmascript', 'javascript'], conditional: commonjs },
  },
  {
    id: 'python',
    title: 'Python',
    extensions: ['py', 'pyi', 'pyw'],
    grammar: { wasm: vscode('python'), queries: ['python'] },
  },
  { id: 'rust', title: 'Rust', extensions: ['rs'], grammar: { wasm: vscode('rust'), queries: ['rust'] } },
  { id: 'go', title: 'Go', extensions: ['go'], grammar: { wasm: vscode('go'), queries: ['go'] } },
  { id: 'java', title: 'Java', extensions: ['java'], grammar: { wasm: vscode('java'), queries: ['java'] } },
  // A header can be C or C++.
  {
    id: 'c',
    title: 'C',
    extensions: ['c', 'h'],
    grammar: { wasm: repomix('c'), queries: ['c-family'] },
    fallbackLanguage: 'cpp',
  },
  {
    id: 'cpp',
    title: 'C++',
    extensions: ['cc', 'cpp', 'cxx', 'hh', 'hpp', 'hxx', 'ipp'],
    grammar: { wasm: vscode('cpp'), queries: ['c-family', 'cpp'] },
  },
  { id: 'csharp', title: 'C#', extensions: ['cs'], grammar: { wasm: vscode('c-sharp'), queries: ['csharp'] } },
  {
    id: 'ruby',
    title: 'Ruby',
    extensions: ['rb', 'rake', 'gemspec'],
    names: ['rakefile', 'gemfile'],
    grammar: { wasm: vscode('ruby'), queries: ['ruby'] },
  },
  { id: 'php', title: 'PHP', extensions: ['php', 'phtml'], grammar: { wasm: vscode('php'), queries: ['php'] } },
  {
    id: 'bash',
    title: 'Bash',
    extensions: ['sh', 'bash', 'zsh', 'ksh'],
    names: ['.bashrc', '.profile', '.zshrc'],
    grammar: { wasm: vscode('bash'), queries: ['bash'] },
  },
  { id: 'css', title: 'CSS', extensions: ['css'], grammar: { wasm: vscode('css'), queries: ['css'] } },
  { id: 'scss', title: 'SCSS', extensions: ['scss', 'sass'] },
  { id: 'less', title: 'Less', extensions: ['less'] },
  { id: 'html', title: 'HTML', extensions: ['html', 'htm', 'xhtml'] },
  {
    id: 'vue',
    title: 'Vue',
    extensions: ['vue'],
    grammar: { wasm: repomix('vue'), queries: ['vue'] },
    reader: 'component',
  },
  {
    id: 'svelte',
    title: 'Svelte',
    extensions: ['svelte'],
    grammar: { wasm: repomix('vue'), queries: ['vue'] },
    reader: 'component',
  },
  { id: 'astro', title: 'Astro', extensions: ['astro'] },
  { id: 'swift', title: 'Swift', extensions: ['swift'], grammar: { wasm: repomix('swift'), queries: ['swift'] } },
  { id: 'kotlin', title: 'Kotlin', extensions: ['kt', 'kts'], grammar: { wasm: lumis('kotlin'), queries: ['kotlin'] } },
  {
    id: 'scala',
    title: 'Scala',
    extensions: ['scala', 'sc', 'sbt'],
    grammar: { wasm: lumis('scala'), queries: ['scala'] },
  },
  { id: 'dart', title: 'Dart', extensions: ['dart'], grammar: { wasm: repomix('dart'), queries: ['dart'] } },
  {
    id: 'solidity',
    title: 'Solidity',
    extensions: ['sol'],
    grammar: { wasm: repomix('solidity'), queries: ['solidity'] },
  },
  { id: 'lua', title: 'Lua', extensions: ['lua'], grammar: { wasm: treeSitterGrammars('lua'), queries: ['lua'] } },
  { id: 'perl', title: 'Perl', extensions: ['pl', 'pm', 't'] },
  { id: 'r', title: 'R', extensions: ['r', 'rmd'] },
  { id: 'julia', title: 'Julia', extensions: ['jl'] },
  { id: 'haskell', title: 'Haskell', extensions: ['hs', 'lhs'] },
  { id: 'ocaml', title: 'OCaml', extensions: ['ml', 'mli'] },
  { id: 'fsharp', title: 'F#', extensions: ['fs', 'fsi', 'fsx'] },
  { id: 'elixir', title: 'Elixir', extensions: ['ex', 'exs'] },
  { id: 'erlang', title: 'Erlang', extensions: ['erl', 'hrl'] },
  { id: 'clojure', title: 'Clojure', extensions: ['clj', 'cljs', 'cljc', 'edn'] },
  { id: 'lisp', title: 'Lisp', extensions: ['lisp', 'lsp', 'cl', 'el'] },
  { id: 'scheme', title: 'Scheme', extensions: ['scm', 'ss', 'sld'] },
  { id: 'racket', title: 'Racket', extensions: ['rkt'] },
  { id: 'zig', title: 'Zig', extensions: ['zig'] },
  { id: 'nim', title: 'Nim', extensions: ['nim'] },
  { id: 'd', title: 'D', extensions: ['d'] },
  { id: 'crystal', title: 'Crystal', extensions: ['cr'] },
  { id: 'groovy', title: 'Groovy', extensions: ['groovy', 'gradle'], names: ['jenkinsfile'] },
  { id: 'objectivec', title: 'Objective-C', extensions: ['m', 'mm'] },
  { id: 'pascal', title: 'Pascal', extensions: ['pas', 'pp', 'dpr'] },
  { id: 'fortran', title: 'Fortran', extensions: ['f', 'f90', 'f95', 'f03'] },
  { id: 'ada', title: 'Ada', extensions: ['adb', 'ads'] },
  { id: 'cobol', title: 'COBOL', extensions: ['cob', 'cbl'] },
  { id: 'assembly', title: 'Assembly', extensions: ['asm', 's'] },
  { id: 'verilog', title: 'Verilog', extensions: ['v', 'sv', 'svh'] },
  { id: 'vhdl', title: 'VHDL', extensions: ['vhd', 'vhdl'] },
  { id: 'glsl', title: 'GLSL', extensions: ['glsl', 'vert', 'frag'] },
  { id: 'wgsl', title: 'WGSL', extensions: ['wgsl'] },
  {
    id: 'powershell',
    title: 'PowerShell',
    extensions: ['ps1', 'psm1', 'psd1'],
    grammar: { wasm: vscode('powershell'), queries: ['powershell'] },
  },
  { id: 'batch', title: 'Batch', extensions: ['bat', 'cmd'] },
  { id: 'sql', title: 'SQL', extensions: ['sql'] },
  { id: 'graphql', title: 'GraphQL', extensions: ['graphql', 'gql'] },
  { id: 'protobuf', title: 'Protocol Buffers', extensions: ['proto'] },
  { id: 'terraform', title: 'Terraform', extensions: ['tf', 'tfvars', 'hcl'] },
  { id: 'nix', title: 'Nix', extensions: ['nix'] },
  { id: 'dockerfile', title: 'Dockerfile', extensions: ['dockerfile'], names: ['dockerfile', 'containerfile'] },
  { id: 'makefile', title: 'Makefile', extensions: ['mk'], names: ['makefile', 'gnumakefile'] },
  { id: 'cmake', title: 'CMake', extensions: ['cmake'], names: ['cmakelists.txt'] },
  { id: 'markdown', title: 'Markdown', extensions: ['md', 'mdx', 'markdown'], reader: 'markdown' },
  { id: 'restructuredtext', title: 'reStructuredText', extensions: ['rst'] },
  { id: 'latex', title: 'LaTeX', extensions: ['tex', 'sty', 'cls'] },
  {
    id: 'json',
    title: 'JSON',
    extensions: ['json', 'jsonc', 'json5'],
    grammar: {
      wasm: 'tree-sitter-json/tree-sitter-json.wasm',
      queries: ['json'],
      keys: { treeDepth: 6, maxSymbols: 300 },
    },
  },
  {
    id: 'yaml',
    title: 'YAML',
    extensions: ['yaml', 'yml'],
    grammar: { wasm: treeSitterGrammars('yaml'), queries: ['yaml'], keys: { treeDepth: 12, maxSymbols: 300 } },
  },
  {
    id: 'toml',
    title: 'TOML',
    extensions: ['toml'],
    grammar: { wasm: treeSitterGrammars('toml'), queries: ['toml'], keys: { treeDepth: 4, maxSymbols: 300 } },
  },
  { id: 'ini', title: 'INI', extensions: ['ini', 'cfg', 'conf', 'properties'], names: ['.editorconfig', '.gitconfig'] },
  { id: 'xml', title: 'XML', extensions: ['xml', 'xsd', 'xsl', 'svg', 'plist'] },
]

const byExtension = new Map(
  languages.flatMap((language) => language.extensions.map((extension) => [extension, language] as const)),
)
const byName = new Map(languages.flatMap((language) => (language.names ?? []).map((name) => [name, language] as const)))

/** Whether symbols of a language are read; otherwise its files are only searchable as text. */
export function hasSymbols(language: SourceLanguage | undefined): boolean {
  return language?.grammar !== undefined || language?.reader !== undefined
}

/** Ids of data languages, whose symbols are keys. */
export const dataLanguages: ReadonlySet<string> = new Set(
  languages.filter(({ grammar }) => grammar?.keys).map(({ id }) => id),
)

/** Languages with JavaScript modules. */
export const scriptLanguages: ReadonlySet<string> = new Set(['typescript', 'tsx', 'javascript', 'vue', 'svelte'])

/** Returns the language of a file by its name; undefined if it is unknown. */
export function languageOf(path: string): SourceLanguage | undefined {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase()
  const dot = name.lastIndexOf('.')
  return byName.get(name) ?? (dot < 0 ? undefined : byExtension.get(name.slice(dot + 1)))
}
