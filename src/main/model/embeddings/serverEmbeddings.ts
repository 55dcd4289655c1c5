import { ModelError } from '../modelClient.ts'
import type { ServerAccess } from '../transport/serverAccess.ts'
import { readText, sendRequest } from '../transport/http.ts'
import { isRecord, notModelServer, serverFailed, type RequestTarget } from '../transport/modelErrors.ts'
import { parseServerJson } from '../transport/serverJson.ts'

/** Timeouts in milliseconds. A server may load the model first. */
const timeouts = { connectMs: 3000, headersMs: 60_000, chunkMs: 10_000 }
/** Maximum texts in a request. Some servers accept no more. */
const maxTexts = 32
/** Maximum numbers in a vector. Known models have fewer. */
const maxDimensions = 10_000

/**
 * Requests the embeddings of texts from `/v1/embeddings`, which llama-server, vLLM, SGLang, LM Studio and Ollama have.
 * @returns a vector per text, in the order of the texts; all have the same length
 * @throws ModelError, `bad_response` if a vector is missing or damaged; AbortError
 */
export async function embedAtServer(
  { root, connection, target }: ServerAccess,
  texts: readonly string[],
  signal: AbortSignal,
): Promise<Float32Array[]> {
  const vectors: Float32Array[] = []
  for (let at = 0; at < texts.length; at += maxTexts) {
    const input = texts.slice(at, at + maxTexts)
    const answer = await sendRequest({
      method: 'POST',
      url: `${root}/v1/embeddings`,
      connection,
      body: { model: target.model, input, encoding_format: 'float' },
      signal,
      timeouts,
      target,
    })
    const text = await readText(answer, target)
    if (answer.status < 200 || answer.status >= 300) throw serverFailed(answer.status, text, target)
    vectors.push(...vectorsIn(parse(text, target), input.length, target))
  }
  if (vectors.some(({ length }) => length !== vectors[0]?.length))
    throw damaged(`${target.name} sent vectors of different lengths.`)
  return vectors
}

function parse(text: string, target: RequestTarget): unknown {
  try {
    return parseServerJson(text)
  } catch {
    throw notModelServer(target, (server) => `${server} sent data that is not JSON.`)
  }
}

/** Reads the vectors in a response. Servers may return them in any order, with the position of the text in `index`. */
function vectorsIn(answer: unknown, count: number, target: RequestTarget): Float32Array[] {
  const data = isRecord(answer) ? answer['data'] : undefined
  if (!Array.isArray(data)) throw damaged(`${target.name} sent JSON without a list of embeddings.`)
  const entries: unknown[] = data
  const vectors = new Map<unknown, Float32Array>()
  for (const [at, entry] of entries.entries()) {
    if (!isRecord(entry)) throw damaged(`${target.name} sent an embedding that is not an object.`)
    vectors.set(entry['index'] ?? at, toVector(entry['embedding'], target))
  }
  return Array.from({ length: count }, (_, at) => {
    const vector = vectors.get(at)
    if (!vector || entries.length !== count)
      throw damaged(`${target.name} sent ${entries.length} embeddings in place of ${count}, or wrong numbers of texts.`)
    return vector
  })
}

/**
 * Converts a vector.
 * @throws ModelError `bad_response` if it is empty, too long, or has a value that is not a number
 */
export function toVector(value: unknown, target: Pick<RequestTarget, 'name'>): Float32Array {
  if (!Array.isArray(value) || value.length === 0 || value.length > maxDimensions)
    throw damaged(`${target.name} sent an embedding that is not a list of numbers.`)
  const values: unknown[] = value
  const vector = new Float32Array(values.length)
  for (const [at, number] of values.entries()) {
    // A number may be too large for 32 bits.
    if (typeof number !== 'number' || !Number.isFinite(Math.fround(number)))
      throw damaged(`${target.name} sent an embedding with values that are not numbers.`)
    vector[at] = number
  }
  return vector
}

function damaged(message: string): ModelError {
  return new ModelError('bad_response', message, 'Check that the model computes embeddings.')
}
