import {
  execFile,
  fork,
  spawn,
  type ChildProcess,
  type ChildProcessByStdio,
  type ChildProcessWithoutNullStreams,
  type ExecFileOptions,
  type ForkOptions,
  type SpawnOptions,
} from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import type { Readable } from 'node:stream'
import { promisify } from 'node:util'
import type * as NodePty from 'node-pty'
import { once } from '../../shared/async/once.ts'
import { ToolError } from '../../shared/errors.ts'
import { asSentence } from './asSentence.ts'
import { errorCode } from './fileErrors.ts'
import { recordTerminalOpening, withoutTerminals } from './inheritedDescriptors.ts'
import { isInOpenFolder } from './openFolders.ts'
import { findProgramByName, safeSearchPath, searchPathOf } from './programSearch.ts'

/**
 * On whose behalf a program starts. Decides where its file may be:
 * - `tizona`: Tizona itself. The file belongs to Tizona or the machine, never to an open folder.
 * - `user`: the user started, configured or approved it: terminals, tasks, commands, git actions, MCP servers,
 *   external agents.
 * - `sandbox`: the sandbox launcher, in which any program may run.
 */
export type StartedBy = 'tizona' | 'user' | 'sandbox'

/*
 * Every process of Tizona starts here; lint forbids node:child_process and node-pty elsewhere. Programs that Tizona
 * starts on its own, and those that read a folder's code or configuration, go through `Jobs.startConfined`, which
 * enters the sandbox.
 */

/** Options for a program started with pipes. */
export type StartOptions = Omit<SpawnOptions, 'stdio' | 'shell'> & { startedBy: StartedBy }

/**
 * Starts a program without a shell, with pipes for its three streams and no other inherited descriptors. Without free
 * file descriptors, Node returns a process without streams, and using one would crash Tizona; this function throws
 * instead. A missing or forbidden program is reported by the `error` event, as with `spawn`. A program name without a
 * folder is searched in the PATH of `options.env`, but not in open folders.
 * @throws ToolError `io_error` if the system cannot start any process
 */
export function startProcess(
  file: string,
  args: readonly string[],
  options: StartOptions,
): ChildProcessWithoutNullStreams {
  // Three pipes, so it has three streams.
  return start(file, args, options, 'pipe') as ChildProcessWithoutNullStreams
}

/** Starts a program like `startProcess`, but with an empty standard input, which saves a pipe. */
export function startProcessWithoutInput(
  file: string,
  args: readonly string[],
  options: StartOptions,
): ChildProcessByStdio<null, Readable, Readable> {
  // The other two are pipes.
  return start(file, args, options, ['ignore', 'pipe', 'pipe']) as ChildProcessByStdio<null, Readable, Readable>
}

