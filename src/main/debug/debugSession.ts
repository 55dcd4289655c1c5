import type { WorkspaceRoots } from '../base/workspaceRoots.ts'
import type { DebugProtocol } from '@vscode/debugprotocol'
import type {
  Breakpoints,
  DebugOutput,
  DebugOwner,
  DebugSessionInfo,
  DebugSessionState,
  DebugStop,
  DebugThread,
} from '../../shared/debug/debug.ts'
import type { DebugAction } from '../../shared/debug/debugRequests.ts'
import { ToolError, toFailure } from '../../shared/errors.ts'
import { Throttler } from '../../shared/async/throttler.ts'
import { raceTimeout } from '../../shared/async/raceTimeout.ts'
import { asSentence } from '../base/asSentence.ts'
import { exceptionFiltersOf, featuresOf } from './adapterCapabilities.ts'
import { connectAdapter, type AdapterConnection } from './adapterConnection.ts'
import type { AdapterStreams } from './adapterProcess.ts'
import { createSessionBreakpoints, type BreakpointRequests, type OwnBreakpoints } from './sessionBreakpoints.ts'
import { createInspection, maxValue, relativePath, type Inspection } from './sessionInspection.ts'

/** Milliseconds. */
export interface DebugTimes {
  /** For a response of the adapter. */
  request: number
  /** Until the debugged program runs. Includes building it. */
  start: number
  /** For the value of an expression. */
  evaluate: number
  /** For a program that ends itself, before it is ended. */
  stop: number
}

export const defaultTimes: DebugTimes = { request: 10_000, start: 180_000, evaluate: 10_000, stop: 2000 }

export interface SessionOptions {
  id: string
  parentId?: string
  name: string
  debugger: { id: string; title: string }
  streams: AdapterStreams
  /** `launch` or `attach`, with the arguments of the debugger. */
  request: 'launch' | 'attach'
  args: object
  workspace: WorkspaceRoots
  owner: DebugOwner
  times: DebugTimes
  breakpoints(): Breakpoints
  /** Breakpoints of this session alone, instead of `breakpoints`. */
  own?: OwnBreakpoints
  /** Called after each change of `info`. */
  onChanged(): void
  onOutput(output: DebugOutput): void
  /** Runs the program in a terminal. Undefined: there is none. */
  runInTerminal?(request: DebugProtocol.RunInTerminalRequestArguments): Promise<{ processId?: number }>
  /** Starts another session, for example of a child process. */
  onChild(request: 'launch' | 'attach', configuration: Record<string, unknown>): Promise<void>
}

/** One debugged program. Methods throw ToolError with the debugger's message. */
export interface DebugSession extends BreakpointRequests, Inspection {
  info(): DebugSessionInfo
  /** Starts the program, and resolves once it runs or has stopped. @throws ToolError */
  start(signal: AbortSignal): Promise<void>
  control(action: DebugAction, threadId?: number): Promise<void>
  setOwner(owner: DebugOwner): void
  /** Resolves at the next stop or end after `stopCount`. */
  stoppedAfter(stopCount: number, signal: AbortSignal): Promise<void>
  /** Resolves once the program has ended. */
  readonly ended: Promise<void>
  /** Ends the program and closes the connection. */
  stop(): Promise<void>
}

const maxThreads = 1000
/** Milliseconds after which a program that has not paused is paused again. */
const pauseRepeat = 1000

