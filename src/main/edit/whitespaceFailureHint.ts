import { plural, pluralNoun } from '../../shared/text/plural.ts'

/** Lines of a file that differ from a text only in whitespace inside lines, or in blank lines. */
export interface WhitespaceMismatch {
  /** Lines of the file, 1-based and inclusive. */
  startLine: number
  endLine: number
  /** The lines of the file, for copying. */
  text: string
  /** Description of the first difference. */
  difference: string
  /** Number of further matches. */
  others: number
}

/** Maximum UTF-16 units of a text. Longer texts are not searched, because the result is only a hint. */
const maxTextLength = 5_000_000
const maxShown = 120
const maxStarts = 200

/**
 * Finds the first lines that match if all whitespace is ignored; undefined if there are none. Only explains a failed
 * edit: edits never ignore whitespace inside lines, because it may be significant in a string, a table or a Makefile.
 */
export function findWhitespaceMismatch(text: string, wanted: string): WhitespaceMismatch | undefined {
  if (text.length > maxTextLength) return undefined
  const file = solidLines(text)
  const old = solidLines(wanted)
  if (old.length === 0) return undefined
  let found: WhitespaceMismatch | undefined
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

/**
 * Returns the message and hint of an error.
 * @param name the text that was not found, usually a parameter name
 */
export function describeWhitespaceMismatch(
  miss: WhitespaceMismatch,
  name: string,
  {
    path,
    into = name,
  }: {
    /** The file, if the call has several. */
    path?: string
    /** What to correct, if it is not `name`. */
    into?: string
  } = {},
): { message: string; next: string } {
  const { startLine, endLine, others } = miss
  const lines = startLine === endLine ? `line ${startLine}` : `lines ${startLine}-${endLine}`
  const where = path === undefined ? lines : `${lines} of "${path}"`
  const more =
    others > 0 ? ` ${plural(others, 'other position')} ${pluralNoun(others, 'differs', 'differ')} in the same way.` : ''
  return {
    message: `${name} differs from ${where} only in significant whitespace. ${miss.difference}${more}`,
    next: `Whitespace inside lines and blank lines must match the file. Copy this into ${into}:\n${miss.text}`,
  }
}

/** Returns possible start lines, derived from the rarest line of the text, few enough to check each. */
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

/** A line that is not blank. */
interface SolidLine {
  line: number
  text: string
  bare: string
}

/** Returns the non-blank lines, each as written and with all whitespace removed. */
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
      return `Before line ${line} the file has ${blankLines(line - before.line - 1)}, and your text has ${blankLines(wanted.line - oldBefore.line - 1)}.`
    }
    const [own, given] = [text.trim(), wanted.text.trim()]
    if (own === given) continue
    let at = 0
    while (own[at] === given[at]) at += 1
    // Goes back to the start of the whitespace, so that all of it is shown.
    while (at > 0 && /\s/.test(own[at - 1] ?? '')) at -= 1
    const column = text.length - text.trimStart().length + at + 1
    return (
      `In line ${line}, column ${column}, the file has ${spaceAt(own, at)} and your text has ${spaceAt(given, at)}:\n` +
      `  file:  ${shown(own, at)}\n  yours: ${shown(given, at)}`
    )
  }
  return 'Only the indentation of lines differs.'
}

function blankLines(count: number): string {
  return count === 0 ? 'no blank line' : plural(count, 'blank line')
}

function spaceAt(text: string, at: number): string {
  const space = /^\s*/.exec(text.slice(at))?.[0] ?? ''
  if (space === '') return 'no whitespace'
  const parts = [...space.matchAll(/ +|\t+|[^ \t]+/g)].map(([part]) => {
    const kind = part.startsWith(' ') ? 'space' : part.startsWith('\t') ? 'tab' : 'other whitespace character'
    return plural(part.length, kind)
  })
  return parts.join(' and ')
}

/** Formats text as JSON, so that a tab is visible as `\t`. */
function shown(text: string, at: number): string {
  const from = Math.max(0, at - maxShown / 2)
  return JSON.stringify(text.slice(from, from + maxShown).toWellFormed())
}
