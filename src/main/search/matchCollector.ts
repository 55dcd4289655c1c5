import type { Match } from '../../shared/tools/tool.ts'
import { Smallest } from '../base/smallestOf.ts'
import { truncateAround, utf16Index, maxReplacementLine, replacementsOf, type Submatch } from './replacements.ts'
import { textEnd, type MessageSink } from './ripgrepMessages.ts'
import { compareCodeUnits } from '../base/nameOrder.ts'

export interface CollectorOptions {
  /** Maximum number of matches kept; others are only counted. The selection does not depend on the arrival order. */
  maxResults: number
  /** Whether files arrive sorted by path. The search then stops when no later file can add a match. */
  sorted?: boolean
  /** Number of matches at which the search stops. */
  maxCount: number
  /** Number of context lines before and after each match. */
  context: number
  /** Maximum UTF-16 units of a line. Longer lines are truncated around the match. */
  maxText: number
  /** Whether ripgrep runs with `--replace`, so that matches have replacements. */
  replacements?: boolean
  /** Whether matches in this file count. */
  accepts(path: string): boolean
}

// Types of ripgrep's messages (grep_printer::JSON). The binary is our own, so messages are not validated.

/** Text in ripgrep's output: `bytes` (base64) if it is not valid UTF-8. */
interface Encoded {
  text?: string
  bytes?: string
}
interface LineData {
  path: Encoded
  lines: Encoded
  line_number: number | null
  submatches: Submatch[]
}

/**
 * Index of the byte that identifies the type: `{"type":"match"`, `begin`, `context`, `end`; `{"data":` is the summary.
 */
const kindAt = 9
const kind = {
  match: 'm'.charCodeAt(0),
  begin: 'b'.charCodeAt(0),
  context: 'c'.charCodeAt(0),
  end: 'e'.charCodeAt(0),
} as const
/** Longer messages, in bytes, are not parsed completely, because they can contain a million positions. */
const longMessage = 64 * 1024

/** Maximum number of replacements. Later matches have none. */
const maxReplacements = 20_000

/** Share of the maximum that each file can use per round. */
const fileShare = 0.1

/** A match and its rank. Lower rounds take precedence, then earlier paths and lines. */
interface Ranked {
  match: Match
  round: number
  /** 0-based index of the match in its file. */
  index: number
}

function byRank(a: Pick<Ranked, 'round' | 'index'> & { match: Pick<Match, 'path'> }, b: Ranked): number {
  return a.round - b.round || compareCodeUnits(a.match.path, b.match.path) || a.index - b.index
}

/**
 * Collects matches from ripgrep's messages, and counts those beyond the maximum without parsing them. ripgrep searches
 * in parallel, so matches are ranked; otherwise each run would return different ones.
 */
export class MatchCollector implements MessageSink {
  /** Number of matching lines. */
  total = 0
  files = 0
  filesSearched = 0
  /** Files skipped because they turned out to be binary after a match. */
  readonly binary: string[] = []
  /** Whether counting stopped, so that `total` is a lower bound. */
  stopped = false

  readonly #options: CollectorOptions
  readonly #kept: Smallest<Ranked>
  readonly #share: number
  #path = ''
  /** Number of matches in the current file. */
  #inFile = 0
  /** Number of replacements created so far. */
  #replacements = 0
  #batch: Match[] = []
  /** Number of matches by file. */
  readonly #counts = new Map<string, number>()
  /** Matches of the current file that still need following lines. */
  #open: Match[] = []
  /** Last lines of the current file, for the context before a match. */
  #recent: { line: number; text: string }[] = []
  #ignoring = false
  #fileCounted = false
  /** Path to report instead of ripgrep's, for a buffer searched on standard input. */
  #alias: string | undefined

  constructor(options: CollectorOptions) {
    this.#options = options
    this.#kept = new Smallest(options.maxResults, byRank)
    this.#share = Math.max(1, Math.ceil(options.maxResults * fileShare))
  }

  /** Sets the path to report for standard input; undefined for files. */
  setReportedPath(path: string | undefined): void {
    this.#alias = path
  }

