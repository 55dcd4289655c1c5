import { trimEndCharacters } from './trimEnd.ts'
import { specialMentions, type SpecialMention } from './attachments.ts'

/** A mention (`@…`) in a message and its position. */
export interface Mention {
  /** The text including `@`. */
  raw: string
  from: number
  to: number
  what: SpecialMention | Place
  /** Quoted, so it can only be a path. */
  quoted: boolean
}

/** A file or folder, lines of a file, or a symbol in it. */
export interface Place {
  path: string
  /** 1-based. */
  line?: number
  endLine?: number
  symbol?: string
}

/** Suffix of a path: `:10`, `:10-20` or `#name`. */
const suffix = String.raw`(?::\d+(?:-\d+)?|#[^\s"'<>|]+)?`
const pattern = new RegExp(String.raw`(?<=^|[\s([{])@(?:"([^"\n]+)"(${suffix})|([^\s"'<>|@\x60][^\s"'<>|\x60]*))`, 'g')

/** Parses the mentions of a text in order. Does not check that their targets exist. */
export function parseMentions(text: string): Mention[] {
  return [...text.matchAll(pattern)].flatMap((match): Mention[] => {
    const quoted = match[1] !== undefined
    // Exclude punctuation of the surrounding sentence.
    const written = quoted ? match[0] : trimEndCharacters(match[0], '.,;:!?)]}')
    const what = quoted ? place(match[1] ?? '', match[2] ?? '') : parseWhat(written.slice(1))
    return what === undefined
      ? []
      : [{ raw: written, from: match.index, to: match.index + written.length, what, quoted }]
  })
}

function parseWhat(written: string): Mention['what'] | undefined {
  const special = specialMentions.find((name) => name === written)
  if (special) return special
  const behind = new RegExp(`${suffix}$`).exec(written)?.[0] ?? ''
  const path = written.slice(0, written.length - behind.length)
  return path === '' ? undefined : place(path, behind)
}

function place(path: string, behind: string): Place {
  if (behind.startsWith('#')) return { path, symbol: behind.slice(1) }
  const [first, last] = behind.slice(1).split('-').map(Number)
  return first === undefined || !(first >= 1)
    ? { path }
    : { path, line: first, endLine: Math.max(first, last ?? first) }
}

/** Formats a mention. Quotes the path if it could be parsed differently. */
export function mentionText(what: Mention['what']): string {
  if (typeof what === 'string') return `@${what}`
  const { path, line, endLine, symbol } = what
  const lines = line === undefined ? '' : `:${line}${endLine === undefined || endLine === line ? '' : `-${endLine}`}`
  const behind = symbol === undefined ? lines : `#${symbol}`
  const plain = `@${path}${behind}`
  const read = parseMentions(plain)[0]
  const same = read?.raw === plain && typeof read.what !== 'string' && read.what.path === path
  return same ? plain : `@"${path}"${behind}`
}

/** The incomplete mention before the cursor. `query` excludes `@` and an opening quote. */
export function mentionAt(text: string, cursor: number): { from: number; query: string } | undefined {
  const match = /(?:^|[\s([{])@(?:"([^"\n]*)|([^\s"'<>|`@]*))$/.exec(text.slice(0, cursor))
  if (!match) return undefined
  const query = match[1] ?? match[2] ?? ''
  return { from: cursor - query.length - (match[1] === undefined ? 1 : 2), query }
}
