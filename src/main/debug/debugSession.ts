import path from 'node:path'
import type { DebugProtocol } from '@vscode/debugprotocol'
import type {
  BreakpointStatus,
  Breakpoints,
  DataBreakpoint,
  DebugExceptionInfo,
  DebugFeatures,
  DebugFrame,
  DebugOutput,
  DebugOwner,
  DebugScope,
  DebugSessionInfo,
  DebugSessionState,
  DebugStop,
  DebugThread,
  DebugValue,
  DebugVariable,
  ExceptionFilter,
  LineBreakpoint,
} from '../../shared/debug/debug.ts'
import type { DebugAction } from '../../shared/debug/debugRequests.ts'
import { ToolError, toFailure } from '../../shared/errors.ts'
import { Throttler } from '../../shared/async/throttler.ts'
import { SequencerByKey } from '../../shared/async/sequencer.ts'
import { raceTimeout } from '../../shared/async/raceTimeout.ts'
import {
  connectAdapter,
  type AdapterConnection,
  type AdapterRequestName,
  type AdapterRequests,
  type RequestOptions,
} from './adapterConnection.ts'
import type { AdapterStreams } from './adapterProcess.ts'

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
  /** Real path of the workspace. */
  root: string
  owner: DebugOwner
  times: DebugTimes
  breakpoints(): Breakpoints
  /** Breakpoints of this session alone, instead of `breakpoints`. */
  own?: OwnBreakpoints
  /** Called after each change of `info`. */
  onChanged(): void
  onOutput(output: DebugOutput): void
  /** Runs the program in a terminal. Undefined: there is none. */
  runInTerminal?(request: DebugProtocol.RunInTerminalRequestArguments): Promise<void>
  /** Starts another session, for example of a child process. */
  onChild(request: 'launch' | 'attach', configuration: Record<string, unknown>): Promise<void>
}

/** Breakpoints of a session of the agent. */
export interface OwnBreakpoints {
  lines: readonly LineBreakpoint[]
  /** Whether the program stops at exceptions that nothing handles. */
  exceptions: boolean
}

/** Names of the filters for exceptions that nothing handles, in all debuggers. */
const unhandledFilter = /uncaught|unhandled|unrecovered|panic/i

/** One debugged program. Methods throw ToolError with the debugger's message. */
export interface DebugSession {
  info(): DebugSessionInfo
  /** Starts the program, and resolves once it runs or has stopped. @throws ToolError */
  start(signal: AbortSignal): Promise<void>
  control(action: DebugAction, threadId?: number): Promise<void>
  /** Sends changed breakpoints of a file. */
  sendLineBreakpoints(file: string): Promise<void>
  sendFunctionBreakpoints(): Promise<void>
  sendExceptionFilters(): Promise<void>
  /** The session's own breakpoints. Empty if it has those of the folder. */
  ownLines(): readonly LineBreakpoint[]
  /** Replaces the session's own breakpoints. */
  setOwnLines(lines: readonly LineBreakpoint[]): Promise<void>
  addDataBreakpoint(reference: number, name: string): Promise<{ label: string }>
  removeDataBreakpoints(): Promise<void>
  stack(threadId: number, start: number, count: number): Promise<{ frames: DebugFrame[]; total: number }>
  scopes(frameId: number): Promise<DebugScope[]>
  variables(query: VariablesQuery, signal?: AbortSignal): Promise<DebugVariable[]>
  setVariable(reference: number, name: string, value: string): Promise<DebugValue>
  evaluate(query: EvaluateQuery, signal?: AbortSignal): Promise<DebugValue>
  completions(frameId: number | undefined, text: string, column: number): Promise<DebugProtocol.CompletionItem[]>
  exceptionInfo(threadId: number): Promise<DebugExceptionInfo | null>
  source(sourceReference: number): Promise<string>
  setOwner(owner: DebugOwner): void
  /** Resolves at the next stop or end after `stopCount`. */
  stoppedAfter(stopCount: number, signal: AbortSignal): Promise<void>
  /** Resolves once the program has ended. */
  readonly ended: Promise<void>
  /** Ends the program and closes the connection. */
  stop(): Promise<void>
}

