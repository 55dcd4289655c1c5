import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createCore } from '../../src/main/core.ts'
import { runTurn } from '../../src/main/core/runTurn.ts'
import { allFeatures, type Features } from '../../src/main/base/features.ts'
import type { TurnOutcome } from '../../src/shared/agent/conversation.ts'
import { serveModel, type Counted } from './endpoint.ts'
import type { SmallModel } from './models.ts'
import { makeTask } from './task.ts'
import { inProcessIndex } from '../../src/main/testing/inProcessIndex.ts'

export interface ModelRun {
  /** Whether the workspace's tests pass. */
  solved: boolean
  outcome: TurnOutcome
  requests: number
  promptTokens: number
  /** Share of requests, except the first, that begin with the complete previous request: 0 to 1. */
  stablePrefix: number
}

/** Maximum number of turns. It suffices for the repair with each defect. */
const maxTurns = 60
const endpointId = 'small-model'

/**
 * Runs one scripted model on one task, through the product's core and real HTTP.
 * @param without features that are switched off
 */
export async function runModel(
  model: SmallModel,
  without: readonly (keyof Features)[],
  seed: number,
): Promise<ModelRun> {
  const task = await makeTask(seed)
  const userData = await mkdtemp(join(tmpdir(), 'tizona-small-model-user-'))
  const { endpoint, counted } = await serveModel(model)
  const choice = { endpointId, model: model.id }
  const core = await createCore({
    platform: {
      host: 'headless',
      fork: inProcessIndex,
      version: 'bench',
      userData,
      resources: join(import.meta.dirname, '..', '..', 'resources'),
    },
    settings: {
      endpoints: [{ id: endpointId, name: model.id, kind: 'openai', baseUrl: endpoint.url, hasKey: false }],
      model: choice,
      mode: 'yolo',
      toolset: 'blade',
      maxTurns,
    },
    // Language servers run in trusted folders only.
    trustWorkspace: true,
    features: { ...allFeatures, ...Object.fromEntries(without.map((feature) => [feature, false])) },
  })
  try {
    await core.openWorkspace(task.root)
    const { signal } = new AbortController()
    const { info } = await core.handlers['conversations.create']({}, signal)
    await core.handlers['conversations.update']({ id: info.id, model: choice, mode: 'yolo', toolset: 'blade' }, signal)
    const outcome = await runTurn(core, { id: info.id, text: task.prompt, interrupted: signal })
    return {
      solved: await task.solved(),
      outcome,
      requests: counted.length,
      promptTokens: counted.reduce((sum, { sent }) => sum + sent, 0),
      stablePrefix: stableShare(counted),
    }
  } finally {
    await core.dispose()
    await endpoint.close()
    await Promise.all([task.remove(), rm(userData, { recursive: true, force: true })])
  }
}

/** Whether a prefix cache works: the request begins with the complete previous request. */
function stableShare(counted: readonly Counted[]): number {
  const pairs = counted.slice(1).map((request, index) => {
    const before = counted[index]
    return (
      before !== undefined &&
      before.tools === request.tools &&
      before.messages.every((message, at) => message === request.messages[at])
    )
  })
  return pairs.length === 0 ? 1 : pairs.filter(Boolean).length / pairs.length
}
