import path from 'node:path'

/** How a server's program is found, in order of preference. */
export type ServerProgram =
  /** The native TypeScript compiler, from the workspace if it is version 7 or newer, else the one of Tizona. */
  | { kind: 'typescript' }
  /** A JavaScript program in an npm package: in the workspace's `node_modules`, or installed by Tizona. */
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
  /**
   * Names of project files. Without one beside a file or in a folder above it, the server knows only open files and what
   * they import, so it is not asked for references and renames.
   */
  projectFiles?: readonly string[]
  initializationOptions?: unknown
  /** Answers to `workspace/configuration`, by section. */
  settings?: Readonly<Record<string, unknown>>
  /** Start it only in folders that have one of these files at their root, e.g. a configuration file. */
  onlyWith?: readonly string[]
}

const ecmascript = ['typescript', 'typescriptreact', 'javascript', 'javascriptreact']

/** All servers. If several serve a language, the first one answers first. */
export const serverTable: readonly ServerDefinition[] = [
  {
    id: 'typescript',
    title: 'TypeScript 7',
    languages: ['TypeScript', 'JavaScript'],
    serves: ecmascript,
    programs: [{ kind: 'typescript' }],
    args: ['--lsp', '--stdio'],
    projectFiles: ['tsconfig.json', 'jsconfig.json'],
    // Renaming an imported name renames it everywhere, and not only with an alias in this file.
    settings: {
      typescript: { preferences: { useAliasesForRenames: false } },
      javascript: { preferences: { useAliasesForRenames: false } },
    },
  },
]

/** Language ids of the Language Server Protocol by file extension, lower case. */
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

/** Files that are JSON with comments, although their extension says JSON. */
const jsonWithComments = /^(?:tsconfig|jsconfig)(?:\.[\w-]+)?\.json$/

/** Returns the language id of a file; undefined if no server knows it. */
export function languageIdOf(file: string): string | undefined {
  const name = path.posix.basename(file)
  if (jsonWithComments.test(name)) return 'jsonc'
  return idsByExtension[path.posix.extname(name).slice(1).toLowerCase()]
}
