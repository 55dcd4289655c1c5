import { monaco } from '../platform/editor/monaco.ts'
import { plural } from '../../shared/plural.ts'
import type { ProposedHunk } from './proposalHunks.ts'

type Editor = monaco.editor.IStandaloneCodeEditor

/**
 * Shows a proposal in the editor without changing its text: removed lines are colored, added lines are shown below
 * them.
 */
export interface ProposalView {
  /**
   * @param firstLine line number of the first line that the hunks count from
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

/** The lines that a hunk adds, between two lines of the text. */
interface AddedZone {
  key: string
  id: string
  /** Distance from the top of the editor in pixels. */
  top: number
}

const barHeight = 24

export function createProposalView(editor: Editor, actions: HunkActions): ProposalView {
  const removed = editor.createDecorationsCollection()
  let zones: AddedZone[] = []
  let bars: HunkBar[] = []

  function place(): void {
    for (const bar of bars) bar.place()
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
        zone.id = accessor.addZone({
          afterLineNumber: firstLine + hunk.start + hunk.removed - 1,
          heightInLines: hunk.added.length,
          domNode: addedLines(editor, hunk.added, complete),
          marginDomNode: addedMargin(),
          onDomNodeTop: (top) => {
            zone.top = top
            place()
          },
          showInHiddenAreas: true,
          suppressMouseDown: true,
          minWidthInPx: widthOf(editor, hunk.added),
        })
        return zone
      })
      for (const zone of kept.values()) accessor.removeZone(zone.id)
      zones = next
    })
  }

  function showBars(hunks: readonly ProposedHunk[], firstLine: number): void {
    for (const bar of bars) bar.dispose()
    const withZone = hunks.filter(({ added }) => added.length > 0)
    bars = hunks.map((hunk, index) =>
      createHunkBar(editor, {
        label: hunks.length === 1 ? 'Change' : `Change ${index + 1} of ${hunks.length}`,
        top: () =>
          hunk.removed > 0
            ? editor.getTopForLineNumber(firstLine + hunk.start) - editor.getScrollTop()
            : (zones[withZone.indexOf(hunk)]?.top ?? -barHeight),
        accept: () => actions.accept(hunk),
        reject: () => actions.reject(hunk),
      }),
    )
  }

  return {
    show(hunks, firstLine, complete) {
      removed.set(hunks.flatMap((hunk) => removedDecorations(editor, hunk, firstLine)))
      showZones(hunks, firstLine, complete)
      // One change is accepted and rejected with the box.
      showBars(complete && hunks.length > 1 ? hunks : [], firstLine)
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
  // A blank line that receives text is not a loss.
  const lines = Array.from({ length: removed }, (_, index) => model.getLineContent(first + index))
  if (lines.every((line) => line.trim() === '')) return []
  return [
    {
      range: new monaco.Range(first, 1, last, model.getLineMaxColumn(last)),
      options: {
        isWholeLine: true,
        className: 'inline-edit-removed',
        marginClassName: 'inline-edit-removed-margin',
      },
    },
  ]
}

/** Returns the width of the longest line in pixels, so that the editor can scroll to its end. */
function widthOf(editor: Editor, lines: readonly string[]): number {
  const tab = ' '.repeat(editor.getModel()?.getOptions().tabSize ?? 4)
  const longest = Math.max(...lines.map((line) => line.replaceAll('\t', tab).length))
  return longest * editor.getOption(monaco.editor.EditorOption.fontInfo).typicalHalfwidthCharacterWidth
}

function addedMargin(): HTMLElement {
  const node = document.createElement('div')
  node.className = 'inline-edit-added-margin'
  return node
}

function addedLines(editor: Editor, lines: readonly string[], highlight: boolean): HTMLElement {
  const node = document.createElement('div')
  node.className = 'inline-edit-added'
  node.setAttribute('role', 'note')
  node.setAttribute('aria-label', `${plural(lines.length, 'added line')}:`)
  const text = document.createElement('div')
  text.className = 'inline-edit-added-text'
  editor.applyFontInfo(text)
  text.style.lineHeight = `${editor.getOption(monaco.editor.EditorOption.lineHeight)}px`
  const model = editor.getModel()
  const tabSize = model?.getOptions().tabSize ?? 4
  text.style.tabSize = String(tabSize)
  text.textContent = lines.join('\n')
  node.append(text)
  if (highlight && model) {
    text.dataset.lang = model.getLanguageId()
    void monaco.editor.colorizeElement(text, { theme: 'tizona', tabSize })
  }
  return node
}

interface HunkBar {
  place(): void
  dispose(): void
}

interface HunkBarOptions {
  label: string
  top(): number
  accept(): void
  reject(): void
}

let nextBar = 1

/** Buttons at the top right of a hunk. */
function createHunkBar(editor: Editor, { label, top, accept, reject }: HunkBarOptions): HunkBar {
  const node = document.createElement('div')
  node.className = 'inline-edit-bar'
  node.setAttribute('role', 'group')
  node.setAttribute('aria-label', label)
  node.append(
    barButton('check', `Accept ${label.toLowerCase()}`, accept),
    barButton('close', `Reject ${label.toLowerCase()}`, reject),
  )
  // Monaco would run its shortcuts for keys in the bar.
  node.addEventListener('keydown', (event) => event.stopPropagation())
  const id = `tizona.inlineEdit.bar.${nextBar++}`
  const widget: monaco.editor.IOverlayWidget = { getId: () => id, getDomNode: () => node, getPosition: () => null }
  editor.addOverlayWidget(widget)
  return {
    place() {
      const { height, minimap, verticalScrollbarWidth } = editor.getLayoutInfo()
      const y = top()
      node.hidden = y < -barHeight || y > height
      node.style.top = `${y}px`
      node.style.right = `${minimap.minimapWidth + verticalScrollbarWidth + 8}px`
    },
    dispose: () => editor.removeOverlayWidget(widget),
  }
}

function barButton(icon: string, label: string, run: () => void): HTMLElement {
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'ui-icon-button'
  button.title = label
  button.setAttribute('aria-label', label)
  const glyph = document.createElement('span')
  glyph.className = `ui-icon codicon codicon-${icon}`
  glyph.setAttribute('aria-hidden', 'true')
  button.append(glyph)
  button.addEventListener('click', run)
  return button
}