/** Creates a session on the streams of an adapter. `start` begins it. */
// oxlint-disable-next-line eslint/max-lines-per-function -- One state machine: its transitions share their state.
export function createDebugSession(options: SessionOptions): DebugSession {
  const { id, workspace, times, streams, onChanged } = options
  const { title } = options.debugger
  let state: DebugSessionState = 'starting'
  let stop: DebugStop | undefined
  let threads: readonly DebugThread[] = []
  let capabilities: DebugProtocol.Capabilities = {}
  let owner = options.owner
  let stopCount = 0
  let exitCode: number | undefined
  let failure: string | undefined
  let stopping = false
  const threadLists = new Throttler()
  const initialized = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<void>()
  const stopWaiters = new Set<() => void>()

  const connection: AdapterConnection = connectAdapter({
    title,
    input: streams.input,
    output: streams.output,
    requestTimeout: times.request,
    onEvent: handleEvent,
    async onRequest(command, args) {
      if (command === 'runInTerminal' && options.runInTerminal)
        return options.runInTerminal(args as DebugProtocol.RunInTerminalRequestArguments)
      if (command !== 'startDebugging') throw new Error(`Tizona does not support "${command}".`)
      const { request, configuration } = args as Partial<DebugProtocol.StartDebuggingRequestArguments>
      if (request !== 'launch' && request !== 'attach') throw new Error('The request is neither launch nor attach.')
      await options.onChild(request, configuration ?? {})
      return undefined
    },
  })
  void connection.closed.then((reason) => {
    if (!stopping && state !== 'ended' && exitCode === undefined) failure ??= `${title} ended. ${asSentence(reason)}`
    finish()
  })

  const { sendAll, statuses, statusChanged, forgetStatuses, ...breakpointRequests } = createSessionBreakpoints({
    connection,
    workspace,
    debuggerId: options.debugger.id,
    breakpoints: options.breakpoints,
    own: options.own,
    capabilities: () => capabilities,
    isEnded: () => state === 'ended',
    onChanged,
  })
  const { inspection, forgetAssigned } = createInspection({
    connection,
    title,
    workspace,
    evaluateTimeout: times.evaluate,
    capabilities: () => capabilities,
    checkStopped,
  })

  function become(next: DebugSessionState): void {
    if (state === 'ended') return
    state = next
    forgetAssigned()
    if (next !== 'stopped') stop = undefined
    onChanged()
    if (next === 'stopped' || next === 'ended') for (const wake of stopWaiters) wake()
  }

  function finish(): void {
    if (state === 'ended') return
    threads = []
    forgetStatuses()
    become('ended')
    initialized.resolve()
    connection.close('The debug session has ended.')
    ended.resolve()
  }

  function handleEvent(event: string, body: unknown): void {
    const handler = Object.hasOwn(eventHandlers, event) ? eventHandlers[event] : undefined
    try {
      // The fields should be those of the protocol.
      handler?.((body ?? {}) as never)
    } catch (error) {
      if (!(error instanceof TypeError)) throw error
      options.onOutput({ sessionId: id, category: 'important', text: `${title} sent an invalid event "${event}".\n` })
    }
  }

  const eventHandlers: Record<string, (body: never) => void> = {
    initialized: () => initialized.resolve(),
    stopped: (body: DebugProtocol.StoppedEvent['body']) => void stopped(body),
    continued: ({ threadId, allThreadsContinued = true }: DebugProtocol.ContinuedEvent['body']) =>
      resumed(allThreadsContinued ? undefined : threadId),
    thread: () => {
      // A program that starts hundreds of threads sends an event for each.
      if (state === 'running') void threadLists.queue(refreshThreads)
    },
    output: (body: DebugProtocol.OutputEvent['body']) => output(body),
    breakpoint: ({ breakpoint }: DebugProtocol.BreakpointEvent['body']) => statusChanged(breakpoint),
    capabilities: ({ capabilities: more }: DebugProtocol.CapabilitiesEvent['body']) => {
      capabilities = { ...capabilities, ...more }
      onChanged()
    },
    exited: ({ exitCode: code }: DebugProtocol.ExitedEvent['body']) => {
      if (typeof code === 'number') exitCode = code
    },
    terminated: () => void disconnect(),
  }

  async function stopped(body: DebugProtocol.StoppedEvent['body']): Promise<void> {
    const reason = String(body.reason ?? 'pause')
    const text = [body.description, body.text].filter((part) => typeof part === 'string' && part !== '').join(': ')
    const threadId = typeof body.threadId === 'number' ? body.threadId : (threads[0]?.id ?? 0)
    stopCount++
    const count = stopCount
    const listed = await listThreads()
    // The program may have continued in the meantime.
    if (count !== stopCount || state === 'ended') return
    const stoppedIds = new Set(threads.filter((thread) => thread.stopped).map((thread) => thread.id))
    const all = body.allThreadsStopped !== false
    threads = listed.map((thread) => ({
      ...thread,
      stopped: all || thread.id === threadId || stoppedIds.has(thread.id),
    }))
    stop = {
      reason,
      threadId: threadId === 0 ? (threads[0]?.id ?? 0) : threadId,
      ...(text !== '' && { text: text.slice(0, maxValue) }),
    }
    become('stopped')
  }

  /** @param threadId the thread that runs; undefined: all */
  function resumed(threadId?: number): void {
    if (state === 'ended') return
    threads = threads.map((thread) =>
      threadId === undefined || thread.id === threadId ? { ...thread, stopped: false } : thread,
    )
    if (threads.some((thread) => thread.stopped) && stop?.threadId !== threadId) return onChanged()
    const other = threads.find((thread) => thread.stopped)
    if (other !== undefined && stop !== undefined) {
      stop = { reason: 'pause', threadId: other.id }
      return onChanged()
    }
    become('running')
  }

  async function listThreads(): Promise<{ id: number; name: string }[]> {
    try {
      const { threads: listed } = await connection.request('threads', {})
      return listed.slice(0, maxThreads).map((thread) => ({ id: thread.id, name: String(thread.name) }))
    } catch {
      // A program without threads yet, or an adapter that cannot list them while it runs.
      return threads.map((thread) => ({ id: thread.id, name: thread.name }))
    }
  }

  async function refreshThreads(): Promise<void> {
    if (state !== 'running') return
    const listed = await listThreads()
    if (state !== 'running') return
    threads = listed.map((thread) => ({ ...thread, stopped: false }))
    onChanged()
  }

  function output({
    category = 'console',
    output: text,
    variablesReference,
    source,
    line,
  }: DebugProtocol.OutputEvent['body']): void {
    if (category === 'telemetry' || typeof text !== 'string') return
    const known = category === 'stdout' || category === 'stderr' || category === 'important' ? category : 'console'
    const file = source?.path === undefined ? undefined : relativePath(workspace, source.path)
    options.onOutput({
      sessionId: id,
      category: known,
      text: text.slice(0, maxValue),
      ...(variablesReference !== undefined && variablesReference > 0 && { reference: variablesReference }),
      ...(file !== undefined && line !== undefined && { path: file, line }),
    })
  }

  async function initialize(signal: AbortSignal): Promise<void> {
    capabilities =
      (await connection.request(
        'initialize',
        {
          clientID: 'tizona',
          clientName: 'Tizona',
          adapterID: options.debugger.id,
          locale: 'en',
          linesStartAt1: true,
          columnsStartAt1: true,
          pathFormat: 'path',
          supportsVariableType: true,
          supportsVariablePaging: true,
          supportsRunInTerminalRequest: options.runInTerminal !== undefined,
          supportsProgressReporting: false,
          supportsInvalidatedEvent: false,
          supportsMemoryReferences: false,
          supportsStartDebuggingRequest: true,
        },
        { signal, timeout: Math.max(times.request, 30_000) },
      )) ?? {}
    connection.canCancel = capabilities.supportsCancelRequest === true
    onChanged()
  }

  /** Sends all breakpoints, and then `configurationDone`, without which some adapters do not run the program. */
  async function configure(): Promise<void> {
    await initialized.promise
    if (state === 'ended') return
    await sendAll()
    if (capabilities.supportsConfigurationDoneRequest === true) await connection.request('configurationDone', {})
  }

  async function waitUntilInitialized(): Promise<void> {
    const isReady = await raceTimeout(
      initialized.promise.then(() => true),
      times.request,
      false,
    )
    if (isReady) return
    throw new ToolError(
      'timeout',
      `${title} was not ready for breakpoints within ${times.request / 1000} s of the launch.`,
    )
  }

  async function disconnect(): Promise<void> {
    if (stopping) return
    stopping = true
    await connection
      .request(
        'disconnect',
        { restart: false, terminateDebuggee: options.request === 'launch' },
        { timeout: times.stop },
      )
      .catch(() => undefined)
    finish()
  }

  const threadOf = (threadId?: number): number => threadId ?? stop?.threadId ?? threads[0]?.id ?? 1

  /** @throws ToolError `conflict` if the program runs */
  function checkStopped(): void {
    if (state === 'stopped') return
    throw new ToolError(
      'conflict',
      state === 'ended' ? 'The program has ended.' : 'The program is running.',
      state === 'ended' ? 'Start it again.' : 'Pause it first.',
    )
  }

  async function pause(threadId: number): Promise<void> {
    const before = stopCount
    await connection.request('pause', { threadId })
    // lldb-dap drops the request while the program has yet to resume, for example after attaching.
    setTimeout(() => {
      if (state === 'running' && stopCount === before)
        connection.request('pause', { threadId }).catch((error: unknown) => {
          if (state !== 'ended')
            options.onOutput({ sessionId: id, category: 'important', text: `${toFailure(error).message}\n` })
        })
    }, pauseRepeat).unref()
  }

  const session: DebugSession = {
    ...breakpointRequests,
    ...inspection,
    ended: ended.promise,
    info: () => ({
      id,
      ...(options.parentId !== undefined && { parentId: options.parentId }),
      name: options.name,
      debugger: options.debugger.id,
      state,
      ...(stop && { stop }),
      threads,
      features: featuresOf(capabilities),
      exceptionFilters: exceptionFiltersOf(capabilities),
      owner,
      startedBy: options.owner,
      breakpoints: statuses(),
      stopCount,
      ...(exitCode !== undefined && { exitCode }),
      ...(failure !== undefined && { failure }),
    }),
    async start(signal) {
      try {
        await initialize(signal)
        // Some adapters respond only after `configurationDone`, others only send `initialized` after this request.
        const started = connection.request(options.request, options.args, { signal, timeout: times.start })
        await Promise.all([started.then(waitUntilInitialized), configure()])
        if (state === 'starting') become('running')
      } catch (error) {
        failure = toFailure(error).message
        await disconnect()
        throw error
      }
    },
    async control(action, threadId) {
      if (action === 'stop') return session.stop()
      if (state === 'ended') throw new ToolError('conflict', 'The program has ended.', 'Start it again.')
      if (action === 'restart') {
        await connection.request('restart', options.args)
        return
      }
      const thread = threadOf(threadId)
      if (action === 'pause') {
        await pause(thread)
        return
      }
      checkStopped()
      const before = stopCount
      await connection.request(action, { threadId: thread })
      // A fast program may have stopped again already. Adapters need not send `continued` after a request.
      if (stopCount === before) resumed()
    },
    setOwner(next) {
      owner = next
      onChanged()
    },
    async stoppedAfter(count, signal) {
      while (state !== 'ended' && !(state === 'stopped' && stopCount > count)) {
        signal.throwIfAborted()
        const { promise, resolve, reject } = Promise.withResolvers<void>()
        const onAbort = (): void => reject(signal.reason)
        stopWaiters.add(resolve)
        signal.addEventListener('abort', onAbort, { once: true })
        try {
          await promise
        } finally {
          stopWaiters.delete(resolve)
          signal.removeEventListener('abort', onAbort)
        }
      }
    },
    async stop() {
      if (state === 'ended') return
      if (options.request === 'launch' && capabilities.supportsTerminateRequest === true && state !== 'starting') {
        // The program may react to the signal. It is ended afterwards.
        await connection.request('terminate', {}, { timeout: times.stop }).catch(() => undefined)
        await raceTimeout(ended.promise, times.stop)
      }
      await disconnect()
      streams.close()
    },
  }

  return session
}
