import { homedir } from 'node:os'
import { allFeatures, type Features } from '../shared/features.ts'
import { toFailure, ToolError } from '../shared/errors.ts'
import type { EventName, Events, WorkspaceInfo } from '../shared/protocol.ts'
import type { Settings } from '../shared/settings.ts'
import { Sequencer } from '../shared/sequencer.ts'
import { createAgent, type Agent } from './agent/agent.ts'
import { collectAttachments } from './agent/messageAttachments.ts'
import type { Emit } from './agent/transcript.ts'
import { createGate } from './approval/gate.ts'
import { createAttachedWindow, type WindowLink } from './handlers/attachedWindow.ts'
import { destructiveReasons } from './command/destructive.ts'
import { parseShellLine } from './command/shellParse.ts'
import { createAppHandlers } from './handlers/appHandlers.ts'
import { createApprovalHandlers } from './handlers/approvalHandlers.ts'
import { createCodeHandlers } from './handlers/codeHandlers.ts'
import { createRenameHandlers } from './handlers/renameHandlers.ts'
import { createConversationHandlers } from './handlers/conversationHandlers.ts'
import { createDiagnosticsHandlers } from './handlers/diagnosticsHandlers.ts'
import { createFileHandlers } from './handlers/fileHandlers.ts'
import type { Handlers } from './handlers/handlers.ts'
import { createJobHandlers } from './handlers/jobHandlers.ts'
import { createRestoreHandlers } from './handlers/restoreHandlers.ts'
import { createPromptHandlers } from './handlers/promptHandlers.ts'
import { createSearchHandlers } from './handlers/searchHandlers.ts'
import { createMcpHandlers } from './handlers/mcpHandlers.ts'
import { createSettingsHandlers } from './handlers/settingsHandlers.ts'
import { createToolHandlers } from './handlers/toolHandlers.ts'
import { indexFileOf } from './code/index/codeIndex.ts'
import { createStorageHandlers } from './handlers/storageHandlers.ts'
import { forgetCheckpoints, type Checkpoints } from './history/checkpoints/checkpoints.ts'
import { createCleanUp } from './history/cleanUp/cleanUp.ts'
import { createConversationStore } from './history/conversations.ts'
import { openDatabase } from './history/database.ts'
import { createFullTexts } from './history/fullTexts.ts'
import { createImages } from './history/images.ts'
import { createLayouts } from './history/layouts.ts'
import { fillSearchTexts } from './history/searchTexts.ts'
import { createEndpoints, tourEndpointId } from './model/endpoints/endpoints.ts'
import { promptSizeWarning } from './model/endpoints/promptSizeWarning.ts'
import { startScriptedEndpoint, type ScriptedEndpoint } from './model/scripted/scriptedEndpoint.ts'
import { tourModelName, tourPrompt, tourScenario, tourSelection } from './playback/tourScenario.ts'
import type { Platform } from './platform.ts'
import { createRecents } from './settings/recentFolders.ts'
import { createServerTools } from './tools/mcpToolChanges.ts'
import { createFileSecretStore, type SecretStore } from './settings/secretStore.ts'
import { createSettingsStore } from './settings/settingsStore.ts'
import { createTrustStore } from './settings/trustStore.ts'
import { bladeToolset } from './tools/blade/bladeToolset.ts'
import { createExecutor, type Executor } from './tools/executor.ts'
import { offeredTools } from './tools/promptTools.ts'
import { createRegistry } from './tools/registry.ts'
import { rustantToolset } from './tools/rustant/rustantToolset.ts'
import { rustyToolset } from './tools/rusty/rustyToolset.ts'
import { textPrompt } from './tools/schema/toolSchema.ts'
import { switchedOff } from './tools/switchedOff.ts'
import { tizonaTools } from './tools/tizona/tizonaTools.ts'
import { loadSkill } from './tools/tizona/loadSkill.ts'
import { ultraSushiTronToolset } from './tools/ultrasushitron/ultraSushiTronToolset.ts'
import { copyTourWorkspace } from './playback/tourWorkspace.ts'
import { braveKeyId, createWeb } from './web/webAccess.ts'
import { openSession, type SessionParts, type WorkspaceSession } from './workspaceServices/workspaceServices.ts'
import { log } from './base/log/log.ts'
import { logNotice, noticeText } from './handlers/noticeLog.ts'

