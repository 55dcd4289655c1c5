import { isRecord } from './errorBody.ts'

/** What a server says when it refuses a request as too long. Tokens; absent where it names no number. */
export interface ContextExcess {
  /** What the model's context holds. */
  window?: number
  /** What the refused prompt takes. */
  prompt?: number
}

/**
 * Sentences in which servers refuse a prompt that exceeds the context. Sources, 2024 to 2026: llama-server (`exceed_context_size_error`),
 * Ollama, LM Studio, vLLM, SGLang, KoboldCpp, Text Generation Inference, TabbyAPI, and the gateways LiteLLM and OpenRouter.
 */
const refusals = [
  /exceed_context_size|context_length_exceeded|ContextWindowExceeded/i,
  /exceed(s|ed|ing)? (the |its |this )?((model|model's|available|max|maximum|allowed|configured|total) )*(context|input) ?(size|length|window)/i,
  /context (size|length|window|limit)( has been| was)? (exceeded|reached)|reached context length|context overflow/i,
  /(maximum|max\.?) (context|input) (length|size|window)|context length is only|max_model_len|maximum model length|max_seq_len/i,
  /(prompt|input|request|message|conversation)s? (is |are )?too (long|large)(?! to process)/i,
  /(longer|greater|larger) than the (model's )?(maximum )?(context|model|input|allowed)/i,
  /(input|prompt) (length|token count)\b.{0,40}\bexceeds?/i,
  /input is larger than the max context size/i,
  /model is loaded with context length of|n_keep\b.{0,24}>=? ?n_ctx/i,
  /context length of \d+ is (less|smaller) than/i,
  /`?inputs`? (tokens \+ `?max_new_tokens`? must be <=|must have less than)/i,
  /exceeds the maximum number of tokens allowed/i,
]

/** The window, in the order of certainty. A number that follows "by" is what is too much, not what fits. */
const windows = [
  /\bn_ctx\b\W{1,4}(\d[\d,]*)/i,
  /\b(?:context|model|sequence|allowed) ?(?:length|size|window|limit)\b(?: is| of| only| at| limit|:|=)*[\s('"]*(\d[\d,]*)/i,
  /\bmax_(?:model_len|seq_len|position_embeddings)\b\W{0,4}(?:of |is )?(\d[\d,]*)/i,
  /(?<![\d,])(\d[\d,]*) (?:tokens? )?maximum context (?:length|size|window)/i,
  /must be <=? ?(\d[\d,]*)|must have less than (\d[\d,]*)/i,
  /\d tokens? > (\d[\d,]*)/i,
  /number of tokens allowed \(?(\d[\d,]*)/i,
]

const prompts = [
  /\((\d[\d,]*) in the messages/i,
  /(?<![\d,])(\d[\d,]*) tokens from the input/i,
  /(?:request|input|prompt) \((\d[\d,]*) tokens?\)/i,
  /input length \((\d[\d,]*)/i,
  /\bn_keep\b\W{1,4}(\d[\d,]*)|keep the first (\d[\d,]*) tokens/i,
  /(?:passed|has|contains|contain|is too long:|length) (\d[\d,]*)(?: input)?(?: tokens|\) is longer)/i,
  /(?:however,? )?(?:you )?requested (?:about )?(\d[\d,]*) tokens/i,
]

/** Smaller numbers in such a sentence are something else. */
const leastWindow = 128

/**
 * Reads a refusal of a prompt that is too long.
 * @param text the sentence of the error
 * @param body the whole error, where llama-server names numbers in fields (`n_ctx`, `n_prompt_tokens`)
 * @returns undefined where the error is about something else
 */
export function contextExcess(text: string, body: string): ContextExcess | undefined {
  const fields = fieldsOf(body)
  const isRefusal = refusals.some((pattern) => pattern.test(text)) || refusals[0]?.test(fields.type)
  if (!isRefusal) return undefined
  const window = fields.n_ctx ?? numberIn(text, windows)
  const prompt = fields.n_prompt_tokens ?? numberIn(text, prompts)
  return {
    ...(window !== undefined && window >= leastWindow && { window }),
    ...(prompt !== undefined && prompt > (window ?? 0) && { prompt }),
  }
}

function numberIn(text: string, patterns: readonly RegExp[]): number | undefined {
  for (const pattern of patterns) {
    const found = pattern
      .exec(text)
      ?.slice(1)
      .find((group) => group !== undefined)
    if (found !== undefined) return Number(found.replaceAll(',', ''))
  }
  return undefined
}

function fieldsOf(body: string): { type: string; n_ctx?: number; n_prompt_tokens?: number } {
  let value: unknown
  try {
    value = JSON.parse(body)
  } catch {
    // A sentence without JSON around it has no fields.
    return { type: '' }
  }
  const outer = isRecord(value) ? value : {}
  const error = isRecord(outer['error']) ? outer['error'] : outer
  const number = (name: string) => (typeof error[name] === 'number' && error[name] > 0 ? { [name]: error[name] } : {})
  return {
    type: [error['type'], error['code']].filter((each) => typeof each === 'string').join(' '),
    ...number('n_ctx'),
    ...number('n_prompt_tokens'),
  }
}
