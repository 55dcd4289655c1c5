import {
  inputNames,
  type McpChoice,
  type McpDefinition,
  type McpServerState,
  type McpServerStatus,
  type McpSettings,
  type McpState,
} from '../../shared/mcp.ts'
import { ToolError } from '../../shared/errors.ts'
import { Sequencer } from '../../shared/sequencer.ts'
import type { TrustStore, TrustSubject } from '../settings/trustStore.ts'
import type { Connection, McpTimeouts } from './serverConnection.ts'
import { readDefinitions } from './serverDefinitions.ts'
import { createServerLog, type ServerLog } from './serverLog.ts'
import { listServerTools, type ListedTool } from './mcpToolList.ts'
import type { ProcessEnding } from './stdioTransport.ts'
import type { McpTool } from './mcpTool.ts'

/** The MCP servers of the open folder: the user's own, and those defined in the folder once trusted. */
export interface Mcp {
  state(): McpState
  /** Returns the tools of connected servers, including disabled ones. The order is deterministic. */
  tools(): readonly McpTool[]
  /** Starts the servers on the first call. Resolves when every first connection attempt has succeeded or failed. */
  ready(signal: AbortSignal): Promise<void>
  /** Reads definitions, trust and choices again, and starts and stops servers accordingly. */
  refresh(): Promise<void>
  /** Stores a trust decision. @throws ToolError conflict if the definition with this key has changed */
  decideTrust(key: string, trusted: boolean): Promise<void>
  /** Restarts a server. */
  restart(key: string): Promise<void>
  dispose(): Promise<void>
}

export interface McpDeps {
  /** Real path. */
  workspace: string
  /**
   * Working directory of the user's own servers. Not the untrusted workspace, where `npx NAME` and `python -m NAME`
   * would start files of the workspace.
   */
  home: string
  version: string
  /** Reads a workspace file; null if it does not exist. */
  readText(path: string): Promise<string | null>
  settings(): McpSettings
  trust: TrustStore
  /** Trusts undecided servers in this process. */
  trustAll: boolean
  /** Returns a stored secret by its id (`secretId`). */
  secret(id: string): Promise<string | undefined>
  environment: NodeJS.ProcessEnv
  processes: ProcessEnding
  onChanged(state: McpState): void
  times?: McpTimeouts
}

/** A defined server, running or not. */
interface Entry {
  key: string
  name: string
  origin: 'user' | 'workspace'
  file?: string
  definition: McpDefinition
  before?: McpDefinition
  trust: 'trusted' | 'refused' | 'unknown'
  stored: ReadonlySet<string>
  log: ServerLog
  connection?: Connection
}

/**
 * Returns the id of the secret for `${input:NAME}`. Each workspace has its own secrets, even for servers of the same
 * name.
 */
export function secretId({ origin, name }: Pick<Entry, 'origin' | 'name'>, workspace: string, input: string): string {
  return JSON.stringify(['mcp', origin === 'user' ? 'user' : workspace, name, input])
}

