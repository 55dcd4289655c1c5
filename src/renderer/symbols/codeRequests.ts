import type { CodeOutline } from '../../shared/code.ts'
import type { RequestName, RequestParams, RequestResult } from '../../shared/protocol.ts'
import { request } from '../platform/bridge/bridge.ts'
import type { TextBuffer } from '../platform/editor/textBuffer.ts'
import { documents } from '../platform/editor/windowDocuments.ts'

type CodeRequest = Extract<RequestName, `code.${string}`>

/** Asks the code index about the text as it is now: what main has not heard of yet is told first. */
export function askCode<N extends CodeRequest>(name: N, params: RequestParams<N>): Promise<RequestResult<N>> {
  documents.flush()
  return request(name, params)
}

/** The outline asked for last, of each open text, and the time from which the next one is asked for. */
const outlines = new WeakMap<TextBuffer, { version: number; answer: Promise<CodeOutline>; nextAt: number }>()

/** A file's outline takes at most this share of the time while its text changes. */
const outlineShare = 0.2
/** Milliseconds that it waits for that at most. */
const maxOutlineRest = 2000

/** Asks for an outline when the rest after the one before is over. */
async function askOutline(path: string, at: number): Promise<CodeOutline> {
  const rest = Math.min(at - performance.now(), maxOutlineRest)
  if (rest > 0) await new Promise((over) => setTimeout(over, rest))
  return askCode('code.outline', { path })
}

/**
 * A file's outline; asked once for a text, however many want it (the outline view, sticky scroll, quick outline). An outline of
 * thousands of symbols is not asked for again at once.
 */
export function outlineOf(path: string): Promise<CodeOutline> {
  const buffer = documents.buffer(path)
  const version = buffer?.version()
  if (!buffer || version === undefined) return askCode('code.outline', { path })
  const known = outlines.get(buffer)
  if (known?.version === version) return known.answer
  const answer = askOutline(path, known?.nextAt ?? 0)
  const asked = { version, answer, nextAt: 0 }
  outlines.set(buffer, asked)
  const start = Math.max(performance.now(), known?.nextAt ?? 0)
  const rest = (): void => {
    asked.nextAt = performance.now() + (performance.now() - start) * (1 / outlineShare - 1)
  }
  answer.then(rest, rest)
  // It fails for whoever waits; the next one asks again.
  answer.catch(() => outlines.delete(buffer))
  return answer
}
