import { flushSync } from 'react-dom'
import { hunkKind } from '../../../shared/diff/lineHunks.ts'
import { maxQuotedLines, type ReviewFileHunks, type ReviewScope } from '../../../shared/review.ts'
import { HunkBarWidget, hunkBarHeight } from '../../platform/editor/hunks/hunkBar.tsx'
import { hunkMark } from '../../platform/editor/hunks/hunkMarks.ts'
import { lineZone } from '../../platform/editor/hunks/lineZone.ts'
import { monaco, pathOf } from '../../platform/editor/monaco.ts'
import { attempt } from '../../platform/notices.ts'
import { addComment, applyReview, canKeep } from '../../platform/review/reviewStore.ts'
import { registerChanges, type VisibleChanges } from '../visibleChanges.ts'
import { ReviewHunkBar } from './ReviewHunkBar.tsx'
import { hunkAt, hunkBeside, linesOf, sameHunk, type HunkLines, type InlineHunk } from './hunkLines.ts'
import { HunkSource } from './hunkSource.ts'
import './inline.css'

type CodeEditor = monaco.editor.IStandaloneCodeEditor

/** `bare`: a diff editor already marks the lines, so only the bar is shown. */
interface InlineOptions {
  scope: ReviewScope
  bare: boolean
}

interface Bar {
  widget: HunkBarWidget
  /** What the bar shows. Most keys and scroll steps only move it. */
  shown: string
}

/** Maximum number of removed lines that are shown above a hunk. */
const maxRemovedLines = 200
/** Lines that Monaco's sticky scroll usually covers. */
const maxStickyLines = 2

/** Shows the pending hunks of the file in an editor, even after the editor changes to another file. */
export function attachInlineReview(
  editor: CodeEditor,
  options: InlineOptions = { scope: { kind: 'pending' }, bare: false },
): monaco.IDisposable {
  let shown: InlineReview | null = null
  const show = () => {
    shown?.dispose()
    const model = editor.getModel()
    const path = model && pathOf(model.uri)
    shown = model && path !== null ? new InlineReview(editor, model, path, options) : null
  }
  const subscription = editor.onDidChangeModel(show)
  show()
  return {
    dispose() {
      subscription.dispose()
      shown?.dispose()
    },
  }
}

/** The hunks of one file in one editor: marks in the gutter, colored lines, removed lines, and a bar at one hunk. */
class InlineReview implements VisibleChanges {
  readonly path: string
  readonly #editor: CodeEditor
  readonly #model: monaco.editor.ITextModel
  readonly #options: InlineOptions
  readonly #decorations: monaco.editor.IEditorDecorationsCollection
  readonly #source: HunkSource
  readonly #subscriptions: monaco.IDisposable[]
  readonly #unregister: () => void
  #hunks: readonly InlineHunk[] = []
  /** Blocks of removed lines, one for each hunk; null for a hunk without. */
  #zones: readonly (string | null)[] = []
  /** Lines of the hunks in a version of the text. Scrolling reads them for each frame. */
  #known: { version: number; lines: readonly HunkLines[] } | null = null
  /** Id of the hunk that keeps the bar while it is visible: the hovered one, or the one after a kept or undone one. */
  #pinned: string | null = null
  /** Id of the hunk whose comment field is open. */
  #commenting: string | null = null
  /** Id of the hunk to which the cursor moves when the hunks are next drawn. */
  #moveTo: string | null = null
  #bar: Bar | null = null
  #frame = 0
  #disposed = false

  constructor(editor: CodeEditor, model: monaco.editor.ITextModel, path: string, options: InlineOptions) {
    this.path = path
    this.#editor = editor
    this.#model = model
    this.#options = options
    this.#decorations = editor.createDecorationsCollection()
    const draw = () => this.#drawBarLater()
    this.#subscriptions = [
      editor.onDidScrollChange(draw),
      editor.onDidLayoutChange(draw),
      editor.onDidChangeModelContent(draw),
      editor.onDidChangeCursorPosition(({ reason }) => {
        // Typing moves the cursor too; the bar then stays at the hovered hunk.
        if (reason === monaco.editor.CursorChangeReason.Explicit) this.#pinned = null
        draw()
      }),
      editor.onMouseMove(({ target }) => this.#hover(target)),
    ]
    this.#unregister = registerChanges(this)
    this.#source = new HunkSource(model, options.scope, path, (file) => this.#show(file))
  }

