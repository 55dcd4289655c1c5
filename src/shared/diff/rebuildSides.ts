import type { DiffHunk, DiffLine } from './hunkRows.ts'

/** The text before and after a change. */
export interface DiffSides {
  original: string
  modified: string
  /** Whether the texts contain only the hunks, because the file has changed since and matches neither side. */
  partial: boolean
}

type Side = 'original' | 'modified'

/**
 * Rebuilds both texts of a change from its hunks and the file's current text, which can be either side. If the file has
 * changed since, returns only the lines of the hunks.
 * @param text current text with `\n` line endings; null if the file does not exist
 */
export function rebuildSides(hunks: readonly DiffHunk[], text: string | null): DiffSides {
  const lines = text === null || text === '' ? [] : text.split('\n')
  // The file is the original side before the edit is approved, and the modified side afterwards.
  const original = replaceSide(lines, hunks, 'modified')
  if (original !== undefined) return { original, modified: text ?? '', partial: false }
  const modified = replaceSide(lines, hunks, 'original')
  if (modified !== undefined) return { original: text ?? '', modified, partial: false }
  const only = (side: Side) => hunks.map((hunk) => linesOf(hunk, side).join('\n')).join('\n\n⋯\n\n')
  return { original: only('original'), modified: only('modified'), partial: true }
}

/** Replaces side `from` of every hunk with the other side. @returns undefined if the lines do not match `from` */
function replaceSide(lines: readonly string[], hunks: readonly DiffHunk[], from: Side): string | undefined {
  const result: string[] = []
  let at = 0
  for (const hunk of hunks) {
    const expected = linesOf(hunk, from)
    // If this side of a hunk is empty, its number is that of the preceding line.
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
