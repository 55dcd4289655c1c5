import { lineEdits } from './lineEdits.ts'
import type { GoneHunk, Hunk, TextReview } from './textReviewTypes.ts'

/** Maximum number of gone hunks of a text, and their total UTF-16 units. */
const maxGone = 300
const maxGoneLength = 500_000
const contextLines = 3

/**
 * Returns the agent's changes that a change to the text removes from the review.
 * @param replaced hunks whose lines changed. An undo in the editor can return to them
 * @param hunks the remaining ones
 */
export function goneHunks(
  { review: { current, hunks: old }, replaced }: { review: TextReview; replaced: readonly Hunk[] },
  text: string,
  hunks: readonly Hunk[],
): GoneHunk[] {
  const changed = replaced.map(({ start, end, lines: { removed, added } }): GoneHunk => {
    return { removed, added, before: linesBefore(current, start), after: linesAfter(current, end) }
  })
  // From the new text to the old one, because that is the comparison made when the old text returns.
  const left = lineEdits(text, current).flatMap(({ start, end, newStart, newEnd }) => {
    const remains = hunks.some((hunk) => hunk.start <= start && end <= hunk.end)
    if (remains || !old.some((hunk) => touches(hunk, newStart, newEnd))) return []
    const [removed, added] = [text.slice(start, end), current.slice(newStart, newEnd)]
    return [{ removed, added, before: linesBefore(text, start), after: linesAfter(text, end) }]
  })
  return [...changed, ...left]
}

/** Adds gone hunks to earlier ones, within the limits. */
export function withGone(known: readonly GoneHunk[], added: readonly GoneHunk[]): readonly GoneHunk[] {
  if (added.length === 0) return known
  const all = new Map([...known, ...added].map((hunk) => [JSON.stringify(hunk), hunk]))
  const kept: GoneHunk[] = []
  let length = 0
  for (const [key, hunk] of [...all].toReversed().slice(0, maxGone)) {
    length += key.length
    if (length > maxGoneLength) break
    kept.unshift(hunk)
  }
  return kept
}

/** Drops gone hunks whose text is in kept lines, so that kept text is not listed again. */
export function withoutKept(gone: readonly GoneHunk[], kept: ReadonlySet<Hunk>): readonly GoneHunk[] {
  if (gone.length === 0) return gone
  const isKept = ({ removed, added }: GoneHunk) =>
    [...kept].some(({ lines }) => (added === '' ? lines.removed.includes(removed) : lines.added.includes(added)))
  const left = gone.filter((hunk) => !isKept(hunk))
  return left.length === gone.length ? gone : left
}

/** Lines outside all hunks that the user replaced. */
interface Replacement {
  removed: string
  /** Range of the new lines in the new text. */
  start: number
  end: number
}

/**
 * Finds changes by the agent that a user's change brings back.
 * @returns the base of the replaced lines, and the gone hunks that returned; undefined if none did
 */
export function returnedHunks(
  gone: readonly GoneHunk[],
  text: string,
  { removed, start, end }: Replacement,
): { base: string; returned: ReadonlySet<GoneHunk> } | undefined {
  const found: { from: number; to: number; hunk: GoneHunk }[] = []
  for (const hunk of gone.toReversed()) {
    const place = { removed, start, end, taken: found }
    const from = hunk.added === '' ? findDeletion(hunk, text, place) : findText(hunk, text, place)
    if (from !== undefined) found.push({ from, to: from + hunk.added.length, hunk })
  }
  const returned = new Set(found.map(({ hunk }) => hunk))
  // The user has kept other lines since. If the lines around them are new too, the range was gone: git deletes a file
  // before it rewrites it.
  const isWhole = found.reduce((sum, { from, to }) => sum + to - from, 0) === end - start
  if (isWhole && found.some(({ hunk }) => !removed.includes(hunk.removed))) return { base: removed, returned }
  if (found.length > 0) {
    let base = ''
    let at = start
    for (const { from, to, hunk } of found.toSorted((a, b) => a.from - b.from || a.to - b.to)) {
      base += text.slice(at, from) + hunk.removed
      at = to
    }
    return { base: base + text.slice(at, end), returned }
  }
  // What the user typed into the agent's lines came back with them.
  const added = text.slice(start, end)
  const like = gone.findLast(
    (hunk) => hunk.removed === removed && isSimilar(hunk.added, added) && isAround(hunk, text, start, end),
  )
  return like && { base: removed, returned: new Set() }
}

