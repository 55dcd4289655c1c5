import { mkdtemp, rm } from 'node:fs/promises'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import type { Readable, Writable } from 'node:stream'
import type { DebugProtocol } from '@vscode/debugprotocol'
import { raceTimeout } from '../../shared/async/raceTimeout.ts'
import { ToolError } from '../../shared/errors.ts'
import type { StartPipedProgram } from '../command/commandTypes.ts'
import type { CommandAccess } from '../../shared/commands/sandbox.ts'

/** How an adapter talks. A socket is in a private folder, because TCP does not leave the sandbox. */
export type AdapterTransport = 'stdio' | 'connectsToSocket' | 'listensOnSocket'

export interface AdapterInvocation {
  title: string
  program: string
  /** @param socket path of the socket; '' with standard streams */
  args(socket: string): readonly string[]
  transport: AdapterTransport
  /** Real path of the working directory. */
  cwd: string
  env?: Readonly<Record<string, string>>
  /** Real paths outside the workspace that it reads, such as its own folder. */
  readable: readonly string[]
  /** `outside`: a person attaches to a process of the machine. */
  access: CommandAccess
}

export interface AdapterStreams {
  input: Writable
  output: Readable
  close(): void
}

/** A terminal in which the user types the input of the debugged program. */
export interface ProgramTerminal {
  /** Id of its job. */
  id: string
  /** Runs the program. Undefined: the adapter is in the terminal, and runs the program itself. */
  run?(request: DebugProtocol.RunInTerminalRequestArguments): Promise<{ processId?: number }>
}

/** A running adapter with everything it started. */
export interface AdapterProcess {
  /** The streams of the first connection. */
  readonly streams: AdapterStreams
  /** Opens another connection. Only adapters that listen have several. @throws ToolError server_error */
  connect(signal: AbortSignal): Promise<AdapterStreams>
  /** The terminal of the debugged program. Undefined: it has none. */
  terminal?: ProgramTerminal
  /** The last part of what it printed apart from the protocol. */
  printed(): string
  readonly exited: Promise<string>
  /** Ends the adapter, the debugged program and all their processes. */
  end(): Promise<void>
}

/** Milliseconds for the first connection. */
const connectTimeout = 20_000
/** Milliseconds between attempts to connect to a socket that does not exist yet. */
const connectInterval = 50
/** Milliseconds to read the rest of what an ended adapter printed. */
const closeTimeout = 500
/** Characters kept of what an adapter prints. */
const maxPrinted = 20_000

