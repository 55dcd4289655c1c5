import { isWithoutFolder } from '../../shared/files/outsideFiles.ts'
import type { CodeOutline } from '../../shared/language/codeNavigation.ts'
import type { RequestName, RequestParams, RequestResult } from '../../shared/bridge/protocol.ts'
import { request } from '../platform/bridge/bridge.ts'
import type { TextBuffer } from '../platform/editor/documents/textBuffer.ts'
import { documents } from '../platform/editor/documents/windowDocuments.ts'
import { runningServerKey } from '../platform/languages/languageStore.ts'

type CodeRequest = Extract<RequestName, `code.${string}`>

/** Sends a request to the code index or a language server, after sending unsaved changes to main. */
export function requestCode<N extends CodeRequest>(name: N, params: RequestParams<N>): Promise<RequestResult<N>> {
  documents.flush()
  return request(name, params)
}

interface KnownOutline {
  version: number
  /** The language servers that could respond. A server that has started since may know more than the index. */
  servers: string
  answer: Promise<CodeOutline>
  /** The latest outline that has arrived, of this version or an earlier one. */
  outline: CodeOutline | undefined
  nextAt: number
}

/** Each buffer's latest outline. `nextAt` is the earliest time of the next request, in terms of performance.now(). */
const outlines = new WeakMap<TextBuffer, KnownOutline>()

/** Maximum share of time spent on computing outlines of a changing file. */
const outlineShare = 0.2
/** Maximum milliseconds to delay a request. */
const maxOutlineDelay = 2000

/** Requests an outline, not before the given time. @param before the latest one, which may not have changed */
async function requestOutline(path: string, at: number, before: CodeOutline | undefined): Promise<CodeOutline> {
  const rest = Math.min(at - performance.now(), maxOutlineDelay)
  if (rest > 0) await new Promise((over) => setTimeout(over, rest))
  const known = before?.path === path ? before.revision : undefined
  const outline = await requestCode('code.outline', { path, ...(known !== undefined && { known }) })
  // Null only for a known revision.
  return outline ?? (before as CodeOutline)
}

/**
 * Returns a file's outline. All callers (outline view, sticky scroll, quick open) share one request per version of the
 * text. Files with slow outlines are requested less often.
 */
export function outlineOf(path: string): Promise<CodeOutline> {
  // The index knows the language of a file by its name, which an untitled text does not have.
  if (isWithoutFolder(path))
    return Promise.resolve({ path, language: null, supported: false, problem: '', symbols: [] })
  const buffer = documents.buffer(path)
  const version = buffer?.version()
  if (!buffer || version === undefined) return requestOutline(path, 0, undefined)
  const known = outlines.get(buffer)
  const servers = runningServerKey()
  if (known?.version === version && known.servers === servers) return known.answer
  const answer = requestOutline(path, known?.nextAt ?? 0, known?.outline)
  const asked: KnownOutline = { version, servers, answer, outline: known?.outline, nextAt: 0 }
  outlines.set(buffer, asked)
  const start = Math.max(performance.now(), known?.nextAt ?? 0)
  const end = (outline?: CodeOutline): void => {
    if (outline) asked.outline = outline
    asked.nextAt = performance.now() + (performance.now() - start) * (1 / outlineShare - 1)
  }
  answer.then(end, () => end())
  // Let the next call try again.
  answer.catch(() => outlines.delete(buffer))
  return answer
}