export interface VariablesQuery {
  reference: number
  filter?: 'indexed' | 'named' | undefined
  start: number
  count: number
}

export interface EvaluateQuery {
  expression: string
  frameId?: number | undefined
  context: 'watch' | 'repl' | 'hover' | 'clipboard'
}

/** Maximum characters of a value, and of a piece of output. */
const maxValue = 100_000
/** Maximum characters of a source that is not a file. */
const maxSource = 5_000_000
const maxThreads = 1000
/** Milliseconds after which a program that has not paused is paused again. */
const pauseRepeat = 1000
const maxScopes = 50
const maxCompletions = 500

/** Creates a session on the streams of an adapter. `start` begins it. */
// oxlint-disable-next-line eslint/max-lines-per-function -- One state machine: its transitions share their state.
export function createDebugSession(options: SessionOptions): DebugSession {
  const { id, root, times, streams, onChanged } = options
  const { title } = options.debugger
  let state: DebugSessionState = 'starting'
  let stop: DebugStop | undefined
  let threads: readonly DebugThread[] = []
  let capabilities: DebugProtocol.Capabilities = {}
  let owner = options.owner
  let stopCount = 0
  const { own } = options
  let exitCode: number | undefined
  let failure: string | undefined
  let stopping = false
  let dataBreakpoints: readonly DataBreakpoint[] = []
  /** Variables that were set since the stop. js-debug returns their earlier values until the next one. */
  const assigned = new Map<string, { now: DebugValue; stale?: string }>()
  const statuses = new Map<string, BreakpointStatus>()
  /** Breakpoints by the number that the adapter gave them. */
  const byAdapterId = new Map<number, string>()
  const sending = new SequencerByKey<string>()
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
      if (command === 'runInTerminal' && options.runInTerminal) {
        await options.runInTerminal(args as DebugProtocol.RunInTerminalRequestArguments)
        return {}
      }
      if (command !== 'startDebugging') throw new Error(`Tizona does not support "${command}".`)
      const { request, configuration } = args as Partial<DebugProtocol.StartDebuggingRequestArguments>
      if (request !== 'launch' && request !== 'attach') throw new Error('The request is neither launch nor attach.')
      await options.onChild(request, configuration ?? {})
      return undefined
    },
  })
  void connection.closed.then((reason) => {
    if (!stopping && state !== 'ended' && exitCode === undefined) failure ??= `${title}: ${reason}`
    finish()
  })

  const lineBreakpoints = (): readonly LineBreakpoint[] => own?.lines ?? options.breakpoints().lines

  function become(next: DebugSessionState): void {
    if (state === 'ended') return
    state = next
    assigned.clear()
    if (next !== 'stopped') stop = undefined
    onChanged()
    if (next === 'stopped' || next === 'ended') for (const wake of stopWaiters) wake()
  }

  function finish(): void {
    if (state === 'ended') return
    threads = []
    statuses.clear()
    become('ended')
    initialized.resolve()
    connection.close('the session has ended')
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
    breakpoint: ({ breakpoint }: DebugProtocol.BreakpointEvent['body']) => {
      const known = breakpoint?.id === undefined ? undefined : byAdapterId.get(breakpoint.id)
      if (known === undefined) return
      statuses.set(known, statusOf(breakpoint))
      onChanged()
    },
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
    const file = source?.path === undefined ? undefined : relativePath(source.path)
    options.onOutput({
      sessionId: id,
      category: known,
      text: text.slice(0, maxValue),
      ...(variablesReference !== undefined && variablesReference > 0 && { reference: variablesReference }),
      ...(file !== undefined && line !== undefined && { path: file, line }),
    })
  }

  /** Returns a path relative to the workspace; undefined outside it. */
  function relativePath(file: string): string | undefined {
    const relative = path.relative(root, file)
    return relative === '' || relative.startsWith('..') || path.isAbsolute(relative)
      ? undefined
      : relative.split(path.sep).join('/')
  }

  function features(): DebugFeatures {
    return {
      conditions: capabilities.supportsConditionalBreakpoints === true,
      hitConditions: capabilities.supportsHitConditionalBreakpoints === true,
      logMessages: capabilities.supportsLogPoints === true,
      functionBreakpoints: capabilities.supportsFunctionBreakpoints === true,
      dataBreakpoints: capabilities.supportsDataBreakpoints === true,
      setVariable: capabilities.supportsSetVariable === true,
      completions: capabilities.supportsCompletionsRequest === true,
      restart: capabilities.supportsRestartRequest === true,
      stepBack: capabilities.supportsStepBack === true,
      exceptionInfo: capabilities.supportsExceptionInfoRequest === true,
      terminateThreads: capabilities.supportsTerminateThreadsRequest === true,
    }
  }

  const exceptionFilters = (): ExceptionFilter[] =>
    (capabilities.exceptionBreakpointFilters ?? []).map(({ filter, label, description, default: isDefault }) => ({
      filter,
      label,
      ...(description !== undefined && { description }),
      default: isDefault === true,
    }))

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
    const files = new Set(lineBreakpoints().map((breakpoint) => breakpoint.path))
    await Promise.all([...files].map((file) => session.sendLineBreakpoints(file)))
    await session.sendFunctionBreakpoints()
    await session.sendExceptionFilters()
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

  function statusOf(breakpoint: DebugProtocol.Breakpoint): BreakpointStatus {
    return {
      verified: breakpoint.verified,
      ...(breakpoint.line !== undefined && { line: breakpoint.line }),
      ...(breakpoint.message !== undefined && { message: breakpoint.message.slice(0, 1000) }),
    }
  }

  /** Stores what the adapter made of the breakpoints that were sent, which are in the same order. */
  function record(sent: readonly { id: string }[], received: readonly DebugProtocol.Breakpoint[] | undefined): void {
    for (const [index, breakpoint] of (received ?? []).entries()) {
      const own = sent[index]
      if (own === undefined) continue
      statuses.set(own.id, statusOf(breakpoint))
      if (breakpoint.id !== undefined) byAdapterId.set(breakpoint.id, own.id)
    }
    onChanged()
  }

  /** Sends a request, and reads its response, whose fields should be those of the protocol. */
  async function ask<N extends AdapterRequestName, R>(
    command: N,
    args: AdapterRequests[N][0],
    read: (body: AdapterRequests[N][1]) => R,
    requestOptions?: RequestOptions,
  ): Promise<R> {
    const body = await connection.request(command, args, requestOptions)
    try {
      return read(body)
    } catch (error) {
      if (!(error instanceof TypeError)) throw error
      throw new ToolError('server_error', `${title} sent an invalid response to "${command}".`, '', { cause: error })
    }
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

  const valueOf = (body: {
    variablesReference?: number
    namedVariables?: number
    indexedVariables?: number
    type?: string
  }): Omit<DebugValue, 'value'> => ({
    ...(body.type !== undefined && { type: body.type.slice(0, 1000) }),
    reference: body.variablesReference ?? 0,
    ...(body.namedVariables !== undefined && { named: body.namedVariables }),
    ...(body.indexedVariables !== undefined && { indexed: body.indexedVariables }),
  })

  /** Replaces a value by the one that was assigned to it, if the adapter still returns an earlier one. */
  function withAssigned(reference: number, variable: DebugVariable): DebugVariable {
    const key = `${reference} ${variable.name}`
    const assignment = assigned.get(key)
    if (assignment === undefined) return variable
    assignment.stale ??= variable.value
    if (assignment.stale === variable.value) return { ...variable, ...assignment.now }
    assigned.delete(key)
    return variable
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
    ended: ended.promise,
    info: () => ({
      id,
      ...(options.parentId !== undefined && { parentId: options.parentId }),
      name: options.name,
      debugger: options.debugger.id,
      state,
      ...(stop && { stop }),
      threads,
      features: features(),
      exceptionFilters: exceptionFilters(),
      owner,
      startedBy: options.owner,
      breakpoints: Object.fromEntries(statuses),
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
    sendLineBreakpoints: (file) =>
      sending.queue(file, async () => {
        if (state === 'ended') return
        const sent = lineBreakpoints().filter((each) => each.path === file && each.enabled)
        const { breakpoints } = await connection.request('setBreakpoints', {
          source: { name: path.basename(file), path: path.join(root, file) },
          breakpoints: sent.map((each) => ({
            line: each.line,
            ...(each.condition !== undefined && { condition: each.condition }),
            ...(each.hitCondition !== undefined && { hitCondition: each.hitCondition }),
            ...(each.logMessage !== undefined && { logMessage: each.logMessage }),
          })),
          lines: sent.map((each) => each.line),
          sourceModified: false,
        })
        record(sent, breakpoints)
      }),
    async sendFunctionBreakpoints() {
      if (capabilities.supportsFunctionBreakpoints !== true || state === 'ended') return
      const sent = own === undefined ? options.breakpoints().functions.filter((each) => each.enabled) : []
      const { breakpoints } = await connection.request('setFunctionBreakpoints', {
        breakpoints: sent.map(({ name, condition, hitCondition }) => ({
          name,
          ...(condition !== undefined && { condition }),
          ...(hitCondition !== undefined && { hitCondition }),
        })),
      })
      record(sent, breakpoints)
    },
    async sendExceptionFilters() {
      const available = exceptionFilters()
      if (available.length === 0 || state === 'ended') return
      const chosen = options.breakpoints().exceptions[options.debugger.id]
      // Several filters can stop at the same exception.
      const unhandled = available.find((each) => unhandledFilter.test(each.filter))
      const enabled =
        own === undefined
          ? available.filter((each) => chosen?.includes(each.filter) ?? each.default)
          : own.exceptions && unhandled
            ? [unhandled]
            : []
      const filters = enabled.map((each) => each.filter)
      await connection.request('setExceptionBreakpoints', { filters })
    },
    ownLines: () => own?.lines ?? [],
    async setOwnLines(lines) {
      if (own === undefined) return
      const files = new Set([...own.lines, ...lines].map((breakpoint) => breakpoint.path))
      own.lines = lines
      await Promise.all([...files].map((file) => session.sendLineBreakpoints(file)))
    },
    async addDataBreakpoint(reference, name) {
      const found = await connection.request('dataBreakpointInfo', { variablesReference: reference, name })
      if (found.dataId === null)
        throw new ToolError('invalid_arguments', `A data breakpoint cannot be set on ${name}: ${found.description}.`)
      const added = { id: `data:${found.dataId}`, dataId: found.dataId, label: found.description, enabled: true }
      dataBreakpoints = [...dataBreakpoints.filter((each) => each.id !== added.id), added]
      await sendDataBreakpoints()
      return { label: added.label }
    },
    async removeDataBreakpoints() {
      dataBreakpoints = []
      await sendDataBreakpoints()
    },
    async stack(threadId, start, count) {
      checkStopped()
      return ask('stackTrace', { threadId, startFrame: start, levels: count }, ({ stackFrames, totalFrames }) => ({
        frames: stackFrames.slice(0, count).map((frame) => frameOf(frame)),
        // Without a total, there may be more if the page is full.
        total: totalFrames ?? start + stackFrames.length + (stackFrames.length >= count ? 1 : 0),
      }))
    },
    async scopes(frameId) {
      checkStopped()
      return ask('scopes', { frameId }, ({ scopes }) =>
        scopes.slice(0, maxScopes).map((scope) => ({
          name: String(scope.name),
          reference: scope.variablesReference,
          expensive: scope.expensive,
          ...(scope.namedVariables !== undefined && { named: scope.namedVariables }),
          ...(scope.indexedVariables !== undefined && { indexed: scope.indexedVariables }),
        })),
      )
    },
    variables: ({ reference, filter, start, count }, signal) =>
      ask(
        'variables',
        { variablesReference: reference, start, count, ...(filter && { filter }) },
        ({ variables }) =>
          // Adapters without paging send all.
          (variables.length > count ? variables.slice(start, start + count) : variables).map((variable) =>
            withAssigned(reference, {
              name: String(variable.name).slice(0, 2000),
              value: String(variable.value).slice(0, maxValue),
              ...valueOf(variable),
              ...(variable.evaluateName !== undefined && { evaluateName: variable.evaluateName }),
              readOnly: variable.presentationHint?.attributes?.includes('readOnly') === true,
            }),
          ),
        { signal },
      ),
    async setVariable(reference, name, value) {
      checkStopped()
      const now = await ask(
        'setVariable',
        { variablesReference: reference, name, value },
        // lldb-dap up to version 19 names the value like that of an expression.
        (body: Partial<AdapterRequests['setVariable'][1]> & { result?: string }) => ({
          value: String(body.value ?? body.result ?? value).slice(0, maxValue),
          ...valueOf(body),
        }),
        { timeout: times.evaluate },
      )
      assigned.set(`${reference} ${name}`, { now })
      return now
    },
    evaluate: ({ expression, frameId, context }, signal) =>
      ask(
        'evaluate',
        { expression, context, ...(frameId !== undefined && { frameId }) },
        (body) => ({ value: String(body.result).slice(0, maxValue), ...valueOf(body) }),
        { signal, timeout: times.evaluate },
      ),
    async completions(frameId, text, column) {
      if (capabilities.supportsCompletionsRequest !== true) return []
      return ask('completions', { text, column, ...(frameId !== undefined && { frameId }) }, ({ targets }) =>
        targets.slice(0, maxCompletions),
      )
    },
    async exceptionInfo(threadId) {
      if (capabilities.supportsExceptionInfoRequest !== true) return null
      checkStopped()
      return ask('exceptionInfo', { threadId }, ({ exceptionId, description, details }) => {
        const trace = details?.stackTrace ?? details?.message
        return {
          id: String(exceptionId).slice(0, 1000),
          ...(description !== undefined && { description: description.slice(0, maxValue) }),
          ...(trace !== undefined && { details: trace.slice(0, maxValue) }),
        }
      })
    },
    source: (sourceReference) =>
      ask('source', { sourceReference, source: { sourceReference } }, ({ content }) => content.slice(0, maxSource)),
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

  async function sendDataBreakpoints(): Promise<void> {
    const sent = dataBreakpoints.filter((each) => each.enabled)
    const { breakpoints } = await connection.request('setDataBreakpoints', {
      breakpoints: sent.map(({ dataId }) => ({ dataId, accessType: 'write' })),
    })
    record(sent, breakpoints)
  }

  function frameOf(frame: DebugProtocol.StackFrame): DebugFrame {
    const { source } = frame
    const file = source?.path === undefined ? undefined : relativePath(source.path)
    return {
      id: frame.id,
      name: String(frame.name).slice(0, 1000),
      ...(file !== undefined && { path: file }),
      ...(file === undefined && source !== undefined && { source: (source.path ?? source.name ?? '').slice(0, 4096) }),
      ...(source?.sourceReference !== undefined &&
        source.sourceReference > 0 && { sourceReference: source.sourceReference }),
      line: frame.line,
      column: frame.column,
      subtle: frame.presentationHint === 'subtle' || source?.presentationHint === 'deemphasize',
    }
  }

  return session
}
