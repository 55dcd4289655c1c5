import type { CodeOutline } from '../../shared/codeNavigation.ts'
import type { RequestName, RequestParams, RequestResult } from '../../shared/protocol.ts'
import { request } from '../platform/bridge/bridge.ts'
import type { TextBuffer } from '../platform/editor/textBuffer.ts'
import { documents } from '../platform/editor/windowDocuments.ts'

type CodeRequest = Extract<RequestName, `code.${string}`>

/** Sends a request to the code index after unsaved changes have been sent to main. */
export function requestCode<N extends CodeRequest>(name: N, params: RequestParams<N>): Promise<RequestResult<N>> {
  documents.flush()
  return request(name, params)
}

/** The latest outline of each buffer, and the earliest time of the next request. */
const outlines = new WeakMap<TextBuffer, { version: number; answer: Promise<CodeOutline>; nextAt: number }>()

/** Maximum share of time that outlines of a changing file use. */
const outlineShare = 0.2
/** Maximum wait in milliseconds. */
const maxOutlineDelay = 2000

/** Requests an outline after the wait since the previous one. */
async function requestOutline(path: string, at: number): Promise<CodeOutline> {
  const rest = Math.min(at - performance.now(), maxOutlineDelay)
  if (rest > 0) await new Promise((over) => setTimeout(over, rest))
  return requestCode('code.outline', { path })
}

/**
 * The outline of a file. All callers (outline view, sticky scroll, quick outline) share one request per text. Large
 * outlines are requested less often.
 */
export function outlineOf(path: string): Promise<CodeOutline> {
  const buffer = documents.buffer(path)
  const version = buffer?.version()
  if (!buffer || version === undefined) return requestCode('code.outline', { path })
  const known = outlines.get(buffer)
  if (known?.version === version) return known.answer
  const answer = requestOutline(path, known?.nextAt ?? 0)
  const asked = { version, answer, nextAt: 0 }
  outlines.set(buffer, asked)
  const start = Math.max(performance.now(), known?.nextAt ?? 0)
  const rest = (): void => {
    asked.nextAt = performance.now() + (performance.now() - start) * (1 / outlineShare - 1)
  }
  answer.then(rest, rest)
  // Current callers get the error. The next call tries again.
  answer.catch(() => outlines.delete(buffer))
  return answer
}
