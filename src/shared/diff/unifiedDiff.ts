import { markChangedParts, type DiffHunk } from './hunkRows.ts'
import { plural } from '../text/plural.ts'

const hunkHeader = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)$/

/**
 * Parses the unified diff of one file. Ignores lines outside hunks. The line counts in the header decide where a hunk
 * ends, because a removed line of dashes looks like a file header.
 */
export function parseUnifiedDiff(diff: string): DiffHunk[] {
  const hunks: DiffHunk[] = []
  let hunk: DiffHunk | undefined
  let oldLeft = 0
  let newLeft = 0
  let oldNumber = 0
  let newNumber = 0

  for (const line of diff.split('\n')) {
    const header = oldLeft === 0 && newLeft === 0 ? hunkHeader.exec(line) : null
    if (header) {
      oldNumber = Number(header[1])
      oldLeft = Number(header[2] ?? 1)
      newNumber = Number(header[3])
      newLeft = Number(header[4] ?? 1)
      hunk = { oldStart: oldNumber, newStart: newNumber, section: header[5] ?? '', lines: [] }
      hunks.push(hunk)
      continue
    }
    if (!hunk) continue
    const text = line.slice(1)
    if (line.startsWith('\\')) {
      hunk.lines.push({ kind: 'note', text: text.trim() })
    } else if (line.startsWith('+') && newLeft > 0) {
      hunk.lines.push({ kind: 'added', text, newNumber })
      newNumber += 1
      newLeft -= 1
    } else if (line.startsWith('-') && oldLeft > 0) {
      hunk.lines.push({ kind: 'removed', text, oldNumber })
      oldNumber += 1
      oldLeft -= 1
    } else if (oldLeft > 0 && newLeft > 0 && (line.startsWith(' ') || line === '')) {
      // Some tools drop the space on empty context lines.
      hunk.lines.push({ kind: 'context', text, oldNumber, newNumber })
      oldNumber += 1
      newNumber += 1
      oldLeft -= 1
      newLeft -= 1
    }
  }
  return hunks.map((each) => ({ ...each, lines: markChangedParts(each.lines) }))
}

const marks = { context: ' ', added: '+', removed: '-', note: '\\ ' } as const

/**
 * Formats hunks as a unified diff without file names.
 * @param maxLength in UTF-16 units; a longer diff is cut at a line break and ends with the number of missing lines
 */
export function formatUnifiedDiff(hunks: readonly DiffHunk[], maxLength = Number.POSITIVE_INFINITY): string {
  const parts: string[] = []
  let remaining = maxLength
  let omitted = 0
  for (const { oldStart, newStart, section, lines } of hunks) {
    const shown: string[] = []
    let [oldCount, newCount] = [0, 0]
    for (const { kind, text } of lines) {
      const line = marks[kind] + text
      if (omitted > 0 || line.length >= remaining) {
        omitted += 1
        continue
      }
      shown.push(line)
      remaining -= line.length + 1
      // Count only the lines in the diff, so that a truncated diff still parses.
      if (kind === 'context' || kind === 'removed') oldCount += 1
      if (kind === 'context' || kind === 'added') newCount += 1
    }
    if (shown.length === 0) continue
    parts.push(`@@ -${range(oldStart, oldCount)} +${range(newStart, newCount)} @@${section && ` ${section}`}`)
    parts.push(shown.join('\n'))
  }
  if (omitted > 0) parts.push(`\\ ${plural(omitted, 'more line')} not shown`)
  return parts.length === 0 ? '' : `${parts.join('\n')}\n`
}

const range = (start: number, count: number): string => (count === 1 ? `${start}` : `${start},${count}`)
