import {
  agent,
  methods,
  PROTOCOL_VERSION,
  RequestError,
  type AgentApp,
  type AgentContext,
  type ClientCapabilities,
  type PromptRequest,
  type SessionModeState,
  type SessionUpdate,
  type StopReason,
} from '@agentclientprotocol/sdk'
import type { ApprovalRequest } from '../../../shared/approval.ts'
import type { ConversationSnapshot, ModelChoice, TurnOutcome } from '../../../shared/conversation.ts'
import { ToolError } from '../../../shared/errors.ts'
import { mentionsIn } from '../../../shared/mentions.ts'
import { modeTexts } from '../../../shared/modeTexts.ts'
import { modes, type Mode, type ToolsetName } from '../../../shared/risk.ts'
import { log } from '../../base/log/log.ts'
import type { Core } from '../../core.ts'
import { runTurn } from '../../runTurn.ts'
import { createFolderCores, type Folder } from './folderCores.ts'
import { permissionRequest, toDecision } from './permissions.ts'
import { readPrompt } from './promptContent.ts'
import { createSessionUpdates, type SessionUpdates } from './sessionUpdates.ts'

export interface AcpAgentOptions {
  createCore(): Promise<Core>
  /** Called once for each folder that a client opens. */
  onFolder?(core: Core): Promise<void>
  /** Mode of new sessions. */
  mode: Mode
  /** Toolset of new sessions. Default: by the model. */
  toolset?: ToolsetName
  /** Model of new sessions. Default: the one chosen in the application. */
  model?: ModelChoice
  version: string
}

export interface AcpAgent {
  app: AgentApp
  /** Ends all turns and closes all folders. */
  close(): Promise<void>
}

/** A conversation that the client has opened. Its id is the id of the session. */
interface Session {
  id: string
  folder: Folder
  updates: SessionUpdates
  /** Cancels the running prompt. */
  prompt?: AbortController
  /** Stops listening to the core. */
  close(): void
}

const never = new AbortController().signal

/** Maximum number of sessions that are open at the same time. Each receives all events of its folder. */
export const maxSessions = 200

const stopReasons: Readonly<Record<Exclude<TurnOutcome, 'endpoint_failed' | 'failed'>, StopReason>> = {
  done: 'end_turn',
  approval_needed: 'end_turn',
  turn_limit: 'max_turn_requests',
  stuck: 'max_turn_requests',
  cancelled: 'cancelled',
}

