import { allFeatures, type Features } from '../shared/features.ts'
import type { EventName, Events, WorkspaceInfo } from '../shared/protocol.ts'
import type { Settings } from '../shared/settings.ts'
import { createAgent, type Agent } from './agent/agent.ts'
import { createGate } from './approval/gate.ts'
import { observeGate } from './approval/observedGate.ts'
import { createOutsideContent } from './approval/outsideContent.ts'
import { openAuditLog } from './audit/auditLog.ts'
import { currentPlaceRules } from './approval/placeRules.ts'
import { createHandlers } from './handlers/allHandlers.ts'
import type { WindowLink } from './handlers/attachedWindow.ts'
import { createApprovalNotifications } from './handlers/approvalNotifications.ts'
import { createEventHub } from './handlers/eventHub.ts'
import type { Handlers } from './handlers/handlers.ts'
import { createMessageCollector } from './handlers/messageCollector.ts'
import { createToolHandlers } from './handlers/toolHandlers.ts'
import { createCredentials } from './git/view/credentials.ts'
import { createOperations } from './git/view/operations.ts'
import type { Checkpoints } from './history/checkpoints/checkpoints.ts'
import { createConversationStore } from './history/conversations.ts'
import { createFullTexts } from './history/fullTexts.ts'
import { createImages } from './history/images.ts'
import { definitionsFor } from './inlineEdit/definitions.ts'
import { instructionsForFile } from './instructions/instructions.ts'
import { createInlineEdits } from './inlineEdit/inlineEdits.ts'
import { createInlineCompletion } from './inlineCompletion.ts'
import { restoreControlTokens, splitControlTokens } from './model/clients/controlTokens.ts'
import { createEndpoints, type Endpoints } from './model/endpoints/endpoints.ts'
import { createModelChecks } from './modelCheck/modelChecks.ts'
import { promptSizeWarning } from './model/endpoints/promptSizeWarning.ts'
import type { Platform } from './platform.ts'
import { createTour } from './playback/tour.ts'
import { runStartupTasks } from './startupTasks.ts'
import { createExecutor, type Executor } from './tools/executor.ts'
import { createMcpToolProvider } from './tools/mcpToolProvider.ts'
import { offeredTools } from './tools/promptTools.ts'
import { refuseSecret, withoutSecrets } from './tools/secretGuard.ts'
import { textPrompt } from './tools/schema/toolSchema.ts'
import { createAppToolRegistry } from './tools/appToolRegistry.ts'
import { openUserData } from './userData.ts'
import { applyServerSettings } from './workspaceServices/serverSettings.ts'
import { createStorageCleanUp } from './workspaceServices/storageCleanUp.ts'
import { createWorkspaceExaminer } from './workspaceServices/workspaceExaminer.ts'
import { createWorkspaceSwitcher } from './workspaceServices/workspaceSwitcher.ts'

export type { WindowLink } from './handlers/attachedWindow.ts'

export interface Core {
  /** Handlers of every request of a window. The caller validates the parameters (hosts/windowConnection.ts). */
  readonly handlers: Handlers
  readonly executor: Executor
  /** Returns the checkpoints of the open folder. @throws ToolError no_workspace */
  checkpoints(): Checkpoints
  /** Attaches a window. The previous one receives `app.detached`. @returns a function that detaches the window */
  attach(link: WindowLink): () => void
  /** Calls `listener` with every event, even when no window is attached. @returns a function that unsubscribes */
  subscribe(listener: <N extends EventName>(name: N, payload: Events[N]) => void): () => void
  openWorkspace(path: string): Promise<WorkspaceInfo>
  /**
   * Waits a limited time for the tools of the open folder's MCP servers.
   * @returns messages about servers that failed
   */
  toolsReady(signal: AbortSignal): Promise<string[]>
  /** Ends turns, jobs, watchers and stores; resolves when nothing is running. */
  dispose(): Promise<void>
}

