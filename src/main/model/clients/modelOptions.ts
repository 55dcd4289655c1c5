import type { Endpoint, ModelInfo, ModelOptions } from '../../../shared/settings.ts'

// What a user set for one model, as servers take it.

/** What these fields say, no option may: a request would no longer be the conversation's. */
const ours = ['model', 'messages', 'tools', 'stream', 'stream_options']

/** The options of a model; none where nothing was set. */
export function optionsOf(endpoint: Pick<Endpoint, 'models'>, model: string): ModelOptions {
  return (endpoint.models && Object.hasOwn(endpoint.models, model) && endpoint.models[model]) || {}
}

/** What the user says of a model counts more than what its server says. */
export function withOptions(model: ModelInfo, endpoint: Pick<Endpoint, 'models' | 'contextWindow'>): ModelInfo {
  const { contextWindow = endpoint.contextWindow, tools, vision } = optionsOf(endpoint, model.id)
  return {
    ...model,
    ...(contextWindow !== undefined && { contextWindow }),
    ...(tools !== undefined && { tools }),
    ...(vision !== undefined && { vision }),
  }
}

/**
 * A model of a server by its name. A server that lists one model alone (llama-server, KoboldCpp) answers under any name with it, so
 * what holds for the listed one holds for the name that was chosen.
 */
export function findModel(models: readonly ModelInfo[], name: string): ModelInfo | undefined {
  const [only] = models
  return models.find(({ id }) => id === name) ?? (models.length === 1 && only ? { ...only, id: name } : undefined)
}

/** A model that answered: what it is loaded with is its window, whatever was asked for. */
export function asLoaded(model: ModelInfo): ModelInfo {
  const { loadedWindow } = model
  return loadedWindow !== undefined && loadedWindow < (model.contextWindow ?? Infinity)
    ? { ...model, contextWindow: loadedWindow }
    : model
}

/**
 * Fields for the body of an OpenAI-compatible request. Thinking is asked for as llama-server, vLLM and SGLang take it
 * (`chat_template_kwargs`), levels as OpenAI and they do (`reasoning_effort`).
 */
export function openAiFields(options: ModelOptions): Record<string, unknown> {
  const { think, topP, maxTokens, temperature } = options
  const level = think === 'low' || think === 'medium' || think === 'high'
  return {
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { top_p: topP }),
    ...(maxTokens !== undefined && { max_tokens: maxTokens }),
    ...(level && { reasoning_effort: think }),
    ...((think === 'on' || think === 'off') && { chat_template_kwargs: { enable_thinking: think === 'on' } }),
    ...extra(options),
  }
}

/** Fields for the body of Ollama's `/api/chat`. `options` of an extra body are laid over ours one by one. */
export function ollamaFields(options: ModelOptions, own: Record<string, unknown>): Record<string, unknown> {
  const { think, topP, maxTokens, temperature, keepAlive } = options
  const { options: more, ...fields } = extra(options)
  return {
    ...(think && think !== 'auto' && { think: think === 'on' ? true : think === 'off' ? false : think }),
    // Ollama takes bare numbers as seconds, and only as numbers.
    ...(keepAlive !== undefined && { keep_alive: /^-?\d+$/.test(keepAlive) ? Number(keepAlive) : keepAlive }),
    ...fields,
    options: {
      ...own,
      ...(temperature !== undefined && { temperature }),
      ...(topP !== undefined && { top_p: topP }),
      ...(maxTokens !== undefined && { num_predict: maxTokens }),
      ...(typeof more === 'object' ? more : {}),
    },
  }
}

function extra({ extraBody = {} }: ModelOptions): Record<string, unknown> {
  return Object.fromEntries(Object.entries(extraBody).filter(([field]) => !ours.includes(field)))
}
