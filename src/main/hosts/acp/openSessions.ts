import { randomUUID } from 'node:crypto'
import { RequestError, type AgentContext, type ClientCapabilities, type SessionInfo } from '@agentclientprotocol/sdk'
import type { ApprovalRequest } from '../../../shared/tools/approval.ts'
import type { ConversationSnapshot, ModelChoice } from '../../../shared/agent/conversation.ts'
import type { Mode, ToolsetName } from '../../../shared/tools/risk.ts'
import { SequencerByKey } from '../../../shared/async/sequencer.ts'
import { log } from '../../base/log/log.ts'
import { ToolError } from '../../../shared/errors.ts'
import type { Core } from '../../core.ts'
import { createSessionSettings, type SessionSettings } from './configOptions.ts'
import { askClient } from './permissions.ts'
import { sendUpdate, createSessionUpdates, type SessionUpdates } from './sessionUpdates.ts'
import { createFolderCores, type Folder } from './folderCores.ts'
import { createSessionPlaces, recordOf, worktreeOf } from './sessionPlaces.ts'

/** The client of a session. */
interface SessionClient {
  peer: AgentContext
  capabilities: ClientCapabilities
}

/** A conversation opened by the client. Its id is the session id. */
export interface Session {
  id: string
  folder: Folder
  /** The folder that the client opened, if the session works in a worktree of it. */
  origin: string | undefined
  updates: SessionUpdates
  settings: SessionSettings
  client: SessionClient
  /** Cancels the prompt that runs or waits to begin. */
  prompt?: AbortController
  /** Ends the set-up of the worktree that the session is moving to. */
  moving?: AbortController
  /** Stops listening to the core. */
  close(): void
}

export interface OpenSessionsOptions {
  createCore(): Promise<Core>
  /** Called once for each folder that a client opens. */
  onFolder?(core: Core): Promise<void>
  /** Mode of new sessions. */
  mode: Mode
  /** Toolset of new sessions. Default: chosen by model. */
  toolset?: ToolsetName
  /** Whether new sessions begin in a worktree of their own. */
  worktree?: boolean
  /** Model of new sessions. Default: the one selected in the application. */
  model?: ModelChoice
}

/** The sessions of one connection, and their folders. */
export interface OpenSessions {
  /** @throws RequestError if the session does not exist */
  find(id: string): Session
  /** Cancels the prompt of a session, if any. */
  cancel(id: string): void
  /**
   * Waits until a session works where the client chose, and makes it stay there.
   *
   * @throws RequestError if it was closed meanwhile
   */
  fixPlace(id: string): Promise<void>
  /** Starts a session with a new conversation. @throws RequestError if there are too many */
  create(cwd: string, peer: AgentContext, client: ClientCapabilities): Promise<Session>
  /** Opens a stored conversation. If it is already open, it counts once. @throws RequestError */
  open(
    cwd: string,
    id: string,
    peer: AgentContext,
    client: ClientCapabilities,
  ): Promise<[Session, ConversationSnapshot]>
  /**
   * Chooses where a session works, before its first message.
   *
   * @param place a `Place`
   * @throws RequestError if it cannot be chosen any more
   */
  place(session: Session, place: unknown): Promise<void>
  /** Lists the conversations of a folder and its worktrees, or of all open folders. */
  list(cwd: string | undefined): Promise<SessionInfo[]>
  close(id: string): Promise<void>
  /** Deletes a conversation, even one that the client has only listed. */
  delete(id: string): Promise<void>
  /** Ends all turns and closes all folders. */
  closeAll(): Promise<void>
}

const never = new AbortController().signal

/** Maximum number of sessions open at the same time. Each receives all events of its folder. */
export const maxSessions = 200

