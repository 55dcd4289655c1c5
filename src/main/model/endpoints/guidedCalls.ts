import { z } from 'zod'
import { parametersInName, smallModel } from '../../../shared/models/modelName.ts'
import type { Endpoint, ModelInfo } from '../../../shared/settings/settings.ts'
import { log } from '../../base/log/log.ts'
import { optionsOf } from '../clients/modelOptions.ts'
import type { LocalServer } from '../transport/localServers.ts'

/** Facts learned about a model in its guided turns. */
export interface GuidedCalibration {
  /** Likelihoods without a task, as logarithms, by a hash of the prompt they belong to. */
  biases: Pick<Map<string, readonly number[]>, 'get' | 'set'>
}

/** The biases of each model. */
export const calibrationsSchema = z.record(z.string(), z.record(z.string(), z.array(z.number())))
type Calibrations = z.output<typeof calibrationsSchema>

/** The file that keeps the biases. */
export interface CalibrationFile {
  readonly value: Calibrations
  update(change: (all: Calibrations) => Calibrations): Promise<unknown>
}

/** Maximum number of models whose biases are kept. */
const maxCalibrations = 50

/**
 * Returns a model's calibration, and stores what is learned. Without it, the first choice after each start took
 * SmolLM2-135M 40 s on one core.
 * @param file where to store it. Undefined: only in memory
 */
export function guidedCalibration(file: CalibrationFile | undefined, model: string): GuidedCalibration {
  const own = new Map(Object.entries(file?.value[model] ?? {}))
  return {
    biases: {
      get: (key) => own.get(key),
      set(key, values) {
        own.set(key, [...values])
        file
          ?.update(({ [model]: before, ...others }) => ({
            ...Object.fromEntries(Object.entries(others).slice(1 - maxCalibrations)),
            [model]: { ...before, [key]: [...values] },
          }))
          .catch((error: unknown) => log.warn('The calibration of a model was not stored', error))
        return own
      },
    },
  }
}

const constrainingServers: readonly (LocalServer | undefined)[] = ['llamacpp', 'vllm', 'sglang', 'lmstudio', 'ollama']

/** Below this number, a model without native tool calls works in guided turns. */
const mediumModel = 4e9

/**
 * Whether a model works in guided turns (agent/guided/): as set by the user, by default for small models. With native
 * calls or calls in text, a model with 135 million parameters solves none of the tasks of `npm run bench --
 * real-model`.
 */
export function hasGuidedCalls(
  endpoint: Pick<Endpoint, 'kind' | 'models'>,
  server: LocalServer | undefined,
  model: string,
  info: ModelInfo | undefined,
): boolean {
  const { calls } = optionsOf(endpoint, model)
  if (calls) return calls === 'guided'
  const parameters = info?.parameters ?? parametersInName(info?.originalName ?? model)
  if (!constrainsAnswers(endpoint, server) || parameters === undefined) return false
  return parameters < smallModel || (parameters < mediumModel && info?.tools === false)
}

/** Whether a server can constrain an answer by a JSON schema, so that guided turns are possible. */
export function constrainsAnswers({ kind }: Pick<Endpoint, 'kind'>, server: LocalServer | undefined): boolean {
  return kind === 'ollama' || kind === 'gguf' || constrainingServers.includes(server)
}
