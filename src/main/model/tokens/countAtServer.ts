import { isRecord, type RequestTarget } from '../transport/modelErrors.ts'
import { readText, sendRequest, type ConnectionOptions } from '../transport/http.ts'

export interface CountDeps {
  /** The base URL from `serverRoot`. */
  root: string
  target: RequestTarget
  connection(): Promise<ConnectionOptions>
}

/** A request for a token count. */
export interface CountQuestion {
  path: string
  body: Record<string, unknown>
  /** Timeouts in milliseconds, short where an estimate serves as well. */
  timeouts: { connectMs: number; headersMs: number; chunkMs: number }
  /** Reads the count from the answer. */
  read(answer: Record<string, unknown>): unknown
}

/**
 * Requests a token count from a server.
 * @returns undefined if the server does not count at this path
 * @throws ModelError, AbortError
 */
export async function countAtServer(
  { root, target, connection }: CountDeps,
  { path, body, timeouts, read }: CountQuestion,
  signal: AbortSignal,
): Promise<number | undefined> {
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
  const count = read(parseRecord(await readText(answer, target)))
  return typeof count === 'number' && Number.isInteger(count) && count >= 0 ? count : undefined
}

function parseRecord(text: string): Record<string, unknown> {
  try {
    const answer: unknown = JSON.parse(text)
    return isRecord(answer) ? answer : {}
  } catch {
    // The path has a different meaning on this server.
    return {}
  }
}
