import { Delayer } from '../../shared/async/delayer.ts'
import type {
  DebuggerStatus,
  DebugOutput,
  DebugOwner,
  DebugState,
  FunctionBreakpoint,
  LineBreakpoint,
} from '../../shared/debug/debug.ts'
import { ToolError, toFailure } from '../../shared/errors.ts'
import type { CommandAccess } from '../../shared/commands/sandbox.ts'
import type { StartPipedProgram, StartTerminalProgram } from '../command/commandTypes.ts'
import { quoteWord } from '../base/quoteWord.ts'
import { connectToPort, startAdapter, type AdapterInvocation, type AdapterProcess } from './adapterProcess.ts'
import { createBreakpointStore, type BreakpointFile } from './breakpointStore.ts'
import type { Configuration } from './configuration.ts'
import { debuggerTable, wantsTerminal, type DebuggerDefinition, type FoundDebugger } from './debuggerTable.ts'
import { createDebugSession, defaultTimes, type DebugSession, type DebugTimes } from './debugSession.ts'
import { findDebugger, type FindDebuggerDeps } from './findDebugger.ts'
import type { OwnBreakpoints } from './sessionBreakpoints.ts'
import { startTerminalAdapter } from './terminalAdapter.ts'

export interface DebugDeps extends Omit<FindDebuggerDeps, 'startProgram'> {
  startProgram: StartPipedProgram
  startInTerminal: StartTerminalProgram
  isTrusted(): boolean
  breakpoints: Promise<BreakpointFile>
  times?: DebugTimes
  /** Replaces the table, for tests. */
  debuggers?: readonly DebuggerDefinition[]
  onState(state: DebugState): void
  onOutput(output: DebugOutput): void
  onNotice(message: string): void
}

/** What runs before and after a session, e.g. a build. */
export interface Preparation {
  /** Command lines of all of it, as the approval rules see them. */
  commands: readonly string[]
  /** Runs first. @returns the attributes, with what was built. @throws ToolError with the output */
  before(signal: AbortSignal): Promise<Configuration>
  /** Runs when the session has ended. */
  after?(): Promise<void>
  /** Ends what `before` left running. Called once after `before`, even if that or the start failed. */
  release?(): Promise<void>
}

export interface StartOptions {
  name: string
  debugger: DebuggerDefinition
  request: 'launch' | 'attach'
  /** Attributes with all variables resolved. */
  configuration: Configuration
  owner: DebugOwner
  /** Real path of the adapter's working directory. Default: the workspace. */
  cwd?: string
  env?: Readonly<Record<string, string>>
  /** Default: `sandbox`. */
  access?: CommandAccess
  /** Port of a running debugger to connect to, instead of starting one. */
  port?: number
  preparation?: Preparation
  /** The end of one session ends all others with the same symbol. */
  stopsWith?: symbol
  /** Breakpoints of this session and its children, instead of those of the folder. */
  own?: OwnBreakpoints
  /** The conversation whose model started it. */
  conversationId?: string | undefined
}

/** Debug sessions and breakpoints of the open folder. */
export interface DebugSessions {
  state(): DebugState
  /** Looks for the debuggers of the table on this machine. */
  debuggers(): Promise<DebuggerStatus[]>
  /** Starts a debugger and the program. @throws ToolError `refused`, `not_found`, `server_error` with the debugger's output */
  start(options: StartOptions, signal: AbortSignal): Promise<DebugSession>
  /** @throws ToolError not_found */
  session(id: string): DebugSession
  /** Sessions that have not ended. */
  running(): DebugSession[]
  /** The running sessions that the model of a conversation has started, without children. Undefined: other calls of tools. */
  startedBy(conversationId: string | undefined): DebugSession[]
  /** A session and those that its debugger has started. */
  family(id: string): DebugSession[]
  /**
   * Ends a session with the one whose debugger requested it: js-debug would otherwise let the program run to its end.
   * @throws ToolError not_found
   */
  stop(id: string): Promise<void>
  /** Calls `listener` after each change of a session. @returns a function that unsubscribes */
  onChange(listener: () => void): () => void
  /** Output of a session so far. */
  output(id: string): { text: string; truncated: boolean }
  /** What the program printed to standard output, without errors and messages of the debugger. */
  standardOutput(id: string): string
  /** Removes an ended session from the list. */
  forget(id: string): void
  /** Replaces the line breakpoints of a file, in all sessions too. */
  setLineBreakpoints(path: string, breakpoints: readonly LineBreakpoint[]): Promise<void>
  setFunctionBreakpoints(breakpoints: readonly FunctionBreakpoint[]): Promise<void>
  setExceptionFilters(debuggerId: string, filters: readonly string[]): Promise<void>
  /** Ends all sessions. */
  dispose(): Promise<void>
}

