import { plural } from '../../../../shared/text/plural.ts'
import { visibleText } from '../../../../shared/text/visibleText.ts'
import { monaco } from '../monaco/monaco.ts'
import './hunks.css'

type Editor = monaco.editor.ICodeEditor

interface LineZoneOptions {
  lines: readonly string[]
  /** `removed`: lines of the base above a hunk. `added`: lines that a proposal adds. */
  kind: 'added' | 'removed'
  afterLine: number
  /** Maximum number of shown lines. Default: all. */
  maxLines?: number
  /** Highlights the syntax of the lines. */
  highlight?: boolean
  onTop?: (top: number) => void
}

/** Returns a view zone with diff lines that are not in the editor's text. */
export function lineZone(
  editor: Editor,
  { lines, kind, afterLine, maxLines = lines.length, highlight = false, onTop }: LineZoneOptions,
): monaco.editor.IViewZone {
  const shown = lines.slice(0, maxLines)
  const left = lines.length - shown.length
  const marginDomNode = document.createElement('div')
  marginDomNode.className = `diff-line-${kind} hunk-margin-${kind}`
  return {
    afterLineNumber: afterLine,
    heightInLines: shown.length + (left > 0 ? 1 : 0),
    minWidthInPx: widthOf(editor, shown),
    domNode: linesElement(editor, shown, { left, kind, highlight }),
    marginDomNode,
    showInHiddenAreas: true,
    ...(onTop && { onDomNodeTop: onTop }),
    ...(kind === 'added' && { suppressMouseDown: true }),
  }
}

function linesElement(
  editor: Editor,
  lines: readonly string[],
  { left, kind, highlight }: { left: number; kind: 'added' | 'removed'; highlight: boolean },
): HTMLElement {
  const node = document.createElement('div')
  node.className = `diff-line-${kind} hunk-zone hunk-zone-${kind}`
  node.setAttribute('role', 'note')
  const total = lines.length + left
  node.setAttribute(
    'aria-label',
    kind === 'added' ? `${plural(total, 'added line')}:` : `${plural(total, 'removed line')}:`,
  )
  const text = document.createElement('div')
  text.className = 'hunk-zone-text'
  editor.applyFontInfo(text)
  text.style.lineHeight = `${editor.getOption(monaco.editor.EditorOption.lineHeight)}px`
  const model = editor.getModel()
  const tabSize = model?.getOptions().tabSize ?? 4
  text.style.tabSize = String(tabSize)
  text.textContent = lines.map(visibleText).join('\n')
  node.append(text)
  if (highlight && model) {
    text.dataset.lang = model.getLanguageId()
    void monaco.editor.colorizeElement(text, { theme: 'tizona', tabSize })
  }
  if (left > 0) {
    const note = document.createElement('div')
    note.className = 'hunk-zone-note'
    note.style.lineHeight = text.style.lineHeight
    note.textContent = `${plural(left, 'more line')}. Open the diff to see all.`
    node.append(note)
  }
  return node
}

/** Returns the width of the longest line in pixels, so that the editor can scroll to its end. */
function widthOf(editor: Editor, lines: readonly string[]): number {
  const tab = ' '.repeat(editor.getModel()?.getOptions().tabSize ?? 4)
  const longest = lines.reduce((max, line) => Math.max(max, line.replaceAll('\t', tab).length), 0)
  return longest * editor.getOption(monaco.editor.EditorOption.fontInfo).typicalHalfwidthCharacterWidth
}
