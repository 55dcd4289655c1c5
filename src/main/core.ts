import { ToolError } from '../shared/errors.ts'
import { noModelReason } from '../shared/models/firstUsableModel.ts'
import type { ModelChoice } from '../shared/agent/conversation.ts'
import { join } from 'node:path'
import { allFeatures } from './base/features.ts'
import { currentText } from './agent/external/externalAgentDeps.ts'
import { connectAgents } from './core/externalAgents.ts'
import { askPermission } from './tools/externalAgent/askPermission.ts'
import { createGuidedFolder } from './agent/guided/guidedFolder.ts'
import { createAgent, type Agent } from './agent/agent.ts'
import { createApprovals } from './core/approvals.ts'
import type { CreateCore } from './core/coreContract.ts'
import { rootWarning } from './base/processIdentity.ts'
import { currentPlaceRules } from './approval/placeRules.ts'
import { createHandlers } from './handlers/allHandlers.ts'
import { createEventHub } from './appServices/eventHub.ts'
import { createMessageCollector } from './handlers/messageCollector.ts'
import { createToolHandlers } from './handlers/toolHandlers.ts'
import { placeholderRecords, sweepPlaceholders } from './command/sandbox/placeholderRecord.ts'
import { createCredentials } from './git/view/gitCredentials.ts'
import { createOperations } from './git/view/operations.ts'
import { createConversationStore } from './history/conversations.ts'
import { createFullTexts } from './history/fullTexts.ts'
import { createImages } from './history/images.ts'
import { createInlineCompletion, createInlineEditing } from './core/inlineModels.ts'
import { createEndpoints } from './model/endpoints/endpoints.ts'
import { createModelChecks } from './modelCheck/modelChecks.ts'
import { createMeaningRanking } from './model/embeddings/meaningRanking.ts'
import { promptSizeWarning } from './model/endpoints/promptSizeWarning.ts'
import { createTour } from './playback/tour.ts'
import { runStartupTasks, createStorageCleanUp } from './core/startupTasks.ts'
import { createExecutor } from './tools/executor.ts'
import { createMcpToolProvider } from './tools/mcpToolProvider.ts'
import { offeredTools } from './tools/promptTools.ts'
import { windowWithoutSecrets, withoutSecrets } from './tools/secretGuard.ts'
import { textPrompt } from './tools/schema/toolSchema.ts'
import { createAppToolRegistry } from './tools/appToolRegistry.ts'
import { openUserData } from './appServices/userData.ts'
import { applyServerSettings, createWorkspaceSwitcher } from './workspaceServices/workspaceSwitcher.ts'

export type { Core, CoreOptions, CreateCore, WindowLink } from './core/coreContract.ts'

/**
 * Milliseconds that a run without a window waits for MCP tools, because it sends only one message. With a window no
 * message waits, except for the preparation of the first one.
 */
const serverToolsTimeout = { windowed: 15_000, headless: 60_000 }

