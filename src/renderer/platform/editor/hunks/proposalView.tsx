import { HunkBar, HunkBarWidget, hunkBarHeight } from './hunkBar.tsx'
import { removedLinesMark } from './hunkMarks.ts'
import { lineZone } from './lineZone.ts'
import { monaco } from '../monaco/monaco.ts'
import { HunkActions } from '../../../ui/diff/HunkActions.tsx'
import type { ProposedHunk } from './proposalHunks.ts'

type Editor = monaco.editor.IStandaloneCodeEditor

/** Shows a proposal in the editor without changing its text: colors removed lines, and shows added lines below them. */
export interface ProposalView {
  /**
   * @param firstLine line number at which the hunks start counting
   * @param complete whether the hunks can be accepted, so that they have buttons and syntax colors
   */
  show(hunks: readonly ProposedHunk[], firstLine: number, complete: boolean): void
  clear(): void
  dispose(): void
}

interface HunkActions {
  accept(hunk: ProposedHunk): void
  reject(hunk: ProposedHunk): void
}

/** A hunk's added lines, between two lines of the text. */
interface AddedZone {
  key: string
  id: string
  /** Distance from the top of the editor in pixels. */
  top: number
}

/** @param barsFrom number of hunks from which each has a bar to accept it. Default: 2, because a box accepts a single one. */
export function createProposalView(editor: Editor, actions: HunkActions, barsFrom = 2): ProposalView {
  const removed = editor.createDecorationsCollection()
  let zones: AddedZone[] = []
  let bars: { widget: HunkBarWidget; top: () => number }[] = []

  function place(): void {
    for (const { widget, top } of bars) widget.place(top())
  }
  const subscriptions = [
    editor.onDidScrollChange(place),
    editor.onDidLayoutChange(place),
    editor.onDidContentSizeChange(place),
  ]

  function showZones(hunks: readonly ProposedHunk[], firstLine: number, complete: boolean): void {
    const wanted = hunks.filter(({ added }) => added.length > 0)
    const keyOf = ({ start, removed: count, added }: ProposedHunk) =>
      JSON.stringify([firstLine + start + count, complete, added])
    const kept = new Map(zones.map((zone) => [zone.key, zone]))
    editor.changeViewZones((accessor) => {
      const next = wanted.map((hunk): AddedZone => {
        const key = keyOf(hunk)
        const known = kept.get(key)
        if (known) {
          kept.delete(key)
          return known
        }
        const zone: AddedZone = { key, id: '', top: 0 }
        zone.id = accessor.addZone(
          lineZone(editor, {
            lines: hunk.added,
            kind: 'added',
            afterLine: firstLine + hunk.start + hunk.removed - 1,
            highlight: complete,
            onTop: (top) => {
              zone.top = top
              place()
            },
          }),
        )
        return zone
      })
      for (const zone of kept.values()) accessor.removeZone(zone.id)
      zones = next
    })
  }

  function showBars(hunks: readonly ProposedHunk[], firstLine: number): void {
    for (const { widget } of bars) widget.dispose()
    const withZone = hunks.filter(({ added }) => added.length > 0)
    bars = hunks.map((hunk, index) => {
      const widget = new HunkBarWidget(editor)
      widget.render(
        <HunkBar label={`Change ${index + 1} of ${hunks.length}`}>
          <HunkActions
            actions={[
              {
                icon: 'check',
                label: `Accept change ${index + 1} of ${hunks.length}`,
                run: () => actions.accept(hunk),
              },
              {
                icon: 'close',
                label: `Reject change ${index + 1} of ${hunks.length}`,
                run: () => actions.reject(hunk),
              },
            ]}
          />
        </HunkBar>,
      )
      const top = () =>
        hunk.removed > 0
          ? editor.getTopForLineNumber(firstLine + hunk.start) - editor.getScrollTop()
          : (zones[withZone.indexOf(hunk)]?.top ?? -hunkBarHeight)
      return { widget, top }
    })
  }

  return {
    show(hunks, firstLine, complete) {
      removed.set(hunks.flatMap((hunk) => removedDecorations(editor, hunk, firstLine)))
      showZones(hunks, firstLine, complete)
      showBars(complete && hunks.length >= barsFrom ? hunks : [], firstLine)
      place()
    },
    clear() {
      this.show([], 1, false)
    },
    dispose() {
      this.clear()
      for (const subscription of subscriptions) subscription.dispose()
    },
  }
}

function removedDecorations(editor: Editor, { start, removed }: ProposedHunk, firstLine: number) {
  const first = firstLine + start
  const last = first + removed - 1
  const model = editor.getModel()
  if (!model || removed === 0 || last > model.getLineCount()) return []
  // A blank line that receives text does not count as removed.
  const lines = Array.from({ length: removed }, (_, index) => model.getLineContent(first + index))
  if (lines.every((line) => line.trim() === '')) return []
  return [
    {
      range: new monaco.Range(first, 1, last, model.getLineMaxColumn(last)),
      options: removedLinesMark,
    },
  ]
}
