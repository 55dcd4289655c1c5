import { parametersInName } from '../../../shared/models/modelName.ts'
import type { Endpoint, ModelInfo } from '../../../shared/settings/settings.ts'
import { optionsOf } from '../clients/modelOptions.ts'
import type { LocalServer } from './localServers.ts'

/** What was learned about a model for its guided turns. */
export interface GuidedKnowledge {
  /** Likelihoods without a task, as logarithms, by the prompt they belong to. */
  biases: Map<string, readonly number[]>
}

const constrainingServers: readonly (LocalServer | undefined)[] = ['llamacpp', 'vllm', 'sglang', 'lmstudio', 'ollama']

/** Below this number of parameters, a model acts in guided turns in any case. */
const smallModel = 1e9
/** Below this number, a model without native tool calls acts in guided turns. */
const mediumModel = 4e9

/**
 * Whether a model chooses its calls in guided turns (agent/guided/): set by the user, otherwise for small models. One of
 * 135 million parameters solves none of the tasks of `npm run bench -- real-model` with native calls or calls in text.
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