// oxlint-disable-next-line eslint/max-lines-per-function -- One state: the sessions and folders of one connection.
export function createOpenSessions({
  createCore,
  onFolder,
  mode,
  toolset,
  model,
  worktree = false,
}: OpenSessionsOptions): OpenSessions {
  const folders = createFolderCores(createCore, {
    onOpened: async ({ core }) => onFolder?.(core),
    isUsed: (folder) =>
      using > 1 || [...sessions.values()].some((session) => session.folder === folder) || places.isOrigin(folder),
  })
  const sessions = new Map<string, Session>()
  const places = createSessionPlaces({
    folders,
    hasSession: (root) => [...sessions.values()].some(({ folder }) => folder.root === root),
    moveTo: ({ id }, folder, snapshot, origin) => void add(folder, snapshot, find(id).client, { origin }),
  })
  /** Number of sessions being opened. */
  let opening = 0
  /** Number of requests that open or use a folder that may have no open session. */
  let using = 0
  /** Ends what the end of the connection interrupts. */
  const ending = new AbortController()
  /** What changes where a session works, begins its prompts or ends it, in the order of the requests. */
  const changes = new SequencerByKey<string>()

  function find(id: string): Session {
    const session = sessions.get(id)
    if (!session) throw RequestError.sessionNotFound(id)
    return session
  }

  /** Runs a step that opens a session, unless there are too many. @throws RequestError */
  async function withinLimit<T>(open: () => Promise<T>): Promise<T> {
    if (sessions.size + opening >= maxSessions)
      throw RequestError.invalidRequest(
        undefined,
        `At most ${maxSessions} sessions can be open at the same time. Close one, or start another "tizona acp".`,
      )
    opening++
    try {
      return await open()
    } finally {
      opening--
    }
  }

  /** Runs a request and prevents others from closing its folder. */
  async function usingFolder<T>(request: () => Promise<T>): Promise<T> {
    using++
    try {
      return await request()
    } finally {
      using--
    }
  }

  function add(
    folder: Folder,
    { info }: ConversationSnapshot,
    client: SessionClient,
    { origin, choosable = false }: { origin?: string | undefined; choosable?: boolean },
  ): Session {
    const { core, root } = folder
    const { peer, capabilities } = client
    const tools = new Map(core.executor.describeAll(info.toolset).map((tool) => [tool.name, tool]))
    const context = { root, tool: (name: string) => tools.get(name), showsTerminals: showsTerminals(capabilities) }
    const settings = createSessionSettings(info.mode, origin === undefined ? 'folder' : 'worktree', choosable)
    const updates = createSessionUpdates({
      ...context,
      conversationId: info.id,
      settings,
      showsNotices: (capabilities.session?.notices ?? undefined) !== undefined,
    })
    const unsubscribe = core.subscribe((name, payload) => {
      for (const update of updates.of(name, payload)) sendUpdate(peer, info.id, update)
      if (name === 'approval.requested' && isApproval(payload) && payload.conversationId === info.id)
        askClient(core, peer, payload, context).catch((error: unknown) => {
          log.error('tizona acp: an approval request could not be forwarded', error)
        })
    })
    const opened: Session = { id: info.id, folder, origin, updates, settings, client, close: unsubscribe }
    const known = sessions.get(info.id)
    known?.close()
    // A running prompt stays known, so that it can be cancelled.
    const session = known ? Object.assign(known, opened) : opened
    sessions.set(info.id, session)
    return session
  }

  async function openConversation(
    cwd: string,
    id: string,
    peer: AgentContext,
    client: ClientCapabilities,
  ): Promise<[Session, ConversationSnapshot]> {
    const opened = await folders.open(cwd)
    const isListed = (await opened.core.handlers['conversations.list']({}, never)).some((listed) => listed.id === id)
    const folder = isListed ? opened : await folders.open(await worktreeOf(opened, id))
    const snapshot = await folder.core.handlers['conversations.open']({ id }, never)
    const origin = await folder.core.sessions.originOf(folder.root)
    const session = add(
      folder,
      snapshot,
      { peer, capabilities: client },
      { origin: origin === folder.root ? undefined : origin },
    )
    return [session, snapshot]
  }

  async function createConversation(
    cwd: string,
    peer: AgentContext,
    capabilities: ClientCapabilities,
  ): Promise<Session> {
    const opened = await folders.open(cwd)
    const { core, root } = opened
    const client = { peer, capabilities }
    const origin = await core.sessions.originOf(root)
    const isWorktree = origin !== root
    // A session that begins in a worktree of Tizona stays there.
    if (!worktree || isWorktree) {
      const place = { choosable: opened.isRepository && !isWorktree, origin: isWorktree ? origin : undefined }
      return add(opened, await newConversation(opened.core, randomUUID()), client, place)
    }
    return places.withWorktree(opened, ending.signal, async (folder, made) => {
      const id = randomUUID()
      await core.sessions.setConversation(made.id, id)
      return add(folder, await newConversation(folder.core, id), client, { origin: root })
    })
  }

  /** Makes a conversation with the settings of new sessions. If they cannot be applied, none is left. */
  async function newConversation({ handlers }: Core, id: string): Promise<ConversationSnapshot> {
    const created = await handlers['conversations.create']({ id }, never)
    try {
      const chosen = { mode, ...(toolset && { toolset }), ...(model && { model }) }
      return { ...created, info: await handlers['conversations.update']({ id, ...chosen }, never) }
    } catch (error) {
      await handlers['conversations.delete']({ id }, never)
      throw error
    }
  }

  async function list(cwd: string | undefined): Promise<SessionInfo[]> {
    const open = cwd !== undefined ? [await folders.open(cwd)] : [...sessions.values()].map(({ folder }) => folder)
    const lists = [...new Set(open)].map(async ({ core, root }) => {
      const own = await core.handlers['conversations.list']({}, never)
      const rows = await core.handlers['sessions.overview']({ refresh: false }, never)
      const inWorktrees = rows.flatMap(({ conversation, title, since, folder, worktree: made }) =>
        conversation !== null && made?.origin === root && folder !== root
          ? [{ id: conversation, title, updatedAt: since }]
          : [],
      )
      return [...own, ...inWorktrees].map(({ id, title, updatedAt }) => ({
        sessionId: id,
        cwd: cwd ?? root,
        title,
        updatedAt: new Date(updatedAt).toISOString(),
      }))
    })
    const all = (await Promise.all(lists)).flat()
    // A worktree and its folder can both be open.
    return [...new Map(all.toReversed().map((session) => [session.sessionId, session])).values()].toReversed()
  }

  /**
   * Returns the open folder that lists a conversation, as its own or as that of a worktree made from it.
   *
   * @throws RequestError
   */
  async function folderOf(id: string): Promise<Folder> {
    const opened = await folders.opened()
    for (const folder of opened) {
      const listed = await folder.core.handlers['conversations.list']({}, never)
      if (listed.some((conversation) => conversation.id === id)) return folder
    }
    for (const folder of opened) if (await recordOf(folder, id)) return folder
    throw RequestError.sessionNotFound(id)
  }

  async function closeSession({ id, folder, prompt, close }: Session): Promise<void> {
    prompt?.abort()
    await folder.core.handlers['conversations.stop']({ id }, never)
    close()
    sessions.delete(id)
  }

  /** Ends what a session waits for, so that it can be closed. */
  function interrupt({ prompt, moving }: Session): void {
    prompt?.abort()
    moving?.abort(new ToolError('cancelled', 'The session was closed.', 'Open it again.'))
  }

  return {
    find,
    place: ({ id }, place) => changes.queue(id, () => usingFolder(() => places.choose(find(id), place))),
    fixPlace: (id) =>
      changes.queue(id, async () => {
        const { settings, client } = find(id)
        for (const update of settings.fixPlace()) sendUpdate(client.peer, id, update)
      }),
    cancel: (id) => sessions.get(id)?.prompt?.abort(),
    create: (cwd, peer, client) => usingFolder(() => withinLimit(() => createConversation(cwd, peer, client))),
    open(cwd, id, peer, client) {
      const open = () => changes.queue(id, () => openConversation(cwd, id, peer, client))
      return usingFolder(() => (sessions.has(id) ? open() : withinLimit(open)))
    },
    list: (cwd) => usingFolder(() => list(cwd)),
    close(id) {
      interrupt(find(id))
      return changes.queue(id, () => closeSession(find(id)))
    },
    delete(id) {
      const known = sessions.get(id)
      if (known) interrupt(known)
      return changes.queue(id, () =>
        usingFolder(async () => {
          const session = sessions.get(id)
          if (session) await closeSession(session)
          const { core } = session?.folder ?? (await folderOf(id))
          await core.handlers['conversations.delete']({ id }, never)
        }),
      )
    },
    async closeAll() {
      ending.abort(new ToolError('cancelled', 'The connection was closed.', 'Connect again.'))
      for (const session of sessions.values()) {
        interrupt(session)
        session.close()
      }
      sessions.clear()
      await folders.dispose()
    },
  }
}

/** If this field is announced, Zed shows the output of commands that the agent runs itself. */
function showsTerminals({ _meta }: ClientCapabilities): boolean {
  return _meta?.['terminal_output'] === true
}

function isApproval(payload: unknown): payload is ApprovalRequest {
  return typeof payload === 'object' && payload !== null && 'requestedAt' in payload
}
