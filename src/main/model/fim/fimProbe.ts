import { asSentence } from '../../base/asSentence.ts'
import { ModelError } from '../modelClient.ts'
import type { ServerAccess } from '../transport/serverAccess.ts'
import { getJson, getOptionalJson, type ListRequest } from '../clients/modelListing.ts'
import { readText, sendRequest } from '../transport/http.ts'
import { errorText, isRecord, serverFailed } from '../transport/modelErrors.ts'
import { parseServerJson } from '../transport/serverJson.ts'
import { rawFormat, type FimFormat } from './fimRequests.ts'

/** Timeouts in milliseconds. The server may have to load the model. */
const probeTimeouts = { connectMs: 3000, headersMs: 120_000, chunkMs: 30_000 }
/** Number of words in the probe's suffix. A server that counts fewer prompt tokens ignores the suffix. */
const probeWords = 60

/**
 * Detects the format in which a server fills in the middle with a model. Sends at most three short requests.
 * @throws ModelError `bad_request` if it cannot; others if the server fails
 */
export async function detectFormat(access: ServerAccess, model: string, signal: AbortSignal): Promise<FimFormat> {
  const request: ListRequest = { root: access.root, connection: access.connection, target: access.target, signal }
  if (access.target.kind === 'ollama') {
    const details = await getJson(request, '/api/show', { model })
    if (acceptsSuffix(details)) return { kind: 'ollamaSuffix' }
    return rawFormat('ollama', model) ?? unsupported(access, model)
  }
  const props = await getOptionalJson(request, '/props')
  if (isRecord(props) && ('total_slots' in props || 'default_generation_settings' in props)) {
    const infill = await probe(access, signal, '/infill', { model, input_prefix: 'a', input_suffix: 'b', n_predict: 1 })
    if (infill.ok) return { kind: 'infill' }
    // Models without tokens for filling in the middle, such as Seed-Coder's, answer 501.
    return rawFormat('openai', model) ?? unsupported(access, model, infill.problem)
  }
  const suffix = await probe(access, signal, '/v1/completions', {
    model,
    prompt: 'def add(a, b):\n    return ',
    suffix: `\n${'word '.repeat(probeWords)}`,
    max_tokens: 1,
  })
  if (suffix.ok && countsSuffix(suffix.body)) return { kind: 'suffix' }
  return rawFormat('openai', model) ?? unsupported(access, model, suffix.ok ? undefined : suffix.problem)
}

/** Whether Ollama's template of the model has a suffix. Newer versions list the capability. */
function acceptsSuffix(details: unknown): boolean {
  if (!isRecord(details)) return false
  const { capabilities, template } = details
  if (Array.isArray(capabilities) && capabilities.includes('insert')) return true
  return typeof template === 'string' && template.includes('.Suffix')
}

/** Whether the reported number of prompt tokens includes the suffix. Several servers ignore it silently. */
function countsSuffix(body: unknown): boolean {
  const usage = isRecord(body) ? body['usage'] : undefined
  const tokens = isRecord(usage) ? usage['prompt_tokens'] : undefined
  return typeof tokens === 'number' && tokens >= probeWords
}

type Probe = { ok: true; body: unknown } | { ok: false; problem: string }

/** Sends a request whose rejection means that the server does not support it. @throws ModelError for other failures */
async function probe(access: ServerAccess, signal: AbortSignal, path: string, body: object): Promise<Probe> {
  const { root, connection, target } = access
  const answer = await sendRequest({
    method: 'POST',
    url: `${root}${path}`,
    connection,
    body,
    signal,
    timeouts: probeTimeouts,
    target,
  })
  // A model that works needs no more time than this.
  if (path === '/infill' && answer.status === 200) {
    answer.close()
    return { ok: true, body: undefined }
  }
  const text = await readText(answer, target)
  if ([400, 404, 405, 422, 501].includes(answer.status)) return { ok: false, problem: errorText(text) }
  if (answer.status < 200 || answer.status >= 300) throw serverFailed(answer.status, text, target)
  try {
    return { ok: true, body: parseServerJson(text) }
  } catch {
    return { ok: false, problem: `${path} did not answer with JSON.` }
  }
}

function unsupported({ target }: ServerAccess, model: string, problem = ''): never {
  const detail = problem === '' ? '' : ` ${target.name} reports: ${asSentence(problem.slice(0, 200))}`
  throw new ModelError(
    'bad_request',
    `${model} cannot fill in the middle of a text.${detail}`,
    'Choose a model for code completion, for example Qwen2.5-Coder, Qwen3-Coder, Codestral, StarCoder2 or Granite Code.',
  )
}
