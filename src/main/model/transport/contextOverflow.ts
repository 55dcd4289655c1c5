import type { ContextOverflow } from '../modelClient.ts'
import { isRecord } from './errorBody.ts'

/**
 * Error messages about a prompt that exceeds the context. Sources, 2024 to 2026: llama-server
 * (`exceed_context_size_error`), Ollama, LM Studio, vLLM, SGLang, KoboldCpp, Text Generation Inference, TabbyAPI, and
 * the gateways LiteLLM and OpenRouter.
 */
const excessPatterns = [
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

/** Patterns for the context size, most reliable first. A number after "by" is the excess, not the size. */
const contextSizePatterns = [
  /\bn_ctx\b\W{1,4}(\d[\d,]*)/i,
  /\b(?:context|model|sequence|allowed) ?(?:length|size|window|limit)\b(?: is| of| only| at| limit|:|=)*[\s('"]*(\d[\d,]*)/i,
  /\bmax_(?:model_len|seq_len|position_embeddings)\b\W{0,4}(?:of |is )?(\d[\d,]*)/i,
  /(?<![\d,])(\d[\d,]*) (?:tokens? )?maximum context (?:length|size|window)/i,
  /must be <=? ?(\d[\d,]*)|must have less than (\d[\d,]*)/i,
  /\d tokens? > (\d[\d,]*)/i,
  /number of tokens allowed \(?(\d[\d,]*)/i,
]

const promptSizePatterns = [
  /\((\d[\d,]*) in the messages/i,
  /(?<![\d,])(\d[\d,]*) tokens from the input/i,
  /(?:request|input|prompt) \((\d[\d,]*) tokens?\)/i,
  /input length \((\d[\d,]*)/i,
  /\bn_keep\b\W{1,4}(\d[\d,]*)|keep the first (\d[\d,]*) tokens/i,
  /(?:passed|has|contains|contain|is too long:|length) (\d[\d,]*)(?: input)?(?: tokens|\) is longer)/i,
  /(?:however,? )?(?:you )?requested (?:about )?(\d[\d,]*) tokens/i,
]

/** Smaller numbers in an error message are not context sizes. */
const minContextSize = 128

/**
 * Parses an error about a prompt that exceeds the context.
 * @param text the error message
 * @param body the error response, in which llama-server has numeric fields (`n_ctx`, `n_prompt_tokens`)
 * @returns undefined if the error has another cause
 */
export function contextOverflow(text: string, body: string): ContextOverflow | undefined {
  const fields = fieldsOf(body)
  const isRefusal = excessPatterns.some((pattern) => pattern.test(text)) || excessPatterns[0]?.test(fields.type)
  if (!isRefusal) return undefined
  const window = fields.n_ctx ?? numberIn(text, contextSizePatterns)
  const prompt = fields.n_prompt_tokens ?? numberIn(text, promptSizePatterns)
  return {
    ...(window !== undefined && window >= minContextSize && { window }),
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
    // A plain text error has no fields.
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
