import { folderPaths, type WorkspaceRoots } from '../base/workspaceRoots.ts'
import type {
  ApplyWorkspaceEditParams,
  ApplyWorkspaceEditResult,
  PublishDiagnosticsParams,
} from 'vscode-languageserver-protocol'
import { toFailure } from '../../shared/errors.ts'
import { formatSize } from '../../shared/text/formatSize.ts'
import type { LanguageServerState } from '../../shared/language/languageServers.ts'
import { asSentence } from '../base/asSentence.ts'
import type { ForkProcess } from '../base/childProcess.ts'
import type { ServerLog } from '../base/serverLog.ts'
import type { StartConfinedProgram } from '../command/commandTypes.ts'
import { connectServer, type Connection, type ConnectionTimes } from './connection.ts'
import type { FoundProgram } from './findProgram.ts'
import { launchServer, type Launch, type LaunchedServer, type LaunchMode } from './launchServer.ts'
import { createPositionCodec, type PositionCodec } from './lineText.ts'
import { memoryOf } from './memoryUse.ts'
import type { ServerDefinition } from './serverTable.ts'

export interface ServerTimes extends ConnectionTimes {
  /** Milliseconds before each restart after an unexpected exit. After the last one the server has failed. */
  restarts: readonly number[]
  /** Milliseconds that a server must run so that its exit does not count as repeated. */
  stable: number
  /** Milliseconds without an open file after which a server is stopped. */
  idle: number
  /** Milliseconds that a request for which the user did not ask waits for a starting server. */
  start: number
  /** Milliseconds that an outline or a symbol search waits for a server before the index is used. */
  symbols: number
  /** Milliseconds that a file move waits for servers. */
  moves: number
  /** Milliseconds between memory measurements. */
  memory: number
}

export const defaultTimes: ServerTimes = {
  initialize: 30_000,
  request: 10_000,
  shutdown: 1000,
  restarts: [1000, 5000, 15_000, 60_000],
  stable: 60_000,
  idle: 300_000,
  start: 2000,
  symbols: 1500,
  moves: 1000,
  memory: 3000,
}

/** A connection and the encoding of its positions. */
export interface RunningServer {
  connection: Connection
  codec: PositionCodec
}

/** The process of one server, restarted after an unexpected exit. */
export interface Server {
  readonly state: LanguageServerState
  readonly detail: string
  /** Bytes, as last measured. */
  readonly memory: number | undefined
  running(): RunningServer | undefined
  /** Path of the most recently started program. */
  program(): string | undefined
  /** Starts the server if it is not running and has not failed. Resolves when it runs, or cannot run now. */
  start(): Promise<RunningServer | undefined>
  /** Records the outcome of a request. A server that repeatedly does not respond is restarted. */
  answered(inTime: boolean): void
  /** Ends the server because it misbehaves. It is restarted. @param reason sentence about the server as "It" */
  endFor(reason: string): void
  /** Stops the server. The next `start` starts it again, even after it failed. */
  stop(): Promise<void>
}

/** A program that may start. */
export interface PermittedProgram {
  program: FoundProgram
  mode: LaunchMode
}

export interface ServerDeps {
  definition: ServerDefinition
  workspace: WorkspaceRoots
  version: string
  log: ServerLog
  startProgram: StartConfinedProgram
  fork: ForkProcess | undefined
  times: ServerTimes
  launch?: Launch
  memoryOf?: typeof memoryOf
  /** Limit in megabytes. */
  maxMemory(): number
  /**
   * Finds the program and how it may run; `{ blocked }` with the reason if it must not start; null if there is none.
   */
  find(): Promise<PermittedProgram | { blocked: string } | null>
  /** Called when the server is running or has exited. */
  onConnection(running: RunningServer | null): void
  onChanged(): void
  onDiagnostics(params: PublishDiagnosticsParams): void
  onRefreshDiagnostics(): void
  applyEdit(params: ApplyWorkspaceEditParams): ApplyWorkspaceEditResult
  /** Notifies the user that a server failed or was stopped for misbehaving. Called once. */
  onNotice(message: string): void
}

/** Number of consecutive requests without a timely response after which a server counts as hung. */
const maxUnanswered = 3

