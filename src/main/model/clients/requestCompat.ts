import { createHash } from 'node:crypto'
import type { ChatMessage, ChatRequest, ChatTool, ModelCall } from './modelClient.ts'
import { withoutControlTokens } from './controlTokens.ts'
import { cannotCallTools } from '../transport/modelErrors.ts'
import { joined, validHistory } from './validHistory.ts'

/** How a model wants to be asked; learnt from what its server refuses. */
export interface RequestCompat {
  /** `text`: the prompt tells of the tools, calls and results stand in the text. */
  tools: 'native' | 'text'
  /** `inUser`: at the top of the first user message, for templates without a system role (Gemma). */
  system: 'own' | 'inUser'
  /** `alternating`: user and assistant strictly in turn, the user first (Mistral, Gemma). */
  roles: 'any' | 'alternating'
  /** `one`: a message carries a single call, for templates that raise at several (Llama 3.1 and 3.2). Default: as the model made them. */
  calls?: 'one'
  /** `nine`: nine letters and digits, which Mistral's templates demand. Default: as the server gave them. */
  ids?: 'nine'
}

export const defaultCompat: RequestCompat = { tools: 'native', system: 'own', roles: 'any' }

/** The words that tell a model of tools which it cannot call natively. */
export type TextPrompt = (tools: readonly ChatTool[]) => string

/** Forms that were learnt, for each address and model. */
export interface CompatStore {
  get(baseUrl: string, model: string): RequestCompat | undefined
  set(baseUrl: string, model: string, form: RequestCompat): void
}

/** More models than anybody changes between; what was learnt of them is learnt again. */
const maxEntries = 64

export function createCompatStore(): CompatStore {
  const compatStore = new Map<string, RequestCompat>()
  const key = (baseUrl: string, model: string) => `${baseUrl} ${model}`
  return {
    get: (baseUrl, model) => compatStore.get(key(baseUrl, model)),
    set(baseUrl, model, form) {
      if (compatStore.size >= maxEntries) compatStore.clear()
      compatStore.set(key(baseUrl, model), form)
    },
  }
}

const noSystemRole = /system (role|message)s? (is |are )?not supported|does not support system|system role/i
const notAlternating =
  /roles? must alternate|must alternate between|alternat\w{1,10} user\/assistant|user\/assistant\/user/i
const oneCall = /only supports? single tool[- ]?calls?/i
const nineCharacters = /tool call ids? should be alphanumeric strings with length 9/i
const unknownRole = /(unexpected|unknown|unsupported|invalid|only) .{0,40}\brole/i
const templateFailed = /jinja|chat[ _-]?template|minja|Value is not callable|TemplateError|at row \d+, column \d+/i

/**
 * The form to try next after a server refused a request; undefined where another form would not help. Each step leads further away
 * from the plain form, so a request is tried six times at most.
 * @param text what the server said, as llama-server, vLLM, LM Studio and Ollama word it
 */
export function compatAfterRefusal(
  form: RequestCompat,
  request: ChatRequest,
  status: number,
  text: string,
  textPrompt: boolean,
): RequestCompat | undefined {
  if (![400, 422, 500, 501].includes(status)) return undefined
  const asText =
    textPrompt && form.tools === 'native' && usesTools(request) ? { ...form, tools: 'text' as const } : undefined
  if (cannotCallTools(text)) return asText
  const ownSystem = form.system === 'own' && request.messages.some(({ role }) => role === 'system')
  const merged = ownSystem ? { ...form, system: 'inUser' as const } : undefined
  if (noSystemRole.test(text)) return merged
  // Both stand in what a template raises, so they come before the template that just fails.
  if (usesNativeCalls(form, request) && oneCall.test(text) && form.calls === undefined) return { ...form, calls: 'one' }
  if (usesNativeCalls(form, request) && nineCharacters.test(text) && form.ids === undefined)
    return { ...form, ids: 'nine' }
  if (notAlternating.test(text)) return form.roles === 'any' ? { ...form, roles: 'alternating' } : (asText ?? merged)
  if (unknownRole.test(text) || templateFailed.test(text)) return asText ?? merged
  return undefined
}

function usesNativeCalls(form: RequestCompat, { messages }: ChatRequest): boolean {
  return (
    form.tools === 'native' &&
    messages.some((message) => message.role === 'assistant' && message.toolCalls !== undefined)
  )
}

function usesTools({ tools, messages }: ChatRequest): boolean {
  return tools.length > 0 || messages.some((message) => message.role === 'tool')
}

/** A request's messages and tools in a form; always a history that servers accept. */
export function adaptRequest(
  request: ChatRequest,
  form: RequestCompat,
  textPrompt: TextPrompt,
): Pick<ChatRequest, 'messages' | 'tools'> {
  let messages = withoutControlTokens(validHistory(request.messages))
  if (form.calls === 'one') messages = messages.flatMap((message) => oneByOne(message, messages))
  if (form.ids === 'nine') messages = messages.map(withNineCharacters)
  if (form.tools === 'text') messages = withToolsAsText(messages, request.tools, textPrompt)
  if (form.system === 'inUser') messages = withSystemInUser(messages)
  if (form.roles === 'alternating') messages = alternating(messages)
  return { messages, tools: form.tools === 'text' ? [] : request.tools }
}

