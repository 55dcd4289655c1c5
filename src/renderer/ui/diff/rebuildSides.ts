import type { DiffHunk, DiffLine } from './unifiedDiff.ts'

/** Both sides of a change. */
export interface Sides {
  original: string
  modified: string
  /** Whether the texts contain only the changed places, because the whole file is not available. */
  partial: boolean
}

type Side = 'original' | 'modified'

/**
 * Rebuilds both texts of a change from its hunks and the current text, which can be either side. If the text matches
 * neither side, because the file changed since, returns only the lines of the hunks.
 * @param text text with `\n` line endings; null if the file does not exist
 */
export function rebuildSides(hunks: readonly DiffHunk[], text: string | null): Sides {
  const lines = text === null || text === '' ? [] : text.split('\n')
  // After an edit the file is the modified side. Before its approval it is the original side.
  const original = replaceSide(lines, hunks, 'modified')
  if (original !== undefined) return { original, modified: text ?? '', partial: false }
  const modified = replaceSide(lines, hunks, 'original')
  if (modified !== undefined) return { original: text ?? '', modified, partial: false }
  const only = (side: Side) => hunks.map((hunk) => linesOf(hunk, side).join('\n')).join('\n\n⋯\n\n')
  return { original: only('original'), modified: only('modified'), partial: true }
}

/** Replaces one side of every hunk with the other. Undefined if the lines do not match that side. */
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
