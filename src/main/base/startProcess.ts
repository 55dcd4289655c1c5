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
import { errorCode } from './fileErrors.ts'
import { recordTerminalOpening, withoutTerminals } from './inheritedDescriptors.ts'
import { isInOpenFolder } from './openFolders.ts'
import { findProgramByName, safeSearchPath, searchPathOf } from './programSearch.ts'

/**
 * On whose account a program starts, which decides where its file may be:
 * - `tizona`: Tizona itself. The file is Tizona's or the machine's, never one of an open folder.
 * - `user`: the user started, configured or approved it: terminals, tasks, commands, actions of the git view, MCP
 *   servers, external agents.
 * - `sandbox`: it is the launcher of the sandbox, in which any program may run.
 */
export type StartedBy = 'tizona' | 'user' | 'sandbox'

/*
 * Every process of Tizona starts here, and lint forbids node:child_process and node-pty elsewhere. What Tizona starts by
 * itself and what reads code or configuration of a folder goes through `Jobs.startConfined`, which enters the sandbox.
 */

/** Options for a program started with pipes. */
export type StartOptions = Omit<SpawnOptions, 'stdio' | 'shell'> & { startedBy: StartedBy }

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

/** Starts a program that outlives Tizona and has no streams, such as a browser. */
export function startDetached(file: string, args: readonly string[], options: StartOptions): ChildProcess {
  checkStart(file, options.startedBy)
  return spawn(file, args, { ...options, detached: true, stdio: 'ignore' })
}

const execute = promisify(execFile)

/**
 * Runs a program of the machine to its end, such as `ps`. One without a folder is found by `findProgramByName`.
 * @throws Error with code ENOENT if there is none; the error of `execFile` if it fails
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

/** Starts a module of Tizona in a Node process with a channel for messages, which inherits no pseudo-terminals. */
export function forkModule(
  module: string,
  args: readonly string[],
  { env, execArgv, ...options }: Omit<ForkOptions, 'execPath' | 'execArgv'> & { execArgv: readonly string[] },
): ChildProcess {
  checkStart(module, 'tizona')
  const invocation = withoutTerminals(process.execPath, execArgv, { env, ipc: true })
  return fork(module, args, { ...options, env, execPath: invocation.file, execArgv: [...invocation.args] })
}

/** Loads node-pty at the first terminal, because its native code would delay the start of every session. */
const loadPty = once(() => createRequire(import.meta.url)('node-pty') as typeof NodePty)

/** Starts a program in a pseudo-terminal of its own. */
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
const installation = once(() => {
  let folder = import.meta.dirname
  while (!existsSync(path.join(folder, 'package.json')) && path.dirname(folder) !== folder)
    folder = path.dirname(folder)
  return folder.endsWith('app.asar') ? path.dirname(folder) : folder
})

/**
 * Decides whether a program may start. @throws ToolError `refused` for a program of an open folder that neither the user
 * started nor the sandbox contains
 */
function checkStart(file: string, startedBy: StartedBy): void {
  // A clone of Tizona that is open in itself contains ripgrep and the modules of Tizona.
  if (startedBy !== 'tizona' || !isInOpenFolder(file) || file.startsWith(installation() + path.sep)) return
  throw new ToolError(
    'refused',
    `"${file}" is a program of an open folder, which Tizona starts only in the sandbox.`,
    'Start it in a terminal if you trust it.',
  )
}

/** Starts a program whose standard output and error output are pipes. */
function start(
  program: string,
  args: readonly string[],
  { startedBy, ...given }: StartOptions,
  stdio: SpawnOptions['stdio'],
): ChildProcess {
  const { file, options } = located(program, { ...given, stdio })
  checkStart(file, startedBy)
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
