import { once } from 'node:events'
import path from 'node:path'
import { PassThrough, Writable, type Readable } from 'node:stream'
import { childEnvironment } from '../base/childEnvironment.ts'
import { defaultFork, type ForkProcess } from '../base/childProcess.ts'
import { safeSearchPath } from '../base/programSearch.ts'
import type { ServerLog } from '../base/serverLog.ts'
import { startFailure, startProcess } from '../base/startProcess.ts'
import type { ProcessTracking } from '../command/jobTypes.ts'
import type { FoundProgram } from './findProgram.ts'
import type { FromServerProcess, ToServerProcess } from './languageServerProcess.ts'

/** A running server program with its streams. */
export interface LaunchedServer {
  readonly pid: number | undefined
  readonly input: Writable
  readonly output: Readable
  /** Resolves with the reason when the process has ended. Never rejects. */
  readonly exited: Promise<string>
  /** Ends the process and all its descendants. */
  end(): Promise<void>
}

export interface LaunchOptions {
  program: FoundProgram
  args: readonly string[]
  /** Working directory. */
  cwd: string
  title: string
  log: ServerLog
  /** Maximum size of a JavaScript server's heap, in megabytes. */
  heapMegabytes: number
  processes: ProcessTracking
  fork?: ForkProcess
}

export type Launch = (options: LaunchOptions) => Promise<LaunchedServer>

/** Starts a server's program without a shell. @throws ToolError command_not_found, io_error */
export const launchServer: Launch = (options) =>
  options.program.kind === 'native' ? launchNative(options) : Promise.resolve(launchScript(options))

async function launchNative({ program, args, cwd, log, processes }: LaunchOptions): Promise<LaunchedServer> {
  const jobTag = await processes.begin()
  const child = startProcess(program.file, args, {
    cwd,
    // Servers start others by name, such as Python. Other open folders may not be trusted.
    env: {
      ...childEnvironment(),
      PATH: safeSearchPath(process.env['PATH'] ?? '', cwd),
      [processes.variable]: jobTag,
    },
    // A process group of its own, so that Ctrl+C in Tizona's terminal does not end it before Tizona.
    detached: process.platform !== 'win32',
    windowsHide: true,
  })
  const exited = new Promise<string>((resolve) => {
    child.once('exit', (code, signal) => resolve(signal === null ? `exit code ${code}` : `signal ${signal}`))
  })
  // Writing to a process that has ended fails here; `exited` reports it.
  child.stdin.on('error', () => undefined)
  child.stderr.on('data', (chunk: Buffer) => log.write(chunk))
  try {
    await once(child, 'spawn')
  } catch (error) {
    throw startFailure(program.file, error, cwd)
  }
  child.on('error', (error) => log.add(error.message))
  if (child.pid !== undefined) processes.started(child.pid)
  return {
    pid: child.pid,
    input: child.stdin,
    output: child.stdout,
    exited,
    async end() {
      child.stdin.end()
      if (child.pid !== undefined) await processes.end(child.pid, jobTag)
    },
  }
}

/**
 * Runs a JavaScript server in a process of the application. Electron's binary does not run as Node, and its utility
 * processes have no standard input, so the streams are messages in every host (languageServerProcess.ts).
 */
function launchScript({ program, args, cwd, title, log, heapMegabytes, fork }: LaunchOptions): LaunchedServer {
  const exited = Promise.withResolvers<string>()
  const output = new PassThrough()
  const child = (fork ?? defaultFork)(
    processFile(),
    {
      name: `Tizona language server: ${title}`,
      args: [JSON.stringify({ script: program.file, cwd }), ...args],
      // The optimizing WebAssembly compiler takes gigabytes for a grammar (base/wasmFlags.ts).
      execArgv: ['--liftoff-only', `--max-old-space-size=${heapMegabytes}`],
    },
    {
      onMessage(received) {
        // Sent by languageServerProcess.ts.
        const message = received as FromServerProcess
        if ('output' in message) output.write(message.output)
        else log.write(Buffer.from(message.error))
      },
      onExit(reason) {
        output.end()
        exited.resolve(reason)
      },
    },
  )
  const input = new Writable({
    write(chunk: Buffer, _encoding, done) {
      child.post({ input: new Uint8Array(chunk) } satisfies ToServerProcess)
      done()
    },
  })
  return {
    get pid() {
      return child.pid
    },
    input,
    output,
    exited: exited.promise,
    async end() {
      child.kill()
      await exited.promise
    },
  }
}

/**
 * Returns the path of the process's entry. In the sources, it is beside this file. In the build, it is in out/main,
 * while this code may be in out/main/chunks.
 */
function processFile(): string {
  const folder = import.meta.dirname
  if (import.meta.filename.endsWith('.ts')) return path.join(folder, 'languageServerProcess.ts')
  return path.join(folder, path.basename(folder) === 'chunks' ? '..' : '.', 'languageServerProcess.js')
}
