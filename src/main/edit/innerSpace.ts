import { plural } from '../../shared/plural.ts'
/** A place that differs from a text in nothing but white space inside lines, or in blank lines. */
export interface SpaceMiss {
  /** 1-based lines of the file, inclusive. */
  startLine: number
  endLine: number
  /** The lines as the file has them, to be copied. */
  text: string
  /** What differs first, in words. */
  difference: string
  /** How many more such places there are. */
  others: number
}

/** A longer text is not searched: the answer is only advice. UTF-16 units. */
const maxTextLength = 5_000_000
const maxShown = 120
const maxStarts = 200

/**
 * The first place where a text would be found if no white space counted. White space inside a line is never ignored by an edit: it
 * may belong to a string, a table or a Makefile. `undefined` where there is no such place.
 */
export function spaceMiss(text: string, wanted: string): SpaceMiss | undefined {
  if (text.length > maxTextLength) return undefined
  const file = solidLines(text)
  const old = solidLines(wanted)
  if (old.length === 0) return undefined
  let found: SpaceMiss | undefined
  for (const at of likelyStarts(file, old)) {
    if (!old.every((line, index) => file[at + index]?.bare === line.bare)) continue
    if (found) {
      found.others += 1
      continue
    }
    const there = file.slice(at, at + old.length)
    const startLine = there[0]?.line ?? 1
    const endLine = there.at(-1)?.line ?? startLine
    found = {
      startLine,
      endLine,
      text: text
        .split('\n')
        .slice(startLine - 1, endLine)
        .join('\n'),
      difference: differenceOf(there, old),
      others: 0,
    }
  }
  return found
}

/** What to add to an error, and what to do next. @param name what the tool calls the text */
export function explainSpaceMiss(miss: SpaceMiss, name: string): { message: string; next: string } {
  const { startLine, endLine, others } = miss
  const where = startLine === endLine ? `line ${startLine}` : `lines ${startLine}-${endLine}`
  const more = others > 0 ? `, as from ${plural(others, 'other place')}` : ''
  return {
    message: `${name} differs from ${where} only in white space that counts${more}. ${miss.difference}`,
    next: `White space inside lines and blank lines must be as in the file. Copy this into ${name}:\n${miss.text}`,
  }
}

/** Where the rarest line of a text stands, counted back to its first line; few enough to try each. */
function likelyStarts(file: readonly SolidLine[], old: readonly SolidLine[]): number[] {
  const places = Map.groupBy(file.keys(), (index) => file[index]?.bare)
  let lead = { index: 0, starts: places.get(old[0]?.bare) ?? [] }
  for (const [index, line] of old.entries()) {
    const starts = places.get(line.bare) ?? []
    if (starts.length < lead.starts.length) lead = { index, starts }
  }
  return lead.starts
    .slice(0, maxStarts)
    .map((place) => place - lead.index)
    .filter((start) => start >= 0 && start + old.length <= file.length)
}

interface SolidLine {
  line: number
  text: string
  bare: string
}

/** The lines that are not blank, with and without their white space. */
function solidLines(text: string): SolidLine[] {
  return text.split('\n').flatMap((line, index) => {
    const bare = line.replaceAll(/\s+/g, '')
    return bare === '' ? [] : [{ line: index + 1, text: line, bare }]
  })
}

function differenceOf(there: readonly SolidLine[], old: readonly SolidLine[]): string {
  for (const [index, { line, text }] of there.entries()) {
    const wanted = old[index]
    const before = there[index - 1]
    const oldBefore = old[index - 1]
    if (!wanted) break
    if (before && oldBefore && line - before.line !== wanted.line - oldBefore.line) {
      return `Before line ${line} the file has ${blankLines(line - before.line - 1)}, and the given text has ${blankLines(wanted.line - oldBefore.line - 1)}.`
    }
    const [own, given] = [text.trim(), wanted.text.trim()]
    if (own === given) continue
    let at = 0
    while (own[at] === given[at]) at += 1
    // Back to where the white space begins.
    while (at > 0 && /\s/.test(own[at - 1] ?? '')) at -= 1
    const column = text.length - text.trimStart().length + at + 1
    return (
      `In line ${line}, column ${column}, the file has ${spaceAt(own, at)} and the given text has ${spaceAt(given, at)}:\n` +
      `  file:  ${shown(own, at)}\n  given: ${shown(given, at)}`
    )
  }
  return 'Only the indentation of lines differs.'
}

function blankLines(count: number): string {
  return count === 0 ? 'no blank line' : plural(count, 'blank line')
}

function spaceAt(text: string, at: number): string {
  const space = /^\s*/.exec(text.slice(at))?.[0] ?? ''
  if (space === '') return 'no white space'
  const parts = [...space.matchAll(/ +|\t+|[^ \t]+/g)].map(([part]) => {
    const kind = part.startsWith(' ') ? 'space' : part.startsWith('\t') ? 'tab' : 'other white space character'
    return plural(part.length, kind)
  })
  return parts.join(' and ')
}

/** As JSON, so that a tab shows as `\t`. */
function shown(text: string, at: number): string {
  const from = Math.max(0, at - maxShown / 2)
  return JSON.stringify(text.slice(from, from + maxShown).toWellFormed())
}
