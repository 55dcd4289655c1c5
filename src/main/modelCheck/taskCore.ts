import type { ModelChoice } from '../../shared/agent/conversation.ts'
import { ToolError } from '../../shared/errors.ts'
import type { Features } from '../base/features.ts'
import type { Settings } from '../../shared/settings/settings.ts'
import type { Core, CreateCore } from '../core/coreContract.ts'
import { ModelError, type ModelClient, type ModelErrorCode } from '../model/modelClient.ts'
import { guidedCalibration } from '../model/endpoints/guidedCalls.ts'
import type { Endpoints } from '../model/endpoints/endpoints.ts'
import type { Platform } from '../appServices/platform.ts'
import type { CheckFolder } from './taskFolder.ts'

/** Shared by the cores of tasks and the core that runs the check. */
export interface TaskCoreDeps {
  createCore: CreateCore
  platform: Platform
  endpoints: Endpoints
  settings(): Settings
  features: Features
}

interface TaskCoreOptions {
  choice: ModelChoice
  folder: CheckFolder
  /** Called with the reason of each request to a model that fails. */
  onFailure(code: ModelErrorCode): void
  /** Forces guided turns, whatever the model's options say. */
  guided: boolean
}

/** Maximum number of requests of a task. A repair takes about 15. */
const maxTurns = 40

/** Opens a core with its own data. It uses the model servers of this core, with their keys and options. */
export async function openTaskCore(
  { createCore, platform, endpoints, settings, features }: TaskCoreDeps,
  { choice, folder, onFailure, guided }: TaskCoreOptions,
): Promise<Core> {
  const { version, resources, fork, userData, otherDataFolders = [] } = platform
  const { temperature, profile, toolset, suggestToolset, disabledTools, systemPrompt, compactAt, commands } = settings()
  const core = await createCore({
    platform: {
      host: 'headless',
      version,
      userData: folder.userData,
      otherDataFolders: [userData, ...otherDataFolders],
      resources,
      ...(fork && { fork }),
    },
    // Without the user's approval rules and MCP servers, which are not part of the check.
    settings: {
      model: choice,
      temperature,
      profile,
      toolset,
      suggestToolset,
      disabledTools,
      systemPrompt,
      compactAt,
      commands,
      maxTurns,
    },
    endpoints: withFailures(guided ? inGuidedTurns(endpoints) : endpoints, onFailure),
    features,
    // The folders contain only the files of the tasks.
    trustWorkspace: true,
  })
  // With a window attached, calls wait for approval instead of failing. Nothing is shown.
  core.attach({ emit() {}, ask: () => Promise.reject(noEditor()) })
  return core
}

function inGuidedTurns(endpoints: Endpoints): Endpoints {
  const knowledge = guidedCalibration(undefined, '')
  return { ...endpoints, model: async (...given) => ({ guided: knowledge, ...(await endpoints.model(...given)) }) }
}

/** Reports the errors of requests to models. */
function withFailures(endpoints: Endpoints, onFailure: (code: ModelErrorCode) => void): Endpoints {
  return {
    ...endpoints,
    async model(...given) {
      const ready = await endpoints.model(...given)
      const client: ModelClient = {
        ...ready.client,
        async *stream(request) {
          try {
            yield* ready.client.stream(request)
          } catch (error) {
            if (error instanceof ModelError) onFailure(error.code)
            throw error
          }
        },
      }
      return { ...ready, client }
    },
  }
}

const noEditor = () => new ToolError('no_window', 'There is no editor in this task.', 'Use the file tools instead.')
