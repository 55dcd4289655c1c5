/** Variables that are Tizona's, Electron's or npm's own, or that would change what a command line means. */
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
  // rc files of non-interactive shells, and exported functions that would stand before a program of the same name
  /^BASH_ENV$/,
  /^ENV$/,
  /^BASH_FUNC_/,
  // describe the terminal Tizona was started from, not the one it opens
  /^TERM_PROGRAM/,
  /^TMUX/,
  /^STY$/,
  /^WINDOW(ID)?$/,
  /^COLUMNS$/,
  /^LINES$/,
  /^TERMCAP$/,
]

/**
 * The environment a command or terminal starts with: the user's, without what belongs to Tizona, Electron or npm.
 * When npm started us it put its own folders first on PATH; they are taken off, so that `node` is the user's.
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