/** Composition root: creates every service once and connects them. The caller disposes of the core. */
// oxlint-disable-next-line eslint/max-lines-per-function -- A split would hide which service gets which.
export const createCore: CreateCore = async (options) => {
  const { platform, trustWorkspace = false, attended = false, keys = {} } = options
  const features = { ...allFeatures, ...options.features }
  const windowed = platform.host !== 'headless'
  const events = createEventHub(windowed)
  const { emit, warn, notify, editor } = events
  const asRoot = windowed ? rootWarning() : undefined
  if (asRoot !== undefined) warn(asRoot)
  // Before anything reads a folder.
  await sweepPlaceholders(placeholderRecords(platform.userData))
  const data = await openUserData({ platform, settings: options.settings, keys, emit, warn })
  const { db, settings, secrets } = data

  const endpoints =
    options.endpoints ??
    createEndpoints({
      settings,
      secrets,
      features,
      textPrompt,
      calibrations: data.calibrations,
      modelFiles: { fork: platform.fork, stateFolder: join(platform.userData, 'model-prompts') },
    })
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
      await Promise.all([
        agent.stopAll().then(connections.closeAll),
        toolCalls.stopAll(),
        inlineEdits.stopAll(),
        completion.completions.stop(),
      ])
      completion.completions.reset()
      gate.reset()
    },
  })
  const { session, current } = workspaces
  applyServerSettings(settings, session, warn)

  const { outside, audit, examine, gate } = createApprovals({
    platform,
    settings,
    events,
    places,
    workspaces,
    agent: () => agent,
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
  const rankByMeaning = createMeaningRanking({ choice: () => settings.get().embeddings, embed: endpoints.embed })
  const services = () => ({ ...current().tools, rankByMeaning: rankByMeaning() })
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
  const connections = connectAgents(current, platform.version)
  const images = createImages(db)
  const agent: Agent = createAgent({
    store,
    executor,
    emit,
    settings: settings.get,
    settingsApplied: settings.applied,
    root: () => current().workspace.root,
    checkpoints: () => current().checkpoints,
    prepareCommands: () => current().jobs.prepare(),
    review: () => session()?.review,
    instructions: () => current().instructions,
    onOutsideContent: outside.read,
    images,
    originalName: (choice) => endpoints.modelInfo(choice)?.originalName,
    supportsImages: (choice) => endpoints.modelInfo(choice)?.vision,
    model: (choice, signal) => endpoints.model(choice, signal),
    defaultModel: endpoints.defaultModel,
    noModelReason: () => noModelReason(endpoints.cachedStatuses()),
    promptSizeWarning(choice, { contextWindow }, system, tools, message) {
      const endpoint = endpoints.get(choice.endpointId)
      if (endpoint === undefined) return undefined
      const target = endpoints.hintTarget(choice)
      return promptSizeWarning({ endpoint, target, contextWindow, system, tools, message })
    },
    chatTools: (toolset, profile) => offeredTools(registry.toolset(toolset), registry.tools(toolset), profile),
    toolsReady: (signal, purpose, onWaiting) =>
      windowed && purpose === 'turn' ? Promise.resolve(serverTools.start()) : toolsReady(signal, onWaiting),
    async mayWarmUp(choice) {
      await endpoints.prepare(choice)
      const { known, local } = endpoints.server(choice.endpointId)
      return known && (local || settings.get().warmUp === 'always')
    },
    guidedFolder: createGuidedFolder(() => ({
      ...services(),
      ...withoutSecrets(services(), places().secret, new Set()),
    })),
    attended: () => windowed || attended || editor.attached,
    windowed: () => windowed,
    externalAgents: {
      definition: (id) => settings.get().agents.find((definition) => definition.id === id),
      allowed: () => current().trust.allowsCommands(),
      connections,
      currentText: (path, signal) => currentText(services().documents, path, signal),
      askPermission: (call, signal) => askPermission({ gate, rules: places() }, services(), call, signal),
      jobs: () => current().jobs,
    },
    features,
  })
  const toolCalls = createToolHandlers({
    executor,
    emit,
    notify,
    undoEdit: (editId) => current().review.undoEdit(() => current().journal.undo(editId)),
    onUndone: agent.editUndone,
  })
  /** Returns the model of a conversation, or the default one. @throws ToolError if there is none */
  const modelOf = (conversation: string | undefined): ModelChoice => {
    const own = conversation === undefined ? undefined : store.get(conversation).model
    const choice = own ?? endpoints.defaultModel()
    if (choice) return choice
    const { message, next } = noModelReason(endpoints.cachedStatuses())
    throw new ToolError('not_found', message, next)
  }
  const inlineEdits = createInlineEditing({
    settings: settings.get,
    endpoints,
    places,
    current,
    services,
    modelOf,
    emit,
  })
  const completion = createInlineCompletion({ data, endpoints, places, workspaces, emit, warn })
  const tour = createTour({ platform, endpoints, workspaces, agent })
  const modelChecks = createModelChecks({
    createCore,
    platform,
    endpoints,
    settings: settings.get,
    features,
    reports: data.modelReports,
    onChanged: (state) => emit('modelCheck.changed', state),
  })

  const cleanUp = createStorageCleanUp({ userData: platform.userData, data, agent, session })
  const stopStartupTasks = windowed
    ? runStartupTasks({
        db,
        endpoints,
        settings: settings.get,
        cleanUp,
        warn,
        inform: (message, url) => notify({ level: 'info', message, ...(url !== undefined && { url }) }),
        onSettingsChanged: settings.onChanged,
        version: platform.version,
        userData: platform.userData,
      })
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
        modelOf,
      },
      cleanUp,
      collectMessage: createMessageCollector({
        store,
        endpoints,
        images,
        services: () => ({
          ...services(),
          ...withoutSecrets(services(), places().secret, new Set()),
          ...windowWithoutSecrets(services(), places().secret, new Set()),
        }),
        readResource: (server, uri, signal) => current().mcp.content.resource(server, uri, signal),
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
    prepareModel: (choice) => void endpoints.prepare(choice),
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
