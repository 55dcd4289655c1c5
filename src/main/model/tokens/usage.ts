import type { Usage } from '../../../shared/agent/conversation.ts'
import type { ChatRequest, ChatTool } from '../modelClient.ts'
import { memoizeObjects, memoizeTexts } from '../../base/memoize.ts'
import { isRecord } from '../transport/modelErrors.ts'

/** Chinese, Japanese, Korean and higher code points: about one token each. */
const wideCharacters = /[\u2e80-\ud7ff\uf900-\uffdc\u{10000}-\u{3ffff}]/gu
const otherLetters = /[\u0370-\u2e7f]/g

/**
 * Estimates the tokens of a text: 3.5 characters each. English prose has about 4, code and JSON 3 to 3.5, so the
 * estimate is slightly high for prose. Other alphabets have about 2 characters per token, Chinese, Japanese and Korean
 * one. tokenCounter.ts corrects it by the counts that a server reports.
 */
export const estimateTokens: (text: string) => number = memoizeTexts(countTokens)

function countTokens(text: string): number {
  const wide = text.match(wideCharacters)?.length ?? 0
  const other = text.match(otherLetters)?.length ?? 0
  return Math.ceil((text.length - wide - other) / 3.5 + wide + other / 2)
}

/** Maximum of reported prompt tokens, relative to the estimate. A larger report is wrong. */
const maxReported = 8

/** Returns the JSON of tools, which are the same in all requests of a turn; '' if there are none. */
export const toolsText = memoizeObjects((tools: readonly ChatTool[]) =>
  tools.length === 0 ? '' : JSON.stringify(tools),
)

/** Estimates the tokens of a whole request. */
function estimateRequest(request: Pick<ChatRequest, 'messages' | 'tools'>): number {
  // Not cached, because each request has a different text.
  return countTokens(JSON.stringify(request.messages)) + estimateTokens(toolsText(request.tools))
}

/** Measures the speed and size of a streamed answer. */
export class UsageMeter {
  readonly #request: ChatRequest
  #characters = 0
  #first: number | undefined
  #last = 0

  constructor(request: ChatRequest) {
    this.#request = request
  }

  /** Records a chunk of text, reasoning or arguments. */
  record(text: string): void {
    this.#characters += text.length
    this.#last = performance.now()
    this.#first ??= this.#last
  }

  /**
   * Reads the usage that OpenAI-compatible servers report (`usage`, llama.cpp's `timings`), or estimates it. Computes a
   * missing speed from the time between the first and the last chunk.
   */
  openai(usage: unknown, timings: unknown): Usage {
    const reported = isRecord(usage) ? usage : {}
    const timed = isRecord(timings) ? timings : {}
    // llama-server's timings include the evaluated and the cached tokens. Older versions report only the evaluated ones
    // as the prompt.
    const whole = this.#plausible((count(timed['prompt_n']) ?? 0) + (count(timed['cache_n']) ?? 0)) ?? 0
    const reportedPrompt = this.#plausible(count(reported['prompt_tokens']))
    const prompt = whole > 0 ? Math.max(whole, reportedPrompt ?? 0) : reportedPrompt
    const completion = count(reported['completion_tokens']) ?? count(timed['predicted_n'])
    const details = isRecord(reported['prompt_tokens_details']) ? reported['prompt_tokens_details'] : {}
    const cached = count(timed['cache_n']) ?? count(details['cached_tokens'])
    return {
      ...this.#usage(prompt, completion, plausibleSpeed(timed['predicted_per_second'])),
      ...(cached !== undefined && prompt !== undefined && cached <= prompt && { cachedTokens: cached }),
      ...readingSpeed(plausibleSpeed(timed['prompt_per_second'])),
      ...draftedTokens(count(timed['draft_n']), count(timed['draft_n_accepted'])),
    }
  }

  /**
   * Reads the last line of Ollama's answer. Durations are in nanoseconds. `prompt_eval_count` is the whole prompt;
   * newer versions also report the cached part. `prompt_eval_duration` is the time for the rest.
   */
  ollama(last: Record<string, unknown>): Usage {
    const completion = count(last['eval_count'])
    const nanoseconds = positive(last['eval_duration'])
    const speed = completion && nanoseconds && plausibleSpeed(completion / (nanoseconds / 1e9))
    const read = this.#plausible(count(last['prompt_eval_count']))
    const reading = positive(last['prompt_eval_duration'])
    const reported = count(last['prompt_eval_cached_count'])
    const cached = read !== undefined && reported !== undefined && reported <= read ? reported : undefined
    return {
      ...this.#usage(read, completion, speed),
      ...(cached !== undefined && { cachedTokens: cached }),
      ...readingSpeed(read && reading && plausibleSpeed((read - (cached ?? 0)) / (reading / 1e9))),
    }
  }

  /** Returns a reported number of prompt tokens, unless it is implausible for a prompt of this size. */
  #plausible(tokens: number | undefined): number | undefined {
    if (tokens === undefined || tokens <= minPlausible) return tokens
    return tokens <= estimateRequest(this.#request) * maxReported + minPlausible ? tokens : undefined
  }

  #usage(prompt: number | undefined, completion: number | undefined, speed: number | undefined): Usage {
    const estimated = prompt === undefined || completion === undefined
    const completionTokens = completion ?? Math.ceil(this.#characters / 3.5)
    const seconds = this.#first === undefined ? 0 : (this.#last - this.#first) / 1000
    const tokensPerSecond = speed ?? (seconds > 0.02 && completionTokens > 1 ? completionTokens / seconds : undefined)
    return {
      promptTokens: prompt ?? estimateRequest(this.#request),
      completionTokens,
      ...(tokensPerSecond !== undefined && { tokensPerSecond }),
      ...(estimated && { estimated }),
    }
  }
}

/** Larger reports of tokens and of tokens per second are wrong. */
const maxCount = 1e8
const maxSpeed = 1e7
/** Maximum tokens that a template may add to a short prompt. */
const minPlausible = 20_000

function readingSpeed(tokensPerSecond: number | undefined): Pick<Usage, 'promptTokensPerSecond'> {
  return tokensPerSecond ? { promptTokensPerSecond: tokensPerSecond } : {}
}

/** llama-server reports both only if it drafted. */
function draftedTokens(tokens: number | undefined, accepted: number | undefined): Pick<Usage, 'drafted'> {
  return tokens && accepted !== undefined && accepted <= tokens ? { drafted: { tokens, accepted } } : {}
}

function count(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= maxCount ? value : undefined
}

function positive(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : undefined
}

/** Returns tokens per second, unless the value is implausibly high. */
function plausibleSpeed(value: unknown): number | undefined {
  const speed = positive(value)
  return speed !== undefined && speed <= maxSpeed ? speed : undefined
}
