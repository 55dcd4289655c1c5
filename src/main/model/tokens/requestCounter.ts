import { toolFields } from '../clients/chatClient.ts'
import type { ChatRequest } from '../clients/modelClient.ts'
import { wireMessage } from '../clients/openAiClient.ts'
import { validHistory } from '../clients/validHistory.ts'
import { isRecord, type RequestTarget } from '../transport/modelErrors.ts'
import { readText, sendRequest, type ConnectionOptions } from '../transport/http.ts'

/** Counts the tokens of a whole request, as its chat template renders it. Undefined if the server cannot. */
export type CountRequest = (
  request: Pick<ChatRequest, 'messages' | 'tools'>,
  signal: AbortSignal,
) => Promise<number | undefined>

export interface RequestCounterDeps {
  /** The base URL from `serverRoot`. */
  root: string
  target: RequestTarget
  connection(): Promise<ConnectionOptions>
}

/** Timeouts in milliseconds. If a busy server takes longer, the count of the texts is good enough. */
const timeouts = { connectMs: 1000, headersMs: 3000, chunkMs: 3000 }

/**
 * Creates the counter of requests for an OpenAI-compatible server: llama-server and OpenAI count at `input_tokens`, vLLM
 * at `/tokenize`. Uses the first path that works for all later requests.
 */
export function createRequestCounter({ root, target, connection }: RequestCounterDeps, model: string): CountRequest {
  const paths = ['/v1/chat/completions/input_tokens', '/tokenize']
  let supported: string | undefined

  return async ({ messages, tools }, signal) => {
    const body = { model, messages: validHistory(messages).map(wireMessage), ...toolFields(tools) }
    for (const path of supported === undefined ? paths : [supported]) {
      const answer = await sendRequest({
        method: 'POST',
        url: `${root}${path}`,
        connection: await connection(),
        body,
        signal,
        timeouts,
        target,
      })
      const count = answer.status === 200 ? countIn(await readText(answer, target)) : undefined
      if (answer.status !== 200) answer.close()
      if (count === undefined) continue
      supported = path
      return count
    }
    return undefined
  }
}

/** Reads `input_tokens` (llama-server) or `count` (vLLM). llama-server's `/tokenize` ignores messages: no tokens. */
function countIn(text: string): number | undefined {
  let answer: unknown
  try {
    answer = JSON.parse(text)
  } catch {
    // The path has a different meaning on this server.
    return undefined
  }
  const count = isRecord(answer) ? (answer['input_tokens'] ?? answer['count']) : undefined
  return typeof count === 'number' && Number.isInteger(count) && count > 0 ? count : undefined
}
