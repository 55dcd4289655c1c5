import { diffArrays } from 'diff'
import type { SpanChange } from './lineChanges.ts'

/** Maximum number of changed lines. Above it, everything between the first and last difference is one hunk. */
const maxEdits = 2000

/** Pure: compares two texts by lines. */
export function lineHunks(before: readonly string[], after: readonly string[]): SpanChange[] {
  const shorter = Math.min(before.length, after.length)
  let start = 0
  while (start < shorter && before[start] === after[start]) start += 1
  let same = 0
  while (same < shorter - start && before[before.length - 1 - same] === after[after.length - 1 - same]) same += 1
  const oldLines = before.slice(start, before.length - same)
  const newLines = after.slice(start, after.length - same)
  const hunk = (oldAt: number, oldCount: number, newAt: number, newCount: number): SpanChange => ({
    original: { start: oldAt + 1, count: oldCount },
    modified: { start: newAt + 1, count: newCount },
  })
  if (oldLines.length === 0 && newLines.length === 0) return []
  const whole = [hunk(start, oldLines.length, start, newLines.length)]
  if (oldLines.length === 0 || newLines.length === 0) return whole
  const parts = diffArrays(oldLines, newLines, { maxEditLength: maxEdits })
  if (!parts) return whole

  const hunks: SpanChange[] = []
  let oldAt = start
  let newAt = start
  let open: SpanChange | null = null
  for (const { added, removed, value } of parts) {
    if (!added && !removed) {
      oldAt += value.length
      newAt += value.length
      open = null
      continue
    }
    if (open === null) {
      open = hunk(oldAt, 0, newAt, 0)
      hunks.push(open)
    }
    if (added) {
      open.modified.count += value.length
      newAt += value.length
    } else {
      open.original.count += value.length
      oldAt += value.length
    }
  }
  return hunks
}
