import { readText, sendRequest, type ConnectionOptions } from '../transport/http.ts'
import { isRecord, type RequestTarget } from '../transport/modelErrors.ts'
import { parseServerJson } from '../transport/serverJson.ts'

/** Counts the tokens of a text. @returns undefined if the server has no tokenizer. @throws ModelError, AbortError */
export type Tokenize = (text: string, signal: AbortSignal) => Promise<number | undefined>

/** In milliseconds. If a busy server takes longer, an estimate is good enough. */
const timeouts = { connectMs: 1000, headersMs: 5000, chunkMs: 5000 }

interface CountRequest {
  path: string
  body: Record<string, unknown>
}

/**
 * Creates the tokenizer of an OpenAI-compatible server. llama-server (`content`), vLLM and SGLang (`model`, `prompt`)
 * share the path `/tokenize` and ignore unknown fields, so one request body serves all three; a llama-server router
 * selects the model by `model`. KoboldCpp counts at `/api/extra/tokencount`. Uses the first path that works for all
 * later requests.
 */
export function createServerTokenizer(deps: CountDeps, model: string): Tokenize {
  const requestForms = [
    (text: string): CountRequest => ({
      path: '/tokenize',
      body: { model, content: text, prompt: text, add_special: false, add_special_tokens: false },
    }),
    (text: string): CountRequest => ({ path: '/api/extra/tokencount', body: { prompt: text } }),
  ]
  let supportedForm: number | undefined

  return async (text, signal) => {
    for (const [at, requestForm] of requestForms.entries()) {
      if (supportedForm !== undefined && supportedForm !== at) continue
      const count = await countAtServer(deps, { ...requestForm(text), timeouts, read: readCount }, signal)
      if (count === undefined) continue
      supportedForm = at
      return count
    }
    return undefined
  }
}

/** Reads `count` (vLLM, SGLang), `value` (KoboldCpp), or the length of `tokens` (llama-server). */
function readCount({ count, value, tokens }: Record<string, unknown>): unknown {
  return count ?? value ?? (Array.isArray(tokens) ? tokens.length : undefined)
}

export interface CountDeps {
  /** The base URL from `serverRoot`. */
  root: string
  target: RequestTarget
  connection(): Promise<ConnectionOptions>
}

interface Question {
  path: string
  body: Record<string, unknown>
  /** In milliseconds. Short where an estimate is good enough. */
  timeouts: { connectMs: number; headersMs: number; chunkMs: number }
}

/** A request for a token count. */
interface CountQuestion extends Question {
  /** Reads the count from the answer. */
  read(answer: Record<string, unknown>): unknown
}

/**
 * Requests a token count from a server.
 * @returns undefined if the server does not count at this path
 * @throws ModelError, AbortError
 */
export async function countAtServer(
  deps: CountDeps,
  { read, ...question }: CountQuestion,
  signal: AbortSignal,
): Promise<number | undefined> {
  const answer = await answerOf(deps, question, signal)
  const count = answer && read(answer)
  return typeof count === 'number' && Number.isSafeInteger(count) && count >= 0 ? count : undefined
}

/**
 * Requests the prompt of a chat request, as llama-server's template renders it.
 * @returns undefined if the server does not render at this path, or its template fails
 * @throws ModelError, AbortError
 */
export async function renderAtServer(
  deps: CountDeps,
  question: Question,
  signal: AbortSignal,
): Promise<string | undefined> {
  const prompt = (await answerOf(deps, question, signal))?.['prompt']
  return typeof prompt === 'string' ? prompt : undefined
}

/** @returns undefined if the server refuses the request */
async function answerOf(
  { root, target, connection }: CountDeps,
  { path, body, timeouts }: Question,
  signal: AbortSignal,
): Promise<Record<string, unknown> | undefined> {
  const answer = await sendRequest({
    method: 'POST',
    url: `${root}${path}`,
    connection: await connection(),
    body,
    signal,
    timeouts,
    target,
  })
  if (answer.status !== 200) {
    answer.close()
    return undefined
  }
  return parseRecord(await readText(answer, target))
}

function parseRecord(text: string): Record<string, unknown> {
  try {
    const answer = parseServerJson(text)
    return isRecord(answer) ? answer : {}
  } catch {
    // The path has a different meaning on this server.
    return {}
  }
}