// oxlint-disable-next-line eslint/max-lines-per-function -- One state machine: its transitions share their state.
export function createServer(deps: ServerDeps): Server {
  const { definition, log, times } = deps
  let state: LanguageServerState = 'waiting'
  let detail = ''
  let memory: number | undefined
  let running: RunningServer | undefined
  let launched: LaunchedServer | undefined
  let programFile: string | undefined
  let starting: Promise<RunningServer | undefined> | undefined
  /** Set by `stop`: the following exit is expected. */
  let stopping: Promise<void> | undefined
  let failures = 0
  let unanswered = 0
  let endReason: string | undefined
  let restartTimer: NodeJS.Timeout | undefined
  let memoryTimer: NodeJS.Timeout | undefined
  let noticed = false

  function become(next: LanguageServerState, why = ''): void {
    state = next
    detail = why
    deps.onChanged()
  }

  function notifyOnce(message: string): void {
    if (noticed) return
    noticed = true
    deps.onNotice(message)
  }

  async function run(): Promise<RunningServer | undefined> {
    const found = await deps.find()
    if (stopping) return undefined
    if (found === null) {
      become('missing', 'Not found in this folder, on PATH or among the installed servers.')
      return undefined
    }
    if ('blocked' in found) {
      become('blocked', found.blocked)
      return undefined
    }
    const { program, mode } = found
    programFile = program.file
    become('starting', program.description)
    log.add(`Starting ${program.file} ${definition.args.join(' ')}`)
    const startedAt = performance.now()
    endReason = undefined
    unanswered = 0
    let server: LaunchedServer
    try {
      server = await (deps.launch ?? launchServer)({
        program,
        mode,
        args: definition.args,
        cwd: folderPaths(deps.workspace)[0] ?? deps.workspace.root,
        title: definition.title,
        log,
        heapMegabytes: deps.maxMemory(),
        start: deps.startProgram,
        ...(deps.fork && { fork: deps.fork }),
      })
    } catch (error) {
      ended(toFailure(error).message, startedAt)
      return undefined
    }
    // It was stopped while its process was being started.
    if (stopping) {
      await server.end().catch((failure: unknown) => log.add(toFailure(failure).message))
      return undefined
    }
    launched = server
    void server.exited.then((reason) => {
      if (launched === server) ended(endReason ?? reason, startedAt)
    })
    watchMemory(server)
    try {
      const connection = await connectServer({
        definition,
        server,
        workspace: deps.workspace,
        version: deps.version,
        log,
        times,
        onDiagnostics: deps.onDiagnostics,
        onRefreshDiagnostics: deps.onRefreshDiagnostics,
        applyEdit: deps.applyEdit,
        onAbuse: endFor,
      })
      if (launched !== server || stopping) return undefined
      running = { connection, codec: createPositionCodec(connection.capabilities.positionEncoding) }
    } catch (error) {
      endReason ??= toFailure(error).message
      await server.end().catch((failure: unknown) => log.add(toFailure(failure).message))
      return undefined
    }
    become('running', program.description)
    deps.onConnection(running)
    return running
  }

  function ended(reason: string, startedAt: number): void {
    clearTimeout(memoryTimer)
    memory = undefined
    launched = undefined
    if (running) {
      running = undefined
      deps.onConnection(null)
    }
    if (stopping) return
    log.add(`The server exited: ${reason}`)
    if (performance.now() - startedAt > times.stable) failures = 0
    const delay = times.restarts[failures++]
    if (delay === undefined) {
      become('failed', `Exited ${failures} times. Last reason: ${reason}`)
      notifyOnce(
        `${definition.title} exited ${failures} times and is not restarted. Last reason: ${asSentence(reason)} See its log for details.`,
      )
      return
    }
    become('restarting', reason)
    restartTimer = setTimeout(() => void restart(), delay)
  }

  /** Starts again once the failed start is over, because it may still be ending processes. */
  async function restart(): Promise<void> {
    await starting
    if (state === 'restarting' && !stopping) await start()
  }

  function watchMemory(server: LaunchedServer): void {
    memoryTimer = setTimeout(async () => {
      const bytes = server.pid === undefined ? undefined : await (deps.memoryOf ?? memoryOf)(server.pid)
      if (launched !== server) return
      const before = memory
      memory = bytes
      const limit = deps.maxMemory() * 1024 * 1024
      if (bytes !== undefined && bytes > limit) return endFor(`It used more than ${formatSize(limit)} of memory.`)
      // Only reports visible changes.
      if (bytes !== undefined && (before === undefined || formatSize(before) !== formatSize(bytes))) deps.onChanged()
      watchMemory(server)
    }, times.memory)
    memoryTimer.unref()
  }

  function endFor(reason: string): void {
    const server = launched
    if (!server || stopping || endReason !== undefined) return
    endReason = reason
    notifyOnce(`${definition.title} is being restarted. ${reason}`)
    server.end().catch((error: unknown) => log.add(toFailure(error).message))
  }

  function start(): Promise<RunningServer | undefined> {
    clearTimeout(restartTimer)
    starting ??= run().finally(() => (starting = undefined))
    return starting
  }

  return {
    get state() {
      return state
    },
    get detail() {
      return detail
    },
    get memory() {
      return memory
    },
    running: () => running,
    program: () => programFile,
    async start() {
      if (running || stopping || state === 'restarting' || state === 'failed' || state === 'blocked') return running
      return start()
    },
    answered(inTime) {
      unanswered = inTime ? 0 : unanswered + 1
      if (unanswered >= maxUnanswered) endFor('It does not respond.')
    },
    endFor,
    async stop() {
      stopping ??= (async () => {
        clearTimeout(restartTimer)
        clearTimeout(memoryTimer)
        const server = launched
        const closing = running
        if (closing) deps.onConnection(null)
        running = undefined
        try {
          await (closing ? closing.connection.close() : server?.end())
          await starting
        } catch (error) {
          log.add(toFailure(error).message)
        }
        launched = undefined
        memory = undefined
        failures = 0
        stopping = undefined
        if (state !== 'missing') become('waiting')
      })()
      return stopping
    },
  }
}
