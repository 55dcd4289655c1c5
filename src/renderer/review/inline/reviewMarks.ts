import { hunkKind } from '../../../shared/diff/lineHunks.ts'
import { hunkMark } from '../../platform/editor/hunks/hunkMarks.ts'
import { lineZone } from '../../platform/editor/hunks/lineZone.ts'
import { monaco } from '../../platform/editor/monaco/monaco.ts'
import { linesOf, type HunkLines, type InlineHunk } from './hunkLines.ts'

/** Maximum number of removed lines shown above a hunk. */
const maxRemovedLines = 200

/** The marks of an editor's hunks: gutter, colored lines, and removed lines above them. */
export class ReviewMarks {
  readonly #editor: monaco.editor.IStandaloneCodeEditor
  readonly #model: monaco.editor.ITextModel
  readonly #bare: boolean
  readonly #decorations: monaco.editor.IEditorDecorationsCollection
  #hunks: readonly InlineHunk[] = []
  /** Blocks of removed lines by hunk; null for a hunk without removed lines. */
  #zones: readonly (string | null)[] = []
  /** The hunks' lines in a version of the text. Scrolling reads them for each frame. */
  #known: { version: number; lines: readonly HunkLines[] } | null = null

  /** @param bare only track the lines, because a diff editor already marks them */
  constructor(editor: monaco.editor.IStandaloneCodeEditor, model: monaco.editor.ITextModel, bare: boolean) {
    this.#editor = editor
    this.#model = model
    this.#bare = bare
    this.#decorations = editor.createDecorationsCollection()
  }

  /** The hunks' current lines. Monaco moves them with each edit. */
  lines(): readonly HunkLines[] {
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

  /** Marks these hunks instead of the previous ones. */
  show(hunks: readonly InlineHunk[]): void {
    const drawn = this.#alreadyDrawn(hunks)
    const zones = this.#zones
    const changed = hunks.length !== this.#hunks.length || drawn.includes(-1)
    this.#hunks = hunks
    if (!changed) return
    this.#decorations.set(hunks.map((hunk) => this.#decorationOf(hunk)))
    this.#known = null
    this.#zones = drawn.map((index) => zones[index] ?? null)
    this.#showRemovedLines(zones)
  }

  /**
   * Returns for each new hunk the index of the shown one with the same marks, or -1. Monaco moves marks with the text,
   * so after most keystrokes none needs to be redrawn.
   */
  #alreadyDrawn(hunks: readonly InlineHunk[]): number[] {
    const lineCount = this.#model.getLineCount()
    const drawn = this.lines()
    const marks = (lines: HunkLines | undefined, hunk: InlineHunk) =>
      `${lines?.first} ${lines?.last} ${kindOf(hunk)}\n${hunk.baseLines.join('\n')}`
    const byMarks = new Map(this.#hunks.map((hunk, index) => [marks(drawn[index], hunk), index]))
    return hunks.map((hunk) => byMarks.get(marks(linesOf(hunk.current, lineCount), hunk)) ?? -1)
  }

  #decorationOf(hunk: InlineHunk): monaco.editor.IModelDeltaDecoration {
    const { current } = hunk
    const { first, last } = linesOf(current, this.#model.getLineCount())
    const kind = kindOf(hunk)
    const range = new monaco.Range(first, 1, last, current.count === 0 ? 1 : this.#model.getLineMaxColumn(last))
    const stickiness = monaco.editor.TrackedRangeStickiness.GrowsOnlyWhenTypingAfter
    if (this.#bare) return { range, options: { stickiness } }
    return { range, options: { stickiness, ...hunkMark(kind) } }
  }

  /** Adds the missing blocks of removed lines. @param before current blocks; unused ones are removed */
  #showRemovedLines(before: readonly (string | null)[]): void {
    if (this.#bare) return
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

  dispose(): void {
    this.#decorations.clear()
    this.#editor.changeViewZones((zones) => {
      for (const zone of this.#zones) if (zone !== null) zones.removeZone(zone)
    })
  }
}

const kindOf = ({ current, baseLines }: InlineHunk) => hunkKind(baseLines.length, current.count)
