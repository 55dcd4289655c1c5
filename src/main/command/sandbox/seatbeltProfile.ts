/** What a command may access on macOS. Absolute real paths. */
export interface SeatbeltAccess {
  /** Folders of the workspace. */
  folders: readonly string[]
  /** Folder with links to them, which is read-only even inside a hidden folder. */
  links?: string | undefined
  /** Whether the workspace is read-only. */
  readOnly: boolean
  home: string
  /** Temporary folder of the user. */
  temporary: string
  /** Folders in the home folder that stay readable. */
  readable: readonly string[]
  /** Additional writable folders: package caches, git folders of worktrees. */
  writable: readonly string[]
  /** Read-only files and folders inside writable folders, existing or not. */
  protectedPaths: readonly string[]
  /** Files and folders that are not even readable. */
  hidden: readonly string[]
  /** Folders of programs, readable even inside hidden folders. */
  programs: readonly string[]
  /** Folders of the program itself, which it may change even inside hidden folders. */
  own: readonly string[]
  network: boolean
}

/**
 * Returns the profile for `sandbox-exec -p`. The last matching rule wins. Allows everything except writing, reading the
 * home folder, and network access, because macOS programs need many system services.
 */
export function seatbeltProfile(access: SeatbeltAccess): string {
  const {
    folders,
    links,
    readOnly,
    home,
    temporary,
    readable,
    writable,
    protectedPaths,
    hidden,
    programs,
    own,
    network,
  } = access
  const lines = [
    '(version 1)',
    '(allow default)',
    '(deny file-write*)',
    `(allow file-write* ${paths([...(readOnly ? [] : folders), temporary, ...writable])} (literal "/dev/null") (literal "/dev/zero") (regex #"^/dev/(tty|ttys[0-9]+|fd/.*)$"))`,
    `(deny file-read* ${paths([home])})`,
    // Resolving a path reads the folders above it.
    `(allow file-read-metadata ${paths([home])})`,
    `(allow file-read* ${paths([...folders, ...readable, ...writable])})`,
    ...(protectedPaths.length === 0 ? [] : [`(deny file-write* ${paths(protectedPaths)})`]),
    ...(hidden.length === 0 ? [] : [`(deny file-read* file-write* ${paths(hidden)})`]),
    ...(links === undefined ? [] : [`(allow file-read* ${paths([links])})`]),
    ...(programs.length === 0 ? [] : [`(allow file-read* ${paths(programs)})`]),
    ...(own.length === 0 ? [] : [`(allow file-read* file-write* ${paths(own)})`]),
    // Other programs of the user, the keychain and the clipboard.
    '(deny process-info* (target others))',
    '(deny signal (target others))',
    '(deny mach-lookup (global-name "com.apple.securityd.xpc") (global-name "com.apple.SecurityServer") (global-name "com.apple.pasteboard.1"))',
    '(deny appleevent-send)',
    ...(network ? [] : ['(deny network*)']),
  ]
  return `${lines.join('\n')}\n`
}

function paths(files: readonly string[]): string {
  return files.map((file) => `(subpath ${quoted(file)})`).join(' ')
}

function quoted(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`
}