/** Starts a program that reads messages from descriptor 3 and writes them to descriptor 4, such as Chromium. */
export function startWithMessagePipes(file: string, args: readonly string[], options: StartOptions): ChildProcess {
  return start(file, args, options, ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'], 2)
}

/** Starts a program that outlives Tizona and has no streams, such as a browser. */
export function startDetached(file: string, args: readonly string[], options: StartOptions): ChildProcess {
  checkStart(file, options.startedBy)
  return spawn(file, args, { ...options, detached: true, stdio: 'ignore' })
}

const execute = promisify(execFile)

/**
 * Runs a program of the machine, such as `ps`, to completion. A name without a folder is resolved by
 * `findProgramByName`.
 * @throws Error with code ENOENT if it is not found; the error of `execFile` if it fails
 */
export async function runProgram(
  program: string,
  args: readonly string[],
  options: ExecFileOptions = {},
): Promise<{ stdout: string; stderr: string }> {
  const file = path.isAbsolute(program) ? program : findProgramByName(program, searchPathOf(process.env))
  if (file === undefined) throw Object.assign(new Error(`${program} is not on PATH`), { code: 'ENOENT' })
  checkStart(file, 'tizona')
  const { stdout, stderr } = await execute(file, args, { ...options, encoding: 'utf8' })
  return { stdout, stderr }
}

/** Starts a module of Tizona in a Node process with an IPC channel. It inherits no pseudo-terminals. */
export function forkModule(
  module: string,
  args: readonly string[],
  { env, execArgv, ...options }: Omit<ForkOptions, 'execPath' | 'execArgv'> & { execArgv: readonly string[] },
): ChildProcess {
  checkStart(module, 'tizona')
  const invocation = withoutTerminals(process.execPath, execArgv, { env, kept: 1 })
  return fork(module, args, { ...options, env, execPath: invocation.file, execArgv: [...invocation.args] })
}

/** Loads node-pty with the first terminal, because its native code would delay every start. */
const loadPty = once(() => createRequire(import.meta.url)('node-pty') as typeof NodePty)

/** Starts a program in a new pseudo-terminal. */
export function startInTerminal(
  file: string,
  args: string[],
  { startedBy, ...options }: NodePty.IPtyForkOptions & { startedBy: StartedBy },
): NodePty.IPty {
  checkStart(file, startedBy)
  recordTerminalOpening()
  return loadPty().spawn(file, args, options)
}

/** Folder of this installation: the nearest one with a package.json. */
export const installation = once(() => {
  let folder = import.meta.dirname
  while (!existsSync(path.join(folder, 'package.json')) && path.dirname(folder) !== folder)
    folder = path.dirname(folder)
  return folder.endsWith('app.asar') ? path.dirname(folder) : folder
})

/**
 * Checks whether a program may start. @throws ToolError `refused` for a program in an open folder, unless the user
 * started it or the sandbox contains it
 */
function checkStart(file: string, startedBy: StartedBy): void {
  // A clone of Tizona that is open in itself contains ripgrep and Tizona's own modules.
  if (startedBy !== 'tizona' || !isInOpenFolder(file) || file.startsWith(installation() + path.sep)) return
  throw new ToolError(
    'refused',
    `"${file}" is in an open folder, so Tizona runs it only in the sandbox.`,
    'If you trust it, run it in a terminal.',
  )
}

function start(
  program: string,
  args: readonly string[],
  { startedBy, ...given }: StartOptions,
  stdio: SpawnOptions['stdio'],
  kept = 0,
): ChildProcess {
  const { file, options } = located(program, { ...given, stdio })
  checkStart(file, startedBy)
  let child
  try {
    const invocation = withoutTerminals(file, args, { ...options, kept })
    child = spawn(invocation.file, invocation.args, options)
  } catch (error) {
    throw startFailure(file, error)
  }
  // The types claim that the streams exist, but after EMFILE and ENFILE they do not (Node's child_process.js).
  const streams: readonly unknown[] =
    stdio === 'pipe' || stdio?.[1] === 'pipe' ? [child.stdout, child.stderr] : [child.stderr]
  if (streams.every((stream) => stream !== undefined && stream !== null)) return child
  // The failure is also emitted as an event, which would throw without a listener.
  child.once('error', () => undefined)
  throw startFailure(file, Object.assign(new Error('spawn EMFILE'), { code: 'EMFILE' }))
}

/** Finds a program by name. If it is not found here, the system must not find one either. */
function located(program: string, options: SpawnOptions): { file: string; options: SpawnOptions } {
  if (/[\\/]/.test(program)) return { file: program, options }
  const env = options.env ?? process.env
  const searchPath = searchPathOf(env)
  const file = findProgramByName(program, searchPath)
  if (file !== undefined) return { file, options }
  const others = Object.entries(env).filter(([name]) => !/^path$/i.test(name))
  // An empty PATH would mean the working directory.
  const PATH = safeSearchPath(searchPath) || path.join(path.parse(process.cwd()).root, 'no-such-folder')
  return { file: program, options: { ...options, env: { ...Object.fromEntries(others), PATH } } }
}

/**
 * Returns the error for a program that could not be started, from an exception or an `error` event.
 * @param cwd working directory. The system reports a missing one as a missing program.
 */
export function startFailure(file: string, error: unknown, cwd?: string): ToolError {
  const code = errorCode(error)
  if (code === 'ENOENT' && cwd !== undefined && !existsSync(cwd))
    return new ToolError(
      'io_error',
      `"${file}" could not be started. Its working directory ${cwd} does not exist.`,
      'Open the folder again, or open another one.',
      { cause: error },
    )
  if (code === 'EMFILE' || code === 'ENFILE') {
    const next =
      'Stop commands or terminals you no longer need and try again. To raise the limit, run "ulimit -n" before you start Tizona.'
    return new ToolError(
      'io_error',
      code === 'EMFILE'
        ? `"${file}" could not be started, because too many files are open in this process.`
        : `"${file}" could not be started, because too many files are open on this machine.`,
      next,
      { cause: error },
    )
  }
  const reason = error instanceof Error ? error.message : String(error)
  const next =
    code === 'EAGAIN' || code === 'ENOMEM'
      ? 'Too many processes may be running. Stop some and try again.'
      : 'Check the program and its arguments.'
  return new ToolError('io_error', `"${file}" could not be started. ${asSentence(reason)}`, next, { cause: error })
}
