import { flushSync } from 'react-dom'
import { maxQuotedLines, type ReviewFileHunks, type ReviewScope } from '../../../shared/review/review.ts'
import { HunkBarWidget, hunkBarHeight } from '../../platform/editor/hunks/hunkBar.tsx'
import { monaco, pathOf } from '../../platform/editor/monaco/monaco.ts'
import { attempt } from '../../platform/notices.ts'
import { addComment, applyReview, canKeep } from '../../platform/review/reviewStore.ts'
import { registerChanges, type VisibleChanges } from '../visibleChanges.ts'
import { ReviewHunkBar } from './ReviewHunkBar.tsx'
import { hunkAt, hunkBeside, sameHunk, type HunkLines, type InlineHunk } from './hunkLines.ts'
import { HunkSource } from './hunkSource.ts'
import { ReviewMarks } from './reviewMarks.ts'
import './inline.css'

type CodeEditor = monaco.editor.IStandaloneCodeEditor

/** `bare`: a diff editor already marks the lines, so only the bar is shown. */
interface InlineOptions {
  scope: ReviewScope
  bare: boolean
}

interface Bar {
  widget: HunkBarWidget
  /** What the bar shows. Most keystrokes and scroll steps only move it. */
  shown: string
}

/** Lines that Monaco's sticky scroll usually covers. */
const maxStickyLines = 2

/** Shows the pending hunks of an editor's file, also after the editor switches to another file. */
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

/** The hunks of one file in one editor: their marks, and an action bar at one of them. */
class InlineReview implements VisibleChanges {
  readonly path: string
  readonly #editor: CodeEditor
  readonly #model: monaco.editor.ITextModel
  readonly #options: InlineOptions
  readonly #marks: ReviewMarks
  readonly #source: HunkSource
  readonly #subscriptions: monaco.IDisposable[]
  readonly #unregister: () => void
  #hunks: readonly InlineHunk[] = []
  /** Id of the hunk that keeps the bar while visible: the hovered one, or the one after a kept or undone one. */
  #pinned: string | null = null
  /** Id of the hunk whose comment field is open. */
  #commenting: string | null = null
  /** Id of the hunk to move the cursor to when the hunks are next drawn. */
  #moveTo: string | null = null
  #bar: Bar | null = null
  #frame = 0
  #disposed = false

