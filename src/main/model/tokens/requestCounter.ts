import type { PromptRequest } from '../modelClient.ts'
import { countAtServer, renderAtServer, type CountDeps } from './serverTokenizer.ts'

/** Counts the tokens of a whole request, as its chat template renders it. Undefined if the server cannot. */
export type CountRequest = (request: Omit<PromptRequest, 'model'>, signal: AbortSignal) => Promise<number | undefined>

/** In milliseconds. If a busy server takes longer, counting the texts is good enough. */
const timeouts = { connectMs: 1000, headersMs: 3000, chunkMs: 3000 }

/**
 * Creates the counter of requests for an OpenAI-compatible server: llama-server and OpenAI count at `input_tokens`, vLLM
 * at `/tokenize`. A llama-server of 2025 renders the prompt at `/apply-template`, and counts its tokens at `/tokenize`.
 * Uses the first way that works for all later requests.
 * @param promptFields returns what a chat request with the same messages and tools sends (`ModelClient.promptFields`)
 */
export function createRequestCounter(
  deps: CountDeps,
  model: string,
  promptFields: (request: PromptRequest) => Record<string, unknown>,
): CountRequest {
  type Count = (body: Record<string, unknown>, signal: AbortSignal) => Promise<number | undefined>
  const countAt =
    (path: string): Count =>
    (body, signal) =>
      countAtServer(deps, { path, body, timeouts, read: readCount }, signal)
  const countRendered: Count = async (body, signal) => {
    const prompt = await renderAtServer(deps, { path: '/apply-template', body, timeouts }, signal)
    if (prompt === undefined) return undefined
    const text = { model, content: prompt, add_special: true, parse_special: true }
    return countAtServer(deps, { path: '/tokenize', body: text, timeouts, read: readLength }, signal)
  }
  const ways = [countAt('/v1/chat/completions/input_tokens'), countAt('/tokenize'), countRendered]
  let supported: Count | undefined

  return async ({ messages, tools }, signal) => {
    const body = promptFields({ model, messages, tools })
    for (const count of supported === undefined ? ways : [supported]) {
      const tokens = await count(body, signal)
      // llama-server's `/tokenize` ignores messages and reports no tokens.
      if (tokens === undefined || tokens === 0) continue
      supported = count
      return tokens
    }
    return undefined
  }
}

/** Reads the tokens of llama-server's `/tokenize`. */
const readLength = ({ tokens }: Record<string, unknown>): unknown => (Array.isArray(tokens) ? tokens.length : undefined)

/** Reads `input_tokens` (llama-server) or `count` (vLLM). */
const readCount = (answer: Record<string, unknown>): unknown => answer['input_tokens'] ?? answer['count']