interface SearchedPlace extends Replacement {
  taken: readonly { from: number; to: number }[]
}

function findText(hunk: GoneHunk, text: string, { start, end, taken }: SearchedPlace): number | undefined {
  const { added } = hunk
  const lines = text.slice(start, end)
  for (let at = lines.indexOf(added); at !== -1; at = lines.indexOf(added, at + 1)) {
    const [from, to] = [start + at, start + at + added.length]
    const whole = isLineStart(text, from) && (isLineStart(text, to) || to === text.length)
    const isFree = !taken.some((other) => from < other.to && other.from < to)
    if (whole && isFree && isAround(hunk, text, from, to)) return from
  }
  return undefined
}

function findDeletion(hunk: GoneHunk, text: string, place: SearchedPlace): number | undefined {
  const { removed, start, end, taken } = place
  if (hunk.removed === '' || !removed.includes(hunk.removed)) return undefined
  for (let at = start; at <= end;) {
    const free = !taken.some((other) => other.from < at && at < other.to)
    if (free && isBetween(hunk, text, at)) return at
    const next = text.indexOf('\n', at)
    if (next === -1) return undefined
    at = next + 1
  }
  return undefined
}

/** Whether the lines before or after a range of the text match the lines that were around the gone hunk. */
function isAround({ before, after }: GoneHunk, text: string, from: number, to: number): boolean {
  return isNear(before, linesBefore(text, from)) || isNear(after, linesAfter(text, to))
}

/** Same as `isAround`, for a position where lines were deleted: the nearest lines must match on both sides. */
function isBetween({ before, after }: GoneHunk, text: string, at: number): boolean {
  const last = (lines: string) => lines.split('\n').slice(-2).join('\n')
  const first = (lines: string) => lines.slice(0, lines.indexOf('\n') + 1 || undefined)
  return last(before) === last(linesBefore(text, at)) && first(after) === first(linesAfter(text, at))
}

function isNear(known: string, now: string): boolean {
  if (known === '' || known.trim() === '') return known === now
  const lines = new Set(now.split('\n'))
  return known.split('\n').some((line) => line.trim() !== '' && lines.has(line))
}

/** Whether two blocks share at least half of their lines, or are single lines that differ in a few characters. */
function isSimilar(one: string, other: string): boolean {
  if (one === '' || other === '') return false
  const lines = new Set(other.split('\n'))
  const known = one.split('\n').filter((line) => line.trim() !== '')
  if (known.filter((line) => lines.has(line)).length * 2 >= known.length && known.length > 1) return true
  let [head, tail] = [0, 0]
  const most = Math.min(one.length, other.length)
  while (head < most && one[head] === other[head]) head += 1
  while (tail < most - head && one.at(-1 - tail) === other.at(-1 - tail)) tail += 1
  return head + tail >= Math.max(one.length, other.length) * 0.8
}

function linesBefore(text: string, at: number): string {
  let start = at
  for (let line = 0; line < contextLines && start > 0; line += 1)
    start = start < 2 ? 0 : text.lastIndexOf('\n', start - 2) + 1
  return text.slice(start, at)
}

function linesAfter(text: string, at: number): string {
  let end = at
  for (let line = 0; line < contextLines && end < text.length; line += 1) {
    const next = text.indexOf('\n', end)
    end = next === -1 ? text.length : next + 1
  }
  return text.slice(at, end)
}

function isLineStart(text: string, at: number): boolean {
  return at === 0 || text[at - 1] === '\n'
}

/** Whether a hunk and a range of the current text share lines, or a position if one of them is empty. */
function touches(hunk: Hunk, start: number, end: number): boolean {
  if (hunk.start === hunk.end || start === end) return hunk.start <= end && start <= hunk.end
  return hunk.start < end && start < hunk.end
}
