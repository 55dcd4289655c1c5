import { once } from '../../shared/async/once.ts'
import { findChromium } from '../base/findChromium.ts'
import { mayRunBrowser } from '../preview/browserProcess.ts'
import { noModelReason } from '../../shared/models/firstUsableModel.ts'
import { createAgent, type Agent } from '../agent/agent.ts'
import type { AgentDeps } from '../agent/agentDeps.ts'
import { currentText } from '../agent/external/externalAgentDeps.ts'
import { createGuidedFolder } from '../agent/guided/guidedFolder.ts'
import type { EventHub } from '../appServices/eventHub.ts'
import type { UserData } from '../appServices/userData.ts'
import type { PlaceRules } from '../approval/placeRules.ts'
import type { Features } from '../base/features.ts'
import { createConversationStore } from '../history/conversations.ts'
import { createFullTexts } from '../history/fullTexts.ts'
import { createImages } from '../history/images.ts'
import { createEnergyMeter } from '../model/energyMeter.ts'
import { createMeaningRanking } from '../model/embeddings/meaningRanking.ts'
import { namedModel } from '../agent/namedModel.ts'
import type { Endpoints } from '../model/endpoints/endpoints.ts'
import type { ModelClient } from '../model/modelClient.ts'
import { promptSizeWarning } from '../model/endpoints/promptSizeWarning.ts'
import { createAppToolRegistry } from '../tools/appToolRegistry.ts'
import { createExecutor } from '../tools/executor.ts'
import { askPermission } from '../tools/externalAgent/askPermission.ts'
import type { AgentKind } from '../tools/common/toolDefinition.ts'
import { offeredTools } from '../tools/promptTools.ts'
import { withoutSecrets } from '../tools/secretGuard.ts'
import type { WorkspaceSwitcher } from '../workspaceServices/workspaceSwitcher.ts'
import type { createApprovals } from './approvals.ts'
import type { createOutside } from './externalPrograms.ts'

interface AgentServicesDeps {
  data: Pick<UserData, 'db' | 'settings' | 'sessions'>
  places(): PlaceRules
  workspaces: Pick<WorkspaceSwitcher, 'session' | 'current'>
  events: Pick<EventHub, 'emit' | 'editor'>
  endpoints: Endpoints
  approvals: Pick<ReturnType<typeof createApprovals>, 'gate' | 'outside'>
  outside: ReturnType<typeof createOutside>
  windowed: boolean
  /** Whether the host asks a user for approvals although it has no window. */
  attended: boolean
  /** Whether a view of the window shows pages, so that no Chromium is needed. */
  hasPageView?(): boolean
  features: Features
}

/** Looked for once, because it reads many folders. */
const hasChromium = once(() => mayRunBrowser() && findChromium() !== null)
const noAgents: readonly AgentKind[] = []
/** On Windows, the servers of a folder cannot be found. */
const canFindServers = process.platform !== 'win32'

/** Creates the conversations with models, and the executor of the tools that they and the tool console call. */
export function createAgentServices({
  data: { db, settings, sessions },
  places,
  workspaces: { session, current },
  events: { emit, editor },
  endpoints,
  approvals,
  outside: { connections, serverTools, toolsReady },
  windowed,
  attended,
  hasPageView = () => false,
  features,
}: AgentServicesDeps) {
  const { gate, outside } = approvals
  const registry = createAppToolRegistry({
    settings: settings.get,
    serverTools,
    hasSkills: () => session()?.hasSkills === true,
    agents: () => session()?.agents ?? noAgents,
    hasLanguageServers: () => session()?.languages.isAllowed() === true,
    canDebug: () => session()?.trust.isTrusted() === true,
    // The servers of a folder that is not trusted do not run.
    hasBrowser: () => canFindServers && session()?.trust.isTrusted() === true && (hasPageView() || hasChromium()),
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
    hooks: () => session()?.hooks,
    onOutsideContent: outside.read,
    commandsAllowed: () => current().trust.allowsCommands(),
  })
  const store = createConversationStore(db)
  const images = createImages(db)
  /** Temperature of the try whose worktree is open. */
  const ownTemperature = (): number | undefined => {
    const root = session()?.workspace.root
    return sessions.value.sessions.find(({ worktree }) => worktree === root)?.try?.temperature
  }
  const agent: Agent = createAgent({
    store,
    executor,
    emit,
    settings: () => ({ ...settings.get(), temperature: ownTemperature() ?? settings.get().temperature }),
    settingsApplied: settings.applied,
    ...openFolders(current),
    checkpoints: () => current().checkpoints,
    prepareCommands: () => current().jobs.prepare(),
    review: () => session()?.review,
    hooks: () => session()?.hooks,
    instructions: () => current().instructions,
    onOutsideContent: outside.read,
    images,
    originalName: (choice) => endpoints.modelInfo(choice)?.originalName,
    supportsImages: (choice) => endpoints.modelInfo(choice)?.vision,
    async model(choice, signal) {
      const ready = await endpoints.model(choice, signal)
      const own = ownTemperature()
      return own === undefined ? ready : { ...ready, client: atTemperature(ready.client, own) }
    },
    energyMeter: ({ endpointId }) => (endpoints.server(endpointId).local ? createEnergyMeter() : undefined),
    ...modelNames(endpoints),
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
  return { agent, executor, images, services, store }
}

const openFolders = (current: WorkspaceSwitcher['current']) => ({
  root: () => current().workspace.root,
  folders: () => current().workspace.folders,
  earlierWorkspaces: () => current().workspace.multiRoot?.earlier ?? [],
})

/** Makes the temperature of a try win over the user's option for the model. Side requests have their own. */
function atTemperature(client: ModelClient, own: number): ModelClient {
  return {
    ...client,
    stream: (request) =>
      client.stream(request.temperature === own && !request.isAside ? { ...request, ownTemperature: true } : request),
  }
}

/** Finds models and servers by name, and by choice. */
const modelNames = (endpoints: Endpoints): Pick<AgentDeps, 'namedModel' | 'serverName'> => ({
  namedModel: async (name, near, signal) =>
    namedModel(
      await endpoints.list({ probe: false }, signal),
      name,
      near,
      (endpointId) => endpoints.server(endpointId).local,
    ),
  serverName: ({ endpointId }) => endpoints.get(endpointId)?.name,
})
