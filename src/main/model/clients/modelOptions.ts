import { isSameModel } from '../../../shared/models/modelName.ts'
import type { Endpoint, ModelInfo, ModelOptions } from '../../../shared/settings/settings.ts'

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

/**
 * Returns fields for the body of an OpenAI-compatible request. Switches and keeps reasoning with `chat_template_kwargs`
 * (llama-server, vLLM, SGLang), and sets its level with `reasoning_effort` (the same, and OpenAI).
 */
export function openAiFields(options: ModelOptions, preserveThinking: boolean): Record<string, unknown> {
  const { think, topP, maxTokens, temperature, topK, minP, presencePenalty, repeatPenalty, thinkingTokens } = options
  const templateOptions = {
    ...((think === 'on' || think === 'off') && { enable_thinking: think === 'on' }),
    ...(preserveThinking && { preserve_thinking: true }),
  }
  const level = think === 'low' || think === 'medium' || think === 'high'
  return {
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { top_p: topP }),
    ...(topK !== undefined && { top_k: topK }),
    ...(minP !== undefined && { min_p: minP }),
    ...(presencePenalty !== undefined && { presence_penalty: presencePenalty }),
    // The names of llama-server, and of vLLM and SGLang. Each ignores the other's.
    ...(repeatPenalty !== undefined && { repeat_penalty: repeatPenalty, repetition_penalty: repeatPenalty }),
    ...(thinkingTokens !== undefined &&
      think !== 'off' && {
        thinking_budget_tokens: thinkingTokens,
        thinking_token_budget: thinkingTokens,
      }),
    ...(maxTokens !== undefined && { max_tokens: maxTokens }),
    ...(level && { reasoning_effort: think }),
    ...(Object.keys(templateOptions).length > 0 && { chat_template_kwargs: templateOptions }),
    ...extra(options),
  }
}

/** Returns fields for the body of Ollama's `/api/chat`. Merges `options` of an extra body key by key. */
export function ollamaFields(options: ModelOptions, own: Record<string, unknown>): Record<string, unknown> {
  const { think, topP, maxTokens, temperature, topK, minP, presencePenalty, repeatPenalty } = options
  const { options: more, ...fields } = extra(options)
  return {
    ...(think && think !== 'auto' && { think: think === 'on' ? true : think === 'off' ? false : think }),
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