/** Starts a debug adapter in the sandbox of commands. @throws ToolError `io_error`, `timeout`, `server_error` */
export async function startAdapter(
  invocation: AdapterInvocation,
  startProgram: StartPipedProgram,
  signal: AbortSignal,
): Promise<AdapterProcess> {
  const { title, transport, program, cwd, env, readable, access } = invocation
  const folder = transport === 'stdio' ? undefined : await mkdtemp(path.join(os.tmpdir(), 'tizona-debug-'))
  const socket = folder === undefined ? '' : path.join(folder, 'dap')
  const removeFolder = async (): Promise<void> => {
    if (folder !== undefined) await rm(folder, { recursive: true, force: true })
  }
  const listener = transport === 'connectsToSocket' ? await listenOnce(socket).catch(failWith(removeFolder)) : undefined
  const started = await startProgram(
    {
      program,
      args: invocation.args(socket),
      cwd,
      access,
      readable,
      ...(env && { env }),
      ...(folder && { folders: [folder] }),
    },
    signal,
  ).catch(
    failWith(async () => {
      listener?.close()
      await removeFolder()
    }),
  )
  const { child, end, release } = started
  let printed = ''
  const print = (chunk: Buffer): void => {
    printed = (printed + chunk.toString('utf8')).slice(-maxPrinted)
  }
  const exited = Promise.withResolvers<string>()
  child.once('exit', (code, exitSignal) => {
    exited.resolve(exitSignal === null ? `exit code ${code}` : `signal ${exitSignal}`)
    listener?.close()
    // A sandbox that cannot be cleaned up now is cleaned up at the next start.
    void Promise.allSettled([release(), removeFolder()])
  })
  child.on('error', (error) => print(Buffer.from(`${error.message}\n`)))
  child.stdin.on('error', () => undefined)
  child.stderr.on('data', print)
  if (transport !== 'stdio') child.stdout.on('data', print)

  const open = new Set<net.Socket>()
  function streamsOf(connection: net.Socket): AdapterStreams {
    open.add(connection)
    connection.once('close', () => open.delete(connection))
    return { input: connection, output: connection, close: () => connection.destroy() }
  }
  /** Rejects if the adapter exits, does not get ready in time, or the start is cancelled. */
  async function whileStarting<T>(promise: Promise<T>, stop: AbortController): Promise<T> {
    const timeout = AbortSignal.timeout(connectTimeout)
    const failed = Promise.withResolvers<never>()
    void exited.promise.then((reason) =>
      failed.reject(
        new ToolError('server_error', `${title} ended before it was ready (${reason}).`, '', {
          detail: printed.trim(),
        }),
      ),
    )
    timeout.addEventListener('abort', () =>
      failed.reject(
        new ToolError('timeout', `${title} was not ready within ${connectTimeout / 1000} s.`, '', {
          detail: printed.trim(),
        }),
      ),
    )
    const onAbort = (): void => failed.reject(signal.reason)
    signal.addEventListener('abort', onAbort, { once: true })
    failed.promise.catch(() => undefined)
    try {
      return await Promise.race([promise, failed.promise])
    } finally {
      stop.abort()
      signal.removeEventListener('abort', onAbort)
    }
  }

  async function firstStreams(): Promise<AdapterStreams> {
    if (transport === 'stdio') return { input: child.stdin, output: child.stdout, close: () => child.stdin.end() }
    const stop = new AbortController()
    if (listener === undefined) return streamsOf(await whileStarting(connectTo(socket, stop.signal), stop))
    return streamsOf(await whileStarting(listener.connection, stop))
  }

  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const endAll = async (): Promise<void> => {
    for (const connection of open) connection.destroy()
    await end()
    // What it printed last says why it failed.
    await raceTimeout(closed, closeTimeout)
  }
  const streams = await firstStreams().catch(failWith(endAll))
  return {
    streams,
    async connect(connectSignal) {
      return streamsOf(await connectTo(socket, AbortSignal.any([connectSignal, AbortSignal.timeout(connectTimeout)])))
    },
    printed: () => printed,
    exited: exited.promise,
    end: endAll,
  }
}

/**
 * Connects to a debugger that listens at a port of this machine, outside the sandbox. It lives on after the session.
 * @throws ToolError `network_error`
 */
export async function connectToPort(title: string, port: number): Promise<AdapterProcess> {
  const connection = net.connect(port, '127.0.0.1')
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  connection.once('connect', resolve)
  connection.on('error', reject)
  try {
    await promise
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new ToolError(
      'network_error',
      `${title} is not listening on port ${port}: ${reason}`,
      'Start the program with its debugger first.',
    )
  }
  const closed = new Promise<string>((close) => connection.once('close', () => close('the connection was closed')))
  return {
    streams: { input: connection, output: connection, close: () => connection.destroy() },
    connect: () => Promise.reject(new ToolError('server_error', `${title} accepts only one connection.`)),
    printed: () => '',
    exited: closed,
    async end() {
      connection.destroy()
      await closed
    },
  }
}

/** Returns a handler that cleans up and throws the error again. */
const failWith =
  (cleanUp: () => Promise<void>) =>
  async (error: unknown): Promise<never> => {
    await cleanUp()
    throw error
  }

/** Listens on a socket for one connection. */
export async function listenOnce(socket: string): Promise<{ connection: Promise<net.Socket>; close(): void }> {
  const { promise, resolve } = Promise.withResolvers<net.Socket>()
  const server = net.createServer((connection) => {
    connection.on('error', () => undefined)
    resolve(connection)
    server.close()
  })
  const listening = Promise.withResolvers<void>()
  server.once('error', listening.reject)
  server.listen(socket, listening.resolve)
  await listening.promise
  return { connection: promise, close: () => void server.close() }
}

/** Connects to a socket as soon as it exists. Rejects once `signal` aborts. */
export async function connectTo(socket: string, signal: AbortSignal): Promise<net.Socket> {
  for (;;) {
    signal.throwIfAborted()
    const connection = net.connect(socket)
    const { promise, resolve } = Promise.withResolvers<boolean>()
    connection.once('connect', () => resolve(true))
    connection.on('error', () => resolve(false))
    if (await promise) return connection
    await new Promise((wake) => setTimeout(wake, connectInterval))
  }
}
