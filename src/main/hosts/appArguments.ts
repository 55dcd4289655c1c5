import { parseArgs } from 'node:util'
import { logLevels, type LogLevel } from '../base/log/log.ts'

/** Invalid command line. The message is shown to the user with the usage text. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** Converts an error of `parseArgs`, dropping its advice about arguments that start with a dash. */
export function argumentError(error: unknown): UsageError {
  const message = error instanceof Error ? error.message : String(error)
  const advice = message.indexOf('. To specify a positional argument')
  return new UsageError(advice === -1 ? message : message.slice(0, advice + 1), { cause: error })
}

export interface AppArguments {
  /** Folder or file to open as typed: absolute, or relative to the working directory. */
  target?: string
  /** Further files to open. */
  others: string[]
  /** File that is compared with `target`. */
  compareWith?: string
  /** Whether a file is not shown in a window that has another folder open. */
  newWindow: boolean
  /** Whether the folder replaces that of the window that was used last. */
  reuse: boolean
  /** Whether the folder is added to the window that was used last. */
  add: boolean
  /** Whether to exit when the tab of the file is closed. */
  wait: boolean
  /** Port of the browser host; 0 for any free port. */
  port: number
  /** Whether the browser host opens a window. */
  open: boolean
  /** Origin of a reverse proxy in front of the browser host. */
  publicOrigin?: string
  logLevel?: LogLevel
}

export const appUsage = `Usage: npm start -- [FOLDER | FILE.code-workspace | FILE[:LINE[:COLUMN]]…] [--diff FILE FILE] [--new-window] [--reuse-window] [--add] [--wait] [--port N] [--no-open] [--public-origin URL] [--log-level LEVEL]

  FOLDER              the folder to open (default: the last one)
  FILE.code-workspace the workspace of several folders to open
  FILE[:LINE[:COLUMN]] the file to open in the window that has its folder open, else in the one used last, else in its folder
  --diff, -d          compare two files
  --new-window, -n    open a file in a window with its folder, not in one with another folder
  --reuse-window, -r  desktop: open the folder in the window that was used last
  --add, -a           desktop: add the folder to the window that was used last
  --goto, -g          accepted as in VS Code; a line and column are read without it too
  --wait, -w          exit when the tab of the file is closed, as GIT_EDITOR needs
  --port N            browser host: listen on this port of 127.0.0.1 (default: any free port)
  --no-open           browser host: print the address instead of opening a window
  --public-origin URL browser host: accept only this origin, which a reverse proxy serves (docs/scale.md)
  --log-level LEVEL   error, warn, info (default) or debug; the log is logs/tizona.log in the user data folder`

/**
 * Parses the application's arguments.
 * @throws UsageError for an unknown option or an invalid value
 */
export function parseAppArguments(args: readonly string[]): AppArguments {
  const { values, positionals } = parseOptions(args)
  const diff = values.diff === true
  if (diff && positionals.length !== 2) throw new UsageError('--diff needs two files.')
  const [first, ...others] = positionals
  const port = values.port === undefined ? 0 : Number(values.port)
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new UsageError(`--port must be a number from 0 to 65535, not "${values.port}".`)
  return {
    target: diff ? others[0] : first,
    others: diff ? [] : others,
    ...(diff && { compareWith: first }),
    newWindow: values['new-window'] === true,
    reuse: values['reuse-window'] === true,
    add: values.add === true,
    wait: values.wait === true,
    port,
    open: values['no-open'] !== true,
    publicOrigin: parsePublicOrigin(values['public-origin']),
    logLevel: parseLogLevel(values['log-level']),
  }
}

/**
 * Parses the value of `--public-origin`. The token in the URL must not cross a network in clear text, so http is only
 * allowed for this machine.
 * @throws UsageError if it is not an origin
 */
function parsePublicOrigin(value: string | undefined): string | undefined {
  if (value === undefined) return undefined
  const url = URL.canParse(value) ? new URL(value) : undefined
  if (url === undefined || url.hostname.includes('*') || (value !== url.origin && value !== `${url.origin}/`))
    throw new UsageError(
      `--public-origin must be a lowercase scheme and host, such as https://tizona.example, not "${value}".`,
    )
  const isLocal = ['127.0.0.1', 'localhost', '[::1]'].includes(url.hostname)
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLocal))
    throw new UsageError(`--public-origin must begin with https://, not "${url.protocol}//".`)
  return url.origin
}

/** Parses the value of `--log-level`. @throws UsageError if it is not a level name */
export function parseLogLevel(value: string | undefined): LogLevel | undefined {
  if (value === undefined) return undefined
  const level = logLevels.find((name) => name === value)
  if (level === undefined) throw new UsageError(`--log-level must be one of ${logLevels.join(', ')}, not "${value}".`)
  return level
}

function parseOptions(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        add: { type: 'boolean', short: 'a' },
        diff: { type: 'boolean', short: 'd' },
        'new-window': { type: 'boolean', short: 'n' },
        'reuse-window': { type: 'boolean', short: 'r' },
        goto: { type: 'boolean', short: 'g' },
        wait: { type: 'boolean', short: 'w' },
        port: { type: 'string' },
        'no-open': { type: 'boolean' },
        'public-origin': { type: 'string' },
        'log-level': { type: 'string' },
      },
    })
  } catch (error) {
    throw argumentError(error)
  }
}