  constructor(editor: CodeEditor, model: monaco.editor.ITextModel, path: string, options: InlineOptions) {
    this.path = path
    this.#editor = editor
    this.#model = model
    this.#options = options
    this.#marks = new ReviewMarks(editor, model, options.bare)
    const draw = () => this.#drawBarLater()
    this.#subscriptions = [
      editor.onDidScrollChange(draw),
      editor.onDidLayoutChange(draw),
      editor.onDidChangeModelContent(draw),
      editor.onDidChangeCursorPosition(({ reason }) => {
        // Typing moves the cursor too, but then the bar stays at the hovered hunk.
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

  #show(file: ReviewFileHunks | null): void {
    if (this.#disposed) return
    const first = this.#hunks.length === 0
    const hunks = file?.hunkList ?? []
    const commented = this.#commentedHunk(hunks)
    this.#hunks = hunks
    this.#marks.show(hunks)
    this.#commenting = commented?.id ?? null
    const target = hunks.findIndex(({ id }) => id === this.#moveTo)
    this.#moveTo = null
    if (target >= 0) this.#goTo(target)
    else if (first) this.#revealAtCursor()
    this.#drawBarLater()
  }

  /** Shows the removed lines of the hunk at the cursor, for a file that was opened at this hunk. */
  #revealAtCursor(): void {
    const lines = this.#marks.lines()
    const at = lines[hunkAt(lines, this.#editor.getPosition()?.lineNumber ?? 0)]
    if (at) this.#reveal(at)
  }

  /** Finds the hunk with the open comment field among new hunks, because the agent may have changed its text. */
  #commentedHunk(hunks: readonly InlineHunk[]): InlineHunk | undefined {
    const index = this.#hunks.findIndex(({ id }) => id === this.#commenting)
    const lines = this.#marks.lines()[index]
    return this.#commenting !== null && lines
      ? sameHunk(hunks, this.#commenting, lines, this.#model.getLineCount())
      : undefined
  }

  #hover(target: monaco.editor.IMouseTarget): void {
    const { OVERLAY_WIDGET, CONTENT_VIEW_ZONE, GUTTER_VIEW_ZONE } = monaco.editor.MouseTargetType
    if (target.type === OVERLAY_WIDGET || this.#commenting !== null) return
    const line =
      target.type === CONTENT_VIEW_ZONE || target.type === GUTTER_VIEW_ZONE
        ? target.detail.afterLineNumber + 1
        : (target.position?.lineNumber ?? 0)
    const id = this.#hunks[hunkAt(this.#marks.lines(), line)]?.id
    if (id === undefined || id === this.#pinned) return
    this.#pinned = id
    this.#drawBarLater()
  }

  /**
   * Index of the hunk with the bar: the pinned one if visible, or else the one at the cursor, or else the first visible
   * one.
   */
  #activeIndex(): number {
    const lines = this.#marks.lines()
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
    const lines = this.#marks.lines()[index]
    if (!hunk || !lines) return this.#removeBar()
    this.#bar ??= { widget: new HunkBarWidget(this.#editor), shown: '' }
    const { height } = this.#editor.getLayoutInfo()
    // Above the removed lines, which are view zones.
    const hunkTop = this.#editor.getTopForLineNumber(lines.first, true) - this.#editor.getScrollTop()
    // Above the hunk, so that it does not cover changed lines. If the hunk starts above the view, at the top of the
    // view.
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
    const lines = this.#marks.lines()[index]
    const hunk = this.#hunks[index]
    if (!lines || !hunk) return
    this.#pinned = null
    this.#editor.setPosition({ lineNumber: lines.first, column: 1 })
    this.#reveal(lines)
    this.#drawBarLater()
  }

  /**
   * Scrolls so that a hunk is visible with its removed lines and its bar. Monaco would only reveal the cursor's line.
   */
  #reveal({ first, last }: HunkLines): void {
    const { height } = this.#editor.getLayoutInfo()
    const lineHeight = this.#editor.getOption(monaco.editor.EditorOption.lineHeight)
    const top = this.#editor.getTopForLineNumber(first, true) - hunkBarHeight
    const bottom = this.#editor.getBottomForLineNumber(last)
    const scrollTop = this.#editor.getScrollTop()
    // Monaco's sticky scroll covers the first lines.
    const covered = lineHeight * maxStickyLines
    if (top - covered >= scrollTop && bottom <= scrollTop + height) return
    // Center the hunk if it fits. Otherwise show its start.
    const space = Math.max(covered, (height - (bottom - top)) / 2)
    this.#editor.setScrollTop(Math.max(0, top - space))
  }

  /** Moves the cursor to the next (1) or previous (-1) hunk. @returns false if there is none in this direction */
  step(direction: 1 | -1): boolean {
    const line = this.#editor.getPosition()?.lineNumber ?? 0
    const target = hunkBeside(this.#marks.lines(), line, direction)
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
    const lines = this.#marks.lines()[index]
    if (!hunk || !lines) return
    const following = this.#hunks[index + 1]?.id ?? this.#hunks[index - 1]?.id ?? null
    attempt(
      async () => {
        // The user may have typed since the last response, and main accepts only the latest revision.
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
      action === 'keep' ? 'The change could not be kept' : 'The change could not be undone',
    )
  }

  #openComment(index: number): void {
    this.#commenting = this.#hunks[index]?.id ?? null
    // Synchronously, so that the next key goes to the field and not to the file.
    flushSync(() => this.#drawBar())
  }

  #closeComment(index: number, text: string | null): void {
    const { first, last } = this.#marks.lines()[index] ?? { first: 1, last: 1 }
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
    this.#marks.dispose()
    this.#removeBar()
  }
}
