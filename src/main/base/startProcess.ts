import {
  spawn,
  type ChildProcess,
  type ChildProcessByStdio,
  type ChildProcessWithoutNullStreams,
  type SpawnOptions,
} from 'node:child_process'
import { existsSync } from 'node:fs'
import path from 'node:path'
import type { Readable } from 'node:stream'
import { ToolError } from '../../shared/errors.ts'
import { errorCode } from './errorCode.ts'
import { withoutTerminals } from './inheritedDescriptors.ts'
import { findProgramByName, safeSearchPath, searchPathOf } from './programSearch.ts'

/** Options for a program started with pipes. */
export type StartOptions = Omit<SpawnOptions, 'stdio' | 'shell'>

/**
 * Starts a program without a shell and with pipes for its three streams; it inherits no other descriptors. Every
 * process with pipes is started here: without free file descriptors, Node returns a process without streams, and
 * reading one of them would crash Tizona. A missing or forbidden program is reported by the `error` event, as with
 * `spawn`. A program without a folder is searched in the PATH of `options.env`, but not in open folders.
 * @throws ToolError `io_error` if the system cannot start any process
 */
export function startProcess(
  file: string,
  args: readonly string[],
  options: StartOptions,
): ChildProcessWithoutNullStreams {
  // With three pipes it has three streams.
  return start(file, args, { ...options, stdio: 'pipe' }) as ChildProcessWithoutNullStreams
}

/** Starts a program like `startProcess`, but with an empty standard input, which takes a pipe less. */
export function startProcessWithoutInput(
  file: string,
  args: readonly string[],
  options: StartOptions,
): ChildProcessByStdio<null, Readable, Readable> {
  // The other two are pipes.
  return start(file, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] }) as ChildProcessByStdio<
    null,
    Readable,
    Readable
  >
}

/** Starts a program whose standard output and error output are pipes. */
function start(program: string, args: readonly string[], given: SpawnOptions): ChildProcess {
  const { file, options } = located(program, given)
  let child
  try {
    const invocation = withoutTerminals(file, args, options)
    child = spawn(invocation.file, invocation.args, options)
  } catch (error) {
    throw startFailure(file, error)
  }
  // The types claim that the streams exist, but after EMFILE and ENFILE they do not (child_process.js of Node).
  const streams: readonly unknown[] = [child.stdout, child.stderr]
  if (streams.every((stream) => stream !== undefined && stream !== null)) return child
  // The same failure is emitted as an event, which would be thrown without a listener.
  child.once('error', () => undefined)
  throw startFailure(file, Object.assign(new Error('spawn EMFILE'), { code: 'EMFILE' }))
}

/** Finds a program by its name. If there is none, the system must not find one either. */
function located(program: string, options: SpawnOptions): { file: string; options: SpawnOptions } {
  if (/[\\/]/.test(program)) return { file: program, options }
  const env = options.env ?? process.env
  const searchPath = searchPathOf(env)
  const file = findProgramByName(program, searchPath)
  if (file !== undefined) return { file, options }
  const others = Object.entries(env).filter(([name]) => !/^path$/i.test(name))
  // An empty PATH would mean the working folder.
  const PATH = safeSearchPath(searchPath) || path.join(path.parse(process.cwd()).root, 'no-such-folder')
  return { file: program, options: { ...options, env: { ...Object.fromEntries(others), PATH } } }
}

/**
 * Returns the error for a program that could not be started, from an exception or an `error` event.
 * @param cwd its folder, whose absence the system reports as that of the program
 */
export function startFailure(file: string, error: unknown, cwd?: string): ToolError {
  const code = errorCode(error)
  if (code === 'ENOENT' && cwd !== undefined && !existsSync(cwd))
    return new ToolError(
      'io_error',
      `"${file}" could not be started: its folder ${cwd} does not exist.`,
      'Open the folder again, or another one.',
      { cause: error },
    )
  if (code === 'EMFILE' || code === 'ENFILE') {
    const where = code === 'EMFILE' ? 'of this process' : 'of this machine'
    const next =
      'Stop commands or terminals you no longer need and try again. To raise the limit, run "ulimit -n" before you start Tizona.'
    return new ToolError(
      'io_error',
      `Too many open files: "${file}" could not be started, because the limit ${where} is reached.`,
      next,
      { cause: error },
    )
  }
  const reason = error instanceof Error ? error.message : String(error)
  const next =
    code === 'EAGAIN' || code === 'ENOMEM'
      ? 'Too many processes may be running. Stop some and try again.'
      : 'Check the program and its arguments.'
  return new ToolError('io_error', `"${file}" could not be started: ${reason}.`, next, { cause: error })
}
