import { lineHunks } from '../../shared/diff/lineHunks.ts'
import { indentLike } from './indentation.ts'
import { foldLookAlikes } from './lookAlikeCharacters.ts'
import { type TextMatches, type MatchedRange, wholeLines } from './editMatching.ts'

/** A line of the old text and the matching line of the file. */
interface Pair {
  old: string
  file: string
}

/**
 * Returns the replacement for a place. Lines that the edit does not change stay byte for byte as in the file. New lines
 * get the file's indentation if the match ignored it, and the file's typography if the old text differed only in that.
 * @param old the text that was matched
 * @param now the new text
 */
export function replacementFor(
  text: string,
  place: MatchedRange,
  found: TextMatches,
  old: string,
  now: string,
): string {
  if (found.stage === 'exact') return now
  if (now === '') return ''
  const matched = text.slice(place.start, place.end)
  const file = wholeLines(matched)
  const oldLines = wholeLines(old)
  const newLines = wholeLines(now)
  const indent = found.indentationIgnored
    ? indentLike(file, oldLines, newLines, text.split('\n'))
    : (line: string) => line
  const adapt = (line: string, pair?: Pair) =>
    indent(found.stage === 'look_alikes' && pair ? keepTypography(line, pair) : line)
  const lines = replaceLines(file, oldLines, newLines, adapt)
  // If the old text has a final line ending but matched at the end of a file without one, the file stays without.
  const endsLine = now.endsWith('\n') && (matched.endsWith('\n') || !old.endsWith('\n'))
  return lines.join('\n') + (endsLine ? '\n' : '')
}

function replaceLines(
  file: readonly string[],
  old: readonly string[],
  now: readonly string[],
  adapt: (line: string, pair?: Pair) => string,
): string[] {
  // Collected in arrays, because `push` with too many arguments fails.
  const result: string[][] = []
  let at = 0
  for (const { original, modified } of lineHunks(old, now)) {
    const start = original.start - 1
    const removed = old.slice(start, start + original.count)
    const added = now.slice(modified.start - 1, modified.start - 1 + modified.count)
    const pairs = removed.map((line, index): Pair => ({ old: line, file: file[start + index] ?? line }))
    result.push(file.slice(at, start))
    result.push(added.map((line, index) => adapt(line, removed.length === added.length ? pairs[index] : undefined)))
    at = start + original.count
  }
  result.push(file.slice(at, old.length))
  return result.flat()
}

/** Keeps the file's quotes, dashes and spaces at the start and end that a new line shares with the old one. */
function keepTypography(line: string, pair: Pair): string {
  const old = pair.old.trim()
  const file = pair.file.trim()
  if (old.length !== file.length || foldLookAlikes(old) !== foldLookAlikes(file)) return line
  const content = line.trim()
  const at = line.length - line.trimStart().length
  let head = 0
  while (head < Math.min(old.length, content.length) && old[head] === content[head]) head += 1
  let tail = 0
  while (tail < Math.min(old.length, content.length) - head && old.at(-1 - tail) === content.at(-1 - tail)) tail += 1
  const kept = file.slice(0, head) + content.slice(head, content.length - tail) + file.slice(file.length - tail)
  return line.slice(0, at) + kept + line.slice(at + content.length)
}
