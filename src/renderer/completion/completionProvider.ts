import { StandaloneServices } from 'monaco-editor/editor/standalone/browser/standaloneServices'
import { IStorageService } from 'monaco-editor/platform/storage/common/storage'
import type { CompletionSuggestion } from '../../shared/editor/inlineCompletion.ts'
import { request } from '../platform/bridge/bridge.ts'
import { useApp } from '../platform/appState.ts'
import { monaco, pathOf } from '../platform/editor/monaco/monaco.ts'
import { canComplete, contextAt, continueSelected, type Lines } from './completionContext.ts'
import { followEdits } from './editHistory.ts'
import { nextEditProvider } from './nextEditProvider.ts'
import { newRequestId } from './requestIds.ts'
import { countAccepted, followGrowth, partlyAccepted, countShown } from './outcomes.ts'
import { once } from '../../shared/async/once.ts'

type Model = monaco.editor.ITextModel
type Items = monaco.languages.InlineCompletions

/** Suggests how the text continues at the cursor. Monaco calls it for each keystroke and cancels the previous call. */
const provider: monaco.languages.InlineCompletionsProvider<Items> = {
  displayName: 'Tizona',
  groupId: 'tizona.completion',
  async provideInlineCompletions(model, position, context, token) {
    const settings = useApp.getState().state?.settings.completion
    const path = pathOf(model.uri)
    if (!settings?.enabled || settings.model === null || path === null || !context.includeInlineCompletions) return null
    const { lineNumber: line, column } = position
    if (!canComplete(model.getLineContent(line), column)) return null
    if (!settings.inComments && isProse(model, position)) return null
    const id = newRequestId()
    // A lost connection also ends the request.
    const following = token.onCancellationRequested(
      () => void request('completion.cancel', { id }).catch(() => undefined),
    )
    try {
      const { before, after } = contextAt(linesOf(model), line, column)
      const answer = await request('completion.suggest', { id, path, line, before, after })
      if (!answer || token.isCancellationRequested || model.isDisposed()) return null
      const item = itemOf(model, position, answer, context.selectedSuggestionInfo)
      return item && { items: [item] }
    } catch {
      // Main reports the server's failures. Without a suggestion, nothing else is lost.
      return null
    } finally {
      following.dispose()
    }
  },
  handleItemDidShow: (_items, item) => countShown(item),
  handlePartialAccept: (_items, item) => partlyAccepted(item),
  handleEndOfLifetime(_items, item, reason) {
    if (reason.kind === monaco.languages.InlineCompletionEndOfLifeReasonKind.Accepted) countAccepted(item)
  },
  disposeInlineCompletions: () => undefined,
}

export function linesOf(model: Model): Lines {
  return { count: model.getLineCount(), line: (number) => model.getLineContent(number) }
}

/**
 * Builds the item that Monaco shows. While the suggest widget is open, a suggestion must start with the selected entry;
 * otherwise there is none.
 */
function itemOf(
  model: Model,
  position: monaco.Position,
  { text, replaces }: NonNullable<CompletionSuggestion>,
  selected: monaco.languages.InlineCompletionContext['selectedSuggestionInfo'],
): monaco.languages.InlineCompletion | null {
  const insertText = text.replaceAll('\n', model.getEOL())
  const end = position.delta(0, replaces)
  if (!selected) return { insertText, range: monaco.Range.fromPositions(position, end) }
  const start = monaco.Range.getStartPosition(selected.range)
  if (!start.isBeforeOrEqual(position)) return null
  const typed = model.getValueInRange(monaco.Range.fromPositions(start, position))
  const whole = continueSelected(insertText, typed, selected.text)
  return whole === null ? null : { insertText: whole, range: monaco.Range.fromPositions(start, end) }
}

/** Monaco's token types for comments and strings. */
const proseTokens: ReadonlySet<number> = new Set([1, 2])

/** Whether the cursor is in a comment or a string. */
function isProse(model: Model, position: monaco.Position): boolean {
  // Monaco uses this method for its own suggestions, but does not declare it.
  const { tokenization } = model as unknown as {
    tokenization?: { getTokenTypeIfInsertingCharacter?(line: number, column: number, character: string): number }
  }
  const type = tokenization?.getTokenTypeIfInsertingCharacter?.(position.lineNumber, position.column, 'a')
  return type !== undefined && proseTokens.has(type)
}

/** Registers inline completion for all files, and the key that accepts the next line. */
export const registerCompletionProvider = once((): void => {
  monaco.languages.registerInlineCompletionsProvider({ scheme: 'file' }, provider)
  // Without it, Monaco treats each window as a new user's: it animates the icon of the first next edit before rendering
  // it, and rejects with "Make sure the ref is set". -1: for the application, 0: for the user.
  StandaloneServices.get(IStorageService).store('inlineEditsGutterIndicatorUserKind', 'active', -1, 0)
  monaco.languages.registerInlineCompletionsProvider({ scheme: 'file' }, nextEditProvider)
  followEdits()
  followGrowth()
  monaco.editor.addKeybindingRule({
    keybinding: monaco.KeyMod.Shift | monaco.KeyCode.Tab,
    command: 'editor.action.inlineSuggest.acceptNextLine',
    when: 'inlineSuggestionVisible && editorTextFocus && !editorReadonly && !suggestWidgetVisible',
  })
})