/** Characters kept of the output of a session. */
const maxOutput = 1_000_000
/** Milliseconds in which changes of the state are sent as one. */
const stateDelay = 20
/** Milliseconds in which output is sent as one. */
const outputDelay = 50
/** Characters of output sent at once. Of a flood, earlier ones are left out. */
const maxBatch = 200_000
/** Characters of standard output for results of calls. */
const maxStandardOutput = 20_000
/** Characters of output in the error of a failed start. */
const maxFailureOutput = 4000
const maxSessions = 20
const maxEndedSessions = 10

interface SessionEntry {
  session: DebugSession
  debugger: DebuggerDefinition
  adapter: AdapterProcess
  output: string
  standardOutput: string
  truncated: boolean
  conversationId: string | undefined
}

/** Creates the debug sessions of a folder. */
// oxlint-disable-next-line eslint/max-lines-per-function -- Sessions, their adapters and the breakpoints share their state.
export function createDebugSessions(deps: DebugDeps): DebugSessions {
  const table = deps.debuggers ?? debuggerTable
  const times = deps.times ?? defaultTimes
  const entries = new Map<string, SessionEntry>()
  /** Sessions that end together. */
  const groups = new Map<symbol, DebugSession[]>()
  let counter = 0
  const changes = new Delayer(() => deps.onState(state()), stateDelay)
  const listeners = new Set<() => void>()
  const changed = (): void => {
    changes.start()
    for (const listener of listeners) listener()
  }
  const breakpoints = createBreakpointStore(deps.root, deps.breakpoints, {
    onLoaded: changed,
    onProblem: deps.onNotice,
  })
  const outputs = createOutputBatches(deps.onOutput)

  function state(): DebugState {
    return { sessions: [...entries.values()].map(({ session }) => session.info()), breakpoints: breakpoints.get() }
  }

  const running = (): DebugSession[] =>
    [...entries.values()].flatMap(({ session }) => (session.info().state === 'ended' ? [] : [session]))

  function addOutput(output: DebugOutput): void {
    const entry = entries.get(output.sessionId)
    if (entry !== undefined) keepOutput(entry, output)
    outputs.add(output)
  }

  function add(
    options: Pick<StartOptions, 'name' | 'debugger' | 'request' | 'owner' | 'own' | 'conversationId'>,
    adapter: AdapterProcess,
    streams: AdapterProcess['streams'],
    args: object,
    parentId?: string,
  ): DebugSession {
    const id = `debug-${++counter}`
    const definition = options.debugger
    const { runInTerminal } = adapter
    const session = createDebugSession({
      id,
      ...(parentId !== undefined && { parentId }),
      name: options.name,
      debugger: definition,
      streams,
      request: options.request,
      args,
      root: deps.root,
      owner: options.owner,
      times,
      breakpoints: breakpoints.get,
      ...(options.own && { own: options.own }),
      ...(runInTerminal && {
        async runInTerminal(terminal) {
          await runInTerminal(terminal)
          addOutput({
            sessionId: id,
            category: 'console',
            text: 'The program runs in a terminal of the Terminal panel.\n',
          })
        },
      }),
      onChanged: changed,
      onOutput: addOutput,
      async onChild(request, configuration) {
        if (running().length >= maxSessions)
          throw new ToolError('conflict', `${maxSessions} debug sessions are already running.`, 'Stop one first.')
        const name = typeof configuration['name'] === 'string' ? configuration['name'] : options.name
        const connection = await adapter.connect(new AbortController().signal)
        const child = add({ ...options, name, request }, adapter, connection, configuration, id)
        // The adapter waits for the response before it continues, and the start needs the adapter.
        child.start(new AbortController().signal).catch((error: unknown) => deps.onNotice(toFailure(error).message))
      },
    })
    entries.set(id, {
      session,
      debugger: definition,
      adapter,
      output: '',
      standardOutput: '',
      truncated: false,
      conversationId: options.conversationId,
    })
    void session.ended.then(() => ended(id, parentId === undefined))
    changed()
    return session
  }

  /** Ends the adapter with its first session, and forgets the oldest sessions. */
  async function ended(id: string, isRoot: boolean): Promise<void> {
    outputs.flush()
    const entry = entries.get(id)
    if (isRoot) await entry?.adapter.end()
    const endedIds = [...entries].filter(([, { session }]) => session.info().state === 'ended').map(([each]) => each)
    for (const each of endedIds.slice(0, Math.max(0, endedIds.length - maxEndedSessions))) entries.delete(each)
    changed()
  }

  /** Ends the sessions and tasks that end with this one, and runs what follows it. */
  async function afterEnd(session: DebugSession, { stopsWith, preparation }: StartOptions): Promise<void> {
    const steps = [
      async () => (stopsWith === undefined ? undefined : stopGroup(stopsWith, session)),
      async () => preparation?.release?.(),
      async () => preparation?.after?.(),
    ]
    for (const step of steps)
      try {
        await step()
      } catch (error) {
        deps.onNotice(toFailure(error).message)
      }
  }

  async function stopGroup(group: symbol, ended: DebugSession): Promise<void> {
    const others = groups.get(group) ?? []
    groups.delete(group)
    await Promise.all(others.filter((other) => other !== ended).map((other) => other.stop()))
  }

  function entryOf(id: string): SessionEntry {
    const entry = entries.get(id)
    if (entry === undefined) throw new ToolError('not_found', `There is no debug session "${id}".`)
    return entry
  }

  /** Debuggers by id. Looking for a Python that has debugpy starts programs. */
  const known = new Map<string, FoundDebugger>()

  async function find(definition: DebuggerDefinition): Promise<FoundDebugger | { missing: string }> {
    const found = known.get(definition.id) ?? (await findDebugger(definition, deps))
    if (!('missing' in found)) known.set(definition.id, found)
    return found
  }

  /** Runs what comes before the session, and starts the debugger. @returns it, with the arguments of the request */
  async function startDebugger(
    options: StartOptions,
    signal: AbortSignal,
  ): Promise<{ adapter: AdapterProcess; args: object }> {
    const { debugger: definition, request, name, port } = options
    if (port !== undefined)
      return { adapter: await connectToPort(definition.title, port), args: { ...options.configuration, request, name } }
    const found = await find(definition)
    if ('missing' in found)
      throw new ToolError(
        'not_found',
        `${definition.title} was not found: ${found.missing}`,
        definition.installCommand === ''
          ? 'Set its path in the settings.'
          : `Install it with: ${definition.installCommand}`,
      )
    try {
      const configuration = (await options.preparation?.before(signal)) ?? options.configuration
      return await startFound(options, found, configuration, signal)
    } catch (error) {
      await options.preparation?.release?.()
      throw error
    }
  }

  async function startFound(
    options: StartOptions,
    found: FoundDebugger,
    configuration: Configuration,
    signal: AbortSignal,
  ): Promise<{ adapter: AdapterProcess; args: object }> {
    const { debugger: definition, request, name } = options
    const invocation: AdapterInvocation = {
      title: definition.title,
      program: found.program,
      args: (socket) => [...found.args, ...definition.args(socket)],
      transport: definition.transport,
      cwd: options.cwd ?? deps.root,
      ...(options.env && { env: options.env }),
      readable: found.folder === undefined ? [] : [found.folder],
      access: options.access ?? 'sandbox',
    }
    const args = definition.adapterArguments({ ...configuration, request, name }, found)
    if (hasTerminal(options, configuration)) {
      const title = definition.command(configuration).map(quoteWord).join(' ')
      const adapter = await startTerminalAdapter(invocation, title, deps.startInTerminal, signal)
      return { adapter, args: { ...args, ...definition.inTerminal } }
    }
    return { adapter: await startAdapter(invocation, deps.startProgram, signal), args }
  }

  async function toSessions(send: (session: DebugSession) => Promise<void>): Promise<void> {
    changed()
    // A session that starts sends them itself.
    const started = running().filter((session) => session.info().state !== 'starting')
    const results = await Promise.allSettled(started.map(send))
    const failed = results.find((result) => result.status === 'rejected')
    if (failed) throw failed.reason
  }

  return {
    state,
    running,
    startedBy: (conversationId) =>
      [...entries.values()].flatMap((entry) => {
        const { state: current, startedBy, parentId } = entry.session.info()
        const isRunning = current !== 'ended' && startedBy === 'agent' && parentId === undefined
        return isRunning && entry.conversationId === conversationId ? [entry.session] : []
      }),
    session: (id) => entryOf(id).session,
    family(id) {
      const ids = new Set([id])
      // Children follow their parents.
      for (const [each, { session }] of entries) if (ids.has(session.info().parentId ?? '')) ids.add(each)
      return [...entries].flatMap(([each, { session }]) => (ids.has(each) ? [session] : []))
    },
    async stop(id) {
      let { session } = entryOf(id)
      for (let parent = session.info().parentId; parent !== undefined; parent = session.info().parentId)
        session = entryOf(parent).session
      await session.stop()
    },
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    async debuggers() {
      known.clear()
      return Promise.all(
        table.map(async (definition) => {
          const found = deps.isTrusted() ? await find(definition) : { missing: 'This folder is not trusted.' }
          const { id, title, languages, installCommand } = definition
          return {
            id,
            title,
            languages,
            ...('missing' in found && {
              missing: { reason: found.missing, ...(installCommand !== '' && { installCommand }) },
            }),
            ...('version' in found && found.version !== undefined && { version: found.version }),
          }
        }),
      )
    },
    async start(options, signal) {
      if (!deps.isTrusted())
        throw new ToolError(
          'untrusted_folder',
          'This folder is not trusted, so its programs do not run.',
          'Trust the folder first.',
        )
      if (running().length >= maxSessions)
        throw new ToolError('conflict', `${maxSessions} debug sessions are already running.`, 'Stop one first.')
      const { adapter, args } = await startDebugger(options, signal)
      const session = add(options, adapter, adapter.streams, args)
      if (options.stopsWith !== undefined)
        groups.set(options.stopsWith, [...(groups.get(options.stopsWith) ?? []), session])
      void session.ended.then(() => afterEnd(session, options))
      if (options.access === 'outside')
        addOutput({
          sessionId: session.info().id,
          category: 'console',
          text: `${options.debugger.title} attaches outside the sandbox, with your permissions.\n`,
        })
      if (wantsTerminal(options.configuration) && adapter.runInTerminal === undefined)
        addOutput({
          sessionId: session.info().id,
          category: 'important',
          text: `${options.debugger.title} runs the program without a terminal here, so it has no input.\n`,
        })
      try {
        await session.start(signal)
        return session
      } catch (error) {
        await session.stop()
        await adapter.end()
        throw withOutput(error, adapter, entries.get(session.info().id)?.output ?? '')
      }
    },
    output: (id) => {
      const { output, truncated } = entryOf(id)
      return { text: output, truncated }
    },
    standardOutput: (id) => entryOf(id).standardOutput,
    forget(id) {
      if (entryOf(id).session.info().state !== 'ended') return
      entries.delete(id)
      changed()
    },
    async setLineBreakpoints(path, lines) {
      breakpoints.update((all) => ({ ...all, lines: [...all.lines.filter((each) => each.path !== path), ...lines] }))
      await toSessions((session) => session.sendLineBreakpoints(path))
    },
    async setFunctionBreakpoints(functions) {
      breakpoints.update((all) => ({ ...all, functions }))
      await toSessions((session) => session.sendFunctionBreakpoints())
    },
    async setExceptionFilters(debuggerId, filters) {
      breakpoints.update((all) => ({ ...all, exceptions: { ...all.exceptions, [debuggerId]: filters } }))
      await toSessions(async (session) => {
        if (session.info().debugger === debuggerId) await session.sendExceptionFilters()
      })
    },
    async dispose() {
      await Promise.all([...entries.values()].map(({ session }) => session.stop()))
      await Promise.all(
        [...new Set([...entries.values()].map(({ adapter }) => adapter))].map((adapter) => adapter.end()),
      )
      outputs.dispose()
      changes.cancel()
      await breakpoints.flush()
    },
  }
}

