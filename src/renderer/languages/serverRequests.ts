import type { RangeEdit, TextRange } from '../../shared/language/languageServers.ts'
import type { RequestName, RequestParams, RequestResult } from '../../shared/bridge/protocol.ts'
import { request } from '../platform/bridge/bridge.ts'
import { monaco, pathOf } from '../platform/editor/monaco/monaco.ts'
import { documents } from '../platform/editor/documents/windowDocuments.ts'

type LanguageRequest = Extract<RequestName, `language.${string}`>

/**
 * Sends a request about a file to its language servers, after its unsaved changes. Returns null if the request fails,
 * because the user did not request it explicitly; the server's log has the reason.
 */
export async function requestFromServers<N extends LanguageRequest>(
  name: N,
  params: RequestParams<N>,
): Promise<RequestResult<N> | null> {
  documents.flush()
  return request(name, params).catch(() => null)
}

export function pathOfModel(model: monaco.editor.ITextModel): string {
  return pathOf(model.uri) ?? ''
}

export function toMonacoRange({ startLine, startColumn, endLine, endColumn }: TextRange): monaco.Range {
  return new monaco.Range(startLine, startColumn, endLine, endColumn)
}

export function fromMonacoRange({ startLineNumber, startColumn, endLineNumber, endColumn }: monaco.IRange): TextRange {
  return { startLine: startLineNumber, startColumn, endLine: endLineNumber, endColumn }
}

export function toMonacoEdits(edits: readonly RangeEdit[]): monaco.languages.TextEdit[] {
  return edits.map(({ range, text }) => ({ range: toMonacoRange(range), text }))
}
