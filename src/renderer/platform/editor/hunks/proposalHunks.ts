import { lineHunks, type CompareLimits } from '../../../../shared/diff/lineHunks.ts'

/** Lines that differ between a text and a proposal, with the added lines. */
export interface ProposedHunk {
  /** 0-based index of the first removed line, or of the line that the added ones precede. */
  start: number
  removed: number
  added: string[]
}

const limits = {
  complete: { milliseconds: 200 },
  // Repeated while the proposal is being written.
  partial: { maxEdits: 300, milliseconds: 20 },
}

/** Compares a text with a complete proposal. */
export function proposedHunks(
  base: readonly string[],
  proposal: readonly string[],
  options: CompareLimits = limits.complete,
): ProposedHunk[] {
  return lineHunks(base, proposal, options).map(({ original, modified }) => ({
    start: original.start - 1,
    removed: original.count,
    added: proposal.slice(modified.start - 1, modified.start - 1 + modified.count),
  }))
}

/**
 * Compares a text with the first lines of an unfinished proposal. Lines that the proposal has not reached yet do not
 * count as removed.
 */
export function partialHunks(base: readonly string[], proposal: readonly string[]): ProposedHunk[] {
  if (proposal.length === 0) return []
  // Ignore distant lines, because a short line such as "}" would match one of them.
  const reached = proposal.length + Math.max(5, Math.ceil(proposal.length / 4))
  const hunks = proposedHunks(base.slice(0, reached), proposal, limits.partial)
  const last = hunks.at(-1)
  if (!last || last.start + last.removed < Math.min(base.length, reached)) return hunks
  const removed = Math.min(last.removed, last.added.length)
  return removed === 0 && last.added.length === 0 ? hunks.slice(0, -1) : [...hunks.slice(0, -1), { ...last, removed }]
}

/** Returns the proposal without a hunk, keeping the text's lines there. */
export function withoutHunk(base: readonly string[], proposal: readonly string[], hunk: ProposedHunk): string[] {
  const before = proposedHunks(base, proposal).filter(({ start }) => start < hunk.start)
  const shift = before.reduce((sum, each) => sum + each.added.length - each.removed, 0)
  const from = hunk.start + shift
  return [
    ...proposal.slice(0, from),
    ...base.slice(hunk.start, hunk.start + hunk.removed),
    ...proposal.slice(from + hunk.added.length),
  ]
}
