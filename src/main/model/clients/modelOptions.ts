import { log } from '../../base/log/log.ts'
import { isSameModel } from '../../../shared/models/modelName.ts'
import type { Endpoint, ModelInfo, ModelOptions, ReasoningEffort } from '../../../shared/settings/settings.ts'
import type { LocalServer } from '../transport/localServers.ts'
import type { CompatStore } from './compatStore.ts'
import type { Refusal } from './refusal.ts'
import {
  effortFor,
  effortVariables,
  isEffort,
  namedEfforts,
  nearest,
  ollamaEfforts,
  refusesTemplateOptions,
  switchEffort,
  thinkingSwitch,
  type EffortTarget,
} from './reasoningEffort.ts'

// The user's options for one model, in the format of each server.

/** Fields that an extra body cannot override, because the conversation determines them. */
const reservedFields = ['model', 'messages', 'tools', 'stream', 'stream_options']

/** The options of a model; empty if none are set. */
export function optionsOf({ models = {} }: Pick<Endpoint, 'models'>, model: string): ModelOptions {
  if (Object.hasOwn(models, model)) return models[model] ?? {}
  return Object.entries(models).find(([name]) => isSameModel(name, model))?.[1] ?? {}
}

/** Applies the user's settings for a model, which take precedence over what the server reports. */
export function withOptions(model: ModelInfo, endpoint: Pick<Endpoint, 'models' | 'contextWindow'>): ModelInfo {
  const { contextWindow = endpoint.contextWindow, tools: own, calls, vision } = optionsOf(endpoint, model.id)
  const tools = nativeToolsChoice({ calls, tools: own })
  return {
    ...model,
    ...(contextWindow !== undefined && { contextWindow }),
    ...(tools !== undefined && { tools }),
    ...(vision !== undefined && { vision }),
  }
}

/**
 * Finds a model by name, and returns its details under that name. Ollama's names may lack `:latest`. A server that
 * lists a single model (llama-server, KoboldCpp) serves it under any name.
 */
export function findModel(models: readonly ModelInfo[], name: string): ModelInfo | undefined {
  const [only] = models
  const found =
    models.find(({ id }) => id === name) ??
    models.find(({ id }) => isSameModel(id, name)) ??
    (models.length === 1 ? only : undefined)
  return found === undefined || found.id === name ? found : { ...found, id: name }
}

/** What decides the names of options in a request. */
interface FieldTarget extends EffortTarget {
  /** Whether the template keeps the reasoning of the whole conversation. */
  preserveThinking?: boolean
  /** Whether the server refused the options of the template. */
  templateOptionsRefused?: boolean
}

/** Servers that pass options on to the chat template, and accept each effort for it. */
export const serversWithTemplateOptions: readonly (LocalServer | undefined)[] = ['llamacpp', 'vllm', 'sglang']

/**
 * Servers that turn thinking off by `reasoning_effort: none`, and ignore options of the template
 * (lmstudio-ai/lmstudio-bug-tracker#2057, ollama/ollama#14820).
 */
const serversWithoutSwitch: readonly (LocalServer | undefined)[] = ['lmstudio', 'ollama']

/**
 * Returns fields for the body of an OpenAI-compatible request. Switches and keeps reasoning with `chat_template_kwargs`
 * (llama-server, vLLM, SGLang). Sets its effort with `reasoning_effort`, at these three also as an option of the
 * template: older ones do not pass the field on (ggml-org/llama.cpp#26941, vllm-project/vllm#43401).
 */
export function openAiFields(options: ModelOptions, target: FieldTarget): Record<string, unknown> {
  const { topP, maxTokens, temperature, topK, minP, presencePenalty, repeatPenalty, thinkingTokens } = options
  const { effort, variables } = thinkingFields(options.think, target)
  const templateOptions = target.templateOptionsRefused
    ? {}
    : { ...variables, ...(target.preserveThinking && { preserve_thinking: true }) }
  return {
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { top_p: topP }),
    ...(topK !== undefined && { top_k: topK }),
    ...(minP !== undefined && { min_p: minP }),
    ...(presencePenalty !== undefined && { presence_penalty: presencePenalty }),
    // The names of llama-server, and of vLLM and SGLang. Each ignores the other's.
    ...(repeatPenalty !== undefined && { repeat_penalty: repeatPenalty, repetition_penalty: repeatPenalty }),
    ...(thinkingTokens !== undefined &&
      options.think !== 'off' &&
      options.think !== 'none' && {
        thinking_budget_tokens: thinkingTokens,
        thinking_token_budget: thinkingTokens,
      }),
    ...(maxTokens !== undefined && { max_tokens: maxTokens }),
    ...(effort && { reasoning_effort: effort }),
    ...(Object.keys(templateOptions).length > 0 && { chat_template_kwargs: templateOptions }),
    ...extra(options),
  }
}