/** A message of several calls as several messages, each with its result behind it. The history is valid: every call has one. */
function oneByOne(message: ChatMessage, all: readonly ChatMessage[]): ChatMessage[] {
  if (message.role === 'tool') return isOfSeveral(message.callId, all) ? [] : [message]
  if (message.role !== 'assistant' || !message.toolCalls || message.toolCalls.length < 2) return [message]
  return message.toolCalls.flatMap((call, position): ChatMessage[] => {
    const result = all.find((each) => each.role === 'tool' && each.callId === call.id)
    const { reasoning } = message
    const first = position === 0
    return [
      {
        role: 'assistant',
        content: first ? message.content : '',
        ...(first && reasoning && { reasoning }),
        toolCalls: [call],
      },
      ...(result ? [result] : []),
    ]
  })
}

/** Whether a call was made beside others in one message. */
function isOfSeveral(callId: string, messages: readonly ChatMessage[]): boolean {
  return messages.some(
    (message) =>
      message.role === 'assistant' &&
      (message.toolCalls?.length ?? 0) > 1 &&
      message.toolCalls?.some(({ id }) => id === callId),
  )
}

function withNineCharacters(message: ChatMessage): ChatMessage {
  if (message.role === 'tool') return { ...message, callId: nineCharacterId(message.callId) }
  if (message.role !== 'assistant' || !message.toolCalls) return message
  return { ...message, toolCalls: message.toolCalls.map((call) => ({ ...call, id: nineCharacterId(call.id) })) }
}

/** The same id every time, so that later requests begin with the same bytes. */
function nineCharacterId(id: string): string {
  return /^[a-zA-Z0-9]{9}$/.test(id) ? id : createHash('sha256').update(id).digest('hex').slice(0, 9)
}

/** Tools told in the system message, calls and results as Hermes and Qwen write them. */
function withToolsAsText(
  messages: readonly ChatMessage[],
  tools: readonly ChatTool[],
  textPrompt: TextPrompt,
): ChatMessage[] {
  const prompt = tools.length > 0 ? textPrompt(tools) : ''
  const system = messages.find((message) => message.role === 'system')
  const told: ChatMessage[] = [system?.content, prompt].some(Boolean)
    ? [{ role: 'system', content: [system?.content, prompt].filter(Boolean).join('\n\n') }]
    : []
  const rest = messages.filter((message) => message !== system).map(asText)
  return mergedUsers([...told, ...rest])
}

function asText(message: ChatMessage): ChatMessage {
  if (message.role === 'tool')
    return { role: 'user', content: `<tool_response>\n${message.name}: ${message.content}\n</tool_response>` }
  if (message.role !== 'assistant' || !message.toolCalls) return message
  return {
    role: 'assistant',
    content: [message.content, ...message.toolCalls.map(callText)].filter(Boolean).join('\n'),
  }
}

function callText({ name, arguments: json }: ModelCall): string {
  return `<tool_call>\n{"name": ${JSON.stringify(name)}, "arguments": ${json}}\n</tool_call>`
}

function withSystemInUser(messages: readonly ChatMessage[]): ChatMessage[] {
  const system = messages.flatMap((message) => (message.role === 'system' ? [message.content] : [])).join('\n\n')
  const rest = messages.filter(({ role }) => role !== 'system')
  return mergedUsers(system ? [{ role: 'user', content: system }, ...rest] : rest)
}

/** Neighbours of one role become one message. Results stay: templates that know them let them stand between the roles. */
function alternating(messages: readonly ChatMessage[]): ChatMessage[] {
  const merged: ChatMessage[] = []
  for (const message of mergedUsers(messages)) {
    const last = merged.at(-1)
    if (message.role === 'assistant' && last?.role === 'assistant' && !last.toolCalls)
      merged[merged.length - 1] = { ...message, content: [last.content, message.content].filter(Boolean).join('\n\n') }
    else merged.push(message)
  }
  const first = merged.findIndex(({ role }) => role !== 'system')
  // A conversation whose beginning was summarised away must still begin with the user.
  return merged[first]?.role === 'assistant'
    ? merged.toSpliced(first, 0, { role: 'user', content: '(The conversation goes on.)' })
    : merged
}

function mergedUsers(messages: readonly ChatMessage[]): ChatMessage[] {
  const merged: ChatMessage[] = []
  for (const message of messages) {
    const last = merged.at(-1)
    if (message.role === 'user' && last?.role === 'user') merged[merged.length - 1] = joined(last, message)
    else merged.push(message)
  }
  return merged
}