/** Whether the program runs in a terminal. Only the user can type into it, and Windows lacks what this needs. */
const hasTerminal = (
  { debugger: { inTerminal, transport }, owner, request, access = 'sandbox' }: StartOptions,
  configuration: Configuration,
): boolean =>
  wantsTerminal(configuration) &&
  inTerminal !== undefined &&
  transport !== 'connectsToSocket' &&
  owner === 'user' &&
  request === 'launch' &&
  access === 'sandbox' &&
  process.platform !== 'win32'

function keepOutput(entry: SessionEntry, { text, category }: DebugOutput): void {
  if (category === 'stdout') entry.standardOutput = (entry.standardOutput + text).slice(-maxStandardOutput)
  entry.output += text
  if (entry.output.length <= maxOutput * 1.5) return
  entry.output = entry.output.slice(-maxOutput)
  entry.truncated = true
}

/** Adds what the debugger and the program printed to the error of a failed start. */
function withOutput(error: unknown, adapter: AdapterProcess, output: string): ToolError {
  const { code, message, next } = toFailure(error)
  const detail = [adapter.printed(), output]
    .map((text) => text.trim())
    .filter((text) => text !== '')
    .join('\n')
    .slice(-maxFailureOutput)
  return new ToolError(code, message, next, { cause: error, ...(detail !== '' && { detail }) })
}

