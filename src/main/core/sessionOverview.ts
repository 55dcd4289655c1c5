import { folderPaths, type WorkspaceRoots } from '../base/workspaceRoots.ts'
import type { ConversationInfo } from '../../shared/agent/conversation.ts'
import type { SessionPlace, SessionRow } from '../../shared/agent/sessionRows.ts'
import type { EventName, Events } from '../../shared/bridge/protocol.ts'
import { Delayer } from '../../shared/async/delayer.ts'
import { Throttler } from '../../shared/async/throttler.ts'
import { toFailure, ToolError } from '../../shared/errors.ts'
import type { Agent } from '../agent/agent.ts'
import type { EventHub } from '../appServices/eventHub.ts'
import type { Gate } from '../approval/gate.ts'
import type { ConversationStore } from '../history/conversations.ts'
import type { SessionInfo } from '../sessions/sessionInfo.ts'
import type { SessionRecord } from '../sessions/sessionRecords.ts'
import { mayRun } from '../sessions/worktreeProcesses.ts'
import type { WorkspaceSession } from '../workspaceServices/workspaceSession.ts'
import { createConversationRows } from './conversationRows.ts'
import type { OpenCore, OpenCores } from './openCores.ts'
import type { Tries } from './tries.ts'
import type { WorktreeSessions } from './worktreeSessions.ts'

/** The sessions of all folders that this process has open, for the sessions view of one window. */
export interface SessionOverview {
  /** @param refresh whether git looks for changes in the worktrees again. Windows are informed of the result. */
  rows(refresh: boolean): Promise<SessionRow[]>
  /** Decides about a call of any core. @throws ToolError `conflict` if it is no longer pending */
  decide: Gate['decide']
  /** Sends a line to a command of any core. @throws ToolError `not_found` if it no longer waits for input */
  answer(jobId: string, text: string): void
  update(conversation: string, change: Partial<Pick<ConversationInfo, 'title' | 'pinned' | 'archived'>>): void
  /** Archives a worktree. @throws ToolError `not_found` if it belongs to no repository that is open in this process */
  archive(worktree: string, archived: boolean): Promise<void>
  stop(conversation: string): Promise<void>
  /** Shows a conversation in the window that has a folder open. */
  show(folder: string, conversation: string): void
  /** Removes this core's sessions from other windows. */
  close(): void
}

interface SessionOverviewDeps {
  cores: OpenCores
  agent: Agent
  gate: Gate
  store: ConversationStore
  sessions: WorktreeSessions
  events: Pick<EventHub, 'emit' | 'subscribe' | 'warn'>
  session(): WorkspaceSession | undefined
  tries: Tries
  attempt: OpenCore['attempt']
}

/** Milliseconds for which changes are collected before windows load the list again. */
const changeDelay = 200

/** Events after which the list differs. */
const changing: ReadonlySet<EventName> = new Set<EventName>([
  'workspace.changed',
  'conversation.info',
  'conversation.status',
  'conversation.turnEnded',
  'conversation.truncated',
  'approval.requested',
  'approval.resolved',
  'job.changed',
  'job.forgotten',
])

const openFolderPaths = (workspace: WorkspaceRoots | undefined): string[] => (workspace ? folderPaths(workspace) : [])
const unique = (folders: readonly string[]): string[] => [...new Set(folders)]

/** Adds the name of a multi-root workspace. */
const named = (rows: SessionRow[], opened: Events['workspace.changed']): SessionRow[] =>
  opened?.multiRoot ? rows.map((row) => ({ ...row, workspace: opened.name })) : rows

