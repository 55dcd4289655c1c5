import type { DiffHunk, DiffLine } from './unifiedDiff.ts'

/** Both sides of a change. */
export interface Sides {
  original: string
  modified: string
  /** Only the changed places: the whole file could not be had. */
  partial: boolean
}

type Side = 'original' | 'modified'

/**
 * The two whole texts of a change, from its hunks and one of the texts, whichever side that is; only the hunks' own lines
 * where the text fits neither (it was changed since).
 * @param text with `\n` line ends; null when there is no such file now
 */
export function rebuildSides(hunks: readonly DiffHunk[], text: string | null): Sides {
  const lines = text === null || text === '' ? [] : text.split('\n')
  // After an edit the file is the modified side, before its approval the original one.
  const original = replaceSide(lines, hunks, 'modified')
  if (original !== undefined) return { original, modified: text ?? '', partial: false }
  const modified = replaceSide(lines, hunks, 'original')
  if (modified !== undefined) return { original: text ?? '', modified, partial: false }
  const only = (side: Side) => hunks.map((hunk) => linesOf(hunk, side).join('\n')).join('\n\n⋯\n\n')
  return { original: only('original'), modified: only('modified'), partial: true }
}

/** Replaces one side of every hunk by the other. Undefined when the lines are not those of that side. */
function replaceSide(lines: readonly string[], hunks: readonly DiffHunk[], from: Side): string | undefined {
  const result: string[] = []
  let at = 0
  for (const hunk of hunks) {
    const expected = linesOf(hunk, from)
    // An empty side names the line before it.
    const start = (from === 'original' ? hunk.oldStart : hunk.newStart) - (expected.length === 0 ? 0 : 1)
    if (start < at || expected.some((line, index) => lines[start + index] !== line)) return undefined
    result.push(...lines.slice(at, start), ...linesOf(hunk, from === 'original' ? 'modified' : 'original'))
    at = start + expected.length
  }
  return [...result, ...lines.slice(at)].join('\n')
}

const otherKind: Record<Side, DiffLine['kind']> = { original: 'added', modified: 'removed' }

function linesOf({ lines }: DiffHunk, side: Side): string[] {
  return lines.filter(({ kind }) => kind !== 'note' && kind !== otherKind[side]).map(({ text }) => text)
}
