import type { ChatMessage } from './client.ts'

/**
 * What chat templates write between turns, calls and results: `<|im_start|>` and its like (ChatML, Llama 3, harmony, Phi, GLM, DeepSeek),
 * Gemma's turns, Mistral's brackets, and the tags of Hermes and Qwen. Servers read a rendered prompt's text for such tokens, wherever
 * they stand: in a file or a page they would end the turn and speak as another role.
 */
const opening = String.raw`<(?=[|｜][^\s<>]{1,60}[|｜]>|/?(?:start_of_turn|end_of_turn|tool_call|tool_response|tool_calls|tool_responses)>|<SYS>>|</SYS>>)`
const bracket = String.raw`\[(?=/?(?:INST|TOOL_CALLS|TOOL_RESULTS|AVAILABLE_TOOLS|SYSTEM_PROMPT|TOOL_CONTENT|CALL_ID|ARGS)\])`
const token = new RegExp(`${opening}|${bracket}`, 'g')

const breaker = '\u200b'
/** In the JSON text of a call the character may stand as an escape. */
const broken = new RegExp(`${spaced(opening)}|${spaced(bracket)}`, 'gi')

function spaced(pattern: string): string {
  const at = pattern.indexOf('(?=')
  return String.raw`(?<=${pattern.slice(0, at)})(?:${breaker}|\\u200b)${pattern.slice(at)}`
}

/** Messages in which only the server's template writes control tokens: in all others a space of no width breaks them. */
export function withoutControlTokens(messages: readonly ChatMessage[]): ChatMessage[] {
  return messages.map((message) => (message.role === 'assistant' ? message : { ...message, content: message.content.replaceAll(token, `$&${breaker}`) }))
}

/** A call's arguments as the model means them: what it copied from such a text, without what was put into it. */
export function withControlTokens(text: string): string {
  return text.replaceAll(broken, '')
}