/** Serves our agent over the Agent Client Protocol. Every call goes through the executor and the gate. */
// oxlint-disable-next-line eslint/max-lines-per-function -- The handlers share the sessions of one connection.
export function createAcpAgent({ createCore, onFolder, mode, toolset, model, version }: AcpAgentOptions): AcpAgent {
  const folders = createFolderCores(createCore, {
    onOpened: async ({ core }) => onFolder?.(core),
    isUsed: (folder) => using > 1 || [...sessions.values()].some((session) => session.folder === folder),
  })
  const sessions = new Map<string, Session>()
  /** Number of sessions that are being opened. */
  let opening = 0
  /** Number of requests that open or use a folder in which no session may be open. */
  let using = 0
  let client: ClientCapabilities = {}

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

  /** Runs a request during which no other one may close the folder that it uses. */
  async function usingFolder<T>(request: () => Promise<T>): Promise<T> {
    using++
    try {
      return await request()
    } finally {
      using--
    }
  }

  async function addSession(folder: Folder, { info }: ConversationSnapshot, peer: AgentContext): Promise<Session> {
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
      for (const update of updates.of(name, payload)) send(peer, info.id, update)
      if (name === 'approval.requested' && isApproval(payload) && payload.conversationId === info.id)
        askForPermission(core, peer, payload, context).catch((error: unknown) => {
          log.error('tizona acp: an approval was not passed on', error)
        })
    })
    const opened: Session = { id: info.id, folder, updates, close: unsubscribe }
    const known = sessions.get(info.id)
    known?.close()
    // A prompt that runs stays known, so that it can be cancelled.
    const session = known ? Object.assign(known, opened) : opened
    sessions.set(info.id, session)
    return session
  }

  /** Opens a stored conversation. It counts once if it is open already. */
  function openSession(cwd: string, id: string, peer: AgentContext): Promise<[Session, ConversationSnapshot]> {
    const open = () => openConversation(cwd, id, peer)
    return usingFolder(() => (sessions.has(id) ? open() : withinLimit(open)))
  }

  async function openConversation(
    cwd: string,
    id: string,
    peer: AgentContext,
  ): Promise<[Session, ConversationSnapshot]> {
    const folder = await folders.open(cwd)
    const known = await folder.core.handlers['conversations.list']({}, never)
    if (!known.some((conversation) => conversation.id === id)) throw RequestError.sessionNotFound(id)
    const snapshot = await folder.core.handlers['conversations.open']({ id }, never)
    return [await addSession(folder, snapshot, peer), snapshot]
  }

  async function newSession(cwd: string, peer: AgentContext): Promise<Session> {
    const folder = await folders.open(cwd)
    const { handlers } = folder.core
    const created = await handlers['conversations.create']({}, never)
    const info = await handlers['conversations.update'](
      { id: created.info.id, mode, ...(toolset && { toolset }), ...(model && { model }) },
      never,
    )
    return addSession(folder, { ...created, info }, peer)
  }

  async function prompt({ sessionId, prompt: blocks }: PromptRequest, signal: AbortSignal) {
    const session = find(sessionId)
    if (session.prompt)
      throw RequestError.invalidRequest({ sessionId }, 'A prompt is running in this session. Cancel it first.')
    const { core, root } = session.folder
    const controller = new AbortController()
    session.prompt = controller
    const interrupted = AbortSignal.any([signal, controller.signal])
    try {
      const { text, embedded, pictures } = readPrompt(blocks, root)
      if (text === '' && embedded.length === 0)
        throw RequestError.invalidParams({ sessionId }, 'The prompt has no text.')
      const images = await Promise.all(
        pictures.map(async (picture) => core.handlers['images.add'](picture, interrupted)),
      )
      const own = await expanded(core, text, interrupted)
      const outcome = await runTurn(core, {
        id: sessionId,
        text: [own, ...embedded].filter(Boolean).join('\n\n'),
        // An embedded file may contain anything that looks like a mention.
        mentions: mentionsIn(own),
        images: images.map(({ id, label }) => ({ id, label })),
        interrupted,
      })
      const problem = session.updates.takeError()
      if (outcome === 'endpoint_failed' || outcome === 'failed')
        throw RequestError.internalError(undefined, problem ?? 'The turn failed. The log has the reason.')
      return { stopReason: stopReasons[outcome] }
    } catch (error) {
      // Before the turn, e.g. while the prompt of an MCP server was read. The protocol wants no error for it.
      if (controller.signal.aborted) return { stopReason: stopReasons.cancelled }
      throw error
    } finally {
      delete session.prompt
    }
  }

  const app = agent({ name: 'tizona' })
    .onRequest(methods.agent.initialize, ({ params }) => {
      client = params.clientCapabilities ?? {}
      return {
        // The client closes the connection if it does not support this version.
        protocolVersion: PROTOCOL_VERSION,
        agentInfo: { name: 'tizona', title: 'Tizona', version },
        agentCapabilities: {
          loadSession: true,
          promptCapabilities: { image: true, embeddedContext: true },
          sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {} },
        },
        authMethods: [],
      }
    })
    .onRequest(methods.agent.authenticate, () => ({}))
    .onRequest(
      methods.agent.session.new,
      answered(async ({ params, client: peer }) => {
        refuseExtras(params)
        const { id, folder } = await usingFolder(() => withinLimit(() => newSession(params.cwd, peer)))
        await sendCommands(folder.core, peer, id)
        return { sessionId: id, modes: modeState(mode) }
      }),
    )
    .onRequest(
      methods.agent.session.load,
      answered(async ({ params, client: peer }) => {
        refuseExtras(params)
        const [{ id, folder, updates }, { info, items }] = await openSession(params.cwd, params.sessionId, peer)
        for (const update of updates.history(items)) send(peer, id, update)
        await sendCommands(folder.core, peer, id)
        return { modes: modeState(info.mode) }
      }),
    )
    .onRequest(
      methods.agent.session.resume,
      answered(async ({ params, client: peer }) => {
        refuseExtras(params)
        const [{ id, folder }, { info }] = await openSession(params.cwd, params.sessionId, peer)
        await sendCommands(folder.core, peer, id)
        return { modes: modeState(info.mode) }
      }),
    )
    .onRequest(
      methods.agent.session.list,
      answered(({ params }) => usingFolder(() => listSessions(params.cwd))),
    )
    .onRequest(
      methods.agent.session.setMode,
      answered(async ({ params: { sessionId, modeId } }) => {
        const { folder, id } = find(sessionId)
        const chosen = modes.find((name) => name === modeId)
        if (chosen === undefined)
          throw RequestError.invalidParams({ modeId }, `Unknown mode. Modes: ${modes.join(', ')}.`)
        await folder.core.handlers['conversations.update']({ id, mode: chosen }, never)
        return {}
      }),
    )
    .onRequest(
      methods.agent.session.prompt,
      answered(({ params, signal }) => prompt(params, signal)),
    )
    .onNotification(methods.agent.session.cancel, ({ params }) => sessions.get(params.sessionId)?.prompt?.abort())
    .onRequest(
      methods.agent.session.close,
      answered(async ({ params }) => {
        await closeSession(find(params.sessionId))
        return {}
      }),
    )
    .onRequest(
      methods.agent.session.delete,
      answered(async ({ params: { sessionId } }) => {
        const session = sessions.get(sessionId)
        if (session) await closeSession(session)
        await usingFolder(async () => {
          // Clients also delete sessions that they have only listed.
          const { core } = session?.folder ?? (await folderOf(sessionId))
          await core.handlers['conversations.delete']({ id: sessionId }, never)
        })
        return {}
      }),
    )

  async function listSessions(cwd: string | null | undefined) {
    const open =
      typeof cwd === 'string' ? [await folders.open(cwd)] : [...sessions.values()].map(({ folder }) => folder)
    const lists = [...new Set(open)].map(async ({ core, root }) => {
      const listed = await core.handlers['conversations.list']({}, never)
      return listed.map(({ id, title, updatedAt }) => ({
        sessionId: id,
        cwd: cwd ?? root,
        title,
        updatedAt: new Date(updatedAt).toISOString(),
      }))
    })
    return { sessions: (await Promise.all(lists)).flat() }
  }

  /** Returns the open folder that lists a conversation. @throws RequestError */
  async function folderOf(id: string): Promise<Folder> {
    for (const folder of await folders.opened()) {
      const listed = await folder.core.handlers['conversations.list']({}, never)
      if (listed.some((conversation) => conversation.id === id)) return folder
    }
    throw RequestError.sessionNotFound(id)
  }

  async function closeSession({ id, folder, prompt: running, close }: Session): Promise<void> {
    running?.abort()
    await folder.core.handlers['conversations.stop']({ id }, never)
    close()
    sessions.delete(id)
  }

  return {
    app,
    async close() {
      for (const { prompt: running, close } of sessions.values()) {
        running?.abort()
        close()
      }
      sessions.clear()
      await folders.dispose()
    },
  }
}

