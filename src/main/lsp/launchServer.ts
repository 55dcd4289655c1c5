import { realpath } from 'node:fs/promises'
import path from 'node:path'
import { PassThrough, Writable, type Readable } from 'node:stream'
import { ToolError } from '../../shared/errors.ts'
import { defaultFork, type ForkProcess } from '../base/childProcess.ts'
import { nodeProgram } from '../base/nodeProgram.ts'
import { safeSearchPath } from '../base/programSearch.ts'
import type { ServerLog } from '../base/serverLog.ts'
import type { Confinement, StartConfinedProgram } from '../command/commandTypes.ts'
import type { FoundProgram } from './findProgram.ts'
import type { FromServerProcess, ToServerProcess } from './javascriptServerEntry.ts'

/** A running server program with its streams. */
export interface LaunchedServer {
  readonly pid: number | undefined
  /** Whether it sees the machine's processes. In the sandbox it cannot see Tizona's. */
  readonly seesProcesses: boolean
  readonly input: Writable
  readonly output: Readable
  /** Resolves with the reason when the process has exited. Never rejects. */
  readonly exited: Promise<string>
  /** Ends the process and all its descendants. */
  end(): Promise<void>
}

/** How server programs run. `guarded`: in a process of Tizona that can neither connect nor start programs. */
export type LaunchMode = Confinement | 'guarded'

export interface LaunchOptions {
  program: FoundProgram
  mode: LaunchMode
  args: readonly string[]
  /** Working directory: the root of the workspace. */
  cwd: string
  title: string
  log: ServerLog
  /** Maximum megabytes of a JavaScript server's heap. */
  heapMegabytes: number
  start: StartConfinedProgram
  fork?: ForkProcess
}

export type Launch = (options: LaunchOptions) => Promise<LaunchedServer>

export interface ModeInput {
  program: Pick<FoundProgram, 'kind' | 'origin'>
  /** Whether the server runs code from the workspace. */
  runsFolderCode: boolean
  /** Whether the user allowed this server to run outside the sandbox. */
  allowedOutside: boolean
  /** Why there is no sandbox; undefined if there is one. */
  unconfined: string | undefined
  /** Whether there is a Node for scripts. */
  hasNode: boolean
}

/**
 * Decides how a server's program runs.
 * @returns `{ refused }` with the reason if it must not start
 */
export function launchMode(input: ModeInput): LaunchMode | { refused: string } {
  const { program, runsFolderCode, allowedOutside, unconfined, hasNode } = input
  if (allowedOutside) return 'none'
  const isScript = program.kind === 'script'
  if (unconfined === undefined && (!isScript || hasNode)) return 'required'
  // Tizona's own copies need no sandbox if they run nothing else.
  if (program.origin === 'tizona' && !runsFolderCode) return isScript ? 'guarded' : 'preferred'
  return {
    refused:
      unconfined === undefined
        ? 'It only runs in the sandbox, and there is no Node.js on PATH for it.'
        : `It only runs in the sandbox, and there is none: ${unconfined}.`,
  }
}

/** Starts a server's program without a shell. @throws ToolError refused, io_error */
export const launchServer: Launch = (options) => {
  const { program, mode } = options
  if (mode === 'guarded') return Promise.resolve(launchInOwnProcess(options, true))
  if (program.kind === 'native') return launchProgram(options, mode, program.file, options.args)
  const node = nodeProgram()
  if (node === undefined) {
    if (mode === 'none') return Promise.resolve(launchInOwnProcess(options, false))
    throw new ToolError('refused', `${options.title} needs Node.js to run in the sandbox.`, 'Install Node.js on PATH.')
  }
  return launchProgram(options, mode, node, [...nodeOptions(options), program.file, ...options.args])
}

// The optimizing WebAssembly compiler takes gigabytes for a grammar (base/wasmFlags.ts).
const nodeOptions = ({ heapMegabytes }: LaunchOptions): string[] => [
  '--liftoff-only',
  `--max-old-space-size=${heapMegabytes}`,
]

async function launchProgram(
  { program, cwd, log, start }: LaunchOptions,
  confinement: Confinement,
  file: string,
  args: readonly string[],
): Promise<LaunchedServer> {
  const { child, sandboxed, end, release } = await start(
    {
      program: file,
      args,
      cwd,
      confinement,
      env: {
        // Servers start other programs by name, such as Python. Other open folders may not be trusted.
        PATH: safeSearchPath(process.env['PATH'] ?? '', cwd),
        // rust-analyzer builds the project, whose `target` is read-only.
        ...(confinement === 'required' && { CARGO_TARGET_DIR: '/tmp/tizona-cargo-target' }),
      },
      // A package or Node on PATH can be a link.
      readable: [
        program.folder,
        path.dirname(file),
        await realpath(program.folder),
        path.dirname(await realpath(file)),
      ],
    },
    new AbortController().signal,
  )
  const exited = Promise.withResolvers<string>()
  child.once('exit', (code, signal) => {
    exited.resolve(signal === null ? `exit code ${code}` : `signal ${signal}`)
    void release().catch((error: unknown) => log.add(String(error)))
  })
  // Writing to an exited process fails here; `exited` reports it.
  child.stdin.on('error', () => undefined)
  child.stderr.on('data', (chunk: Buffer) => log.write(chunk))
  child.on('error', (error) => log.add(error.message))
  return {
    pid: child.pid,
    seesProcesses: !sandboxed,
    input: child.stdin,
    output: child.stdout,
    exited: exited.promise,
    async end() {
      child.stdin.end()
      await end()
    },
  }
}

/**
 * Runs a JavaScript server in a process of the application. The Electron binary does not run as Node, and its utility
 * processes have no standard input, so all hosts use message streams (javascriptServerEntry.ts).
 */
function launchInOwnProcess(options: LaunchOptions, guarded: boolean): LaunchedServer {
  const { program, args, cwd, title, log, fork } = options
  const exited = Promise.withResolvers<string>()
  const output = new PassThrough()
  const child = (fork ?? defaultFork)(
    processFile(),
    {
      name: `Tizona language server: ${title}`,
      args: [JSON.stringify({ script: program.file, cwd, guarded }), ...args],
      execArgv: nodeOptions(options),
    },
    {
      onMessage(received) {
        // Sent by javascriptServerEntry.ts.
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
    seesProcesses: true,
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
 * Returns the path of the process entry. In the sources it is next to this file. In the build it is in out/main, while
 * this code may be in out/main/chunks.
 */
function processFile(): string {
  const folder = import.meta.dirname
  if (import.meta.filename.endsWith('.ts')) return path.join(folder, 'javascriptServerEntry.ts')
  return path.join(folder, path.basename(folder) === 'chunks' ? '..' : '.', 'javascriptServerEntry.js')
}
