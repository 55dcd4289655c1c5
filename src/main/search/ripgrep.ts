import { ToolError } from '../../shared/errors.ts'
import { errorCode } from '../base/errorCode.ts'
import { startFailure, startProcess } from '../base/startProcess.ts'

/** One run of ripgrep. Everything it writes is handed on as it arrives; nothing is kept but the start of its errors. */
export interface RipgrepRun {
  args: string[]
  /** Working directory; `args` name paths relative to it. */
  cwd: string
  /** Text to search, for `-` as the path. */
  stdin?: string
  /** Aborting ends the process; the outcome then says `stopped`. */
  signal: AbortSignal
  /** Takes a piece of standard output. Returning `false` means enough: the process is ended. */
  onOutput(chunk: Buffer): boolean
}

export interface RipgrepOutcome {
  /** Ended by the signal or because `onOutput` had enough. */
  stopped: boolean
  /** What could not be searched and why, as ripgrep tells it, e.g. `private: Permission denied`. */
  skipped: string[]
}

/** Starts ripgrep. Tests hand in another binary. */
export type Ripgrep = (run: RipgrepRun) => Promise<RipgrepOutcome>

const maxErrorBytes = 64 * 1024

/** Flags of every run: no configuration of the user's, no symlinks, `/` in paths everywhere. */
export const commonFlags = ['--no-config', '--no-follow', '--path-separator=/', '--color=never'] as const

/**
 * Makes the function that runs ripgrep, without a shell and without the user's configuration.
 * @param binary path of `rg`; default: the one of `@vscode/ripgrep`.
 */
export function createRipgrep(binary?: string): Ripgrep {
  let found: Promise<string> | undefined
  return async (run) => {
    found ??= binary === undefined ? packagedBinary() : Promise.resolve(binary)
    try {
      return await start(await found, run)
    } catch (error) {
      // What failed once, with no file descriptor left for example, may work the next time.
      found = undefined
      throw error
    }
  }
}

/** In a packaged app the binary cannot run inside the archive; electron-builder unpacks it beside it. */
async function packagedBinary(): Promise<string> {
  try {
    // Imported when first needed: the package throws while loading where its binary is missing, and only searches need it.
    const { rgPath } = await import('@vscode/ripgrep')
    return unpackedPath(rgPath)
  } catch (cause) {
    if (errorCode(cause) === 'EMFILE' || errorCode(cause) === 'ENFILE') throw startFailure('ripgrep', cause)
    throw new ToolError(
      'command_not_found',
      `The ripgrep binary for ${process.platform}-${process.arch} is not installed, so nothing can be searched.`,
      'Run "npm ci" in Tizona\'s folder (with optional dependencies), then try again.',
      { cause },
    )
  }
}

/** A path inside `app.asar` as the path of its unpacked copy. */
export function unpackedPath(path: string): string {
  return path.replace(/([\\/])app\.asar([\\/])/, '$1app.asar.unpacked$2')
}

async function start(binary: string, run: RipgrepRun): Promise<RipgrepOutcome> {
  if (run.signal.aborted) return { stopped: true, skipped: [] }
  const { promise, resolve, reject } = Promise.withResolvers<RipgrepOutcome>()
  const child = startProcess(binary, run.args, {
    cwd: run.cwd,
    env: { ...process.env, RIPGREP_CONFIG_PATH: undefined },
    windowsHide: true,
  })
  let stopped = false
  let errors = ''

  const settle = (code: number | null, signal: NodeJS.Signals | null): void => {
    run.signal.removeEventListener('abort', stop)
    const skipped = skippedPaths(errors)
    if (stopped) return resolve({ stopped, skipped })
    // 0: matches, 1: none, 2: an error, which may only mean that some paths could not be read.
    if (code === 0 || code === 1 || (code === 2 && skipped.length > 0 && fatalError(errors) === ''))
      return resolve({ stopped, skipped })
    reject(failure(fatalError(errors) || `it ended with ${signal ?? `code ${code}`}`))
  }
  const stop = (): void => {
    stopped = true
    child.kill('SIGKILL')
    // Whatever holds the pipes open after the process is gone must not keep the caller waiting.
    child.stdout.destroy()
    child.stderr.destroy()
  }

  child.once('error', (cause) => {
    run.signal.removeEventListener('abort', stop)
    if (errorCode(cause) !== 'ENOENT' && errorCode(cause) !== 'EACCES') reject(startFailure('ripgrep', cause))
    else
      reject(
        new ToolError(
          'command_not_found',
          `ripgrep could not be started: ${cause.message}.`,
          'Reinstall Tizona ("npm ci"), then try again.',
          { cause },
        ),
      )
  })
  child.once('close', settle)
  child.stdout.on('data', (chunk: Buffer) => {
    if (stopped) return
    try {
      if (!run.onOutput(chunk)) stop()
    } catch (error) {
      stop()
      reject(error)
    }
  })
  child.stderr.on('data', (chunk: Buffer) => {
    if (errors.length < maxErrorBytes) errors += chunk.toString('utf8')
  })
  // ripgrep may end before it has read everything (a bad pattern); its own message tells why.
  child.stdin.on('error', () => undefined)
  child.stdin.end(run.stdin)
  run.signal.addEventListener('abort', stop, { once: true })
  return promise
}

/** Messages about single paths: all paths are given as `./…` or absolute, so they can be told from messages about the whole run. */
const pathMessage = /^rg: (?:\.\/|\/|[A-Za-z]:[\\/])/

function skippedPaths(errors: string): string[] {
  return errors
    .split('\n')
    .filter((line) => pathMessage.test(line))
    .map((line) => line.replace(/^rg: (?:\.\/)?/, '').replace(/ \(os error \d+\)$/, ''))
}

/** What remains of the messages without those about single paths: why the whole run failed. */
function fatalError(errors: string): string {
  const lines = errors
    .split('\n')
    .filter((line) => !pathMessage.test(line) && !line.startsWith('rg: No files were searched'))
  return lines.join('\n').replace(/^rg: /, '').trim()
}

function failure(message: string): ToolError {
  if (/error parsing glob/.test(message)) {
    return new ToolError(
      'invalid_pattern',
      `The glob is not valid: ${message}`,
      'Close every [ and {, or write a literal one as [[] or [{].',
    )
  }
  if (/regex parse error|regex|look-around|backreference/i.test(message)) return invalidRegex(message)
  return new ToolError(
    'io_error',
    `ripgrep failed: ${message}`,
    'Try again with a narrower path; if it fails again, report it.',
  )
}

/** ripgrep quotes the pattern inside a group of its own and advises flags that our callers do not have: only its reason is passed on. */
function invalidRegex(message: string): ToolError {
  const reason = /^error: (.+)/m.exec(message)?.[1] ?? message.split('\n')[0] ?? message
  const [, next = ''] = regexAdvice.find(([expression]) => expression.test(reason)) ?? []
  return new ToolError('invalid_pattern', `The regular expression is not valid: ${reason.trim()}.`, next)
}

const regexAdvice: readonly (readonly [RegExp, string])[] = [
  [
    /^look-around/,
    'Look-ahead and look-behind are not supported: search for the part that must match and judge the results.',
  ],
  [/^backreferences/, 'Write the repeated part out.'],
  [/literal .{1,20} is not allowed/, 'The search goes line by line: search for one line of the text.'],
  [/exceeds size limit|too big/i, 'Use smaller repeat counts or a simpler pattern.'],
  [/(?:)/, 'To mean ( ) [ ] { } . * + ? | ^ $ \\ literally, put a backslash before each; else close what is open.'],
]
