import { toolFields } from '../clients/chatClient.ts'
import type { ChatRequest } from '../clients/modelClient.ts'
import { wireMessage } from '../clients/openAiClient.ts'
import { validHistory } from '../clients/validHistory.ts'
import { countAtServer, type CountDeps } from './countAtServer.ts'

/** Counts the tokens of a whole request, as its chat template renders it. Undefined if the server cannot. */
export type CountRequest = (
  request: Pick<ChatRequest, 'messages' | 'tools'>,
  signal: AbortSignal,
) => Promise<number | undefined>

/** Timeouts in milliseconds. If a busy server takes longer, the count of the texts is good enough. */
const timeouts = { connectMs: 1000, headersMs: 3000, chunkMs: 3000 }

/**
 * Creates the counter of requests for an OpenAI-compatible server: llama-server and OpenAI count at `input_tokens`, vLLM
 * at `/tokenize`. Uses the first path that works for all later requests.
 */
export function createRequestCounter(deps: CountDeps, model: string): CountRequest {
  const paths = ['/v1/chat/completions/input_tokens', '/tokenize']
  let supported: string | undefined

  return async ({ messages, tools }, signal) => {
    const body = { model, messages: validHistory(messages).map(wireMessage), ...toolFields(tools) }
    for (const path of supported === undefined ? paths : [supported]) {
      const count = await countAtServer(deps, { path, body, timeouts, read: readCount }, signal)
      // llama-server's `/tokenize` ignores messages: no tokens.
      if (count === undefined || count === 0) continue
      supported = path
      return count
    }
    return undefined
  }
}

/** Reads `input_tokens` (llama-server) or `count` (vLLM). */
const readCount = (answer: Record<string, unknown>): unknown => answer['input_tokens'] ?? answer['count']
