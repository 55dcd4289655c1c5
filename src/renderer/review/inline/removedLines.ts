import { visibleText } from '../../../shared/visibleText.ts'
import { plural } from '../../../shared/plural.ts'

/** Maximum number of removed lines that are shown above a hunk. */
const maxRemovedLines = 200

/** Returns the number of rows of a block of removed lines, with one for the note if lines are left out. */
export function removedRows(lines: readonly string[]): number {
  return lines.length > maxRemovedLines ? maxRemovedLines + 1 : lines.length
}

/** Creates the element with removed lines, for a view zone. Screen readers get the counts from the bar of the hunk. */
export function removedLinesElement(lines: readonly string[], tabSize: number): HTMLElement {
  const element = document.createElement('div')
  element.className = 'review-removed'
  element.style.tabSize = String(tabSize)
  for (const line of lines.slice(0, maxRemovedLines)) {
    const row = document.createElement('div')
    row.className = 'review-removed-line'
    row.textContent = visibleText(line)
    element.append(row)
  }
  if (lines.length > maxRemovedLines) {
    const note = document.createElement('div')
    note.className = 'review-removed-more'
    note.textContent = `${plural(lines.length - maxRemovedLines, 'more removed line')}. Open the changes side by side to see all.`
    element.append(note)
  }
  return element
}
