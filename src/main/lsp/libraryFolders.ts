import { homedir } from 'node:os'
import path from 'node:path'
import { languageIdOf, type ServerDefinition } from './serverTable.ts'

// Where toolchains and package managers store the sources of definitions. A server can name any file on the machine, so
// only these are shown.

/** Environment variables that name toolchain folders. */
interface Environment {
  home: string
  variables: Readonly<Record<string, string | undefined>>
}

/**
 * Absolute folders by language id of the files in them. A `*` at the end of the last name matches the rest of the name.
 */
function foldersOf(language: string, { home, variables }: Environment): string[] {
  const named = (variable: string, ...rest: string[]): string[] => {
    const folder = variables[variable]
    return folder !== undefined && path.isAbsolute(folder) ? [path.join(folder, ...rest)] : []
  }
  switch (language) {
    case 'c':
    case 'cpp':
      return [
        '/usr/include',
        '/usr/local/include',
        '/usr/lib/gcc',
        '/usr/lib/clang',
        '/usr/lib/llvm*',
        '/opt/homebrew/include',
        '/Library/Developer/CommandLineTools',
        '/Applications/Xcode.app/Contents/Developer',
      ]
    case 'go':
      return [
        '/usr/lib/go*',
        '/usr/share/go*',
        '/usr/local/go',
        '/opt/homebrew/Cellar/go',
        path.join(home, 'go/pkg/mod'),
        path.join(home, 'sdk'),
        ...named('GOROOT', 'src'),
        ...named('GOPATH', 'pkg/mod'),
        ...named('GOMODCACHE'),
      ]
    case 'rust':
      return [
        path.join(home, '.rustup/toolchains'),
        path.join(home, '.cargo/registry/src'),
        path.join(home, '.cargo/git/checkouts'),
        '/usr/lib/rustlib/src',
        '/usr/src/rustc*',
        ...named('RUSTUP_HOME', 'toolchains'),
        ...named('CARGO_HOME', 'registry/src'),
        ...named('CARGO_HOME', 'git/checkouts'),
      ]
    case 'python':
      return ['/usr/lib/python*', '/usr/local/lib/python*', '/Library/Frameworks/Python.framework']
    default:
      return []
  }
}

/** Names of folders in which package managers store a language's packages. */
const packageFolders: Readonly<Record<string, readonly string[]>> = {
  python: ['site-packages', 'dist-packages'],
  typescript: ['node_modules'],
  typescriptreact: ['node_modules'],
  javascript: ['node_modules'],
  javascriptreact: ['node_modules'],
}

const isBelow = (file: string, folder: string): boolean => file.startsWith(folder + path.sep)

/** Whether a file is inside a folder whose last name can end with `*`. */
function isIn(file: string, folder: string): boolean {
  if (!folder.endsWith('*')) return isBelow(file, folder)
  const start = folder.slice(0, -1)
  return file.startsWith(start) && file.indexOf(path.sep, start.length) > 0
}

/** Returns the package that contains a server's program, for its files, such as the types of a standard library. */
function ownPackage(program: string): string | undefined {
  const marker = `${path.sep}node_modules${path.sep}`
  const at = program.lastIndexOf(marker)
  if (at < 0) return undefined
  const [first = '', second = ''] = program.slice(at + marker.length).split(path.sep)
  return program.slice(0, at + marker.length) + (first.startsWith('@') ? path.join(first, second) : first)
}

/**
 * Whether the window may show a file named by a server: a source file in one of the server's languages, inside a folder
 * of its toolchain or of a package manager, or in the server's own package.
 * @param file real absolute path
 * @param program real path of the server's program, null if it has not started
 */
export function isLibraryFile(
  file: string,
  { serves }: Pick<ServerDefinition, 'serves'>,
  program: string | null,
  environment: Environment = { home: homedir(), variables: process.env },
): boolean {
  // Headers of the C++ standard library have no extension.
  const language = languageIdOf(file) ?? (path.extname(file) === '' && serves.includes('cpp') ? 'cpp' : undefined)
  if (language === undefined || !serves.includes(language)) return false
  const own = program === null ? undefined : ownPackage(program)
  if (own !== undefined && isBelow(file, own)) return true
  const names = path.dirname(file).split(path.sep)
  return (
    packageFolders[language]?.some((name) => names.includes(name)) === true ||
    foldersOf(language, environment).some((folder) => isIn(file, folder))
  )
}
