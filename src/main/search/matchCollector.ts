import type { Match } from '../../shared/tool.ts'
import { Smallest } from '../base/smallestOf.ts'
import { cutAround, utf16Index } from './truncateAround.ts'
import { textEnd, type MessageSink } from './messageReader.ts'
import { byText } from './searchScope.ts'

export interface CollectorOptions {
  /** Matching lines to keep; the rest is only counted. Which are kept depends on the files alone and not on the order they come in. */
  maxResults: number
  /** Files come by path: the search ends once no later file can add a match. */
  sorted?: boolean
  /** Counting ends here, and with it the search. */
  maxCount: number
  /** Lines shown before and after each match. */
  context: number
  /** Longer lines are cut around the match, UTF-16 units. */
  maxText: number
  /** Whether matches in this file count at all. */
  accepts(path: string): boolean
}

// The types of ripgrep's messages, as its printer documents them (grep_printer::JSON). They come from our own binary and are not checked again.

/** Text as ripgrep writes it: `bytes` (base64) where it is not valid UTF-8. */
interface Encoded {
  text?: string
  bytes?: string
}
interface LineData {
  path: Encoded
  lines: Encoded
  line_number: number | null
  submatches: { start: number }[]
}

/** Position of the byte that tells the kinds of messages apart: `{"type":"match"`, `begin`, `context`, `end`; `{"data":` is the summary. */
const kindAt = 9
const kind = {
  match: 'm'.charCodeAt(0),
  begin: 'b'.charCodeAt(0),
  context: 'c'.charCodeAt(0),
  end: 'e'.charCodeAt(0),
} as const
/** Longer messages are not parsed whole: they can hold a million places of one line. */
const longMessage = 64 * 1024

/** Where there are more matches than room, each file gets this part of the room before any gets more. */
const fileShare = 0.1

/** A match and its rank: those with a lower round are kept first, then those of earlier paths and lines. */
interface Ranked {
  match: Match
  round: number
  /** Its number among the matches of its file. */
  index: number
}

function byRank(a: Pick<Ranked, 'round' | 'index'> & { match: Pick<Match, 'path'> }, b: Ranked): number {
  return a.round - b.round || byText(a.match.path, b.match.path) || a.index - b.index
}

/**
 * Turns ripgrep's messages into matches. What finds no room is only counted: of its message one byte is looked at. ripgrep searches in
 * parallel, so matches are ranked before the rest is dropped; the first that come would be others each time.
 */
export class MatchCollector implements MessageSink {
  /** Matching lines seen. */
  total = 0
  files = 0
  filesSearched = 0
  /** Files left because they turned out to be binary after a match. */
  readonly binary: string[] = []
  /** Counting reached its bound: there are at least `total`. */
  stopped = false

  readonly #options: CollectorOptions
  readonly #kept: Smallest<Ranked>
  readonly #share: number
  #path = ''
  /** Matches of the current file so far. */
  #inFile = 0
  #batch: Match[] = []
  /** Matches of the current file that still wait for lines after them. */
  #open: Match[] = []
  /** The last lines of the current file, for the lines before a match. */
  #recent: { line: number; text: string }[] = []
  #ignoring = false
  #fileCounted = false
  /** The name to report instead of ripgrep's (a buffer searched over standard input). */
  #alias: string | undefined

  constructor(options: CollectorOptions) {
    this.#options = options
    this.#kept = new Smallest(options.maxResults, byRank)
    this.#share = Math.max(1, Math.ceil(options.maxResults * fileShare))
  }

  /** What follows comes from standard input and belongs to this file; undefined: from files again. */
  useName(path: string | undefined): void {
    this.#alias = path
  }

  /** What was kept, by path and line. */
  get matches(): Match[] {
    return this.#kept
      .sorted()
      .map(({ match }) => match)
      .toSorted((a, b) => byText(a.path, b.path) || a.line - b.line)
  }

  /** Matches found since the last call; some of them may have lost their room again. */
  takeBatch(): Match[] {
    const batch = this.#batch
    if (batch.length > 0) this.#batch = []
    return batch
  }

  message(line: Buffer): boolean {
    switch (line[kindAt]) {
      case kind.begin:
        this.#begin(line)
        return !this.#isComplete()
      case kind.match:
        return this.#ignoring || this.#match(line)
      case kind.context:
        if (!this.#ignoring && (this.#open.length > 0 || this.#hasRoom())) this.#follow(parseLine(line))
        return true
      case kind.end:
        if (!line.includes('"binary_offset":null')) this.#endOfBinary(line)
        return true
      default:
        this.#summary(line)
        return true
    }
  }

  oversized(head: Buffer, tail: string): boolean {
    if (this.#ignoring || head[kindAt] !== kind.match) return true
    const end = head.indexOf(textEnd)
    if (end >= 0) return this.#match(head, (message) => parseUpTo(message, end))
    if (this.#hasRoom()) {
      const data = parseHead(head, tail)
      this.#add({
        path: this.#pathOf(data.path),
        line: data.line_number ?? 1,
        text: `${cutAround(decode(data.lines), 0, this.#options.maxText)} [line too long to show whole]`,
      })
    }
    return this.#count()
  }

