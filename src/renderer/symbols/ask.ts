import type { CodeOutline } from '../../shared/code.ts'
import type { RequestName, RequestParams, RequestResult } from '../../shared/protocol.ts'
import { request } from '../bridge.ts'
import type { TextBuffer } from '../editor/buffer.ts'
import { documents } from '../editor/session.ts'

type CodeRequest = Extract<RequestName, `code.${string}`>

/** Asks the code index about the text as it is now: what main has not heard of yet is told first. */
export function askCode<N extends CodeRequest>(name: N, params: RequestParams<N>): Promise<RequestResult<N>> {
  documents.flush()
  return request(name, params)
}

/** The outline asked for last, of each open text. */
const outlines = new WeakMap<TextBuffer, { version: number; answer: Promise<CodeOutline> }>()

/** A file's outline; asked once for a text, however many want it (the outline view, sticky scroll, quick outline). */
export function outlineOf(path: string): Promise<CodeOutline> {
  const buffer = documents.buffer(path)
  const version = buffer?.version()
  if (!buffer || version === undefined) return askCode('code.outline', { path })
  const known = outlines.get(buffer)
  if (known?.version === version) return known.answer
  const answer = askCode('code.outline', { path })
  outlines.set(buffer, { version, answer })
  // It fails for whoever waits; the next one asks again.
  answer.catch(() => outlines.delete(buffer))
  return answer
}
