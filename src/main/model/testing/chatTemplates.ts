import type { ReplyPart } from '../scripted/scenario.ts'
import { isRecord } from '../transport/modelErrors.ts'

/**
 * How a model's chat template writes a conversation. `chatml`: no thinking, as Qwen2.5 and Hermes. `stripsThinking`:
 * thinking only after the last message of the user, as Qwen3, GLM-4.5 and MiniMax-M2. `keepsThinking`: the same,
 * but thinking everywhere with `preserve_thinking`, as Qwen3.6.
 */
export type ChatTemplate = 'chatml' | 'stripsThinking' | 'keepsThinking'

/** Renders a chat request to the prompt of the model, up to where the model continues. */
export function renderPrompt(body: Record<string, unknown>, template: ChatTemplate): string {
  const messages = (Array.isArray(body['messages']) ? body['messages'] : []).filter(isRecord)
  const [first] = messages
  const system = first?.['role'] === 'system' ? text(first['content']) : ''
  const tools = Array.isArray(body['tools'])
    ? `\n\n# Tools\n${body['tools'].map((tool) => JSON.stringify(tool)).join('\n')}`
    : ''
  const lastUser = messages.findLastIndex((message) => message['role'] === 'user')
  const options = isRecord(body['chat_template_kwargs']) ? body['chat_template_kwargs'] : {}
  const thinksEverywhere = template === 'keepsThinking' && options['preserve_thinking'] === true
  const turns = messages.flatMap((message, position) => {
    switch (message['role']) {
      case 'assistant': {
        const thinks = thinksEverywhere || (template !== 'chatml' && position > lastUser)
        return [`${assistantStart}${assistantText(message, thinks)}`]
      }
      case 'tool':
        return [`<|im_start|>user\n<tool_response>\n${text(message['content'])}\n</tool_response><|im_end|>\n`]
      case 'user':
        return [`<|im_start|>user\n${text(message['content'])}<|im_end|>\n`]
      default:
        return []
    }
  })
  return `<|im_start|>system\n${system}${tools}<|im_end|>\n${turns.join('')}${assistantStart}`
}

/** Returns what the model wrote, as it is in the state of the slot after an answer. */
export function answerTurn(parts: readonly ReplyPart[], template: ChatTemplate): string {
  const thinking =
    template === 'chatml' ? '' : parts.map((part) => (part.kind === 'reasoning' ? part.text : '')).join('')
  const content = parts.map((part) => (part.kind === 'text' ? part.text : '')).join('')
  const calls = parts.flatMap((part) =>
    part.kind === 'call'
      ? [callText(part.name, typeof part.arguments === 'string' ? part.arguments : JSON.stringify(part.arguments))]
      : [],
  )
  return `${thinkingText(thinking)}${content}${calls.join('')}`
}

const assistantStart = '<|im_start|>assistant\n'
const thinkingText = (thinking: string): string => (thinking === '' ? '' : `<think>\n${thinking}\n</think>\n\n`)
const callText = (name: string, args: string): string =>
  `\n<tool_call>\n{"name": "${name}", "arguments": ${args}}\n</tool_call>`

function assistantText(message: Record<string, unknown>, thinks: boolean): string {
  const calls = (Array.isArray(message['tool_calls']) ? message['tool_calls'] : []).map((call: unknown) => {
    const called = isRecord(call) && isRecord(call['function']) ? call['function'] : {}
    return callText(String(called['name']), String(called['arguments']))
  })
  const thinking = thinks ? thinkingText(text(message['reasoning_content'])) : ''
  return `${thinking}${text(message['content'])}${calls.join('')}<|im_end|>\n`
}

function text(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content
    .map((part: unknown) => (isRecord(part) && typeof part['text'] === 'string' ? part['text'] : ''))
    .join('')
}
