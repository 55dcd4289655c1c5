import { spawn, type ChildProcessWithoutNullStreams, type SpawnOptions } from 'node:child_process'
import { ToolError } from '../../shared/errors.ts'
import { errorCode } from './errorCode.ts'
import { withoutTerminals } from './inheritedDescriptors.ts'

/** Options of a program that is started with pipes; `stdio` is not for the caller to set. */
export type StartOptions = Omit<SpawnOptions, 'stdio' | 'shell'>

/**
 * Starts a program with pipes for its three streams, without a shell. The only way to start a process with pipes: when this process
 * or the machine has no file descriptor left, Node returns a process without streams, and reading one of them would end Tizona.
 * The program inherits nothing but these streams.
 * A program that is missing or may not run is reported by the `error` event, as with `spawn`.
 * Throws `io_error` where the system cannot start any process.
 */
export function startProcess(
  file: string,
  args: readonly string[],
  options: StartOptions,
): ChildProcessWithoutNullStreams {
  let child
  try {
    const invocation = withoutTerminals(file, args, options)
    child = spawn(invocation.file, invocation.args, { ...options, stdio: 'pipe' })
  } catch (error) {
    throw startFailure(file, error)
  }
  // Typed as always there, but missing after EMFILE and ENFILE (child_process.js of Node: "no point in continuing").
  const streams: readonly unknown[] = [child.stdin, child.stdout, child.stderr]
  if (streams.every((stream) => stream !== undefined && stream !== null)) return child
  // The same failure comes as an event too, which would be thrown where nobody listens.
  child.once('error', () => undefined)
  throw startFailure(file, Object.assign(new Error('spawn EMFILE'), { code: 'EMFILE' }))
}

/** Why a program could not be started, for what `spawn` and a terminal throw and for their `error` event. */
export function startFailure(file: string, error: unknown): ToolError {
  const code = errorCode(error)
  if (code === 'EMFILE' || code === 'ENFILE') {
    const where = code === 'EMFILE' ? 'by this process' : 'on this machine'
    const next =
      'End commands or terminals that are no longer needed and try again. The limit can be raised with "ulimit -n" before Tizona is started.'
    return new ToolError(
      'io_error',
      `Too many open files: "${file}" could not be started, because no more can be opened ${where}.`,
      next,
      { cause: error },
    )
  }
  const reason = error instanceof Error ? error.message : String(error)
  const next =
    code === 'EAGAIN' || code === 'ENOMEM'
      ? 'Too many processes may be running: end some and try again.'
      : 'Check the program and its arguments.'
  return new ToolError('io_error', `"${file}" could not be started: ${reason}.`, next, { cause: error })
}