// Longer than 100 lines, because its functions share the list of servers.
export function createMcp(deps: McpDeps): Mcp {
  let entries: readonly Entry[] = []
  let problems: readonly string[] = []
  let started = false
  let disposed = false
  let tools: readonly McpTool[] | undefined
  const changes = new Sequencer()

  const choice = (key: string): McpChoice | undefined => {
    const { choices } = deps.settings()
    return Object.hasOwn(choices, key) ? choices[key] : undefined
  }
  const mayRun = (entry: Entry) =>
    !disposed && started && entry.trust === 'trusted' && !(choice(entry.key)?.off ?? false)

  let lastState = JSON.stringify(state())
  function changed(): void {
    tools = undefined
    const now = state()
    const text = JSON.stringify(now)
    if (disposed || text === lastState) return
    lastState = text
    deps.onChanged(now)
  }

  /** Waits for the changes that are queued now. */
  const changesDone = () => changes.queue(async () => undefined)

  async function readEntries(): Promise<Entry[]> {
    const found = await readDefinitions(deps.readText)
    problems = found.problems
    const own = Object.entries(deps.settings().servers).map(([name, definition]) => ({
      key: `user:${name}`,
      name,
      origin: 'user' as const,
      definition,
      trust: 'trusted' as const,
    }))
    const workspace = found.servers.map(({ name, file, definition }) => {
      const { state: decided, hash, before } = deps.trust.check(subject(name, definition))
      const trust = decided === 'unknown' && deps.trustAll ? ('trusted' as const) : decided
      // The store contains only definitions that were decided about.
      return {
        key: hash,
        name,
        origin: 'workspace' as const,
        file,
        definition,
        trust,
        before: before as McpDefinition | undefined,
      }
    })
    const all = [...own, ...workspace].toSorted(byName)
    return Promise.all(
      all.map(async (entry) => ({ ...entry, stored: await storedInputs(entry), log: createServerLog() })),
    )
  }

  const subject = (name: string, definition: McpDefinition): TrustSubject => ({
    workspace: deps.workspace,
    kind: 'mcp',
    name,
    definition,
  })

  async function storedInputs(entry: Pick<Entry, 'origin' | 'name' | 'definition'>): Promise<Set<string>> {
    const names = inputNames(entry.definition)
    const secrets = await Promise.all(names.map((name) => deps.secret(secretId(entry, deps.workspace, name))))
    return new Set(names.filter((_name, index) => secrets[index] !== undefined))
  }

  /** Applies the current definitions: unchanged servers continue, others stop, and new ones start. */
  async function update(restartKey?: string): Promise<void> {
    if (disposed) return
    const before = entries
    const next = await readEntries()
    const ending: Promise<void>[] = []
    const kept = new Map<Entry, Entry>()
    for (const old of before) {
      const same = next.find(
        (entry) => entry.key === old.key && JSON.stringify(entry.definition) === JSON.stringify(old.definition),
      )
      if (same && mayRun(same) && same.key !== restartKey) kept.set(same, old)
      else if (old.connection) ending.push(old.connection.close())
    }
    entries = next.map((entry) => {
      const old = kept.get(entry)
      return old ? { ...entry, log: old.log, connection: old.connection } : entry
    })
    changed()
    // Waits for the old process, since the new one may need the same port or file.
    await Promise.all(ending)
    await connectAll()
    changed()
  }

  async function connectAll(): Promise<void> {
    const waiting = entries.filter((entry) => !entry.connection && mayRun(entry))
    if (waiting.length === 0) return
    // Loaded on demand, so that the protocol library does not delay the start of the application.
    const { openConnection } = await import('./openConnection.ts')
    const { workspace, home, version, environment, processes, times } = deps
    for (const entry of waiting.filter(mayRun)) {
      const { name, definition, log } = entry
      const input = (wanted: string) => deps.secret(secretId(entry, workspace, wanted))
      const server = { name, definition, log, input, cwd: entry.origin === 'user' ? home : workspace }
      entry.connection = openConnection({
        ...server,
        workspace,
        version,
        environment,
        processes,
        times,
        onChanged: changed,
      })
    }
  }

  function status(entry: Entry, all: readonly ListedTool<Entry>[]): McpServerStatus {
    const { key, name, origin, file, definition, before, stored, log } = entry
    const connection = entry.connection?.state()
    return {
      key,
      name,
      origin,
      file,
      definition,
      before,
      state: stateOf(entry),
      problem: connection?.kind === 'failed' || connection?.kind === 'starting' ? connection.problem : undefined,
      log: log.lines(),
      inputs: inputNames(definition).map((input) => ({ name: input, stored: stored.has(input) })),
      tools: all.filter(({ owner }) => owner === entry).map(({ shown }) => shown),
    }
  }

  function stateOf(entry: Entry): McpServerState {
    if (entry.trust !== 'trusted') return entry.trust === 'refused' ? 'refused' : 'untrusted'
    if (choice(entry.key)?.off) return 'off'
    const kind = entry.connection?.state().kind
    return kind === undefined || kind === 'closed' ? 'idle' : kind
  }

  function listTools(): ListedTool<Entry>[] {
    return listServerTools(
      entries,
      (entry) => choice(entry.key),
      (entry, problem) => {
        if (!entry.log.lines().includes(problem)) entry.log.add(problem)
      },
    )
  }
  function state(): McpState {
    const all = listTools()
    return { servers: entries.map((entry) => status(entry, all)), problems: [...problems] }
  }

  function find(key: string): Entry {
    const entry = entries.find((each) => each.key === key)
    if (!entry)
      throw new ToolError('conflict', 'The definition of this server has changed.', 'Review the current definition.')
    return entry
  }

  return {
    state,
    tools: () => (tools ??= listTools().map(({ tool }) => tool)),
    async ready(signal) {
      if (!started) {
        started = true
        changes.queue(() => update()).catch(() => undefined)
      }
      await changesDone()
      await Promise.all(entries.map(async (entry) => entry.connection?.firstAttempt(signal)))
    },
    refresh: () => changes.queue(() => update()),
    decideTrust: (key, trusted) =>
      changes.queue(async () => {
        const { name, definition, origin } = find(key)
        if (origin === 'user')
          throw new ToolError('invalid_arguments', "The user's own servers need no trust decision.")
        await deps.trust.decide(subject(name, definition), trusted)
        await update()
      }),
    restart: (key) => changes.queue(() => update(find(key).key)),
    async dispose() {
      disposed = true
      await changesDone()
      await Promise.all(entries.map(async (entry) => entry.connection?.close()))
    },
  }
}

function byName(one: { name: string; key: string }, other: { name: string; key: string }): number {
  return one.name < other.name || (one.name === other.name && one.key < other.key) ? -1 : 1
}
