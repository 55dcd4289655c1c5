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

const marker = (line: string, sign: string): boolean => line.startsWith(sign) && (line.length === 7 || line[7] === ' ')

/** Pure: finds the complete conflicts of a text. */
export function parseConflicts(lines: readonly string[]): Conflict[] {
  const found: Conflict[] = []
  let open: Conflict | null = null
  let part: 'ours' | 'base' | 'theirs' = 'ours'
  for (const [index, line] of lines.entries()) {
    if (marker(line, '<<<<<<<')) {
      open = {
        startLine: index + 1,
        endLine: 0,
        ours: [],
        theirs: [],
        base: null,
        ourName: line.slice(8),
        theirName: '',
      }
      part = 'ours'
    } else if (open === null) {
      continue
    } else if (part === 'ours' && marker(line, '|||||||')) {
      open.base = []
      part = 'base'
    } else if (part !== 'theirs' && line === '=======') {
      part = 'theirs'
    } else if (part === 'theirs' && marker(line, '>>>>>>>')) {
      found.push({ ...open, endLine: index + 1, theirName: line.slice(8) })
      open = null
    } else if (part === 'base') open.base?.push(line)
    else open[part].push(line)
  }
  return found
}

export function hasConflictMarkers(text: string): boolean {
  return text.includes('<<<<<<<') && parseConflicts(text.split(/\r?\n/)).length > 0
}

export type ConflictChoice = 'ours' | 'theirs' | 'both'

/** Returns the lines that replace a conflict including its markers. */
export function resolvedLines({ ours, theirs }: Conflict, choice: ConflictChoice): string[] {
  return choice === 'ours' ? ours : choice === 'theirs' ? theirs : [...ours, ...theirs]
}