/** Asks the client's user, and passes the answer to the gate. */
async function askForPermission(
  { handlers, subscribe }: Core,
  peer: AgentContext,
  request: ApprovalRequest,
  context: { root: string },
): Promise<void> {
  const sessionId = request.conversationId ?? ''
  // Another decision, or the end of the turn, withdraws the request.
  const withdrawn = new AbortController()
  const stop = subscribe((name, payload) => {
    if (name === 'approval.resolved' && payload !== null && 'requestId' in payload && payload.requestId === request.id)
      withdrawn.abort()
  })
  try {
    const answer = await peer.request(
      methods.client.session.requestPermission,
      permissionRequest(sessionId, request, context),
      { cancellationSignal: withdrawn.signal, stopWaitingOnCancel: true },
    )
    if (!withdrawn.signal.aborted)
      await handlers['approvals.decide']({ requestId: request.id, decision: toDecision(answer) }, never)
  } catch (error) {
    if (withdrawn.signal.aborted) return
    const reason = `The client could not ask for approval: ${error instanceof Error ? error.message : String(error)}`
    await handlers['approvals.decide']({ requestId: request.id, decision: { kind: 'refuse', reason } }, never)
  } finally {
    stop()
  }
}

function isApproval(payload: unknown): payload is ApprovalRequest {
  return typeof payload === 'object' && payload !== null && 'requestedAt' in payload
}

