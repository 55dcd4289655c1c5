import path from 'node:path'
import { ToolError } from '../../shared/errors.ts'
import { errorCode } from '../base/fileErrors.ts'
import { startFailure, startProcess } from '../base/startProcess.ts'

/** Input of one git process. */
export interface GitProcess {
  args: readonly string[]
  /**
   * Absolute working folder. The process starts in the root of the file system, so that no program in this folder is
   * run as `git`.
   */
  folder: string
  env: NodeJS.ProcessEnv
  /** Standard input. */
  input?: string | Buffer
  /** Maximum bytes of standard output; git is stopped when it writes more. */
  maxBytes: number
  /** Receives standard output instead of `GitResult.output`. Returning false stops git. */
  onOutput?(chunk: Buffer): boolean
  /** Receives standard error as it arrives, e.g. for progress. */
  onErrors?(text: string): void
  /** Maximum run time in milliseconds. Undefined: until it exits or is cancelled. */
  timeoutMs?: number
  /** Whether git gets its own process group, so that hooks and helpers end with it. */
  group?: boolean
  signal: AbortSignal
}

export interface GitResult {
  code: number | null
  output: Buffer
  stderr: string
  /** Whether git was stopped because of `maxBytes` or `onOutput`. */
  truncated: boolean
}

/** Maximum characters kept of standard error. The end is kept, because it states the reason. */
const maxErrorLength = 16 * 1024
/** Milliseconds that git has after SIGTERM to delete its lock files. */
const graceMs = 3_000

/**
 * Runs git without a shell. A nonzero exit code is a result, not an exception.
 * @throws ToolError `command_not_found`, `io_error`, `timeout`; or the reason of the signal
 */
export async function runGitProcess({
  args,
  folder,
  env,
  input,
  maxBytes,
  onOutput,
  onErrors,
  timeoutMs,
  group = false,
  signal,
}: GitProcess): Promise<GitResult> {
  signal.throwIfAborted()
  const limit = timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs)
  const either = limit ? AbortSignal.any([signal, limit]) : signal
  const { promise, resolve, reject } = Promise.withResolvers<number | null>()
  const child = startProcess('git', ['--no-pager', '-C', folder, ...args], {
    startedBy: 'tizona',
    cwd: path.parse(folder).root,
    env,
    windowsHide: true,
    detached: group && process.platform !== 'win32',
  })
  const output: Buffer[] = []
  let kept = 0
  let truncated = false
  let errors = ''
  let grace: NodeJS.Timeout | undefined

  const kill = (name: 'SIGTERM' | 'SIGKILL'): void => {
    if (!group || child.pid === undefined) child.kill(name)
    else killGroup(child.pid, name)
  }
  const stop = (): void => {
    kill('SIGTERM')
    grace ??= setTimeout(() => {
      kill('SIGKILL')
      child.stdout.destroy()
      child.stderr.destroy()
    }, graceMs)
  }
  const truncate = (): void => {
    truncated = true
    stop()
  }
  child.stdout.on('data', (chunk: Buffer) => {
    if (truncated) return
    if (onOutput) {
      if (!onOutput(chunk)) truncate()
      return
    }
    output.push(chunk.subarray(0, maxBytes - kept))
    kept += chunk.length
    if (kept > maxBytes) truncate()
  })
  child.stderr.setEncoding('utf8')
  child.stderr.on('data', (text: string) => {
    errors = (errors + text).slice(-maxErrorLength)
    onErrors?.(text)
  })
  // Git may exit before it has read all input. The exit code reports that.
  child.stdin.on('error', () => undefined)
  child.stdin.end(input)
  child.once('error', (error) => reject(errorCode(error) === 'ENOENT' ? error : startFailure('git', error)))
  child.once('close', (code) => resolve(code))
  either.addEventListener('abort', stop, { once: true })

  try {
    const code = await promise
    signal.throwIfAborted()
    if (limit?.aborted)
      throw new ToolError(
        'timeout',
        `git took longer than ${(timeoutMs ?? 0) / 1000} seconds and was stopped.`,
        'Use a smaller repository, or ask the user to run git in a terminal.',
      )
    return { code, output: Buffer.concat(output), stderr: errors.trim(), truncated }
  } catch (cause) {
    if (!(cause instanceof Error && 'code' in cause && cause.code === 'ENOENT')) throw cause
    throw new ToolError('command_not_found', 'git is not installed, or not on PATH.', 'Ask the user to install git.', {
      cause,
    })
  } finally {
    clearTimeout(grace)
    either.removeEventListener('abort', stop)
  }
}

/** Ends a process and its children. */
function killGroup(pid: number, name: 'SIGTERM' | 'SIGKILL'): void {
  if (process.platform === 'win32') {
    startProcess('taskkill', ['/pid', String(pid), '/t', '/f'], { startedBy: 'tizona', windowsHide: true }).once(
      'error',
      () => undefined,
    )
    return
  }
  try {
    process.kill(-pid, name)
  } catch (error) {
    // ESRCH: the group has exited.
    if (errorCode(error) !== 'ESRCH') throw error
  }
}
