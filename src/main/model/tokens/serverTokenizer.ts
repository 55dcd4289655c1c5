import { countAtServer, type CountDeps } from './countAtServer.ts'

/** Counts the tokens of a text. @returns undefined if the server has no tokenizer. @throws ModelError, AbortError */
export type Tokenize = (text: string, signal: AbortSignal) => Promise<number | undefined>

/** Timeouts in milliseconds. If a busy server takes longer, an estimate is good enough. */
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
