/** A line of a unified diff. Line numbers are 1-based. */
export interface DiffLine {
  kind: 'context' | 'added' | 'removed' | 'note'
  text: string
  oldNumber?: number
  newNumber?: number
  /** Range of `text` that differs from the line that it replaces or that replaces it, in UTF-16 units. */
  changed?: { start: number; end: number }
}

/** A group of changed lines with their context. */
export interface DiffHunk {
  oldStart: number
  newStart: number
  /** Text after the second `@@`: usually the enclosing function. */
  section: string
  lines: DiffLine[]
}

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
      // Some tools drop the space of an empty context line.
      hunk.lines.push({ kind: 'context', text, oldNumber, newNumber })
      oldNumber += 1
      newNumber += 1
      oldLeft -= 1
      newLeft -= 1
    }
  }
  for (const each of hunks) markChangedParts(each.lines)
  return hunks
}

/** Marks the differences between removed lines and the same number of added lines after them. */
function markChangedParts(lines: DiffLine[]): void {
  let at = 0
  while (at < lines.length) {
    const removed = runOf(lines, at, 'removed')
    const added = runOf(lines, at + removed.length, 'added')
    if (removed.length > 0 && removed.length === added.length) {
      for (const [index, before] of removed.entries()) {
        const after = added[index]
        if (after) markPair(before, after)
      }
    }
    at += Math.max(1, removed.length + added.length)
  }
}

function runOf(lines: DiffLine[], from: number, kind: DiffLine['kind']): DiffLine[] {
  let end = from
  while (lines[end]?.kind === kind) end += 1
  return lines.slice(from, end)
}

function markPair(before: DiffLine, after: DiffLine): void {
  const minLength = Math.min(before.text.length, after.text.length)
  let start = 0
  while (start < minLength && before.text[start] === after.text[start]) start += 1
  let tail = 0
  while (tail < minLength - start && before.text.at(-1 - tail) === after.text.at(-1 - tail)) tail += 1
  // Do not split surrogate pairs.
  if (start > 0 && isHighSurrogate(before.text.charCodeAt(start - 1))) start -= 1
  if (tail > 0 && isHighSurrogate(before.text.charCodeAt(before.text.length - tail - 1))) tail -= 1
  // Do not mark lines that have little in common.
  if (start + tail < minLength * 0.3) return
  if (before.text.length - tail > start) before.changed = { start, end: before.text.length - tail }
  if (after.text.length - tail > start) after.changed = { start, end: after.text.length - tail }
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff
}
