import type { ModelDownload } from '../../../shared/models/firstSteps.ts'
import type { ServerAccess } from '../transport/serverAccess.ts'
import { ModelError } from '../modelClient.ts'
import { isRecord, serverFailed } from '../transport/modelErrors.ts'
import { readText, sendRequest } from '../transport/http.ts'
import { createProgressWatch } from '../transport/progressWatch.ts'
import { parseServerJson } from '../transport/serverJson.ts'
import { ndjsonLines } from '../transport/sse.ts'

interface PullRequest extends ServerAccess {
  model: string
  signal: AbortSignal
  onProgress(progress: Pick<ModelDownload, 'status' | 'completed' | 'total'>): void
}

/** Minimum time between two reports of progress, in milliseconds. Ollama sends a line every 60 ms. */
const reportEveryMs = 200

/**
 * Downloads a model into Ollama (`POST /api/pull`). Resolves when it can be used. Aborting keeps the downloaded parts,
 * so that the next download continues there.
 *
 * The lines as documented in docs/api.md of github.com/ollama/ollama: `{"status":"pulling manifest"}`, then
 * `{"status":"pulling 6a0746a1ec1a","digest":"sha256:…","total":1,"completed":1}` for each part, `{"status":"success"}`
 * at the end, and `{"error":"…"}` for a failure.
 * @throws ModelError, AbortError
 */
export async function pullModel({ root, connection, target, model, signal, onProgress }: PullRequest): Promise<void> {
  const response = await sendRequest({
    method: 'POST',
    url: `${root}/api/pull`,
    body: { model, stream: true },
    connection,
    signal,
    target,
  })
  if (response.status !== 200) throw pullFailed(await readText(response, target), response.status, { target, model })
  const parts = new Map<string, { completed: number; total: number }>()
  let reported = -Infinity
  const watch = createProgressWatch(target, response.timeouts)
  let last = ''
  for await (const line of ndjsonLines(response.chunks(), target, watch)) {
    if (line !== last) watch.progressed()
    last = line
    const message = parseLine(line)
    if (typeof message['error'] === 'string') throw pullFailed(line, response.status, { target, model })
    const status = typeof message['status'] === 'string' ? message['status'] : ''
    if (status === 'success') return
    const digest = message['digest']
    if (typeof digest === 'string')
      parts.set(digest, { completed: byteCount(message['completed']), total: byteCount(message['total']) })
    if (performance.now() - reported < reportEveryMs) continue
    reported = performance.now()
    const sum = (key: 'completed' | 'total') => [...parts.values()].reduce((all, part) => all + part[key], 0)
    onProgress({ status, completed: sum('completed'), total: sum('total') })
  }
  throw new ModelError(
    'cut_off',
    `${target.name} stopped sending before ${model} was complete.`,
    'Download it again; Ollama continues with the parts that it has.',
  )
}

function parseLine(line: string): Record<string, unknown> {
  try {
    const value = parseServerJson(line)
    return isRecord(value) ? value : {}
  } catch {
    // A line that is not JSON has no progress; the end of the stream decides.
    return {}
  }
}

const byteCount = (value: unknown): number =>
  typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : 0

function pullFailed(
  body: string,
  status: number,
  { target, model }: Pick<PullRequest, 'target' | 'model'>,
): ModelError {
  if (/file does not exist|not found/i.test(body))
    return new ModelError(
      'no_model',
      `Ollama's library has no model named ${model}.`,
      'Check the name at ollama.com/library.',
    )
  if (/no space left/i.test(body))
    return new ModelError(
      'server_error',
      `The disk is full, so ${target.name} could not store ${model}.`,
      'Free some space, or download a smaller model. Ollama keeps the parts that it has.',
    )
  if (/dial tcp|no such host|timeout|connection refused/i.test(body))
    return new ModelError(
      'unreachable',
      `${target.name} cannot reach its library to download ${model}.`,
      'Check the network connection of the machine that Ollama runs on.',
    )
  return serverFailed(status, body, target)
}