export function createSessionOverview(deps: SessionOverviewDeps): SessionOverview {
  const { cores, agent, gate, store, sessions, events, session, tries, attempt } = deps
  const jobs = () => session()?.jobs
  const conversations = createConversationRows({ agent, gate, store, jobs })
  const worktrees = createWorktreeFacts(sessions, () => cores.changed(), events.warn)
  const report = new Delayer(() => cores.changed(), changeDelay)
  const restores = createWorktreeRestores(sessions, () => session()?.workspace.root, events.warn)
  let opened: Events['workspace.changed'] = null

  const core: OpenCore = {
    folder: () => session()?.workspace.root,
    folders: () => openFolderPaths(session()?.workspace),
    rows() {
      const folder = core.folder()
      return folder === undefined ? [] : named(conversations.open(folder, opened?.branch), opened)
    },
    waiting() {
      const asks =
        gate.pending().length > 0 ||
        jobs()
          ?.list()
          .some(({ state }) => state === 'waiting_for_input')
      return asks ? core.rows().filter(({ approvals, questions }) => approvals.length + questions.length > 0) : []
    },
    gate,
    agent,
    jobs,
    tries,
    attempt,
    show(conversation) {
      // Also the one that a window shows when it attaches.
      agent.open(conversation)
      events.emit('command', { id: 'chat.show', argument: conversation })
    },
    sessionsChanged: () => events.emit('sessions.changed', waitingIn(cores.all(), core)),
  }
  const remove = cores.add(core)
  const unsubscribe = events.subscribe((name, payload) => {
    // The name ties the payload to the event; TypeScript does not relate the two.
    if (name === 'workspace.changed') opened = payload as Events['workspace.changed']
    if (name === 'conversation.turnEnded')
      conversations.forget((payload as Events['conversation.turnEnded']).conversationId)
    if (name === 'conversation.status') restores.status(payload as Events['conversation.status'])
    if (changing.has(name)) report.start()
  })

  const openFolders = () => new Set(cores.all().flatMap((each) => each.folder() ?? []))
  const originsOf = async (folders: Iterable<string>) => unique(await Promise.all([...folders].map(sessions.originOf)))
  const openPlaces = () => new Set(cores.all().flatMap((each) => each.folders()))

  async function rows(refresh: boolean): Promise<SessionRow[]> {
    const folders = openFolders()
    const origins = await originsOf(openPlaces())
    if (refresh) worktrees.refresh(origins)
    const records = await sessions.records(origins)
    const open = cores
      .all()
      .flatMap((each) => each.rows().map((row) => (each === core ? { ...row, place: hereOr(row.place) } : row)))
    const closed = records
      .filter(({ worktree }) => !folders.has(worktree))
      .flatMap((record) => conversations.closed(record.worktree, record.branch))
    return withWorktrees([...open, ...closed], records, worktrees.of, {
      isOpen: (folder) => folders.has(folder),
      isHere: (folder) => folder === core.folder(),
      isTrying: (id) => cores.all().some((each) => each.tries.isRunning(id)),
    })
  }

  /** Returns the core whose folder a conversation belongs to. Other cores must not load it. */
  const ownerOf = ({ workspace }: ConversationInfo) => cores.all().find((each) => each.folder() === workspace)

  return {
    rows,
    decide(requestId, decision) {
      const owner = cores.all().find((each) => each.gate.pending().some(({ id }) => id === requestId))
      // This core's gate explains why a request is not pending.
      const { decide } = owner?.gate ?? gate
      decide(requestId, decision)
    },
    answer: (jobId, text) => answer(cores.all(), jobId, text),
    update(conversation, change) {
      const owner = ownerOf(store.get(conversation))
      if (owner) owner.agent.update(conversation, change)
      else {
        store.label(conversation, change)
        cores.changed()
      }
    },
    async archive(worktree, archived) {
      requireListed(await sessions.records(await originsOf(openFolders())), worktree)
      await sessions.archive(worktree, archived)
      cores.changed()
    },
    async stop(conversation) {
      await ownerOf(store.get(conversation))?.agent.stop(conversation)
    },
    show(folder, conversation) {
      cores
        .all()
        .find((each) => each.folder() === folder)
        ?.show(conversation)
    },
    close() {
      unsubscribe()
      report.cancel()
      remove()
    },
  }
}

/** Returns the rows with their worktrees, and one for each worktree in which nothing has been sent. */
function withWorktrees(
  listed: readonly SessionRow[],
  records: readonly SessionRecord[],
  factsOf: (id: string) => SessionInfo | undefined,
  {
    isOpen,
    isHere,
    isTrying,
  }: Record<'isOpen' | 'isHere', (folder: string) => boolean> & {
    isTrying(id: string): boolean
  },
): SessionRow[] {
  const unused = records.filter(({ worktree }) => !listed.some(({ folder }) => folder === worktree))
  return [
    ...listed,
    ...unused.map((record) => unusedRow(record, isOpen(record.worktree), isHere(record.worktree))),
  ].map((row) => {
    const record = records.find(({ worktree }) => worktree === row.folder)
    return record ? inWorktree(row, record, factsOf(record.id), isTrying(record.id)) : row
  })
}

