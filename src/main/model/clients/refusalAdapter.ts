import { allFeatures } from '../../../shared/features.ts'
import type { ModelOptions } from '../../../shared/settings.ts'
import { toolSupportHint } from '../transport/errorHints.ts'
import { cannotCallTools, type RequestTarget } from '../transport/modelErrors.ts'
import { compatibleMessages, type RequestCompat } from './requestCompat.ts'
import type { ChatRequest, ModelEvent, PromptRequest } from './modelClient.ts'
import type { ClientOptions } from './clientOptions.ts'
import { createCompatStore } from './compatStore.ts'

/** The format that most models accept. */
export const defaultCompat: RequestCompat = { tools: 'native', system: 'own', roles: 'any' }

/** Adapts the requests of one client to what its models accept. */
export interface RequestAdapter {
  /** Returns the request in the format that its model is known to accept. */
  adapt<R extends PromptRequest>(request: R): R
  /** Learns from a rejected request that its model needs another format. @returns whether to send the request again */
  learnFromRefusal(request: ChatRequest, status: number, text: string): boolean
  /** Returns what the user should know about the format; empty for native tool calls. */
  notices(target: RequestTarget): ModelEvent[]
}

export function createRequestAdapter({
  baseUrl,
  features,
  textPrompt,
  optionsOf,
  compatStore = createCompatStore(),
}: ClientOptions): RequestAdapter {
  const hasTextPrompt = textPrompt !== undefined && { ...allFeatures, ...features }.textPrompt
  const compatOf = (model: string): RequestCompat =>
    compatStore.get(baseUrl, model) ?? initialCompat(optionsOf?.(model), hasTextPrompt)
  return {
    adapt: (request) => ({
      ...request,
      ...compatibleMessages(request, compatOf(request.model), textPrompt ?? (() => '')),
    }),
    learnFromRefusal(request, status, text) {
      const compat = compatAfterRefusal(compatOf(request.model), request, status, text, hasTextPrompt)
      if (compat) compatStore.set(baseUrl, request.model, compat)
      return compat !== undefined
    },
    notices(target) {
      if (target.model === undefined) return []
      const { tools, grammarFailed } = compatOf(target.model)
      if (tools === 'native') return []
      const problem = grammarFailed
        ? `${target.name} cannot compile a grammar from the parameters of the tools.`
        : `${target.model} on ${target.name} has no native tool calls.`
      const hint = grammarFailed
        ? 'If MCP servers added tools, turn them off and start Tizona again.'
        : toolSupportHint(target)
      const effect = 'The tools are described in the prompt, and calls are read from the answer text.'
      return [{ kind: 'toolsAsText', text: `${problem} ${effect} ${hint}` }]
    },
  }
}

/** Returns the format for the first request. The user may have set that a model has no native tool calls. */
function initialCompat(options: ModelOptions | undefined, hasTextPrompt: boolean): RequestCompat {
  return hasTextPrompt && options?.tools === false ? { ...defaultCompat, tools: 'text' } : defaultCompat
}

const noSystemRole = /system (role|message)s? (is |are )?not supported|does not support system|system role/i
const notAlternating =
  /roles? must alternate|must alternate between|alternat\w{1,10} user\/assistant|user\/assistant\/user/i
const oneCall = /only supports? single tool[- ]?calls?/i
const nineCharacters = /tool call ids? should be alphanumeric strings with length 9/i
/** llama-server passes an empty text beside calls to the template as null. */
const nullText = /\bon null\b|\bin null\b|null has no|NoneType/i
const unknownRole = /(unexpected|unknown|unsupported|invalid|only) .{0,40}\brole/i
/** The server cannot compile a grammar from a schema: llama-server, Ollama, vLLM and SGLang. */
export const grammarProblem = /\bgrammar|json[ _-]?schema|xgrammar|guided[ _-]|structured[ _-]output/i
const templateFailed = /jinja|chat[ _-]?template|minja|Value is not callable|TemplateError|at row \d+, column \d+/i

/**
 * Returns the format to try after a server rejected a request; undefined if no other format would help. Each step moves
 * further from the default, so a request is sent at most seven times.
 * @param text the error message of llama-server, vLLM, LM Studio or Ollama
 */
export function compatAfterRefusal(
  compat: RequestCompat,
  request: ChatRequest,
  status: number,
  text: string,
  textPrompt: boolean,
): RequestCompat | undefined {
  if (![400, 422, 500, 501].includes(status)) return undefined
  const asText =
    textPrompt && compat.tools === 'native' && usesTools(request) ? { ...compat, tools: 'text' as const } : undefined
  if (cannotCallTools(text)) return asText
  if (request.tools.length > 0 && grammarProblem.test(text)) return asText && { ...asText, grammarFailed: true }
  const ownSystem = compat.system === 'own' && request.messages.some(({ role }) => role === 'system')
  const systemInUser = ownSystem ? { ...compat, system: 'inUser' as const } : undefined
  if (noSystemRole.test(text)) return systemInUser
  // Templates raise both messages, so check them before a template that fails for another reason.
  if (usesNativeCalls(compat, request) && oneCall.test(text) && compat.calls === undefined)
    return { ...compat, calls: 'one' }
  if (usesNativeCalls(compat, request) && nineCharacters.test(text) && compat.ids === undefined)
    return { ...compat, ids: 'nine' }
  if (usesNativeCalls(compat, request) && nullText.test(text) && compat.emptyText === undefined)
    return { ...compat, emptyText: 'newline' }
  if (notAlternating.test(text))
    return compat.roles === 'any' ? { ...compat, roles: 'alternating' } : (asText ?? systemInUser)
  if (unknownRole.test(text) || templateFailed.test(text)) return asText ?? systemInUser
  return undefined
}

function usesNativeCalls(compat: RequestCompat, { messages }: ChatRequest): boolean {
  return (
    compat.tools === 'native' &&
    messages.some((message) => message.role === 'assistant' && message.toolCalls !== undefined)
  )
}

function usesTools({ tools, messages }: ChatRequest): boolean {
  return tools.length > 0 || messages.some((message) => message.role === 'tool')
}
