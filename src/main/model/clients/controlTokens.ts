import type { ChatMessage } from './modelClient.ts'

/**
 * What chat templates write between turns, calls and results: `<|im_start|>` and its like (ChatML, Llama 3, harmony, Phi, GLM, DeepSeek),
 * Gemma's turns and calls, Mistral's brackets, and the tags of Hermes, Qwen and LongCat. Servers read a rendered prompt's text for such
 * tokens, also inside a file or a page: there they would end the turn and speak as another role.
 */
const tags = [
  '(?:start|end)_of_turn',
  '/?tool_(?:call|response)s?',
  '(?:start|end)_function_(?:call|response|declaration)',
  'escape',
  '/?longcat_tool_(?:call|response)',
]
const afterAngle = String.raw`(?:[|｜][^\s<>]{1,60}[|｜]>|\|\w{1,40}>|\w{1,40}\|>|/?｜\w{1,40}｜\w{1,40}>|(?:${tags.join('|')})>|</?SYS>>)`
const afterBracket = String.raw`/?(?:INST|TOOL_CALLS|TOOL_RESULTS|AVAILABLE_TOOLS|SYSTEM_PROMPT|TOOL_CONTENT|CALL_ID|ARGS)\]`

const breaker = '\u200b'
/** The place in a token where it is broken. A file may hold a broken token itself: it gets one more, so that undoing it is exact. */
const place = new RegExp(`<(?=${breaker}*${afterAngle})|\\[(?=${breaker}*${afterBracket})`, 'g')
const broken = brokenBy(breaker)
/** In JSON that is broken otherwise, and so cannot be parsed, the character may be written as an escape. */
const brokenInJson = brokenBy(String.raw`(?:${breaker}|\\u200[bB])`)

function brokenBy(character: string): RegExp {
  return new RegExp(
    `(?<=<)${character}(?=${character}*${afterAngle})|(?<=\\[)${character}(?=${character}*${afterBracket})`,
    'g',
  )
}

/** Messages in which only the server's template writes control tokens: in all but the model's own words a space of no width breaks them. */
export function withoutControlTokens(messages: readonly ChatMessage[]): ChatMessage[] {
  return messages.map((message) => {
    if (message.role !== 'assistant') return { ...message, content: brokenUp(message.content) }
    if (!message.toolCalls) return message
    // What a model wrote into a call comes from what it read; it must find both alike.
    return {
      ...message,
      toolCalls: message.toolCalls.map((call) => ({ ...call, arguments: brokenUp(call.arguments) })),
    }
  })
}

function brokenUp(text: string): string {
  return text.replaceAll(place, `$&${breaker}`)
}

/** A call's arguments as the model means them: what it copied from such a text, without what was put into it. @param json JSON text */
export function withControlTokens(json: string): string {
  if (!/\u200b|\\u200b/i.test(json)) return json
  try {
    const value: unknown = JSON.parse(json, (_key, inner: unknown) =>
      typeof inner === 'string' ? inner.replaceAll(broken, '') : inner,
    )
    return JSON.stringify(value)
  } catch {
    // What is no JSON reaches the executor as it was written, which repairs or refuses it.
    return json.replaceAll(brokenInJson, '')
  }
}
