import { lineHunks, linesWithEnds, type LineHunk } from './lineHunks.ts'

/** Adjacent hunks of both sides, which replace the base lines from `start` to `end` (exclusive, 0-based). */
interface Region {
  start: number
  end: number
  mine: LineHunk[]
  other: LineHunk[]
}

const milliseconds = 500

/**
 * Merges two changes of a base text by lines. Where both changed the same or adjacent lines, the result has both sides
 * and the base between conflict markers, as git writes them with `merge.conflictStyle=diff3`. Their length is one that
 * no line of the texts has.
 *
 * @param names of both sides, after the markers
 */
export function mergeWithMarkers(
  base: string,
  mine: string,
  other: string,
  names: { mine: string; other: string },
): string {
  const [before, own, others] = [base, mine, other].map(linesWithEnds) as [string[], string[], string[]]
  const mark = markers(markerSize([before, own, others]))
  let text = ''
  let at = 0
  const ends = base.includes('\r\n') || (base === '' && mine.includes('\r\n')) ? '\r\n' : '\n'
  for (const region of regionsOf(
    lineHunks(before, own, { milliseconds }),
    lineHunks(before, others, { milliseconds }),
  )) {
    text += before.slice(at, region.start).join('')
    at = region.end
    const [ours, theirs] = [sideOf(before, own, region, 'mine'), sideOf(before, others, region, 'other')]
    if (region.other.length === 0 || ours === theirs) text += ours
    else if (region.mine.length === 0) text += theirs
    else {
      const parts = [ours, before.slice(region.start, region.end).join(''), theirs].map((part) =>
        part === '' || part.endsWith('\n') ? part : part + ends,
      )
      const [first = '', middle = '', last = ''] = parts
      text += `${mark.ours} ${names.mine}${ends}${first}${mark.base} base${ends}${middle}${mark.theirs}${ends}${last}${mark.end} ${names.other}${ends}`
    }
  }
  return text + before.slice(at).join('')
}

function markers(size: number) {
  const [ours, base, theirs, end] = ['<', '|', '=', '>'].map((sign) => sign.repeat(size))
  return { ours, base, theirs, end }
}

/** Returns the shortest length of conflict markers that no line of the texts has. */
function markerSize(texts: readonly (readonly string[])[]): number {
  const taken = new Set<number>()
  for (const line of texts.flat()) {
    const sign = line.charAt(0)
    if (sign === '' || !'<|=>'.includes(sign)) continue
    let length = 0
    while (line[length] === sign) length += 1
    if (' \r\n'.includes(line.charAt(length))) taken.add(length)
  }
  let size = 7
  while (taken.has(size)) size += 1
  return size
}

/** Groups the hunks of both sides that overlap or touch. */
function regionsOf(mine: readonly LineHunk[], other: readonly LineHunk[]): Region[] {
  const all = [
    ...mine.map((hunk) => ({ hunk, side: 'mine' as const })),
    ...other.map((hunk) => ({ hunk, side: 'other' as const })),
  ].toSorted((a, b) => a.hunk.original.start - b.hunk.original.start)
  const regions: Region[] = []
  for (const { hunk, side } of all) {
    const start = hunk.original.start - 1
    const end = start + hunk.original.count
    const last = regions.at(-1)
    if (last && start <= last.end) {
      last[side].push(hunk)
      last.end = Math.max(last.end, end)
    } else regions.push({ start, end, mine: [], other: [], [side]: [hunk] })
  }
  return regions
}

/** Returns the text that a side has for the base lines of a region. */
function sideOf(before: readonly string[], after: readonly string[], region: Region, side: 'mine' | 'other'): string {
  let text = ''
  let at = region.start
  for (const { original, modified } of region[side]) {
    text += before.slice(at, original.start - 1).join('')
    text += after.slice(modified.start - 1, modified.start - 1 + modified.count).join('')
    at = original.start - 1 + original.count
  }
  return text + before.slice(at, region.end).join('')
}
