import { toFailure, ToolError } from '../shared/errors.ts'
import { noModelReason } from '../shared/models/firstUsableModel.ts'
import type { ModelChoice } from '../shared/agent/conversation.ts'
import { join } from 'node:path'
import { allFeatures } from './base/features.ts'
import { createOpenedFiles } from './core/openedFiles.ts'
import { createAgentServices } from './core/agent.ts'
import { createApprovals } from './core/approvals.ts'
import { createFolderServices } from './core/folder.ts'
import type { CreateCore } from './core/coreContract.ts'
import { rootWarning } from './base/processIdentity.ts'
import { createHandlers } from './handlers/allHandlers.ts'
import { createEventHub } from './appServices/eventHub.ts'
import { createMessageCollector } from './handlers/messageCollector.ts'
import { createToolHandlers } from './handlers/toolHandlers.ts'
import { createInlineCompletion, createInlineEditing } from './core/inlineModels.ts'
import { createOutside } from './core/externalPrograms.ts'
import { createEndpoints } from './model/endpoints/endpoints.ts'
import { createModelCheckHandlers } from './modelCheck/modelCheckHandlers.ts'
import { createModelChecks } from './modelCheck/modelChecks.ts'
import { createOpenCores } from './core/openCores.ts'
import { createSessionOverview } from './core/sessionOverview.ts'
import { attemptTry, createTaskTries } from './core/tries.ts'
import { createWorktreeSessions } from './core/worktreeSessions.ts'
import { createTour } from './playback/tour.ts'
import { runStartupTasks, createStorageCleanUp } from './core/startupTasks.ts'
import type { JobInfo } from '../shared/commands/jobs.ts'
import { windowWithoutSecrets, withoutSecrets } from './tools/secretGuard.ts'
import { textPrompt } from './tools/schema/toolSchema.ts'

export type { Core, CoreOptions, CreateCore, WindowLink } from './core/coreContract.ts'

const isRunningCommand = ({ kind, state }: JobInfo): boolean =>
  kind === 'command' && (state === 'running' || state === 'waiting_for_input')

/** Composition root: creates every service once and connects them. The caller disposes of the core. */
// oxlint-disable-next-line eslint/max-lines-per-function -- A split would hide which service gets which.
export const createCore: CreateCore = async (options) => {
  const { platform, attended = false } = options
  const features = { ...allFeatures, ...options.features }
  const windowed = platform.host !== 'headless'
  const events = createEventHub(windowed)
  const { emit, warn, notify } = events
  const asRoot = windowed ? rootWarning() : undefined
  if (asRoot !== undefined) warn(asRoot)
  const folder = await createFolderServices({
    options,
    events,
    recordHook: (run, workspace) => approvals.recordHook(run, workspace),
    async stopWork() {
      await Promise.all([
        agent.stopAll().then(outside.connections.closeAll),
        toolCalls.stopAll(),
        inlineEdits.stopAll(),
        completion.completions.stop(),
      ])
      completion.completions.reset()
      approvals.gate.reset()
    },
    foldersChanged: (from) => agent.keepShown(from),
  })
  const { data, places, workspaces } = folder
  const { db, settings, secrets } = data
  const { session, current } = workspaces

  const endpoints =
    options.endpoints ??
    createEndpoints({
      settings,
      secrets,
      features,
      textPrompt,
      calibrations: data.calibrations,
      desktop: platform.desktopModels,
      modelFiles: { fork: platform.fork, stateFolder: join(platform.userData, 'model-prompts') },
    })
  if (!options.endpoints) endpoints.onChanged((statuses) => emit('endpoints.changed', statuses))

  const approvals = createApprovals({ platform, settings, events, places, workspaces, agent: () => agent })
  const { gate, examine, audit } = approvals
  const outside = createOutside({ session, current, version: platform.version, windowed, forget: gate.forget })
  const { agent, executor, images, services, store } = createAgentServices({
    data,
    places,
    workspaces,
    events,
    endpoints,
    approvals,
    outside,
    windowed,
    attended,
    hasPageView: () => platform.pageViews?.isAvailable() === true,
    features,
  })
  const isWorking = (): boolean =>
    tries.isWorking() ||
    attempts > 0 ||
    gate.pending().length > 0 ||
    agent.inUse().some((id) => agent.peek(id)?.running === true) ||
    session()?.jobs.list().some(isRunningCommand) === true
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

  const sessions = createWorktreeSessions({
    sessions: folder.sessions,
    trust: data.trust,
    folderTrust: data.folderTrust,
    trustAll: options.trustWorkspace ?? false,
    operations: folder.git.operations,
    isWorking: async (root) =>
      (await overview.rows(false)).some(
        (row) => row.folder === root && ['working', 'approval', 'asking'].includes(row.state),
      ),
    current,
    openFolder: () => session()?.workspace.root,
    places,
  })
  const cores = options.openCores ?? createOpenCores()
  const tries = createTaskTries({ cores, sessions, platform })
  /** Number of tries whose worktree is the open folder. */
  let attempts = 0
  const overview = createSessionOverview({
    cores,
    agent,
    gate,
    store,
    sessions,
    events,
    session,
    tries,
    async attempt(...given) {
      attempts += 1
      try {
        return await attemptTry({ handlers, subscribe: events.subscribe, sessions }, ...given)
      } finally {
        attempts -= 1
      }
    },
  })
  if (windowed)
    events.subscribe((name) => {
      if (name === 'workspace.changed') sessions.setUpOpened().catch((error: unknown) => warn(toFailure(error).message))
    })

  const openedFiles = createOpenedFiles(events, session)
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

  const handlers = createHandlers({
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
    sessions,
    overview,
    tries,
    git: {
      ...folder.git,
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
    modelCheckHandlers: createModelCheckHandlers(modelChecks),
    onConnecting: (progress) => emit('remote.progress', progress),
    onDownload: (progress) => emit('models.downloadProgress', progress),
    isWorking,
  })

  return {
    handlers,
    executor,
    checkpoints: () => current().checkpoints,
    sessions,
    attach: openedFiles.attach,
    openFile: openedFiles.open,
    subscribe: events.subscribe,
    openWorkspace: workspaces.open,
    prepareModel: (choice) => void endpoints.prepare(choice),
    toolsReady: outside.toolsReady,
    isWorking,
    isTrying: () => attempts > 0,
    async dispose() {
      await tries.stopAll()
      overview.close()
      openedFiles.stop()
      await stopStartupTasks?.()
      await modelChecks.dispose()
      await folder.close()
      if (!options.endpoints) endpoints.dispose()
      await Promise.all([tour.dispose(), completion.close()])
      await audit.flush()
      data.close()
    },
  }
}
