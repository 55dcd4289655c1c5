import type { CompletionOutcome } from '../../shared/editor/inlineCompletion.ts'
import { request } from '../platform/bridge/bridge.ts'
import { monaco } from '../platform/editor/monaco/monaco.ts'
import { Delayer } from '../../shared/async/delayer.ts'

type Item = monaco.languages.InlineCompletion

/** Milliseconds after which accepted text is compared with what is left of it. */
const checkMs = 60_000
/** Milliseconds for which counts are collected before they are sent. */
const sendMs = 2000

let pending: Partial<CompletionOutcome> = {}
/** Items that were accepted in part. */
const partlyTaken = new WeakSet<Item>()
/** Characters that the latest change of a model added. */
const growth = new WeakMap<monaco.editor.ITextModel, number>()

/** Tracks the length of all models, because Monaco does not report how much of an item it inserted. */
export function followGrowth(): void {
  const follow = (model: monaco.editor.ITextModel): void => {
    model.onDidChangeContent(({ changes }) =>
      growth.set(
        model,
        changes.reduce((sum, { text, rangeLength }) => sum + text.length - rangeLength, 0),
      ),
    )
  }
  for (const model of monaco.editor.getModels()) follow(model)
  monaco.editor.onDidCreateModel(follow)
}

function count(outcome: Partial<CompletionOutcome>): void {
  for (const [key, value] of Object.entries(outcome) as [keyof CompletionOutcome, number][])
    pending[key] = (pending[key] ?? 0) + value
  sending.start()
}

const sending = new Delayer(() => {
  const sent = pending
  pending = {}
  // Not worth a notice if the connection is lost.
  request('completion.outcome', sent).catch(() => undefined)
}, sendMs)

export function countShown(item: Item): void {
  if (!partlyTaken.has(item)) count({ shown: 1 })
}

/** Called after a word or line of an item was inserted. */
export function partlyAccepted(item: Item): void {
  countInserted(item, focusedModel())
  partlyTaken.add(item)
}

/** Counts a whole suggestion after it was inserted, and later how much of it the user kept. */
export function countAccepted(item: Item): void {
  const model = focusedModel()
  countInserted(item, model)
  const { insertText, range } = item
  if (typeof insertText !== 'string' || !range || !model) return
  const lines = insertText.split(/\r?\n/)
  const last = lines.at(-1) ?? ''
  const start = { lineNumber: range.startLineNumber, column: range.startColumn }
  const end = {
    lineNumber: start.lineNumber + lines.length - 1,
    column: last.length + (lines.length === 1 ? start.column : 1),
  }
  checkLater(model, monaco.Range.fromPositions(start, end), insertText)
}

function countInserted(item: Item, model: monaco.editor.ITextModel | null): void {
  const inserted = Math.max(0, (model && growth.get(model)) ?? 0)
  count({ ...(!partlyTaken.has(item) && { accepted: 1 }), acceptedCharacters: inserted })
}

function focusedModel(): monaco.editor.ITextModel | null {
  return (
    monaco.editor
      .getEditors()
      .find((editor) => editor.hasTextFocus())
      ?.getModel() ?? null
  )
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

/** Pure: number of characters at both ends of a text that are unchanged. */
export function keptLength(before: string, now: string): number {
  const most = Math.min(before.length, now.length)
  let start = 0
  while (start < most && before[start] === now[start]) start += 1
  let end = 0
  while (end < most - start && before.at(-1 - end) === now.at(-1 - end)) end += 1
  return start + end
}
