import { RequestError, type AgentContext, type ClientCapabilities, type SessionInfo } from '@agentclientprotocol/sdk'
import type { ApprovalRequest } from '../../../shared/tools/approval.ts'
import type { ConversationSnapshot, ModelChoice } from '../../../shared/agent/conversation.ts'
import type { Mode, ToolsetName } from '../../../shared/tools/risk.ts'
import { log } from '../../base/log/log.ts'
import type { Core } from '../../core.ts'
import { askClient } from './permissions.ts'
import { sendUpdate, createSessionUpdates, type SessionUpdates } from './sessionUpdates.ts'
import { createFolderCores, type Folder } from './folderCores.ts'

/** A conversation opened by the client. Its id is the session id. */
export interface Session {
  id: string
  folder: Folder
  updates: SessionUpdates
  /** Cancels the running prompt. */
  prompt?: AbortController
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
  /** Model of new sessions. Default: the one selected in the application. */
  model?: ModelChoice
}

/** The sessions of one connection, and their folders. */
export interface OpenSessions {
  /** @throws RequestError if the session does not exist */
  find(id: string): Session
  /** Cancels the running prompt of a session, if any. */
  cancel(id: string): void
  /** Starts a session with a new conversation. @throws RequestError if there are too many */
  create(cwd: string, peer: AgentContext, client: ClientCapabilities): Promise<Session>
  /** Opens a stored conversation. If it is already open, it counts once. @throws RequestError */
  open(
    cwd: string,
    id: string,
    peer: AgentContext,
    client: ClientCapabilities,
  ): Promise<[Session, ConversationSnapshot]>
  /** Lists the conversations of a folder, or of all open folders. */
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
export function createOpenSessions({ createCore, onFolder, mode, toolset, model }: OpenSessionsOptions): OpenSessions {
  const folders = createFolderCores(createCore, {
    onOpened: async ({ core }) => onFolder?.(core),
    isUsed: (folder) => using > 1 || [...sessions.values()].some((session) => session.folder === folder),
  })
  const sessions = new Map<string, Session>()
  /** Number of sessions being opened. */
  let opening = 0
  /** Number of requests that open or use a folder that may have no open session. */
  let using = 0

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
    peer: AgentContext,
    client: ClientCapabilities,
  ): Session {
    const { core, root } = folder
    const tools = new Map(core.executor.describeAll(info.toolset).map((tool) => [tool.name, tool]))
    const context = { root, tool: (name: string) => tools.get(name), showsTerminals: showsTerminals(client) }
    const updates = createSessionUpdates({
      ...context,
      conversationId: info.id,
      mode: info.mode,
      showsNotices: (client.session?.notices ?? undefined) !== undefined,
    })
    const unsubscribe = core.subscribe((name, payload) => {
      for (const update of updates.of(name, payload)) sendUpdate(peer, info.id, update)
      if (name === 'approval.requested' && isApproval(payload) && payload.conversationId === info.id)
        askClient(core, peer, payload, context).catch((error: unknown) => {
          log.error('tizona acp: an approval request could not be forwarded', error)
        })
    })
    const opened: Session = { id: info.id, folder, updates, close: unsubscribe }
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
    const folder = await folders.open(cwd)
    const known = await folder.core.handlers['conversations.list']({}, never)
    if (!known.some((conversation) => conversation.id === id)) throw RequestError.sessionNotFound(id)
    const snapshot = await folder.core.handlers['conversations.open']({ id }, never)
    return [add(folder, snapshot, peer, client), snapshot]
  }

  async function createConversation(cwd: string, peer: AgentContext, client: ClientCapabilities): Promise<Session> {
    const folder = await folders.open(cwd)
    const { handlers } = folder.core
    const created = await handlers['conversations.create']({}, never)
    const info = await handlers['conversations.update'](
      { id: created.info.id, mode, ...(toolset && { toolset }), ...(model && { model }) },
      never,
    )
    return add(folder, { ...created, info }, peer, client)
  }

  async function list(cwd: string | undefined): Promise<SessionInfo[]> {
    const open = cwd !== undefined ? [await folders.open(cwd)] : [...sessions.values()].map(({ folder }) => folder)
    const lists = [...new Set(open)].map(async ({ core, root }) => {
      const listed = await core.handlers['conversations.list']({}, never)
      return listed.map(({ id, title, updatedAt }) => ({
        sessionId: id,
        cwd: cwd ?? root,
        title,
        updatedAt: new Date(updatedAt).toISOString(),
      }))
    })
    return (await Promise.all(lists)).flat()
  }

  /** Returns the open folder that lists a conversation. @throws RequestError */
  async function folderOf(id: string): Promise<Folder> {
    for (const folder of await folders.opened()) {
      const listed = await folder.core.handlers['conversations.list']({}, never)
      if (listed.some((conversation) => conversation.id === id)) return folder
    }
    throw RequestError.sessionNotFound(id)
  }

  async function closeSession({ id, folder, prompt, close }: Session): Promise<void> {
    prompt?.abort()
    await folder.core.handlers['conversations.stop']({ id }, never)
    close()
    sessions.delete(id)
  }

  return {
    find,
    cancel: (id) => sessions.get(id)?.prompt?.abort(),
    create: (cwd, peer, client) => usingFolder(() => withinLimit(() => createConversation(cwd, peer, client))),
    open(cwd, id, peer, client) {
      const open = () => openConversation(cwd, id, peer, client)
      return usingFolder(() => (sessions.has(id) ? open() : withinLimit(open)))
    },
    list: (cwd) => usingFolder(() => list(cwd)),
    close: (id) => closeSession(find(id)),
    async delete(id) {
      const session = sessions.get(id)
      if (session) await closeSession(session)
      await usingFolder(async () => {
        const { core } = session?.folder ?? (await folderOf(id))
        await core.handlers['conversations.delete']({ id }, never)
      })
    },
    async closeAll() {
      for (const { prompt, close } of sessions.values()) {
        prompt?.abort()
        close()
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
