import { createHash } from 'node:crypto'
import { memoizeObjects } from '../../base/memoize.ts'
import { withoutControlTokens } from './controlTokens.ts'
import type { ChatMessage, ChatRequest, ChatTool, ModelCall } from '../modelClient.ts'
import { mergeUserMessages, validHistory } from './validHistory.ts'

/** The request format that a model accepts. */
export interface RequestCompat {
  /** `text`: the prompt describes the tools, and the message text contains calls and results. */
  tools: 'native' | 'text'
  /**
   * Why `tools` is `text`: the server cannot compile a grammar from these tools (`toolsHash`). Others are still sent
   * natively. Absent: the model cannot call tools.
   */
  grammarFailed?: readonly string[]
  /** Why `tools` is `text`: the server accepts tools and does not include them in the prompt. */
  toolsDropped?: true
  /** Why `tools` is `text`: the server's words when it refused the tools of a request. */
  refusal?: string
  /** Why `tools` is `text`: the server could not parse the calls that the model wrote, twice in a row. */
  unreadable?: true
  /** Whether the server has been checked for dropped tools (droppedTools.ts). */
  toolsChecked?: true
  /** `inUser`: at the start of the first user message, for templates without a system role (Gemma). */
  system: 'own' | 'inUser'
  /** `alternating`: user and assistant messages alternate strictly, starting with the user (Mistral, Gemma). */
  roles: 'any' | 'alternating'
  /** `required`: messages with calls have reasoning, as Moonshot's server demands. Default: what the template uses. */
  reasoning?: 'required'
  /** `one`: one call per message, for templates that reject several (Llama 3.1 and 3.2). Default: unchanged. */
  calls?: 'one'
  /** `nine`: nine letters and digits, as Mistral's templates require. Default: unchanged. */
  ids?: 'nine'
  /**
   * `newline`: replaces an empty text beside calls. llama-server passes an empty text to the template as null, on which
   * Qwen3's template fails. Default: unchanged.
   */
  emptyText?: 'newline'
}

/** Identifies a list of tools with their parameters. */
export const toolsHash = memoizeObjects((tools: readonly ChatTool[]) =>
  createHash('sha256').update(JSON.stringify(tools)).digest('base64'),
)

/** Returns a description of tools for the prompt of a model without native tool calls. */
export type TextPrompt = (tools: readonly ChatTool[]) => string

/** Returns the messages and tools of a request in the format that a model accepts, with a valid history. */
export function compatibleMessages(
  request: Pick<ChatRequest, 'messages' | 'tools'>,
  compat: RequestCompat,
  textPrompt: TextPrompt,
): Pick<ChatRequest, 'messages' | 'tools'> {
  let messages = withoutControlTokens(validHistory(request.messages))
  if (compat.calls === 'one') messages = messages.flatMap((message) => splitCalls(message, messages))
  if (compat.reasoning === 'required') messages = messages.map(withReasoning)
  if (compat.ids === 'nine') messages = messages.map(withNineCharacterIds)
  if (compat.emptyText === 'newline') messages = messages.map(withText)
  if (compat.tools === 'text') messages = withToolsAsText(messages, request.tools, textPrompt)
  if (compat.system === 'inUser') messages = withSystemInUser(messages)
  if (compat.roles === 'alternating') messages = alternating(messages)
  return { messages, tools: compat.tools === 'text' ? [] : request.tools }
}

/**
 * Splits a message with several calls into one message per call, each followed by its result. Requires a valid history.
 */
function splitCalls(message: ChatMessage, all: readonly ChatMessage[]): ChatMessage[] {
  if (message.role === 'tool') return hasSiblingCalls(message.callId, all) ? [] : [message]
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

/** Whether a call's message contains other calls. */
function hasSiblingCalls(callId: string, messages: readonly ChatMessage[]): boolean {
  return messages.some(
    (message) =>
      message.role === 'assistant' &&
      (message.toolCalls?.length ?? 0) > 1 &&
      message.toolCalls?.some(({ id }) => id === callId),
  )
}

function withNineCharacterIds(message: ChatMessage): ChatMessage {
  if (message.role === 'tool') return { ...message, callId: nineCharacterId(message.callId) }
  if (message.role !== 'assistant' || !message.toolCalls) return message
  return { ...message, toolCalls: message.toolCalls.map((call) => ({ ...call, id: nineCharacterId(call.id) })) }
}

/** Replaces unknown reasoning, such as another model's. The server accepts any text. */
function withReasoning(message: ChatMessage): ChatMessage {
  const lacksIt = message.role === 'assistant' && message.toolCalls !== undefined && !message.reasoning
  return lacksIt ? { ...message, reasoning: ' ' } : message
}

function withText(message: ChatMessage): ChatMessage {
  const isEmpty = message.role === 'assistant' && message.toolCalls !== undefined && message.content === ''
  return isEmpty ? { ...message, content: '\n' } : message
}

/** Deterministic, so that later requests have the same prefix. */
function nineCharacterId(id: string): string {
  return /^[a-zA-Z0-9]{9}$/.test(id) ? id : createHash('sha256').update(id).digest('hex').slice(0, 9)
}

/** Describes the tools in the system message, and writes calls and results in the format of Hermes and Qwen. */
function withToolsAsText(
  messages: readonly ChatMessage[],
  tools: readonly ChatTool[],
  textPrompt: TextPrompt,
): ChatMessage[] {
  const prompt = tools.length > 0 ? textPrompt(tools) : ''
  const system = messages.find((message) => message.role === 'system')
  const systemMessages: ChatMessage[] = [system?.content, prompt].some(Boolean)
    ? [{ role: 'system', content: [system?.content, prompt].filter(Boolean).join('\n\n') }]
    : []
  const rest = messages.filter((message) => message !== system).map(asText)
  return mergedUsers([...systemMessages, ...rest])
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

/** Merges consecutive messages of one role, except tool results, which templates allow between roles. */
function alternating(messages: readonly ChatMessage[]): ChatMessage[] {
  const merged: ChatMessage[] = []
  for (const message of mergedUsers(messages)) {
    const last = merged.at(-1)
    if (message.role === 'assistant' && last?.role === 'assistant' && !last.toolCalls)
      merged[merged.length - 1] = { ...message, content: [last.content, message.content].filter(Boolean).join('\n\n') }
    else merged.push(message)
  }
  const first = merged.findIndex(({ role }) => role !== 'system')
  // After compaction, a conversation may start with an assistant message.
  return merged[first]?.role === 'assistant'
    ? merged.toSpliced(first, 0, { role: 'user', content: '(The conversation continues.)' })
    : merged
}

function mergedUsers(messages: readonly ChatMessage[]): ChatMessage[] {
  const merged: ChatMessage[] = []
  for (const message of messages) {
    const last = merged.at(-1)
    if (message.role === 'user' && last?.role === 'user') merged[merged.length - 1] = mergeUserMessages(last, message)
    else merged.push(message)
  }
  return merged
}
