/** Variables of Tizona, Electron or npm, and variables that would change the meaning of a command line. */
const dropped = [
  /^ELECTRON_/,
  /^CHROME_/,
  /^ORIGINAL_XDG_CURRENT_DESKTOP$/,
  /^TIZONA_/,
  /^npm_/i,
  /^INIT_CWD$/,
  /^NODE_OPTIONS$/,
  /^NODE_ENV$/,
  /^NODE_CHANNEL_/,
  // rc files of non-interactive shells, and exported functions that would override programs
  /^BASH_ENV$/,
  /^ENV$/,
  /^BASH_FUNC_/,
  // describe the terminal in which Tizona was started
  /^TERM_PROGRAM/,
  /^TMUX/,
  /^STY$/,
  /^WINDOW(ID)?$/,
  /^COLUMNS$/,
  /^LINES$/,
  /^TERMCAP$/,
]

/**
 * Returns the environment for commands and terminals: the user's, without variables of Tizona, Electron and npm. When
 * npm started Tizona, it put its own folders first on PATH; they are removed, so that `node` is the user's.
 */
export function commandEnvironment(
  source: NodeJS.ProcessEnv,
  extra: Record<string, string> = {},
): Record<string, string> {
  const environment: Record<string, string> = {}
  for (const [name, value] of Object.entries(source)) {
    if (value !== undefined && !dropped.some((pattern) => pattern.test(name))) environment[name] = value
  }
  if (source.npm_lifecycle_event !== undefined && environment.PATH !== undefined)
    environment.PATH = withoutNpmFolders(environment.PATH)
  return { ...environment, TERM: 'xterm-256color', COLORTERM: 'truecolor', ...extra }
}

function withoutNpmFolders(path: string): string {
  const delimiter = process.platform === 'win32' ? ';' : ':'
  const folders = path.split(delimiter)
  const first = folders.findIndex((folder) => !/[\\/](?:node_modules[\\/]\.bin|node-gyp-bin)[\\/]?$/.test(folder))
  return (first < 0 ? [] : folders.slice(first)).join(delimiter)
}
