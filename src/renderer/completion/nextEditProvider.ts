import { excerptContextLines, excerptLines } from '../../shared/editor/inlineCompletion.ts'
import { useApp } from '../platform/appState.ts'
import { request } from '../platform/bridge/bridge.ts'
import { monaco, pathOf } from '../platform/editor/monaco/monaco.ts'
import { recentEdits } from './editHistory.ts'
import { newRequestId } from './requestIds.ts'

type Model = monaco.editor.ITextModel

/** Maximum length of a line in a request. */
const maxLineLength = 2000

/** Predicts the next edit near the cursor. Monaco shows it as a diff; Tab jumps there, and Tab again accepts it. */
export const nextEditProvider: monaco.languages.InlineCompletionsProvider = {
  displayName: 'Tizona',
  groupId: 'tizona.nextEdit',
  // A suggestion at the cursor takes precedence.
  yieldsToGroupIds: ['tizona.completion'],
  async provideInlineCompletions(model, position, context, token) {
    const settings = useApp.getState().state?.settings.completion
    const path = pathOf(model.uri)
    if (!settings?.enabled || settings.nextEditModel === null || path === null) return null
    if (!context.includeInlineEdits || context.selectedSuggestionInfo) return null
    const edits = recentEdits()
    const excerpt = excerptAt(model, position)
    if (edits.length === 0 || !excerpt) return null
    const id = newRequestId()
    const following = token.onCancellationRequested(
      () => void request('completion.cancel', { id }).catch(() => undefined),
    )
    try {
      const answer = await request('completion.nextEdit', { id, path, edits, ...excerpt })
      if (!answer || token.isCancellationRequested || model.isDisposed()) return null
      const last = answer.line + answer.count - 1
      const range = new monaco.Range(answer.line, 1, last, model.getLineMaxColumn(last))
      return { items: [{ insertText: answer.lines.join(model.getEOL()), range, isInlineEdit: true }] }
    } catch {
      // Main reports the server's failures. Without an edit, nothing else is lost.
      return null
    } finally {
      following.dispose()
    }
  },
  disposeInlineCompletions: () => undefined,
}

/** Returns the lines that can change, with surrounding lines; null if they are too long. */
function excerptAt(model: Model, { lineNumber, column }: monaco.Position) {
  const firstLine = Math.max(1, lineNumber - excerptLines.before)
  const lastLine = Math.min(model.getLineCount(), lineNumber + excerptLines.after)
  const lines = linesBetween(model, firstLine, lastLine)
  const above = linesBetween(model, Math.max(1, firstLine - excerptContextLines), firstLine - 1)
  const below = linesBetween(model, lastLine + 1, Math.min(model.getLineCount(), lastLine + excerptContextLines))
  if ([...above, ...lines, ...below].some((line) => line.length > maxLineLength)) return null
  return { firstLine, lines, above, below, cursor: { line: lineNumber - firstLine, character: column - 1 } }
}

function linesBetween(model: Model, first: number, last: number): string[] {
  const lines: string[] = []
  for (let at = first; at <= last; at += 1) lines.push(model.getLineContent(at))
  return lines
}