/** Joins output of one category, and leaves out what nobody can read. */
function createOutputBatches(onOutput: (output: DebugOutput) => void): {
  add(output: DebugOutput): void
  flush(): void
  dispose(): void
} {
  let pending: DebugOutput[] = []
  /** Index of the first output that is sent. */
  let first = 0
  let size = 0
  let omitted = 0
  const delayer = new Delayer(flush, outputDelay)

  function flush(): void {
    const batch = joined(pending.slice(first))
    const missing = omitted
    pending = []
    first = 0
    size = 0
    omitted = 0
    const [oldest] = batch
    if (missing > 0 && oldest !== undefined)
      onOutput({
        sessionId: oldest.sessionId,
        category: 'important',
        text: `… ${missing} characters are not shown …\n`,
      })
    for (const output of batch) onOutput(output)
  }

  return {
    add(output) {
      pending.push(output)
      size += output.text.length
      // What was printed last, for example an error, matters most.
      for (let oldest = pending[first]; size > maxBatch && first < pending.length - 1; oldest = pending[first]) {
        size -= oldest?.text.length ?? 0
        omitted += oldest?.text.length ?? 0
        first += 1
      }
      delayer.start()
    },
    flush,
    dispose: () => delayer.cancel(),
  }
}

/** Joins outputs that follow each other in one category. */
function joined(outputs: readonly DebugOutput[]): DebugOutput[] {
  const groups: DebugOutput[][] = []
  for (const output of outputs) {
    const group = groups.at(-1)
    const last = group?.at(-1)
    const fits = last?.sessionId === output.sessionId && last.category === output.category && canJoin(last, output)
    if (group && fits) group.push(output)
    else groups.push([output])
  }
  return groups.flatMap((group) => {
    const [output] = group
    return output === undefined ? [] : [{ ...output, text: group.map(({ text }) => text).join('') }]
  })
}

const canJoin = (first: DebugOutput, second: DebugOutput): boolean =>
  [first, second].every((output) => output.reference === undefined && output.path === undefined)
