import path from 'node:path'
import type { SystemPackage } from '../base/systemPackage.ts'

/** How a server's program is found, in order of preference. */
export type ServerProgram =
  /** The native TypeScript compiler, from the workspace if it is version 7 or newer, else Tizona's. */
  | { kind: 'typescript' }
  /** A JavaScript program in an npm package, in the workspace's `node_modules` or installed by Tizona. */
  | { kind: 'npm'; package: string; script: string }
  /** A program on PATH. */
  | { kind: 'path'; command: string }

/** A language server that Tizona can run. */
export interface ServerDefinition {
  id: string
  title: string
  /** Names of its languages, for the user. */
  languages: readonly string[]
  /** Language ids (see `languageIdOf`) of the files that it serves. */
  serves: readonly string[]
  programs: readonly ServerProgram[]
  args: readonly string[]
  /** What installs a program that Tizona does not install: a command, or a package of the system. */
  installCommand?: string | SystemPackage
  /**
   * Names of project files. Without one next to a file or in a parent folder, the server only knows open files and
   * their imports, so it is not used for references and renames.
   */
  projectFiles?: readonly string[]
  initializationOptions?: unknown
  /** Responses to `workspace/configuration`, by section. */
  settings?: Readonly<Record<string, unknown>>
  /**
   * Code that it runs, anywhere in the folder: configurations by name, and packages in `node_modules`. Undefined: it
   * only runs its own program.
   */
  runsFolderCode?: { configurations: readonly string[]; packages: readonly string[] }
  /** Only starts in folders that have one of these files in their root, e.g. a configuration file. */
  onlyWith?: readonly string[]
}

const ecmascript = ['typescript', 'typescriptreact', 'javascript', 'javascriptreact']

/** Configuration files of ESLint. */
const eslintFiles = ['js', 'mjs', 'cjs', 'ts', 'mts', 'cts'].map((extension) => `eslint.config.${extension}`)

/** Configuration files of ESLint before version 9. */
const oldEslintFiles = ['', '.js', '.cjs', '.json', '.yaml', '.yml'].map((extension) => `.eslintrc${extension}`)

/** Programs of VS Code's servers, which come in one package. */
function extracted(name: string, script: string): ServerProgram[] {
  return [
    {
      kind: 'npm',
      package: 'vscode-langservers-extracted',
      script: `lib/${name}-language-server/${script}.js`,
    },
    { kind: 'path', command: `vscode-${name}-language-server` },
  ]
}

const typescriptSettings = {
  // Otherwise the server runs `npm install` for types of files without a tsconfig.json, and keeps the program of each
  // key while npm waits for a network that the sandbox does not have.
  disableAutomaticTypeAcquisition: true,
  // Renaming an imported name renames it everywhere, instead of adding an alias in this file.
  preferences: { useAliasesForRenames: false },
  // The window only requests hints if the user has enabled them.
  inlayHints: {
    parameterNames: { enabled: 'literals' },
    parameterTypes: { enabled: true },
    functionLikeReturnTypes: { enabled: true },
    enumMemberValues: { enabled: true },
  },
}