function send(peer: AgentContext, sessionId: string, update: SessionUpdate): void {
  peer.notify(methods.client.session.update, { sessionId, update }).catch((error: unknown) => {
    // The client may disconnect at any time.
    log.debug('tizona acp: an update was not sent', error)
  })
}

async function sendCommands(core: Core, peer: AgentContext, sessionId: string): Promise<void> {
  const commands = await core.handlers['prompts.list']({}, never)
  if (commands.length === 0) return
  const availableCommands = commands.map(({ name, description, hint }) => ({
    name,
    description,
    ...(hint && { input: { hint } }),
  }))
  send(peer, sessionId, { sessionUpdate: 'available_commands_update', availableCommands })
}

/** Replaces a slash command by its prompt. */
async function expanded(core: Core, text: string, signal: AbortSignal): Promise<string> {
  const [, name, args = ''] = /^\/([\w-]+)(?:\s+([^]*))?$/.exec(text) ?? []
  if (name === undefined) return text
  const commands = await core.handlers['prompts.list']({}, signal)
  if (!commands.some((command) => command.name === name)) return text
  return core.handlers['prompts.expand']({ name, args }, signal)
}

function modeState(currentModeId: Mode): SessionModeState {
  const availableModes = modes.map((id) => ({ id, name: modeTexts[id].label, description: modeTexts[id].detail }))
  return { currentModeId, availableModes }
}

/** Zed shows the output of commands that the agent runs itself if it announces this field. */
function showsTerminals({ _meta }: ClientCapabilities): boolean {
  return _meta?.['terminal_output'] === true
}

/** @throws RequestError for a session with several folders */
function refuseExtras({
  additionalDirectories = [],
  mcpServers = [],
}: {
  additionalDirectories?: string[]
  mcpServers?: { name: string }[]
}): void {
  if (additionalDirectories.length > 0)
    throw RequestError.invalidParams({ additionalDirectories }, 'Sessions with several folders are not supported.')
  if (mcpServers.length > 0)
    log.warn(
      `tizona acp: MCP servers of the client are not used: ${mcpServers.map(({ name }) => name).join(', ')}. Add them in Tizona's settings.`,
    )
}

/** Reports the expected failures of the core as errors of the protocol, with their next step. */
function answered<Context, Result>(handler: (context: Context) => Promise<Result>) {
  return async (context: Context): Promise<Result> => {
    try {
      return await handler(context)
    } catch (error) {
      if (!(error instanceof ToolError)) throw error
      throw new RequestError(-32603, `${error.message} ${error.next}`.trim(), { code: error.code })
    }
  }
}
