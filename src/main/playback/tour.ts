import { randomUUID } from 'node:crypto'
import { cp, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Agent } from '../agent/agent.ts'
import { makeFolder } from '../base/makeFolder.ts'
import type { Handlers } from '../core/coreContract.ts'
import { tourEndpointId, type Endpoints } from '../model/endpoints/endpoints.ts'
import { startScriptedEndpoint, type ScriptedEndpoint } from '../model/scripted/scriptedEndpoint.ts'
import type { Platform } from '../appServices/platform.ts'
import type { WorkspaceSwitcher } from '../workspaceServices/workspaceSwitcher.ts'
import { tourModelName, tourPrompt, tourScenario, tourSelection } from './tourScenario.ts'

interface TourDeps {
  platform: Pick<Platform, 'resources' | 'userData'>
  endpoints: Pick<Endpoints, 'setTour'>
  workspaces: Pick<WorkspaceSwitcher, 'openTour'>
  agent: Pick<Agent, 'create'>
}

/** Creates the tour, which opens a temporary copy of its folder and a conversation with a scripted model. */
export function createTour({ platform, endpoints, workspaces, agent }: TourDeps): {
  handlers: Pick<Handlers, 'tour.start'>
  dispose(): Promise<void>
} {
  let endpoint: ScriptedEndpoint | undefined

  async function prepare(openFolder: string | undefined): Promise<string> {
    endpoint ??= await startScriptedEndpoint(tourScenario)
    endpoints.setTour(endpoint.url)
    return copyTourWorkspace(platform.resources, platform.userData, openFolder)
  }

  return {
    handlers: {
      'tour.start': () =>
        workspaces.openTour(prepare, (workspace) => {
          const conversation = agent.create({
            title: 'Tour',
            mode: 'safe',
            toolset: 'blade',
            model: { endpointId: tourEndpointId, model: tourModelName },
          })
          return { workspace, conversation, prompt: tourPrompt, selection: tourSelection }
        }),
    },
    dispose: async () => endpoint?.close(),
  }
}

/**
 * Copies the tour's folder to the user data folder. Deletes copies of earlier tours first, except the open one.
 * @returns the copy's path
 */
async function copyTourWorkspace(resources: string, userData: string, open: string | undefined): Promise<string> {
  const tours = join(userData, 'tour')
  await makeFolder(tours)
  for (const name of await readdir(tours)) {
    const old = join(tours, name)
    if (open !== undefined && open.startsWith(old)) continue
    await rm(old, { recursive: true, force: true })
  }
  const copy = join(tours, randomUUID().slice(0, 8), 'shop')
  await cp(join(resources, 'tour', 'workspace'), copy, { recursive: true })
  return copy
}