/** Shows the worktree of the open folder again when a turn starts in it. */
function createWorktreeRestores(
  sessions: Pick<WorktreeSessions, 'sessionAt' | 'archive'>,
  openFolder: () => string | undefined,
  warn: (message: string) => void,
) {
  const runs = new Throttler()
  /** Conversations whose turn runs in this core. */
  const running = new Set<string>()

  async function restore(folder: string): Promise<void> {
    const record = await sessions.sessionAt(folder)
    if (record?.archived === true) await sessions.archive(record.id, false)
  }

  return {
    status({ conversationId, running: isRunning }: Events['conversation.status']): void {
      const starts = isRunning && !running.has(conversationId)
      if (isRunning) running.add(conversationId)
      else running.delete(conversationId)
      const folder = openFolder()
      if (!starts || folder === undefined) return
      runs.queue(() => restore(folder)).catch((error: unknown) => warn(toFailure(error).message))
    },
  }
}

/** @throws ToolError `not_found` if the command no longer waits for input */
function answer(cores: readonly OpenCore[], jobId: string, text: string): void {
  const found = cores
    .flatMap((each) => each.jobs() ?? [])
    .find((each) => each.list().some(({ id, state }) => id === jobId && state === 'waiting_for_input'))
  if (found === undefined)
    throw new ToolError('not_found', 'This command no longer waits for input.', 'Open the session to see it.')
  found.input(jobId, `${text}\r`)
}

/** @throws ToolError `not_found` */
function requireListed(records: readonly SessionRecord[], worktree: string): void {
  if (records.some(({ id }) => id === worktree)) return
  throw new ToolError(
    'not_found',
    'This worktree belongs to a repository that is not open.',
    'Open the folder of its repository first.',
  )
}

/** Counts the approvals and questions that wait in the sessions of other windows. */
function waitingIn(cores: readonly OpenCore[], own: OpenCore): Events['sessions.changed'] {
  const rows = cores.filter((each) => each !== own).flatMap((each) => each.waiting())
  const latest = rows.toSorted((one, other) => askedAt(other) - askedAt(one))[0]
  return {
    waiting: rows.reduce((sum, { approvals, questions }) => sum + approvals.length + questions.length, 0),
    latest: latest?.key ?? null,
  }
}

/** Returns when a session last asked for approval, or the start of its turn. */
function askedAt({ approvals, since }: SessionRow): number {
  return approvals.at(-1)?.requestedAt ?? since
}

function hereOr(place: SessionPlace): SessionPlace {
  return place === 'elsewhere' ? place : 'here'
}

/** The row of a worktree in which nothing has been sent. */
function unusedRow({ id, name, worktree, branch, createdAt }: SessionRecord, open: boolean, here: boolean): SessionRow {
  return {
    key: `worktree ${id}`,
    conversation: null,
    title: name,
    folder: worktree,
    branch,
    worktree: null,
    place: here ? 'here' : open ? 'window' : 'closed',
    state: 'idle',
    note: null,
    changedFiles: null,
    tokens: 0,
    since: createdAt,
    pinned: false,
    archived: false,
    approvals: [],
    questions: [],
  }
}

function inWorktree(
  row: SessionRow,
  { id, name, folder, branch, archived, conversation, by, try: attempt }: SessionRecord,
  facts: SessionInfo | undefined,
  running: boolean,
): SessionRow {
  return {
    ...row,
    branch,
    worktree: {
      id,
      name,
      origin: folder,
      archived,
      broken: facts !== undefined && facts.state !== 'ready',
      try: attempt
        ? {
            ...attempt,
            running: running && attempt.result === undefined,
            // The process that makes the worktree of a try also runs it.
            interrupted: !running && attempt.result === undefined && !mayRun(by),
            conversation: conversation ?? null,
          }
        : null,
    },
    archived: row.archived || archived,
    changedFiles: facts?.changed.length ?? null,
  }
}

/** What git last found in the worktrees. It takes long, so the list is shown before it is known. */
function createWorktreeFacts(
  sessions: Pick<WorktreeSessions, 'list'>,
  changed: () => void,
  warn: (message: string) => void,
) {
  const known = new Map<string, SessionInfo>()
  const runs = new Throttler()

  async function read(origins: readonly string[]): Promise<void> {
    const found = (await Promise.all(origins.map((origin) => sessions.list(origin)))).flat()
    const before = JSON.stringify([...known.values()])
    known.clear()
    for (const info of found) known.set(info.id, info)
    if (JSON.stringify(found) !== before) changed()
  }

  return {
    of: (id: string) => known.get(id),
    refresh(origins: readonly string[]): void {
      runs.queue(() => read(origins)).catch((error: unknown) => warn(toFailure(error).message))
    },
  }
}
