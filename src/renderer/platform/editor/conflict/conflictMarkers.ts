/**
 * A conflict in a text: lines between markers, as git writes them. Line numbers are 1-based and include the markers.
 */
export interface Conflict {
  startLine: number
  endLine: number
  ours: string[]
  theirs: string[]
  /** Lines of the common ancestor, if git writes them (`merge.conflictStyle` diff3 or zdiff3). */
  base: string[] | null
  /** Names after the markers, for example `HEAD` and the merged branch. */
  ourName: string
  theirName: string
}

/** Whether a line is a marker, which has a name or nothing after its signs. */
function isMarker(line: string, sign: string, size: number): boolean {
  return line.startsWith(sign.repeat(size)) && (line.length === size || line[size] === ' ')
}

/** Returns the number of signs of the marker that starts a conflict; undefined for any other line. */
function openingSize(line: string): number | undefined {
  return /^<{7,}(?= |$)/.exec(line)?.[0].length
}

/** Pure: finds the complete conflicts of a text. All markers of a conflict have the same length, at least 7. */
export function parseConflicts(lines: readonly string[]): Conflict[] {
  const found: Conflict[] = []
  for (let index = 0; index < lines.length; index++) {
    const size = openingSize(lines[index] ?? '')
    const conflict = size === undefined ? undefined : conflictAt(lines, index, size)
    if (conflict === undefined) continue
    found.push(conflict)
    index = conflict.endLine - 1
  }
  return found
}

function conflictAt(lines: readonly string[], start: number, size: number): Conflict | undefined {
  let base: number | undefined
  let middle: number | undefined
  for (let index = start + 1; index < lines.length; index++) {
    const line = lines[index] ?? ''
    if (isMarker(line, '<', size)) return undefined
    // With a common base, equal signs above it are text, for example a heading.
    if (base === undefined && isMarker(line, '|', size)) {
      base = index
      middle = undefined
    } else if (middle === undefined && line === '='.repeat(size)) middle = index
    else if (middle !== undefined && isMarker(line, '>', size))
      return {
        startLine: start + 1,
        endLine: index + 1,
        ours: lines.slice(start + 1, base ?? middle),
        theirs: lines.slice(middle + 1, index),
        base: base === undefined ? null : lines.slice(base + 1, middle),
        ourName: (lines[start] ?? '').slice(size + 1),
        theirName: line.slice(size + 1),
      }
  }
  return undefined
}

/** Whether lines have a marker of a conflict that is in neither of its sides. */
export function hasLeftMarker(lines: readonly string[], { ours, theirs, base }: Conflict): boolean {
  const known = new Set([...ours, ...theirs, ...(base ?? [])])
  return lines.some((line) => /^(?:<{7,}|\|{7,}|={7,}|>{7,})(?: |$)/.test(line) && !known.has(line))
}

/** Returns the index of the conflict at a line, or else of the next one; of the last one if there is none below. */
export function conflictAtLine(conflicts: readonly Conflict[], line: number): number {
  const index = conflicts.findIndex(({ endLine }) => endLine >= line)
  return index < 0 ? conflicts.length - 1 : index
}

export function hasConflictMarkers(text: string): boolean {
  return text.includes('<<<<<<<') && parseConflicts(text.split(/\r?\n/)).length > 0
}

export type ConflictChoice = 'ours' | 'theirs' | 'both'

/** Returns the lines that replace a conflict including its markers. */
export function resolvedLines({ ours, theirs }: Conflict, choice: ConflictChoice): string[] {
  return choice === 'ours' ? ours : choice === 'theirs' ? theirs : [...ours, ...theirs]
}
