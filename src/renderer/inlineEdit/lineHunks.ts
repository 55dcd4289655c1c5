import { diffArrays } from 'diff'

/** Lines that differ between a text and a proposal. */
export interface LineHunk {
  /** 0-based index of the first removed line, or of the line that the added ones precede. */
  start: number
  removed: number
  added: string[]
}

/** Limits of a comparison line by line, which takes quadratic time. Beyond them, one hunk replaces all lines. */
const limits = {
  complete: { maxEditLength: 2000, timeout: 200 },
  // Repeated while the proposal is written.
  partial: { maxEditLength: 300, timeout: 20 },
}

/** Compares a text with a complete proposal. */
export function lineHunks(
  base: readonly string[],
  proposal: readonly string[],
  options: { maxEditLength: number; timeout: number } = limits.complete,
): LineHunk[] {
  const parts = diffArrays([...base], [...proposal], options)
  if (!parts) return [{ start: 0, removed: base.length, added: [...proposal] }]
  const hunks: LineHunk[] = []
  let at = 0
  let open: LineHunk | null = null
  for (const { added, removed, value } of parts) {
    if (!added && !removed) {
      at += value.length
      open = null
      continue
    }
    if (!open) {
      open = { start: at, removed: 0, added: [] }
      hunks.push(open)
    }
    if (removed) {
      at += value.length
      open.removed += value.length
    } else open.added.push(...value)
  }
  return hunks
}

/**
 * Compares a text with the first lines of a proposal that is still being written. Lines that the proposal has not
 * reached yet do not count as removed.
 */
export function partialLineHunks(base: readonly string[], proposal: readonly string[]): LineHunk[] {
  if (proposal.length === 0) return []
  // Far lines are left out, because a short line such as "}" would match one of them.
  const reached = proposal.length + Math.max(5, Math.ceil(proposal.length / 4))
  const hunks = lineHunks(base.slice(0, reached), proposal, limits.partial)
  const last = hunks.at(-1)
  if (!last || last.start + last.removed < Math.min(base.length, reached)) return hunks
  const removed = Math.min(last.removed, last.added.length)
  return removed === 0 && last.added.length === 0 ? hunks.slice(0, -1) : [...hunks.slice(0, -1), { ...last, removed }]
}

/** Returns the proposal without a hunk: the lines of the text stay there. */
export function withoutHunk(base: readonly string[], proposal: readonly string[], hunk: LineHunk): string[] {
  const before = lineHunks(base, proposal).filter(({ start }) => start < hunk.start)
  const shift = before.reduce((sum, each) => sum + each.added.length - each.removed, 0)
  const from = hunk.start + shift
  return [
    ...proposal.slice(0, from),
    ...base.slice(hunk.start, hunk.start + hunk.removed),
    ...proposal.slice(from + hunk.added.length),
  ]
}