/** All servers. If several serve a language, the first one takes precedence. */
export const serverTable: readonly ServerDefinition[] = [
  {
    id: 'typescript',
    title: 'TypeScript 7',
    languages: ['TypeScript', 'JavaScript'],
    serves: ecmascript,
    programs: [{ kind: 'typescript' }],
    args: ['--lsp', '--stdio'],
    projectFiles: ['tsconfig.json', 'jsconfig.json'],
    settings: { typescript: typescriptSettings, javascript: typescriptSettings },
  },
  {
    id: 'basedpyright',
    title: 'basedpyright',
    languages: ['Python'],
    serves: ['python'],
    programs: [
      { kind: 'npm', package: 'basedpyright', script: 'langserver.index.js' },
      { kind: 'path', command: 'basedpyright-langserver' },
      { kind: 'path', command: 'pyright-langserver' },
    ],
    args: ['--stdio'],
    // basedpyright's stricter rules are for projects that configure them.
    settings: { basedpyright: { analysis: { typeCheckingMode: 'standard', diagnosticMode: 'openFilesOnly' } } },
  },
  {
    id: 'bash',
    title: 'Bash language server',
    languages: ['Shell'],
    serves: ['shellscript'],
    programs: [
      { kind: 'npm', package: 'bash-language-server', script: 'out/cli.js' },
      { kind: 'path', command: 'bash-language-server' },
    ],
    args: ['start'],
  },
  {
    id: 'yaml',
    title: 'YAML language server',
    languages: ['YAML'],
    serves: ['yaml'],
    programs: [
      { kind: 'npm', package: 'yaml-language-server', script: 'bin/yaml-language-server' },
      { kind: 'path', command: 'yaml-language-server' },
    ],
    args: ['--stdio'],
    // Downloads nothing: only uses schemas that a file names by a local path.
    settings: { yaml: { schemaStore: { enable: false } }, redhat: { telemetry: { enabled: false } } },
  },
  {
    id: 'html',
    title: 'HTML language server',
    languages: ['HTML'],
    serves: ['html'],
    programs: extracted('html', 'node/htmlServerMain'),
    args: ['--stdio'],
    initializationOptions: { provideFormatter: true, embeddedLanguages: { css: true, javascript: true } },
  },
  {
    id: 'css',
    title: 'CSS language server',
    languages: ['CSS', 'SCSS', 'Less'],
    serves: ['css', 'scss', 'less'],
    programs: extracted('css', 'node/cssServerMain'),
    args: ['--stdio'],
    initializationOptions: { provideFormatter: true },
    settings: { css: { validate: true }, scss: { validate: true }, less: { validate: true } },
  },
  {
    id: 'json',
    title: 'JSON language server',
    languages: ['JSON'],
    serves: ['json', 'jsonc'],
    programs: extracted('json', 'node/jsonServerMain'),
    args: ['--stdio'],
    initializationOptions: { provideFormatter: true, handledSchemaProtocols: ['file'] },
    settings: { json: { validate: { enable: true } } },
  },
  {
    id: 'eslint',
    title: 'ESLint',
    languages: ['JavaScript', 'TypeScript'],
    serves: ecmascript,
    programs: extracted('eslint', 'eslintServer'),
    args: ['--stdio'],
    runsFolderCode: { configurations: [...eslintFiles, ...oldEslintFiles], packages: ['eslint'] },
    onlyWith: eslintFiles,
    settings: {
      validate: 'on',
      run: 'onType',
      workingDirectory: { mode: 'auto' },
      nodePath: null,
      packageManager: null,
      options: {},
      rulesCustomizations: [],
      onIgnoredFiles: 'off',
      quiet: false,
      format: false,
      experimental: {},
      problems: { shortenToSingleLine: false },
      codeAction: {
        disableRuleComment: { enable: true, location: 'separateLine' },
        showDocumentation: { enable: false },
      },
      codeActionOnSave: { enable: false, mode: 'problems' },
    },
  },
  {
    id: 'rust-analyzer',
    title: 'rust-analyzer',
    languages: ['Rust'],
    serves: ['rust'],
    programs: [{ kind: 'path', command: 'rust-analyzer' }],
    args: [],
    installCommand: 'rustup component add rust-analyzer',
  },
  {
    id: 'gopls',
    title: 'gopls',
    languages: ['Go'],
    serves: ['go'],
    programs: [{ kind: 'path', command: 'gopls' }],
    args: [],
    installCommand: 'go install golang.org/x/tools/gopls@latest',
    settings: {
      // The window only requests hints if the user has enabled them.
      gopls: { hints: { parameterNames: true, functionTypeParameters: true, constantValues: true } },
    },
  },
  {
    id: 'clangd',
    title: 'clangd',
    languages: ['C', 'C++'],
    serves: ['c', 'cpp'],
    programs: [{ kind: 'path', command: 'clangd' }],
    args: [],
    installCommand: { apt: 'clangd', dnf: 'clang-tools-extra', pacman: 'clang', brew: 'llvm', winget: 'LLVM.LLVM' },
    // clangd only indexes a project with these. Without them its renames miss files that are not open.
    projectFiles: ['compile_commands.json', 'build/compile_commands.json'],
  },
]

/** Language ids of the Language Server Protocol by file extension in lower case. */
const idsByExtension: Readonly<Record<string, string>> = {
  ts: 'typescript',
  mts: 'typescript',
  cts: 'typescript',
  tsx: 'typescriptreact',
  js: 'javascript',
  mjs: 'javascript',
  cjs: 'javascript',
  jsx: 'javascriptreact',
  py: 'python',
  pyi: 'python',
  pyw: 'python',
  sh: 'shellscript',
  bash: 'shellscript',
  yaml: 'yaml',
  yml: 'yaml',
  html: 'html',
  htm: 'html',
  css: 'css',
  scss: 'scss',
  less: 'less',
  json: 'json',
  jsonc: 'jsonc',
  rs: 'rust',
  go: 'go',
  c: 'c',
  h: 'c',
  cc: 'cpp',
  cpp: 'cpp',
  cxx: 'cpp',
  hh: 'cpp',
  hpp: 'cpp',
  hxx: 'cpp',
}

/** Files that contain JSON with comments although their extension says JSON. */
const jsonWithComments = /^(?:tsconfig|jsconfig)(?:\.[\w-]+)?\.json$/

/** Returns a file's language id; undefined if no server knows it. */
export function languageIdOf(file: string): string | undefined {
  const name = path.posix.basename(file)
  if (jsonWithComments.test(name)) return 'jsonc'
  return idsByExtension[path.posix.extname(name).slice(1).toLowerCase()]
}
