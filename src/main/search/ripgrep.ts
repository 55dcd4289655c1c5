import { readdir, readFile } from 'node:fs/promises'
import { arch, platform } from 'node:process'
import { ToolError } from '../../shared/errors.ts'
import { asSentence } from '../base/asSentence.ts'
import { errorCode } from '../base/fileErrors.ts'
import { startFailure, startProcess, startProcessWithoutInput } from '../base/startProcess.ts'
import { unpackedPath } from '../base/workerFile.ts'
import type { Workspace } from '../workspace/containment.ts'

/** Parameters of a ripgrep run. Output is passed on as it arrives; only the start of the error output is kept. */
export interface RipgrepRun {
  args: string[]
  /** Working directory that paths in `args` are relative to. */
  cwd: string
  /** Text to search when the path is `-`. */
  stdin?: string
  /** Aborting stops the process. The outcome then has `stopped`. */
  signal: AbortSignal
  /** Receives a chunk of standard output. Return false to stop the process. */
  onOutput(chunk: Buffer): boolean
}

export interface RipgrepOutcome {
  /** Whether the signal or `onOutput` stopped the process. */
  stopped: boolean
  /** Paths that could not be searched, with ripgrep's reason, e.g. `private: Permission denied`. */
  skipped: string[]
}

/** Runs ripgrep. Tests pass another binary. */
export type Ripgrep = (run: RipgrepRun) => Promise<RipgrepOutcome>

const maxErrorBytes = 64 * 1024

/**
 * Flags of every run: no user configuration, no symlinks, `/` as separator. The separator is only set where it differs,
 * because setting it makes ripgrep rewrite every path, 4% of its time for a listing.
 */
export const commonFlags: readonly string[] = [
  '--no-config',
  '--no-follow',
  '--color=never',
  ...(process.platform === 'win32' ? ['--path-separator=/'] : []),
]

/**
 * Creates a function that runs ripgrep without a shell and without the user's configuration.
 * @param binary path of `rg`, default: the one in `@vscode/ripgrep`
 */
export function createRipgrep(binary?: string): Ripgrep {
  let found: Promise<string> | undefined
  return async (run) => {
    found ??= binary === undefined ? packagedBinary() : Promise.resolve(binary)
    try {
      return await start(await found, run)
    } catch (error) {
      // Not cached after a failure, which may be temporary, e.g. no free file descriptors.
      found = undefined
      throw error
    }
  }
}

/**
 * Keeps ripgrep out of Tizona's own data. Callers also filter its output, because one of their globs can include a
 * folder again.
 */
export function withoutOwnData({ ownData }: Pick<Workspace, 'ownData'>, ripgrep: Ripgrep): Ripgrep {
  if (ownData.length === 0) return ripgrep
  const globs = ownData.flatMap((place) => ['--glob', `!/${literalGlob(place)}`])
  return (run) => ripgrep({ ...run, args: [...globs, ...run.args] })
}

/** Escapes the special characters of a glob. */
function literalGlob(text: string): string {
  return text.replaceAll(/[\\*?[\]{}!]/g, '\\$&')
}

/** Returns the path of the bundled binary. In a packaged app it is unpacked next to the archive. */
async function packagedBinary(): Promise<string> {
  try {
    // Imported lazily: the package throws on import if its binary is missing, and only searches need it.
    const { rgPath } = await import('@vscode/ripgrep')
    return unpackedPath(rgPath)
  } catch (cause) {
    if (errorCode(cause) === 'EMFILE' || errorCode(cause) === 'ENFILE') throw startFailure('ripgrep', cause)
    throw new ToolError(
      'command_not_found',
      `The ripgrep binary for ${process.platform}-${process.arch} is not installed, so searching is not possible.`,
      'Run "npm ci" in Tizona\'s folder (with optional dependencies), then try again.',
      { cause },
    )
  }
}

