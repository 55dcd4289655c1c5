import { parametersInName } from '../../../shared/models/modelName.ts'
import type { Endpoint, ModelInfo } from '../../../shared/settings/settings.ts'
import { optionsOf } from '../clients/modelOptions.ts'
import type { LocalServer } from './localServers.ts'

/** Facts learned about a model in its guided turns. */
export interface GuidedKnowledge {
  /** Log likelihoods without a task, by prompt. */
  biases: Map<string, readonly number[]>
}

const constrainingServers: readonly (LocalServer | undefined)[] = ['llamacpp', 'vllm', 'sglang', 'lmstudio', 'ollama']

/** Below this number of parameters, a model always works in guided turns. */
const smallModel = 1e9
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