  /** The kept matches, sorted by path and line. */
  get matches(): Match[] {
    return this.#kept
      .sorted()
      .map(({ match }) => match)
      .toSorted((a, b) => compareCodeUnits(a.path, b.path) || a.line - b.line)
  }

  /** Removes the matches of files that are searched again in their own encoding. */
  forget(paths: ReadonlySet<string>): void {
    const removed = this.#kept.remove(({ match }) => paths.has(match.path))
    if (removed === 0 && ![...paths].some((path) => this.#counts.has(path))) return
    for (const path of paths) {
      const count = this.#counts.get(path) ?? 0
      if (count > 0) this.files -= 1
      this.total -= count
      this.#counts.delete(path)
    }
    this.#batch = this.#batch.filter(({ path }) => !paths.has(path))
    this.stopped = this.total >= this.#options.maxCount
  }

  /** Returns the matches since the last call. Some of them may be dropped later. */
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
        text: `${truncateAround(decode(data.lines), 0, this.#options.maxText)} [line truncated]`,
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

  #match(line: Buffer, parse = this.#parser(line)): boolean {
    const keep = this.#hasRoom()
    if (keep || this.#open.length > 0) {
      const data = parse(line)
      // A match is also context of the previous match.
      const before = this.#follow(data)
      if (keep) {
        const text = withoutLineEnd(decode(data.lines))
        const at = utf16Index(text, data.submatches[0]?.start ?? 0)
        const match: Match = {
          path: this.#pathOf(data.path),
          line: data.line_number ?? 1,
          column: at + 1,
          text: truncateAround(text, at, this.#options.maxText),
        }
        if (this.#options.context > 0) {
          match.before = before
          match.after = []
          this.#open.push(match)
        }
        if (this.#options.replacements === true && this.#replacements < maxReplacements) {
          match.replacements = line.length > maxReplacementLine ? [] : replacementsOf(text, data.submatches)
          this.#replacements += match.replacements.length
        }
        this.#add(match)
      }
    }
    return this.#count()
  }

  #parser(line: Buffer): (message: Buffer) => LineData {
    return this.#options.replacements === true && line.length <= maxReplacementLine ? parseAll : parseLine
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

  /** Whether the matches of later files would be dropped: even their first ones rank behind the kept matches. */
  #isComplete(): boolean {
    return this.#options.sorted === true && this.#kept.largest?.round === 0
  }

  #count(): boolean {
    this.total++
    this.#counts.set(this.#path, (this.#counts.get(this.#path) ?? 0) + 1)
    this.#inFile++
    if (!this.#fileCounted) {
      this.#fileCounted = true
      this.files++
    }
    this.stopped = this.total >= this.#options.maxCount
    return !this.stopped
  }

  /** Adds a line to the context of previous matches and remembers it. @returns the preceding lines */
  #follow(data: LineData): string[] {
    const { context, maxText } = this.#options
    if (context === 0) return []
    const line = data.line_number ?? 1
    const text = truncateAround(withoutLineEnd(decode(data.lines)), 0, maxText)
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
  return end >= 0 ? parseUpTo(line, end) : parseAll(line)
}

function parseAll(line: Buffer): LineData {
  const { data }: { data: LineData } = JSON.parse(line.toString('utf8'))
  return data
}

/**
 * Parses a long message without its list of positions, except the first.
 * @param end index of the end of its text
 */
function parseUpTo(line: Buffer, end: number): LineData {
  // After the text, three objects are still open.
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

/** Parses the start of a message that was too long to keep: its path and the first part of its text. */
function parseHead(head: Buffer, tail: string): LineData {
  const text = head.toString('utf8')
  const path = /^\{"type":"match","data":\{"path":(\{"(?:text|bytes)":"(?:[^"\\]|\\.)*"\})/.exec(text)?.[1]
  const start = '"lines":{"text":"'
  const from = text.indexOf(start)
  // Ends before the last backslash or incomplete character, so that the rest is a valid JSON string.
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

/** Unescapes part of a JSON string; returns it unchanged if it ends in an incomplete escape. */
function unescape(raw: string): string {
  try {
    return String(JSON.parse(`"${raw}"`))
  } catch (error) {
    if (error instanceof SyntaxError) return raw
    throw error
  }
}