export type { WindowLink } from './handlers/attachedWindow.ts'

export interface Core {
  /** Answers to everything a window can request; params are checked by the caller (hosts/windowConnection.ts). */
  readonly handlers: Handlers
  readonly executor: Executor
  /** Of the open folder. Throws `no_workspace`. */
  checkpoints(): Checkpoints
  /** One window at a time: attaching another sends the first `app.detached`. @returns detach */
  attach(link: WindowLink): () => void
  /** Sees every event, windows or not (the headless entry). @returns unsubscribe */
  subscribe(listener: <N extends EventName>(name: N, payload: Events[N]) => void): () => void
  openWorkspace(path: string): Promise<WorkspaceInfo>
  /** Waits, for a while, for the tools of the open folder's MCP servers. @returns what is wrong with them, in words */
  toolsReady(signal: AbortSignal): Promise<string[]>
  /** Ends turns, jobs, watchers and the store; resolves when nothing is left running. */
  dispose(): Promise<void>
}

export interface CoreOptions {
  platform: Platform
  /** Laid over the stored settings for this process only and never stored: what a headless run was told on its command line. */
  settings?: Partial<Settings>
  /** What is not named is on. For the benchmark and tests. */
  features?: Partial<Features>
  /** Trusts, for this process, the MCP servers that a folder names and nobody decided about. */
  trustWorkspace?: boolean
  /** Keys by endpoint id, for this process only and never stored. */
  keys?: Readonly<Record<string, string>>
}

export type CreateCore = (options: CoreOptions) => Promise<Core>