async function start(binary: string, run: RipgrepRun): Promise<RipgrepOutcome> {
  if (run.signal.aborted) return { stopped: true, skipped: [] }
  const { promise, resolve, reject } = Promise.withResolvers<RipgrepOutcome>()
  const env = 'RIPGREP_CONFIG_PATH' in process.env ? { ...process.env, RIPGREP_CONFIG_PATH: undefined } : process.env
  const options = { startedBy: 'tizona', cwd: run.cwd, env, windowsHide: true } as const
  const child =
    run.stdin === undefined
      ? startProcessWithoutInput(binary, run.args, options)
      : startProcess(binary, run.args, options)
  let stopped = false
  let errors = ''

  const settle = (code: number | null, signal: NodeJS.Signals | null): void => {
    run.signal.removeEventListener('abort', stop)
    stopWatching()
    // The last kept message of long error output may be incomplete.
    if (errors.length >= maxErrorBytes) errors = errors.slice(0, Math.max(0, errors.lastIndexOf('\nrg: ')))
    const skipped = skippedPaths(errors)
    if (stopped) return resolve({ stopped, skipped })
    // Exit codes: 0 matches, 1 no matches, 2 an error, which may concern only some paths.
    if (code === 0 || code === 1 || (code === 2 && skipped.length > 0 && fatalError(errors) === ''))
      return resolve({ stopped, skipped })
    reject(failure(fatalError(errors) || ending(code, signal)))
  }
  const stop = (): void => {
    stopped = true
    child.kill('SIGKILL')
    // Child processes that keep the pipes open must not delay the caller.
    child.stdout.destroy()
    child.stderr.destroy()
  }

  const stopWatching = watchOpening(child.pid, () => {
    stop()
    reject(stuck())
  })
  child.once('error', (cause) => {
    stopWatching()
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
  // ripgrep may exit before it has read all input, e.g. for an invalid pattern. Its error output explains why.
  child.stdin?.on('error', () => undefined)
  child.stdin?.end(run.stdin)
  run.signal.addEventListener('abort', stop, { once: true })
  return promise
}

function stuck(): ToolError {
  return new ToolError(
    'io_error',
    'The search was stopped: a file did not open, probably a pipe named .gitignore, .ignore or .rgignore.',
    'Find it with "find . -type p" and delete it, or search in another folder.',
  )
}

/** Describes how the process exited. */
function ending(code: number | null, signal: NodeJS.Signals | null): string {
  return signal === null ? `It exited with code ${code}.` : `It was ended by ${signal}.`
}

/** Messages about single paths start with `./…` or an absolute path, unlike those about the whole run. */
const pathMessage = /^rg: (?:\.\/|\/|[A-Za-z]:[\\/])/

/**
 * An operating system error without a path. ripgrep does not name a folder that it can open but not list completely,
 * for example that of another user's process in `/proc`.
 */
const unnamedFolderMessage = /^rg: ([^:\n]+) \(os error \d+\)$/

/** A message can have several lines, because a path can. */
function messagesOf(errors: string): string[] {
  return errors.trimEnd().split(/\n(?=rg: )/)
}

/** With one thread, ripgrep names a path twice: `rg: a: IO error for operation on a: Permission denied`. */
function withPathOnce(message: string): string {
  const between = ': IO error for operation on '
  const at = message.indexOf(between)
  if (at < 0) return message
  const path = message.slice('rg: '.length, at)
  const rest = message.slice(at + between.length)
  return rest.startsWith(`${path}: `) ? `rg: ${rest}` : message
}

function skippedPaths(errors: string): string[] {
  const skipped = messagesOf(errors).flatMap((message) => {
    const reason = unnamedFolderMessage.exec(message)?.[1]
    if (reason !== undefined) return [`A folder that ripgrep does not name: ${reason}`]
    if (!pathMessage.test(message)) return []
    return [
      withPathOnce(message)
        .replace(/^rg: (?:\.\/)?/, '')
        .replace(/ \(os error \d+\)$/, ''),
    ]
  })
  return [...new Set(skipped)]
}

/** Returns the error output without messages about individual paths: why the whole run failed. */
function fatalError(errors: string): string {
  const messages = messagesOf(errors).filter(
    (message) =>
      !pathMessage.test(message) &&
      !unnamedFolderMessage.test(message) &&
      !message.startsWith('rg: No files were searched'),
  )
  return messages.join('\n').replace(/^rg: /, '').trim()
}

function failure(message: string): ToolError {
  if (/error parsing glob/.test(message)) {
    return new ToolError(
      'invalid_pattern',
      `The glob is not valid: ${asSentence(message)}`,
      'Close every [ and {, or write a literal one as [[] or [{].',
    )
  }
  if (/regex parse error|regex|look-around|backreference/i.test(message)) return invalidRegex(message)
  return new ToolError(
    'io_error',
    `ripgrep failed: ${asSentence(message)}`,
    'Try again with a narrower path. If it fails again, report it.',
  )
}

/**
 * Converts the error for an invalid pattern. Keeps only the reason, because ripgrep suggests flags that callers do not
 * have.
 */
function invalidRegex(message: string): ToolError {
  const reason = /^error: (.+)/m.exec(message)?.[1] ?? message.split('\n')[0] ?? message
  const [, next = ''] = regexAdvice.find(([expression]) => expression.test(reason)) ?? []
  return new ToolError('invalid_pattern', `The regular expression is not valid: ${reason.trim()}.`, next)
}

const regexAdvice: readonly (readonly [RegExp, string])[] = [
  [
    /^look-around/,
    'Look-ahead and look-behind are not supported: search for the required part and filter the results.',
  ],
  [/^backreferences/, 'Repeat the text instead of the backreference.'],
  [/literal .{1,20} is not allowed/, 'The search is line by line. Search for one line of the text.'],
  [/exceeds size limit|too big/i, 'Use smaller repeat counts or a simpler pattern.'],
  [/(?:)/, 'Escape literal ( ) [ ] { } . * + ? | ^ $ \\ with a backslash, or close the open group or class.'],
]

/** Numbers of the system calls that open a file. */
const openCalls: Partial<Record<NodeJS.Architecture, readonly string[]>> = { x64: ['2', '257'], arm64: ['56'] }
/** Number of checks for which a process may wait until a file opens. */
const maxChecks = 3

/**
 * Detects a process that waits for a file to open: a pipe without a writer, with the name of an ignore file, blocks it
 * forever. Linux only.
 * @param onStuck called once
 * @param intervalMs milliseconds between checks
 * @returns a function that stops watching
 */
function watchOpening(pid: number | undefined, onStuck: () => void, intervalMs = 4000): () => void {
  const calls = openCalls[arch]
  if (platform !== 'linux' || calls === undefined || pid === undefined) return () => undefined
  /** Number of checks in which a thread was in the same call. */
  let waiting = new Map<string, number>()
  let stopped = false
  let timer: NodeJS.Timeout

  const check = async (): Promise<void> => {
    const now = await openingThreads(pid, calls)
    if (stopped) return
    waiting = new Map(now.map((thread) => [thread, (waiting.get(thread) ?? 0) + 1]))
    if ([...waiting.values()].some((checks) => checks >= maxChecks)) onStuck()
    else schedule()
  }
  const schedule = (): void => {
    timer = setTimeout(() => void check(), intervalMs).unref()
  }
  schedule()
  return () => {
    stopped = true
    clearTimeout(timer)
  }
}

/** Returns the threads in such a call, each with the call's arguments and stack (proc_pid_syscall(5)). */
async function openingThreads(pid: number, calls: readonly string[]): Promise<string[]> {
  const threads = await readdir(`/proc/${pid}/task`).catch((): string[] => [])
  const found = await Promise.all(
    threads.map(async (thread) => {
      const call = await readFile(`/proc/${pid}/task/${thread}/syscall`, 'utf8').catch(() => '')
      return calls.includes(call.split(' ', 1)[0] ?? '') ? [`${thread} ${call}`] : []
    }),
  )
  return found.flat()
}