  hasFocus(): boolean {
    return this.#editor.hasWidgetFocus()
  }

  /** Current lines of the hunks. Monaco moves them with each edit. */
  #lines(): readonly HunkLines[] {
    const version = this.#model.getVersionId()
    if (this.#known?.version !== version) {
      const lines = this.#decorations.getRanges().map(({ startLineNumber, endLineNumber }) => ({
        first: startLineNumber,
        last: endLineNumber,
      }))
      this.#known = { version, lines }
    }
    return this.#known.lines
  }

  #show(file: ReviewFileHunks | null): void {
    if (this.#disposed) return
    const first = this.#hunks.length === 0
    const hunks = file?.hunkList ?? []
    const commented = this.#commentedHunk(hunks)
    const drawn = this.#alreadyDrawn(hunks)
    const zones = this.#zones
    const changed = hunks.length !== this.#hunks.length || drawn.includes(-1)
    this.#hunks = hunks
    if (changed) {
      this.#decorations.set(hunks.map((hunk) => this.#decorationOf(hunk)))
      this.#known = null
      this.#zones = drawn.map((index) => zones[index] ?? null)
      this.#showRemovedLines(zones)
    }
    this.#commenting = commented?.id ?? null
    const target = hunks.findIndex(({ id }) => id === this.#moveTo)
    this.#moveTo = null
    if (target >= 0) this.#goTo(target)
    else if (first) this.#revealAtCursor()
    this.#drawBarLater()
  }

  /** Shows the removed lines of the hunk at the cursor, for a file that was opened at this hunk. */
  #revealAtCursor(): void {
    const lines = this.#lines()
    const at = lines[hunkAt(lines, this.#editor.getPosition()?.lineNumber ?? 0)]
    if (at) this.#reveal(at)
  }

  /**
   * Returns for each new hunk the index of the shown one with the same marks, or -1. Monaco moves marks with the text,
   * so after most keys none has to be drawn again.
   */
  #alreadyDrawn(hunks: readonly InlineHunk[]): number[] {
    const lineCount = this.#model.getLineCount()
    const drawn = this.#lines()
    const marks = (lines: HunkLines | undefined, hunk: InlineHunk) =>
      `${lines?.first} ${lines?.last} ${kindOf(hunk)}\n${hunk.baseLines.join('\n')}`
    const byMarks = new Map(this.#hunks.map((hunk, index) => [marks(drawn[index], hunk), index]))
    return hunks.map((hunk) => byMarks.get(marks(linesOf(hunk.current, lineCount), hunk)) ?? -1)
  }

  /** The hunk with the open comment field among new hunks: the agent may have changed its text in the meantime. */
  #commentedHunk(hunks: readonly InlineHunk[]): InlineHunk | undefined {
    const index = this.#hunks.findIndex(({ id }) => id === this.#commenting)
    const lines = this.#lines()[index]
    return this.#commenting !== null && lines
      ? sameHunk(hunks, this.#commenting, lines, this.#model.getLineCount())
      : undefined
  }

  #decorationOf(hunk: InlineHunk): monaco.editor.IModelDeltaDecoration {
    const { current } = hunk
    const { first, last } = linesOf(current, this.#model.getLineCount())
    const kind = kindOf(hunk)
    const range = new monaco.Range(first, 1, last, current.count === 0 ? 1 : this.#model.getLineMaxColumn(last))
    const stickiness = monaco.editor.TrackedRangeStickiness.GrowsOnlyWhenTypingAfter
    if (this.#options.bare) return { range, options: { stickiness } }
    return { range, options: { stickiness, ...hunkMark(kind) } }
  }

  /**
   * Adds the missing blocks of removed lines.
   * @param before blocks so far; those that are not used any more are removed
   */
  #showRemovedLines(before: readonly (string | null)[]): void {
    if (this.#options.bare) return
    const lineCount = this.#model.getLineCount()
    const used = new Set(this.#zones)
    this.#editor.changeViewZones((zones) => {
      for (const zone of before) if (zone !== null && !used.has(zone)) zones.removeZone(zone)
      this.#zones = this.#hunks.map(({ current, baseLines }, index) => {
        const shown = this.#zones[index] ?? null
        if (shown !== null || baseLines.length === 0) return shown
        const afterLine = Math.min(current.start - 1, lineCount)
        return zones.addZone(
          lineZone(this.#editor, { lines: baseLines, kind: 'removed', afterLine, maxLines: maxRemovedLines }),
        )
      })
    })
  }

  #hover(target: monaco.editor.IMouseTarget): void {
    const { OVERLAY_WIDGET, CONTENT_VIEW_ZONE, GUTTER_VIEW_ZONE } = monaco.editor.MouseTargetType
    if (target.type === OVERLAY_WIDGET || this.#commenting !== null) return
    const line =
      target.type === CONTENT_VIEW_ZONE || target.type === GUTTER_VIEW_ZONE
        ? target.detail.afterLineNumber + 1
        : (target.position?.lineNumber ?? 0)
    const id = this.#hunks[hunkAt(this.#lines(), line)]?.id
    if (id === undefined || id === this.#pinned) return
    this.#pinned = id
    this.#drawBarLater()
  }

  /**
   * Index of the hunk with the bar: the pinned one if visible, else the one at the cursor, else the first visible one.
   */
  #activeIndex(): number {
    const lines = this.#lines()
    const visible = this.#editor.getVisibleRanges()
    const isVisible = (at: HunkLines | undefined) =>
      at !== undefined &&
      visible.some(
        ({ startLineNumber, endLineNumber }) => at.first <= endLineNumber + 1 && startLineNumber <= at.last + 1,
      )
    const pinned = this.#hunks.findIndex(({ id }) => id === (this.#commenting ?? this.#pinned))
    if (pinned >= 0 && isVisible(lines[pinned])) return pinned
    const atCursor = hunkAt(lines, this.#editor.getPosition()?.lineNumber ?? 0)
    if (atCursor >= 0 && isVisible(lines[atCursor])) return atCursor
    return lines.findIndex(isVisible)
  }

  #drawBarLater(): void {
    if (this.#frame !== 0 || this.#disposed || (this.#hunks.length === 0 && this.#bar === null)) return
    this.#frame = requestAnimationFrame(() => {
      this.#frame = 0
      if (!this.#disposed) this.#drawBar()
    })
  }

  #drawBar(): void {
    const index = this.#activeIndex()
    const hunk = this.#hunks[index]
    const lines = this.#lines()[index]
    if (!hunk || !lines) return this.#removeBar()
    this.#bar ??= { widget: new HunkBarWidget(this.#editor), shown: '' }
    const { height } = this.#editor.getLayoutInfo()
    // Above the removed lines, which are view zones.
    const hunkTop = this.#editor.getTopForLineNumber(lines.first, true) - this.#editor.getScrollTop()
    // Above the hunk, so that it covers none of the changed lines. A hunk that starts above the view keeps it at the
    // top.
    this.#bar.widget.place(Math.min(Math.max(2, hunkTop - hunkBarHeight), height - hunkBarHeight))
    const shown = [index, this.#hunks.length, hunk.current.count, hunk.base.count, this.#commenting === hunk.id].join()
    if (shown === this.#bar.shown) return
    this.#bar.shown = shown
    this.#bar.widget.render(
      <ReviewHunkBar
        path={this.path}
        index={index}
        total={this.#hunks.length}
        added={hunk.current.count}
        removed={hunk.base.count}
        canKeep={canKeep(this.#options.scope, this.path)}
        commenting={this.#commenting === hunk.id}
        onKeep={() => this.#apply('keep', index)}
        onUndo={() => this.#apply('undo', index)}
        onComment={() => this.#openComment(index)}
        onCommentDone={(text) => this.#closeComment(index, text)}
      />,
    )
  }

  #removeBar(): void {
    this.#bar?.widget.dispose()
    this.#bar = null
  }

  #goTo(index: number): void {
    const lines = this.#lines()[index]
    const hunk = this.#hunks[index]
    if (!lines || !hunk) return
    this.#pinned = null
    this.#editor.setPosition({ lineNumber: lines.first, column: 1 })
    this.#reveal(lines)
    this.#drawBarLater()
  }

  /**
   * Scrolls so that a hunk is visible with its removed lines and its bar. Monaco only reveals the line of the cursor.
   */
  #reveal({ first, last }: HunkLines): void {
    const { height } = this.#editor.getLayoutInfo()
    const lineHeight = this.#editor.getOption(monaco.editor.EditorOption.lineHeight)
    const top = this.#editor.getTopForLineNumber(first, true) - hunkBarHeight
    const bottom = this.#editor.getBottomForLineNumber(last)
    const scrollTop = this.#editor.getScrollTop()
    // Monaco shows the headers of enclosing blocks over the first lines.
    const covered = lineHeight * maxStickyLines
    if (top - covered >= scrollTop && bottom <= scrollTop + height) return
    // Centers the hunk if it fits. Otherwise shows its start.
    const space = Math.max(covered, (height - (bottom - top)) / 2)
    this.#editor.setScrollTop(Math.max(0, top - space))
  }

  /** Moves the cursor to the next (1) or previous (-1) hunk. @returns false if there is none in this direction */
  step(direction: 1 | -1): boolean {
    const line = this.#editor.getPosition()?.lineNumber ?? 0
    const target = hunkBeside(this.#lines(), line, direction)
    if (target < 0) return false
    this.#goTo(target)
    this.#editor.focus()
    return true
  }

  /** Moves the cursor to the first (1) or last (-1) hunk. */
  goToEnd(direction: 1 | -1): void {
    this.#goTo(direction === 1 ? 0 : this.#hunks.length - 1)
    this.#editor.focus()
  }

  /** Keeps or undoes the hunk with the bar. @returns false if no hunk is visible */
  applyActive(action: 'keep' | 'undo'): boolean {
    const index = this.#activeIndex()
    if (index < 0) return false
    this.#apply(action, index, { moveCursor: true })
    return true
  }

  /** Opens the comment field of the hunk with the bar. @returns false if no hunk is visible */
  commentActive(): boolean {
    const index = this.#activeIndex()
    if (index < 0) return false
    this.#openComment(index)
    return true
  }

  #apply(action: 'keep' | 'undo', index: number, { moveCursor = false } = {}): void {
    const hunk = this.#hunks[index]
    const lines = this.#lines()[index]
    if (!hunk || !lines) return
    const following = this.#hunks[index + 1]?.id ?? this.#hunks[index - 1]?.id ?? null
    attempt(
      async () => {
        // The user may have typed since the last answer, and main accepts only the revision that it computed last.
        const file = await this.#source.refresh()
        const target = file && sameHunk(file.hunkList, hunk.id, lines, this.#model.getLineCount())
        if (!file || !target) return
        this.#pinned = following
        if (moveCursor) this.#moveTo = following
        await applyReview(action, this.#options.scope, [
          { path: this.path, hunks: [target.id], revision: file.revision },
        ])
        await this.#source.refresh()
      },
      action === 'keep' ? 'The change was not kept' : 'The change was not undone',
    )
  }

  #openComment(index: number): void {
    this.#commenting = this.#hunks[index]?.id ?? null
    // At once, so that the next key that the user presses goes to the field and not to the file.
    flushSync(() => this.#drawBar())
  }

  #closeComment(index: number, text: string | null): void {
    const { first, last } = this.#lines()[index] ?? { first: 1, last: 1 }
    const hunk = this.#hunks[index]
    if (text !== null && hunk) {
      const count = Math.min(last - first + 1, maxQuotedLines)
      const lines = Array.from({ length: count }, (_, at) => this.#model.getLineContent(first + at))
      const quote = {
        removed: hunk.baseLines.slice(0, maxQuotedLines),
        added: hunk.current.count === 0 ? [] : lines,
      }
      addComment({ path: this.path, line: first, text, quote, anchor: lines })
    }
    this.#commenting = null
    this.#editor.focus()
    this.#drawBarLater()
  }

  dispose(): void {
    this.#disposed = true
    cancelAnimationFrame(this.#frame)
    this.#unregister()
    this.#source.stop()
    this.#subscriptions.forEach((subscription) => subscription.dispose())
    this.#decorations.clear()
    this.#editor.changeViewZones((zones) => {
      for (const zone of this.#zones) if (zone !== null) zones.removeZone(zone)
    })
    this.#removeBar()
  }
}

const kindOf = ({ current, baseLines }: InlineHunk) => hunkKind(baseLines.length, current.count)
