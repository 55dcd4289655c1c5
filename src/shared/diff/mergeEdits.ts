import { ToolError } from '../errors.ts'
import { plural } from '../text/plural.ts'
import { lineHunks, linesWithEnds } from './lineHunks.ts'

/** A replaced range of a text, in UTF-16 units. */
interface Edit {
  start: number
  end: number
  text: string
}

/** The merged text, or the conflicting lines of the other text, 1-based. */
export type MergeResult = { text: string } | { first: number; last: number; lines: string }

/**
 * Time limit of a comparison in milliseconds. Beyond it, the range from the first to the last change counts as one
 * edit.
 */
const milliseconds = 200

/**
 * Merges two changes of the same base text. Separate edits in one line merge too. Edits that overlap, or touch within a
 * line, conflict.
 */
export function mergeEdits(base: string, mine: string, other: string): MergeResult {
  if (base === other || mine === other) return { text: mine }
  if (base === mine) return { text: other }
  const [own, others] = [editsBetween(base, mine), editsBetween(base, other)]
  const conflicts = others.filter((edit) => own.some((each) => !isSame(each, edit) && collide(base, each, edit)))
  if (conflicts.length > 0) return linesOf(other, conflicts, others)
  const edits = [...own, ...others.filter((edit) => !own.some((each) => isSame(each, edit)))]
  let text = ''
  let at = 0
  for (const edit of edits.toSorted((a, b) => a.start - b.start || a.end - b.end)) {
    text += base.slice(at, edit.start) + edit.text
    at = edit.end
  }
  return { text: text + base.slice(at) }
}

function editsBetween(before: string, after: string): Edit[] {
  const [oldLines, newLines] = [linesWithEnds(before), linesWithEnds(after)]
  const offsets = [0]
  for (const line of oldLines) offsets.push((offsets.at(-1) ?? 0) + line.length)
  return lineHunks(oldLines, newLines, { milliseconds }).map(({ original, modified }) => {
    const start = offsets[original.start - 1] ?? before.length
    const end = offsets[original.start - 1 + original.count] ?? before.length
    const text = newLines.slice(modified.start - 1, modified.start - 1 + modified.count).join('')
    return original.count === 0 ? { start, end, text } : withoutCommonEnds(before, { start, end, text })
  })
}

/** Trims what an edit leaves unchanged at its start and end. */
function withoutCommonEnds(before: string, { start, end, text }: Edit): Edit {
  let [head, tail] = [0, 0]
  const most = Math.min(end - start, text.length)
  while (head < most && before[start + head] === text[head]) head += 1
  while (tail < most - head && before[end - 1 - tail] === text[text.length - 1 - tail]) tail += 1
  return { start: start + head, end: end - tail, text: text.slice(head, text.length - tail) }
}

/** Whether two edits overlap, or touch so that their order is ambiguous. */
function collide(base: string, one: Edit, other: Edit): boolean {
  if (one.start < other.end && other.start < one.end) return true
  const touch = one.end === other.start ? one.end : other.end === one.start ? other.end : undefined
  if (touch === undefined) return false
  const bothInsert = one.start === one.end && other.start === other.end
  return bothInsert || !(touch === 0 || base[touch - 1] === '\n')
}

const isSame = (one: Edit, other: Edit): boolean =>
  one.start === other.start && one.end === other.end && one.text === other.text

/**
 * Returns the whole lines of the changed text that contain the given edits.
 * @param all all edits from the base to the text
 */
function linesOf(text: string, edits: readonly Edit[], all: readonly Edit[]): Extract<MergeResult, { lines: string }> {
  const starts = edits.map((edit) =>
    all
      .slice(0, all.indexOf(edit))
      .reduce((start, each) => start + each.text.length - (each.end - each.start), edit.start),
  )
  const ends = edits.map((edit, index) => (starts[index] ?? 0) + edit.text.length)
  const start = text.lastIndexOf('\n', Math.min(...starts) - 1) + 1
  const last = Math.max(...ends)
  const newline = text.indexOf('\n', text[last - 1] === '\n' && last > start ? last - 1 : last)
  const lines = text.slice(start, newline === -1 ? text.length : newline)
  const first = text.slice(0, start).split('\n').length
  return { first, last: first + lines.split('\n').length - 1, lines }
}

/** Maximum number of conflicting lines that an error quotes. */
const maxShown = 20

/**
 * Merges the agent's change with what others changed since the text was read.
 * @throws ToolError with this code, quoting the conflicting lines
 */
export function mergeAgentEdit(
  { path, base, mine, other }: { path: string; base: string; mine: string; other: string },
  code: 'conflict' | 'changed_on_disk',
): string {
  const merged = mergeEdits(base, mine, other)
  if ('text' in merged) return merged.text
  const { first, last, lines } = merged
  const shown = lines.split('\n').slice(0, maxShown)
  const more = last - first + 1 - shown.length
  const reason =
    code === 'conflict'
      ? `"${path}" has changed in its tab in the same place since it was read, so nothing was written.`
      : `"${path}" has changed on disk in the same place since it was read, so nothing was written.`
  const where = first === last ? `Line ${first} is now:` : `Lines ${first}-${last} are now:`
  throw new ToolError(
    code,
    `${reason} ${where}\n${shown.join('\n')}${more > 0 ? `\n[… ${plural(more, 'more line')} …]` : ''}`,
    'Read it again and repeat the edit on the new text.',
  )
}
