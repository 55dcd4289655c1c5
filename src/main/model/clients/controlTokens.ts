import { memoizeObjects, memoizeTexts } from '../../base/memoize.ts'
import type { ChatMessage } from '../modelClient.ts'

/**
 * Control tokens of chat templates: `<|im_start|>` and similar ones (ChatML, Llama 3, harmony, Phi, GLM, DeepSeek), the
 * turns and calls of Gemma, the brackets of Mistral, and the tags of Hermes, Qwen and LongCat. Servers recognize them
 * anywhere in a rendered prompt, so that a file or page containing them could end the turn and impersonate another
 * role.
 */
const tags = [
  '(?:start|end)_of_turn',
  '/?tool_(?:call|response)s?',
  '(?:start|end)_function_(?:call|response|declaration)',
  'escape',
  '/?longcat_tool_(?:call|response)',
]
// \uff5c is the wide bar of DeepSeek's tokens.
const afterAngle = String.raw`(?:[|\uff5c][^\s<>]{1,60}[|\uff5c]>|\|\w{1,40}>|\w{1,40}\|>|/?\uff5c\w{1,40}\uff5c\w{1,40}>|(?:${tags.join('|')})>|</?SYS>>)`
const afterBracket = String.raw`/?(?:INST|TOOL_CALLS|TOOL_RESULTS|AVAILABLE_TOOLS|SYSTEM_PROMPT|TOOL_CONTENT|CALL_ID|ARGS)\]`

const zeroWidthSpace = '\u200b'
/**
 * Positions in tokens at which to insert a zero-width space. A token that is already split gets another one, so that
 * the split can be undone exactly.
 */
const splitPosition = new RegExp(`<(?=${zeroWidthSpace}*${afterAngle})|\\[(?=${zeroWidthSpace}*${afterBracket})`, 'g')
const splitToken = tokenSplitBy(zeroWidthSpace)
/** Malformed JSON may contain the character as an escape sequence. */
const splitTokenInJson = tokenSplitBy(String.raw`(?:${zeroWidthSpace}|\\u200[bB])`)

function tokenSplitBy(character: string): RegExp {
  return new RegExp(
    `(?<=<)${character}(?=${character}*${afterAngle})|(?<=\\[)${character}(?=${character}*${afterBracket})`,
    'g',
  )
}

/**
 * Splits control tokens with a zero-width space in all text except the model's own, so that only the server's template
 * writes them.
 */
export function withoutControlTokens(messages: readonly ChatMessage[]): ChatMessage[] {
  return messages.map(withoutTokens)
}

/** Returns a message without tokens unchanged, so that its cached JSON is reused. */
const withoutTokens = memoizeObjects((message: ChatMessage): ChatMessage => {
  if (message.role !== 'assistant') {
    const content = splitControlTokens(message.content)
    return content === message.content ? message : { ...message, content }
  }
  if (!message.toolCalls) return message
  // Arguments often repeat text that the model has read, and must match it.
  const toolCalls = message.toolCalls.map((call) => ({ ...call, arguments: splitControlTokens(call.arguments) }))
  const isClean = message.toolCalls.every((call, at) => call.arguments === toolCalls[at]?.arguments)
  return isClean ? message : { ...message, toolCalls }
})

/** Splits control tokens in a text that becomes part of a message. */
export const splitControlTokens: (text: string) => string = memoizeTexts((text) =>
  text.replaceAll(splitPosition, `$&${zeroWidthSpace}`),
)

/** Removes the zero-width spaces that a model copied into its answer from split tokens. */
export function restoreControlTokens(text: string): string {
  return text.replaceAll(splitToken, '')
}

/** Removes the zero-width spaces that a model copied into a call's arguments. @param json JSON text */
export function withControlTokens(json: string): string {
  if (!/\u200b|\\u200b/i.test(json)) return json
  try {
    const value: unknown = JSON.parse(json, (_key, inner: unknown) =>
      typeof inner === 'string' ? restoreControlTokens(inner) : inner,
    )
    return JSON.stringify(value)
  } catch {
    // The executor repairs or rejects malformed JSON.
    return json.replaceAll(splitTokenInJson, '')
  }
}