export interface CoreOptions {
  platform: Platform
  /** Settings that override the stored ones in this process. */
  settings?: Partial<Settings>
  /** Features to switch off, for the benchmark and tests. Default: all are on. */
  features?: Partial<Features>
  /** Trusts the folder, and its MCP servers that the user has not decided about, in this process. */
  trustWorkspace?: boolean
  /** Whether the host asks a user for approvals although it has no window. */
  attended?: boolean
  /** Keys by endpoint id, for this process only. */
  keys?: Readonly<Record<string, string>>
  /** The model servers of another core, which keeps control of them. Default: those of the settings. */
  endpoints?: Endpoints
}

export type CreateCore = (options: CoreOptions) => Promise<Core>

/** How long a turn waits for the tools of MCP servers, in milliseconds. */
const serverToolsTimeout = { windowed: 15_000, headless: 60_000 }

/** The composition root: creates every service once and connects them. The caller disposes of the core. */
// oxlint-disable-next-line eslint/max-lines-per-function -- A split would hide which service gets which.
export const createCore: CreateCore = async (options) => {
  const { platform, trustWorkspace = false, attended = false, keys = {} } = options
  const features = { ...allFeatures, ...options.features }
  const windowed = platform.host !== 'headless'
  const events = createEventHub(windowed)
  const { emit, warn, notify, editor } = events
  const data = await openUserData({ platform, settings: options.settings, keys, emit, warn })
  const { db, settings, secrets } = data

  const endpoints =
    options.endpoints ??
    createEndpoints({ settings, secrets, features, textPrompt, modelFiles: { fork: platform.fork } })
  if (!options.endpoints) endpoints.onChanged((statuses) => emit('endpoints.changed', statuses))

  const places = currentPlaceRules(() => {
    const { protectedPaths, secretPaths } = settings.get().approval
    return { protected: protectedPaths, secret: secretPaths }
  })
  const gitCredentials = createCredentials({
    userData: platform.userData,
    onChanged: (questions) => emit('git.credentialsChanged', questions),
  })
  const gitOperations = createOperations((progress) => emit('git.progress', progress), gitCredentials)
  const workspaces = createWorkspaceSwitcher({
    places,
    gitCredentials,
    platform,
    data,
    events,
    trustWorkspace,
    async stopWork() {
      await Promise.all([agent.stopAll(), toolCalls.stopAll(), inlineEdits.stopAll(), completion.completions.stop()])
      completion.completions.reset()
      gate.reset()
    },
  })
  const { session, current } = workspaces
  applyServerSettings(settings, session, warn)

  const outside = createOutsideContent()
  const audit = openAuditLog(platform.userData, { onProblem: warn })
  const examine = createWorkspaceExaminer({
    settings: settings.get,
    places,
    workspace: () => current().workspace,
    isTrusted: () => current().trust.allowsCommands(),
  })
  const notifications = createApprovalNotifications({
    notify: platform.notifyInBackground,
    enabled: () => settings.get().approval.notify,
    showCard: () => emit('command', { id: 'approval.focus' }),
  })
  const innerGate = createGate({
    examine,
    places,
    onRequested(request) {
      agent.approvalRequested(request)
      emit('approval.requested', request)
      notifications.requested(request)
    },
    onResolved(requestId) {
      agent.approvalResolved(requestId)
      emit('approval.resolved', { requestId })
      notifications.resolved(requestId)
    },
  })
  const gate = observeGate({
    gate: innerGate,
    outside,
    record: audit.record,
    workspace: () => session()?.workspace.root,
  })
  events.subscribe((name, payload) => {
    if (name === 'conversation.turnEnded' && payload !== null && 'outcome' in payload)
      outside.turnEnded(payload.conversationId)
  })
  const serverTools = createMcpToolProvider(() => session()?.mcp, gate.forget)
  const toolsReady = (signal: AbortSignal, onWaiting?: () => void) =>
    serverTools.ready(signal, serverToolsTimeout[windowed ? 'windowed' : 'headless'], onWaiting)
  const registry = createAppToolRegistry({
    settings: settings.get,
    serverTools,
    hasSkills: () => session()?.hasSkills === true,
    hasLanguageServers: () => session()?.languages.isAllowed() === true,
  })
  const services = () => current().tools
  const executor = createExecutor({
    registry,
    gate,
    services,
    places,
    fullTexts: createFullTexts(db),
    features,
    review: () => session()?.review,
    onOutsideContent: outside.read,
    commandsAllowed: () => current().trust.allowsCommands(),
  })

  const store = createConversationStore(db)
  const images = createImages(db)
  const agent: Agent = createAgent({
    store,
    executor,
    emit,
    settings: settings.get,
    settingsApplied: settings.applied,
    root: () => current().workspace.root,
    checkpoints: () => current().checkpoints,
    review: () => session()?.review,
    instructions: () => current().instructions,
    images,
    supportsImages: (choice) => endpoints.modelInfo(choice)?.vision,
    model: (choice, signal) => endpoints.model(choice, signal),
    defaultModel: endpoints.defaultModel,
    promptSizeWarning(choice, { contextWindow }, system, tools, message) {
      const endpoint = endpoints.get(choice.endpointId)
      return endpoint && promptSizeWarning({ endpoint, contextWindow, system, tools, message })
    },
    chatTools: (toolset, profile) => offeredTools(registry.toolset(toolset), registry.tools(toolset), profile),
    toolsReady,
    attended: () => windowed || attended || editor.attached,
    features,
  })
  const toolCalls = createToolHandlers({
    executor,
    emit,
    notify,
    undoEdit: (editId) => current().review.undoEdit(() => current().journal.undo(editId)),
    onUndone: agent.editUndone,
  })
  const inlineEdits = createInlineEdits({
    choice: (conversationId) =>
      (conversationId === undefined ? undefined : store.get(conversationId).model) ?? endpoints.defaultModel(),
    model: endpoints.model,
    temperature: () => settings.get().temperature,
    splitControlTokens,
    restoreControlTokens,
    checkPath: (path) => refuseSecret(services().workspace, places().secret, path),
    definitions: (edit, signal) =>
      definitionsFor(
        edit,
        { code: services().code, isReadable: (path) => places().secret(path) === undefined },
        signal,
      ),
    instructions: (path, room, signal) => instructionsForFile(current().instructions, path, room, signal),
    onProgress: (id, progress) => emit('inlineEdit.progress', { id, progress }),
  })
  const completion = createInlineCompletion({ data, endpoints, places, workspaces, emit, warn })
  const tour = createTour({ platform, endpoints, workspaces, agent })
  const modelChecks = createModelChecks({
    createCore,
    platform,
    endpoints,
    settings,
    features,
    reports: data.modelReports,
    onChanged: (state) => emit('modelCheck.changed', state),
    warn,
  })

  const cleanUp = createStorageCleanUp({ userData: platform.userData, data, agent, session })
  const stopStartupTasks = windowed
    ? runStartupTasks({ db, endpoints, settings: settings.get, cleanUp, warn })
    : undefined

  return {
    handlers: createHandlers({
      platform,
      data,
      workspaces,
      endpoints,
      gate,
      async explain(line, mode) {
        const sandbox = await current().jobs.plan(line, 'sandbox')
        return (await examine({ line, cwd: '.', mode, sandbox })).explanation
      },
      audit,
      agent,
      inlineEdits,
      completion,
      images,
      git: {
        operations: gitOperations,
        credentials: gitCredentials,
        onEnded: (operation) => emit('git.actionEnded', { operation }),
        model: endpoints.model,
        modelOf: (conversation) =>
          (conversation === undefined ? undefined : store.get(conversation).model) ?? endpoints.defaultModel(),
      },
      cleanUp,
      collectMessage: createMessageCollector({
        store,
        endpoints,
        images,
        services: () => ({ ...services(), ...withoutSecrets(services(), places().secret, new Set()) }),
      }),
      toolHandlers: toolCalls.handlers,
      tourHandlers: tour.handlers,
      modelChecks,
      onDownload: (progress) => emit('models.downloadProgress', progress),
    }),
    executor,
    checkpoints: () => current().checkpoints,
    attach: events.attach,
    subscribe: events.subscribe,
    openWorkspace: workspaces.open,
    toolsReady,
    async dispose() {
      await stopStartupTasks?.()
      await modelChecks.dispose()
      await Promise.all([workspaces.dispose(), gitOperations.close()])
      await gitCredentials.dispose()
      if (!options.endpoints) endpoints.dispose()
      await Promise.all([tour.dispose(), completion.close()])
      await audit.flush()
      data.close()
    },
  }
}