/** Returns the effort to send, and the variables of the chat template. */
function thinkingFields(
  think: ModelOptions['think'],
  target: EffortTarget,
): { effort?: ReasoningEffort | undefined; variables?: Record<string, unknown> } {
  if (think === undefined || think === 'auto') return {}
  const [effort, word] = isEffort(think)
    ? [effortFor(think, target, 'field'), effortFor(think, target, 'template')]
    : [think, think]
  if (refusesTemplateOptions(target))
    return { effort: isEffort(effort) ? effort : switchEffort(effort === 'on', target) }
  if (effort === 'off' && serversWithoutSwitch.includes(target.server))
    return { effort: nearest('none', target.learned?.field ?? ['none']) }
  return {
    ...(isEffort(effort) && { effort }),
    ...(isEffort(word)
      ? serversWithTemplateOptions.includes(target.server) && { variables: effortVariables(word, target.model) }
      : { variables: thinkingSwitch(word === 'on') }),
  }
}

/** Returns the variables of a chat template that Tizona renders itself. */
export function templateVariables(think: ModelOptions['think'], model: string): Record<string, unknown> | undefined {
  return thinkingFields(think, { model, server: 'llamacpp' }).variables
}

/** Returns fields for the body of Ollama's `/api/chat`. Merges `options` of an extra body key by key. */
export function ollamaFields(
  options: ModelOptions,
  own: Record<string, unknown>,
  learned: readonly ReasoningEffort[] = ollamaEfforts,
): Record<string, unknown> {
  const { think, topP, maxTokens, temperature, topK, minP, presencePenalty, repeatPenalty } = options
  const { options: more, ...fields } = extra(options)
  return {
    ...(think && think !== 'auto' && { think: ollamaThink(think, learned) }),
    ...keepAliveField(options),
    ...fields,
    options: {
      ...own,
      ...(temperature !== undefined && { temperature }),
      ...(topP !== undefined && { top_p: topP }),
      ...(topK !== undefined && { top_k: topK }),
      ...(minP !== undefined && { min_p: minP }),
      ...(presencePenalty !== undefined && { presence_penalty: presencePenalty }),
      ...(repeatPenalty !== undefined && { repeat_penalty: repeatPenalty }),
      ...(maxTokens !== undefined && { num_predict: maxTokens }),
      ...(typeof more === 'object' ? more : {}),
    },
  }
}

/** Returns Ollama's `think`. @param efforts those that it accepts */
function ollamaThink(
  think: 'on' | 'off' | ReasoningEffort,
  efforts: readonly ReasoningEffort[],
): boolean | ReasoningEffort {
  if (think === 'on') return true
  return think === 'off' || think === 'none' ? false : nearest(think, efforts)
}

/**
 * Learns the efforts that a server names when it refuses another one.
 * @param body the refused request
 * @returns whether a request with another effort may be accepted
 */
export function learnEfforts(
  { text, causes }: Refusal,
  body: Record<string, unknown>,
  { compatStore, baseUrl, model }: { compatStore: CompatStore; baseUrl: string; model: string },
): boolean {
  const sent = body['reasoning_effort'] ?? body['think']
  if (!causes.includes('effort') || !isEffort(sent)) return false
  const named = namedEfforts(text)
  const word = Object.values(body['chat_template_kwargs'] ?? {}).find(isEffort)
  // The server accepts the field, so its template refused the other word.
  const isWord = word !== undefined && word !== sent && named.includes(sent)
  const [place, refused] = isWord ? (['template', word] as const) : (['field', sent] as const)
  const learned = compatStore.efforts(baseUrl, model)
  const before = learned?.[place]
  // Learned since the request was sent.
  if (before?.includes(refused) === false) return false
  const accepted = (before ?? named).filter((effort) => effort !== refused && named.includes(effort))
  if (accepted.length === 0) return false
  compatStore.setEfforts(baseUrl, model, { ...learned, [place]: accepted })
  log.info(`${model} does not accept the reasoning effort ${refused}. It gets the nearest of ${accepted.join(', ')}.`)
  return true
}

/** Returns the field that sets how long Ollama keeps the model in memory after a request; no field for its default. */
export function keepAliveField({ keepAlive }: ModelOptions): { keep_alive?: string | number } {
  if (keepAlive === undefined) return {}
  // Ollama accepts a number of seconds only as a JSON number.
  return { keep_alive: /^-?\d+$/.test(keepAlive) ? Number(keepAlive) : keepAlive }
}

function extra({ extraBody = {} }: ModelOptions): Record<string, unknown> {
  return Object.fromEntries(Object.entries(extraBody).filter(([field]) => !reservedFields.includes(field)))
}

/** Returns whether the user turned native tool calls on or off for a model; undefined if the server decides. */
export function nativeToolsChoice({ calls, tools }: Pick<ModelOptions, 'calls' | 'tools'> = {}): boolean | undefined {
  return calls === undefined || calls === 'guided' ? tools : calls === 'native'
}