/** The composition root: makes every service once and joins them. Whoever calls it disposes of it. */
export const createCore: CreateCore = async ({
  platform,
  settings: forThisProcess,
  features: switched,
  trustWorkspace = false,
  keys = {},
}) => {
  const features = { ...allFeatures, ...switched }
  const windowed = platform.shell !== 'headless'
  const window = createAttachedWindow(windowed)
  const listeners = new Set<Emit>()
  const emit: Emit = (name, payload) => {
    logNotice(name, payload)
    window.emit(name, payload)
    for (const listener of listeners) listener(name, payload)
  }
  /** Said before a window is there to hear it; the first one gets them. */
  const early: Events['notice'][] = []
  const notify = (notice: Events['notice']) => {
    // Without a window nobody listens yet while the core is made.
    if (!windowed && listeners.size === 0) log.warn(noticeText(notice))
    else if (window.editor.attached || !windowed) emit('notice', notice)
    else early.push(notice)
  }
  const onNotice = (message: string) => notify({ level: 'warning', message })

  const { db, problem, otherProcesses, close: closeStore } = await openDatabase(platform.userData, onNotice)
  if (problem !== undefined) onNotice(problem)
  const settings = await createSettingsStore(platform.userData, onNotice, forThisProcess)
  const recents = await createRecents(platform.userData, onNotice, (folders) => {
    emit('recents.changed', folders)
    platform.recentsChanged?.(folders)
  })
  platform.recentsChanged?.(recents.list())
  const stored = await createFileSecretStore(platform.userData, onNotice, platform.keyring)
  const secrets: SecretStore = { ...stored, get: async (id) => (Object.hasOwn(keys, id) ? keys[id] : stored.get(id)) }
  const endpoints = createEndpoints({ settings, secrets, features, textPrompt })
  const trust = await createTrustStore(platform.userData, onNotice)
  const web = createWeb({ settings: () => settings.get().web, braveKey: () => secrets.get(braveKeyId) })
  const unfollow = settings.follow()
  let servers = JSON.stringify(settings.get().mcp)
  settings.onChanged((changed) => {
    emit('settings.changed', changed)
    if (JSON.stringify(changed.mcp) === servers) return
    servers = JSON.stringify(changed.mcp)
    session?.mcp.refresh().catch((error: unknown) => onNotice(toFailure(error).message))
  })
  endpoints.onChanged((statuses) => emit('endpoints.changed', statuses))

  let session: WorkspaceSession | undefined
  const current = (): WorkspaceSession => {
    if (!session) throw new ToolError('no_workspace', 'No folder is open.', 'Open a folder first.')
    return session
  }

  const gate = createGate({
    parse: parseShellLine,
    destructive: destructiveReasons,
    onRequested(request) {
      agent.approvalRequested(request)
      emit('approval.requested', request)
    },
    onResolved(requestId) {
      agent.approvalResolved(requestId)
      emit('approval.resolved', { requestId })
    },
  })
  const serverTools = createServerTools(() => session?.mcp, gate.forget)
  const toolsReady = (signal: AbortSignal, onWaiting?: () => void) =>
    serverTools.ready(signal, windowed ? 15_000 : 60_000, onWaiting)
  const registry = createRegistry(
    [bladeToolset, ultraSushiTronToolset, rustantToolset, rustyToolset],
    () => [...tizonaTools.filter((tool) => tool !== loadSkill || session?.hasSkills), ...serverTools.list()],
    (toolset, tool) => (serverTools.isOff(tool.name) ? 'settings' : switchedOff(settings.get(), toolset, tool)),
  )
  const executor = createExecutor({
    registry,
    gate,
    services: () => current().tools,
    fullTexts: createFullTexts(db),
    features,
  })
  const store = createConversationStore(db)
  const images = createImages(db)
  const agent: Agent = createAgent({
    store,
    executor,
    emit,
    settings: settings.get,
    root: () => current().workspace.root,
    checkpoints: () => current().checkpoints,
    instructions: () => current().instructions,
    images,
    sees: (choice) => endpoints.describe(choice)?.vision,
    model: (choice, signal) => endpoints.model(choice, signal),
    defaultModel: endpoints.defaultModel,
    fitWarning(choice, ready, system, tools, message) {
      const endpoint = endpoints.get(choice.endpointId)
      return endpoint && promptSizeWarning({ endpoint, contextWindow: ready.contextWindow, system, tools, message })
    },
    chatTools: (toolset, profile) => offeredTools(registry.toolset(toolset), registry.tools(toolset), profile),
    toolsReady,
    attended: () => windowed || window.editor.attached,
    features,
  })

  /** What a message carries, for the model of its conversation. Throws `invalid_arguments` for pictures that it cannot see. */
  const collect: Parameters<typeof createConversationHandlers>[1] = async (
    conversationId,
    { text, chosen, images: pictures = [] },
    signal,
  ) => {
    const choice = store.get(conversationId).model ?? endpoints.defaultModel()
    const model = choice && endpoints.describe(choice)
    if (pictures.length > 0 && model?.vision === false) {
      throw new ToolError(
        'invalid_arguments',
        `${model.id} cannot see pictures, so nothing was sent.`,
        'Remove the picture, or choose a model that sees.',
      )
    }
    const attached = pictures.map(({ id, label }) => images.describe(id, label))
    return collectAttachments({ text, chosen, images: attached }, () => current().tools, model?.contextWindow, signal)
  }

  /** Changes of the workspace folder run one at a time. */
  const workspaceChanges = new Sequencer()

  async function leaveWorkspace(): Promise<void> {
    const leaving = session
    if (!leaving) return
    await Promise.all([agent.stopAll(), consoleCalls.stopAll()])
    gate.reset()
    session = undefined
    try {
      await leaving.dispose()
    } catch (error) {
      // It is left all the same: nothing of it can be used any more.
      log.error('Closing a folder failed', error)
      onNotice(`Something of ${leaving.workspace.root} did not end as it should. ${toFailure(error).message}`)
    }
  }

  const mcpParts: SessionParts['mcp'] = {
    home: homedir(),
    version: platform.version,
    settings: () => settings.get().mcp,
    trust,
    trustAll: trustWorkspace,
    secret: (id) => secrets.get(id),
    environment: process.env,
    onChanged: (state) => emit('mcp.changed', state),
  }

  /** Nobody waits for them; how they stand comes as `mcp.changed`. */
  function startServers({ mcp }: WorkspaceSession): void {
    mcp.ready(AbortSignal.timeout(600_000)).catch((error: unknown) => onNotice(toFailure(error).message))
  }

  async function enterWorkspace(path: string, tour: boolean): Promise<WorkspaceInfo> {
    // Opened before the old one is left: a folder that cannot be opened changes nothing. From there on nothing can fail.
    const next = await openSession(path, {
      db,
      editor: window.editor,
      emit,
      web,
      mcp: mcpParts,
      userData: platform.userData,
      resources: platform.resources,
      fork: platform.fork,
      tour,
      watch: windowed,
    })
    const info = await next.info().catch(async (error: unknown) => {
      await next.dispose()
      throw error
    })
    await leaveWorkspace()
    session = next
    // The list is of folders that a person opened.
    if (windowed && !tour) await recents.add(next.workspace.root)
    emit('workspace.changed', info)
    if (windowed) startServers(next)
    return info
  }

  const cleanUp = createCleanUp({
    db,
    userData: platform.userData,
    otherProcesses,
    limits: () => settings.get().history,
    inUse: agent.inUse,
    deleteConversation: agent.delete,
    forgetCheckpoints: (root, ids, sweep) =>
      session?.workspace.root === root
        ? session.checkpoints.forget(ids, sweep)
        : forgetCheckpoints({ db, root, userData: platform.userData }, ids, sweep),
    openIndex: () => session && indexFileOf(session.workspace.root, platform.userData),
  })

  let tourEndpoint: ScriptedEndpoint | undefined
  const consoleCalls = createToolHandlers({
    executor,
    emit,
    journal: () => current().journal,
    onUndone: agent.editUndone,
    notify,
  })

  const openWorkspace = (path: string) => workspaceChanges.queue(() => enterWorkspace(path, false))
  const handlers: Handlers = {
    ...createAppHandlers({
      platform,
      agent,
      gate,
      recents,
      settings: settings.get,
      layouts: createLayouts(db),
      session: () => session,
      openWorkspace,
      closeWorkspace: () =>
        workspaceChanges.queue(async () => {
          await leaveWorkspace()
          emit('workspace.changed', null)
        }),
    }),
    ...createFileHandlers(() => session ?? null, platform),
    ...createSearchHandlers(() => current()),
    ...createCodeHandlers(() => current()),
    ...createRenameHandlers(() => current()),
    ...createDiagnosticsHandlers({ platform, settings: settings.get }),
    ...createSettingsHandlers({ settings, secrets, endpoints }),
    ...createStorageHandlers({ db, userData: platform.userData, cleanUp }),
    ...createMcpHandlers({ settings, secrets, session: () => session }),
    ...createRestoreHandlers(agent, () => current()),
    ...createConversationHandlers(agent, collect),
    ...createPromptHandlers(images, () => current().instructionParts),
    ...consoleCalls.handlers,
    ...createApprovalHandlers(gate),
    ...createJobHandlers(() => current().jobs),
    'tour.start': () =>
      workspaceChanges.queue(async () => {
        tourEndpoint ??= await startScriptedEndpoint(tourScenario)
        endpoints.setTour(tourEndpoint.url)
        const copy = await copyTourWorkspace(platform.resources, platform.userData, session?.workspace.root)
        const workspace = await enterWorkspace(copy, true)
        const conversation = agent.create({
          title: 'Tour',
          mode: 'safe',
          toolset: 'blade',
          model: { endpointId: tourEndpointId, model: tourModelName },
        })
        return { workspace, conversation, prompt: tourPrompt, selection: tourSelection }
      }),
  }

  if (windowed) {
    // Found servers reach the window as `endpoints.changed`; nobody waits for them.
    endpoints
      .list({ probe: true }, AbortSignal.timeout(10_000))
      .catch((error: unknown) => onNotice(toFailure(error).message))
  }

  const closing = new AbortController()
  // Once after start, beside everything else.
  const cleaning = windowed ? cleanUpAtStart() : undefined
  async function cleanUpAtStart(): Promise<void> {
    const { maxAgeDays, maxMegabytes } = settings.get().history
    if (maxAgeDays === null && maxMegabytes === null) return
    try {
      await cleanUp.run(closing.signal)
    } catch (error) {
      if (!closing.signal.aborted) onNotice(`Old conversations were not deleted. ${toFailure(error).message}`)
    }
  }

  const filling = windowed
    ? fillSearchTexts(db, closing.signal).catch((error: unknown) =>
        log.error('Search in old conversations is incomplete until the next start', error),
      )
    : undefined

  return {
    handlers,
    executor,
    checkpoints: () => current().checkpoints,
    attach(link) {
      const detach = window.attach(link)
      for (const notice of early.splice(0)) link.emit('notice', notice)
      return detach
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    openWorkspace,
    toolsReady,
    async dispose() {
      closing.abort()
      await Promise.all([cleaning, filling])
      await workspaceChanges.queue(leaveWorkspace)
      unfollow()
      endpoints.dispose()
      await tourEndpoint?.close()
      closeStore()
    },
  }
}
