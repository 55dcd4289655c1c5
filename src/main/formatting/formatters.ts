/** A formatter that reads a file from standard input. */
export interface Formatter {
  name: string
  /** Program name. */
  program: string
  /** File name extensions without the dot. */
  extensions: readonly string[]
  /** Files that indicate that a project uses it. Empty: the language's own formatter, always used. */
  configs: readonly string[]
  /** A table in `pyproject.toml` (`[tool.ruff`), or a key in `package.json`, with the same meaning. */
  table?: string
  /** Also used without a configuration if it is a dependency in `package.json`. */
  dependency?: string
  /**
   * Whether it runs no code chosen by the workspace, so that it may run without a sandbox. For the others, a
   * configuration that names code needs approval.
   */
  runsNoFolderCode?: true
  /** @param file relative to the folder in which the program runs */
  args(file: string): string[]
}

const script = ['js', 'jsx', 'mjs', 'cjs', 'ts', 'tsx', 'mts', 'cts']
const styles = ['css', 'scss', 'less']
const documents = ['md', 'mdx', 'yaml', 'yml', 'html', 'vue', 'svelte', 'astro', 'graphql', 'hbs']

/** Known formatters. If a project uses several, the first one applies. */
export const formatters: readonly Formatter[] = [
  {
    name: 'Biome',
    program: 'biome',
    extensions: [...script, 'json', 'jsonc', 'css', 'graphql'],
    configs: ['biome.json', 'biome.jsonc', '.biome.json', '.biome.jsonc'],
    args: (file) => ['format', `--stdin-file-path=${file}`],
  },
  {
    name: 'oxfmt',
    program: 'oxfmt',
    extensions: [...script, 'json', 'jsonc', 'json5', ...styles, ...documents, 'toml'],
    configs: ['.oxfmtrc.json', '.oxfmtrc.jsonc'],
    args: (file) => [`--stdin-filepath=${file}`],
  },
  {
    name: 'dprint',
    program: 'dprint',
    extensions: [...script, 'json', 'jsonc', 'md', 'toml', 'rs'],
    configs: ['dprint.json', 'dprint.jsonc', '.dprint.json', '.dprint.jsonc'],
    args: (file) => ['fmt', '--stdin', file],
  },
  {
    name: 'Prettier',
    program: 'prettier',
    extensions: [...script, 'json', 'jsonc', 'json5', ...styles, ...documents],
    configs: [
      '.prettierrc',
      'package.yaml',
      ...['json', 'json5', 'yaml', 'yml', 'toml', 'js', 'cjs', 'mjs', 'ts', 'cts', 'mts'].map(
        (extension) => `.prettierrc.${extension}`,
      ),
      ...['js', 'cjs', 'mjs', 'ts', 'cts', 'mts'].map((extension) => `prettier.config.${extension}`),
    ],
    table: 'prettier',
    dependency: 'prettier',
    args: (file) => [`--stdin-filepath=${file}`],
  },
  {
    name: 'Ruff',
    runsNoFolderCode: true,
    program: 'ruff',
    extensions: ['py', 'pyi'],
    configs: ['ruff.toml', '.ruff.toml'],
    table: '[tool.ruff',
    args: (file) => ['format', '--quiet', '--stdin-filename', file, '-'],
  },
  {
    name: 'Black',
    runsNoFolderCode: true,
    program: 'black',
    extensions: ['py', 'pyi'],
    configs: [],
    table: '[tool.black',
    args: (file) => ['--quiet', '--stdin-filename', file, '-'],
  },
  {
    name: 'clang-format',
    runsNoFolderCode: true,
    program: 'clang-format',
    extensions: ['c', 'h', 'cc', 'cpp', 'cxx', 'hh', 'hpp', 'hxx', 'm', 'mm', 'proto'],
    configs: ['.clang-format', '_clang-format'],
    args: (file) => [`--assume-filename=${file}`],
  },
  {
    name: 'StyLua',
    runsNoFolderCode: true,
    program: 'stylua',
    extensions: ['lua', 'luau'],
    configs: ['stylua.toml', '.stylua.toml'],
    args: (file) => ['--stdin-filepath', file, '-'],
  },
  { name: 'gofmt', runsNoFolderCode: true, program: 'gofmt', extensions: ['go'], configs: [], args: () => [] },
  {
    name: 'rustfmt',
    program: 'rustfmt',
    extensions: ['rs'],
    configs: [],
    // Edition 2021 also reads earlier ones, except for a few words that they may use as names.
    args: () => ['--edition', '2021', '--emit', 'stdout'],
  },
  {
    name: 'zig fmt',
    runsNoFolderCode: true,
    program: 'zig',
    extensions: ['zig'],
    configs: [],
    args: () => ['fmt', '--stdin'],
  },
]

/** Formatters that are only used if a file or table indicates that the project uses them. */
export const needsConfig = ({ configs, table }: Formatter): boolean => configs.length > 0 || table !== undefined
