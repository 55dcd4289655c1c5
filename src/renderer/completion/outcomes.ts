import type { CompletionOutcome } from '../../shared/completion.ts'
import { request } from '../platform/bridge/bridge.ts'
import { monaco } from '../platform/editor/monaco.ts'

type Item = monaco.languages.InlineCompletion

/** Milliseconds after which an accepted text is compared with what is left of it. */
const checkMs = 60_000
/** Milliseconds for which counts are collected before they are sent. */
const sendMs = 2000

let pending: Partial<CompletionOutcome> = {}
let timer: ReturnType<typeof setTimeout> | undefined
/** Characters of an item that were accepted by the word or line. */
const accumulated = new WeakMap<Item, number>()

function count(outcome: Partial<CompletionOutcome>): void {
  for (const [key, value] of Object.entries(outcome) as [keyof CompletionOutcome, number][])
    pending[key] = (pending[key] ?? 0) + value
  timer ??= setTimeout(() => {
    timer = undefined
    const sent = pending
    pending = {}
    // Figures of a lost connection are not worth a notice.
    request('completion.outcome', sent).catch(() => undefined)
  }, sendMs)
}

export function shown(item: Item): void {
  if (!accumulated.has(item)) count({ shown: 1 })
}

/** @param length characters of the item that are in the text now */
export function partlyAccepted(item: Item, length: number): void {
  const before = accumulated.get(item)
  accumulated.set(item, length)
  count({ ...(before === undefined && { accepted: 1 }), acceptedCharacters: Math.max(0, length - (before ?? 0)) })
}

/** Counts a whole suggestion, and later how much of it the user kept. */
export function accepted(item: Item): void {
  const { insertText, range } = item
  if (typeof insertText !== 'string' || !range) return
  const before = accumulated.get(item)
  const added = typedLength(item)
  count({ ...(before === undefined && { accepted: 1 }), acceptedCharacters: Math.max(0, added - (before ?? 0)) })
  const model = monaco.editor
    .getEditors()
    .find((editor) => editor.hasTextFocus())
    ?.getModel()
  if (!model) return
  const lines = insertText.split(/\r?\n/)
  const last = lines.at(-1) ?? ''
  const start = { lineNumber: range.startLineNumber, column: range.startColumn }
  const end = {
    lineNumber: start.lineNumber + lines.length - 1,
    column: last.length + (lines.length === 1 ? start.column : 1),
  }
  checkLater(model, monaco.Range.fromPositions(start, end), insertText)
}

/** Length of an item without the text that was there before. */
function typedLength({ insertText, range }: Item): number {
  const replaced = range ? range.endColumn - range.startColumn : 0
  return typeof insertText === 'string' ? Math.max(0, insertText.length - replaced) : 0
}

function checkLater(model: monaco.editor.ITextModel, range: monaco.Range, text: string): void {
  if (model.getValueInRange(range) !== text) return
  const [decoration] = model.deltaDecorations(
    [],
    [{ range, options: { stickiness: monaco.editor.TrackedRangeStickiness.NeverGrowsWhenTypingAtEdges } }],
  )
  setTimeout(() => {
    if (model.isDisposed() || decoration === undefined) return
    const now = model.getDecorationRange(decoration)
    model.deltaDecorations([decoration], [])
    count({ checkedCharacters: text.length, keptCharacters: now ? keptLength(text, model.getValueInRange(now)) : 0 })
  }, checkMs)
}

/** Pure: number of characters at both ends of a text that are still the same. */
export function keptLength(before: string, now: string): number {
  const most = Math.min(before.length, now.length)
  let start = 0
  while (start < most && before[start] === now[start]) start += 1
  let end = 0
  while (end < most - start && before.at(-1 - end) === now.at(-1 - end)) end += 1
  return start + end
}
