import { lineHunks, linesWithEnds } from '../../../../shared/diff/lineHunks.ts'

/** An edit that replaces a range with `text`. `start` and `end` are offsets in the old text. */
export interface OffsetEdit {
  start: number
  end: number
  text: string
}

/** Maximum number of changed lines. Above it, one edit replaces the whole changed range. */
const maxLineEdits = 1000

/**
 * Computes ordered edits that turn `before` into `after` and replace only changed lines, so that cursors, selections
 * and decorations elsewhere stay in place.
 */
export function minimalEdits(before: string, after: string): OffsetEdit[] {
  if (before === after) return []
  const prefix = commonPrefix(before, after)
  const suffix = commonSuffix(before, after, prefix)
  const oldMiddle = before.slice(prefix, before.length - suffix)
  const newMiddle = after.slice(prefix, after.length - suffix)
  const oldLines = linesWithEnds(oldMiddle)
  const newLines = linesWithEnds(newMiddle)
  const whole: OffsetEdit = { start: prefix, end: before.length - suffix, text: newMiddle }
  if (oldLines.length < 3 || newLines.length < 3) return [whole]
  const offsets = [prefix]
  for (const line of oldLines) offsets.push((offsets.at(-1) ?? prefix) + line.length)
  return lineHunks(oldLines, newLines, { maxEdits: maxLineEdits }).map(({ original, modified }) => ({
    start: offsets[original.start - 1] ?? whole.end,
    end: offsets[original.start - 1 + original.count] ?? whole.end,
    text: newLines.slice(modified.start - 1, modified.start - 1 + modified.count).join(''),
  }))
}

function commonPrefix(a: string, b: string): number {
  const limit = Math.min(a.length, b.length)
  let length = 0
  while (length < limit && a.charCodeAt(length) === b.charCodeAt(length)) length++
  return splitsPair(a, length) ? length - 1 : length
}

function commonSuffix(a: string, b: string, prefix: number): number {
  const limit = Math.min(a.length, b.length) - prefix
  let length = 0
  while (length < limit && a.charCodeAt(a.length - 1 - length) === b.charCodeAt(b.length - 1 - length)) length++
  return splitsPair(a, a.length - length) ? length - 1 : length
}

/** Whether the offset splits a surrogate pair. */
function splitsPair(text: string, offset: number): boolean {
  const unit = text.charCodeAt(offset)
  return offset > 0 && unit >= 0xdc00 && unit <= 0xdfff
}