  #begin(line: Buffer): void {
    this.#open = []
    this.#recent = []
    this.#fileCounted = false
    this.#inFile = 0
    const { data }: { data: { path: Encoded } } = JSON.parse(line.toString('utf8'))
    this.#path = this.#pathOf(data.path)
    this.#ignoring = !this.#options.accepts(this.#path)
  }

  #match(line: Buffer, parse = parseLine): boolean {
    const keep = this.#hasRoom()
    if (keep || this.#open.length > 0) {
      const data = parse(line)
      // A match is also a line after the one before it.
      const before = this.#follow(data)
      if (keep) {
        const text = withoutLineEnd(decode(data.lines))
        const at = utf16Index(text, data.submatches[0]?.start ?? 0)
        const match: Match = {
          path: this.#pathOf(data.path),
          line: data.line_number ?? 1,
          column: at + 1,
          text: cutAround(text, at, this.#options.maxText),
        }
        if (this.#options.context > 0) {
          match.before = before
          match.after = []
          this.#open.push(match)
        }
        this.#add(match)
      }
    }
    return this.#count()
  }

  #add(match: Match): void {
    if (this.#kept.add({ match, ...this.#rank() })) this.#batch.push(match)
  }

  #rank(): { round: number; index: number } {
    return { round: Math.floor(this.#inFile / this.#share), index: this.#inFile }
  }

  /** Whether the next match of this file would be kept. */
  #hasRoom(): boolean {
    const last = this.#kept.largest
    return (
      this.#kept.size < this.#options.maxResults ||
      (last !== undefined && byRank({ match: { path: this.#path }, ...this.#rank() }, last) < 0)
    )
  }

  /** A later file can only add matches of round 0 behind those that are there. */
  #isComplete(): boolean {
    return this.#options.sorted === true && this.#kept.largest?.round === 0
  }

  #count(): boolean {
    this.total++
    this.#inFile++
    if (!this.#fileCounted) {
      this.#fileCounted = true
      this.files++
    }
    this.stopped = this.total >= this.#options.maxCount
    return !this.stopped
  }

  /** Hands a line to the matches before it and remembers it for those after it. @returns the lines just before it */
  #follow(data: LineData): string[] {
    const { context, maxText } = this.#options
    if (context === 0) return []
    const line = data.line_number ?? 1
    const text = cutAround(withoutLineEnd(decode(data.lines)), 0, maxText)
    this.#open = this.#open.filter((match) => line <= match.line + context)
    for (const match of this.#open) match.after?.push(text)
    const before = this.#recent.filter((recent) => recent.line >= line - context).map((recent) => recent.text)
    this.#recent = [...this.#recent, { line, text }].slice(-context)
    return before
  }

  #endOfBinary(line: Buffer): void {
    const { data }: { data: { path: Encoded } } = JSON.parse(line.toString('utf8'))
    if (this.binary.length < 100) this.binary.push(this.#pathOf(data.path))
  }

  #summary(line: Buffer): void {
    const { data }: { data?: { stats?: { searches?: number } } } = JSON.parse(line.toString('utf8'))
    this.filesSearched += data?.stats?.searches ?? 0
  }

  #pathOf(path: Encoded): string {
    return this.#alias ?? decode(path).replace(/^\.\//, '')
  }
}

function decode(value: Encoded): string {
  return value.text ?? Buffer.from(value.bytes ?? '', 'base64').toString('utf8')
}

function withoutLineEnd(text: string): string {
  return text.endsWith('\r\n') ? text.slice(0, -2) : text.endsWith('\n') ? text.slice(0, -1) : text
}

function parseLine(line: Buffer): LineData {
  const end = line.length > longMessage ? line.indexOf(textEnd) : -1
  if (end >= 0) return parseUpTo(line, end)
  const { data }: { data: LineData } = JSON.parse(line.toString('utf8'))
  return data
}

/** A long message without its list of places: of those only the first is read. @param end where its text ends */
function parseUpTo(line: Buffer, end: number): LineData {
  // Cut right behind the text, three objects are open.
  const { data }: { data: Pick<LineData, 'path' | 'lines'> } = JSON.parse(`${line.toString('utf8', 0, end)}}}}`)
  const startAt = line.indexOf('},"start":', end)
  const start = startAt < 0 ? undefined : /\d+/.exec(line.toString('latin1', startAt, startAt + 40))?.[0]
  return {
    ...data,
    line_number: lineNumber(line.toString('latin1', end, end + 64)),
    submatches: start === undefined ? [] : [{ start: Number(start) }],
  }
}

function lineNumber(tail: string): number | null {
  const found = /"line_number":(\d+)/.exec(tail)?.[1]
  return found === undefined ? null : Number(found)
}

/** The beginning of a message that was too long to keep: its path and as much of its text as there is. */
function parseHead(head: Buffer, tail: string): LineData {
  const text = head.toString('utf8')
  const path = /^\{"type":"match","data":\{"path":(\{"(?:text|bytes)":"(?:[^"\\]|\\.)*"\})/.exec(text)?.[1]
  const start = '"lines":{"text":"'
  const from = text.indexOf(start)
  // Cut before the last backslash or broken character, so that what is left is a whole JSON string.
  const raw =
    from < 0 ? '' : text.slice(from + start.length, from + start.length + 4096).replace(/\\[^\\]{0,5}$|\uFFFD$/, '')
  const encoded: Encoded = path === undefined ? {} : JSON.parse(path)
  return {
    path: encoded,
    lines: { text: unescape(raw) },
    line_number: lineNumber(tail),
    submatches: [],
  }
}

/** A piece of a JSON string; where the cut left half an escape behind, the piece as it stands. */
function unescape(raw: string): string {
  try {
    return String(JSON.parse(`"${raw}"`))
  } catch (error) {
    if (error instanceof SyntaxError) return raw
    throw error
  }
}
