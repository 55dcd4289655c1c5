import { Delayer } from '../../shared/async/delayer.ts'
import type {
  Breakpoints,
  DebuggerStatus,
  DebugOutput,
  DebugState,
  FunctionBreakpoint,
  LineBreakpoint,
} from '../../shared/debug/debug.ts'
import { ToolError, toFailure } from '../../shared/errors.ts'
import { installCommandOf } from '../base/systemPackage.ts'
import type { AdapterProcess, ProgramTerminal } from './adapterProcess.ts'
import { createBreakpointStore, type BreakpointFile } from './breakpointStore.ts'
import { createOutputBatches, keepOutput, noOutput, outputFrom, withOutput, type KeptOutput } from './debugOutput.ts'
import type { DebuggerDefinition } from './debuggerDefinition.ts'
import { debuggerTable } from './debuggerTable.ts'
import { wantsTerminal } from './launchAttributes.ts'
import { createDebugSession, defaultTimes, type DebugSession, type DebugTimes } from './debugSession.ts'
import { createDebuggers, type DebuggerDeps, type StartOptions } from './startDebugger.ts'

export interface DebugDeps extends DebuggerDeps {
  isTrusted(): boolean
  breakpoints: Promise<BreakpointFile>
  /** See `createBreakpointStore`. */
  carriedBreakpoints?(breakpointsOf: (workspace: string) => Breakpoints | undefined): Breakpoints | undefined
  times?: DebugTimes
  /** Replaces the table, for tests. */
  debuggers?: readonly DebuggerDefinition[]
  onState(state: DebugState): void
  onOutput(output: DebugOutput): void
  /** Called when a debugged program runs in a terminal. @param job the terminal's job */
  onTerminal(job: string): void
  onNotice(message: string): void
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
  /** Output of a session so far, after its first `from` characters. @see outputFrom */
  output(id: string, from?: number): { text: string; truncated: boolean; to: number }
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

/** Milliseconds in which changes of the state are sent as one. */
const stateDelay = 20
const maxSessions = 20
const maxEndedSessions = 10

interface SessionEntry extends KeptOutput {
  session: DebugSession
  debugger: DebuggerDefinition
  adapter: AdapterProcess
  conversationId: string | undefined
}

/** Creates the debug sessions of a folder. */
// oxlint-disable-next-line eslint/max-lines-per-function -- Sessions, their adapters and the breakpoints share their state.
export function createDebugSessions(deps: DebugDeps): DebugSessions {
  const table = deps.debuggers ?? debuggerTable
  const times = deps.times ?? defaultTimes
  const debuggers = createDebuggers(deps)
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
  const breakpoints = createBreakpointStore(deps.workspace.root, deps.breakpoints, {
    carried: deps.carriedBreakpoints,
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
    outputs.add({ ...output, ...(entry && { range: keepOutput(entry, output) }) })
  }

  function showTerminal(sessionId: string, terminal: ProgramTerminal): void {
    deps.onTerminal(terminal.id)
    addOutput({ sessionId, category: 'console', text: 'The program runs in a terminal in the Terminal panel.\n' })
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
    const { terminal } = adapter
    const session = createDebugSession({
      id,
      ...(parentId !== undefined && { parentId }),
      name: options.name,
      debugger: definition,
      streams,
      request: options.request,
      args,
      workspace: deps.workspace,
      owner: options.owner,
      times,
      breakpoints: breakpoints.get,
      ...(options.own && { own: options.own }),
      ...(terminal?.run && {
        async runInTerminal(request) {
          const body = await terminal.run?.(request)
          showTerminal(id, terminal)
          return body ?? {}
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
      ...noOutput,
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

  /** Ends the sessions that end with this one, and runs what follows it. */
  async function afterEnd(session: DebugSession, { stopsWith, preparation }: StartOptions): Promise<void> {
    const steps = [
      async () => (stopsWith === undefined ? undefined : stopGroup(stopsWith, session)),
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
      debuggers.forget()
      return Promise.all(
        table.map(async (definition) => {
          // Installing it would not help in an untrusted folder.
          const found = deps.isTrusted()
            ? await debuggers.find(definition)
            : { missing: 'This folder is not trusted.', isInstalled: true as const }
          const { id, title, languages } = definition
          const installCommand = 'isInstalled' in found ? undefined : installCommandOf(definition.installCommand)
          return {
            id,
            title,
            languages,
            ...('missing' in found && {
              missing: {
                reason: found.missing,
                ...(installCommand !== undefined && { installCommand }),
                ...('fix' in found && found.fix !== undefined && { fix: found.fix }),
              },
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
      const { adapter, args } = await debuggers.start(options, signal)
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
      if (adapter.terminal && adapter.terminal.run === undefined) showTerminal(session.info().id, adapter.terminal)
      if (wantsTerminal(options.configuration) && adapter.terminal === undefined)
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
    output(id, from = 0) {
      // The window then has all of it as events, with its kinds, from its connection on.
      outputs.flush()
      return outputFrom(entryOf(id), from)
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
