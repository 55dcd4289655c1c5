import { trimEndCharacters } from '../text/trimEnd.ts'
import { specialMentions, type SpecialMention } from './attachments.ts'

/** Maximum number of mentions in one message; further ones are plain text. */
export const maxMentions = 30
/** Maximum characters of a mention. */
export const maxMentionLength = 5000

/** A mention (`@…`) in a message and its position. */
export interface Mention {
  /** The text including `@`. */
  raw: string
  from: number
  to: number
  target: SpecialMention | PathTarget | ResourceTarget
  /** Whether the mention is quoted. Quoted mentions are always paths or resources. */
  quoted: boolean
}

/** A mentioned resource of an MCP server: `@mcp:SERVER/URI`. */
export interface ResourceTarget {
  server: string
  uri: string
}

/** A mentioned file or folder, or lines or a symbol of a file. */
export interface PathTarget {
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
    // Punctuation at the end belongs to the sentence.
    const written = quoted ? match[0] : trimEndCharacters(match[0], '.,;:!?)]}')
    const target = quoted
      ? (resourceTarget(match[1] ?? '') ?? pathTarget(match[1] ?? '', match[2] ?? ''))
      : parseTarget(written.slice(1))
    return target === undefined
      ? []
      : [{ raw: written, from: match.index, to: match.index + written.length, target, quoted }]
  })
}

/** Returns the distinct mentions of a text as written, except those in `others`. */
export function mentionsIn(text: string, others: readonly string[] = []): string[] {
  const written = parseMentions(text).map(({ raw }) => raw)
  const own = written.filter((raw) => raw.length <= maxMentionLength && !others.includes(raw))
  return [...new Set(own)].slice(0, maxMentions)
}

/** Label of a resource below the message. */
export function resourceLabel({ server, uri }: ResourceTarget): string {
  return `${server}: ${uri}`
}

function parseTarget(written: string): Mention['target'] | undefined {
  const special = specialMentions.find((name) => name === written)
  if (special) return special
  const resource = resourceTarget(written)
  if (resource) return resource
  const pathSuffix = new RegExp(`${suffix}$`).exec(written)?.[0] ?? ''
  const path = written.slice(0, written.length - pathSuffix.length)
  return path === '' ? undefined : pathTarget(path, pathSuffix)
}

function resourceTarget(written: string): ResourceTarget | undefined {
  const slash = written.indexOf('/')
  if (!written.startsWith('mcp:') || slash < 0 || slash === written.length - 1) return undefined
  const server = written.slice('mcp:'.length, slash)
  return server === '' ? undefined : { server, uri: written.slice(slash + 1) }
}

function pathTarget(path: string, pathSuffix: string): PathTarget {
  if (pathSuffix.startsWith('#')) return { path, symbol: pathSuffix.slice(1) }
  const [first, last] = pathSuffix.slice(1).split('-').map(Number)
  return first === undefined || !(first >= 1)
    ? { path }
    : { path, line: first, endLine: Math.max(first, last ?? first) }
}

/** Formats a mention. Quotes the path if `parseMentions` would parse it differently. */
export function mentionText(target: Mention['target']): string {
  if (typeof target === 'string') return `@${target}`
  if ('uri' in target) {
    const written = `mcp:${target.server}/${target.uri}`
    return parseMentions(`@${written}`)[0]?.raw === `@${written}` ? `@${written}` : `@"${written}"`
  }
  const { path, line, endLine, symbol } = target
  const lines = line === undefined ? '' : `:${line}${endLine === undefined || endLine === line ? '' : `-${endLine}`}`
  const pathSuffix = symbol === undefined ? lines : `#${symbol}`
  const plain = `@${path}${pathSuffix}`
  const parsed = parseMentions(plain)[0]
  const same =
    parsed?.raw === plain && typeof parsed.target === 'object' && 'path' in parsed.target && parsed.target.path === path
  return same ? plain : `@"${path}"${pathSuffix}`
}

/**
 * Returns the mention that the user is typing before the cursor. `query` is its text without `@` and the opening quote.
 */
export function mentionAt(text: string, cursor: number): { from: number; query: string } | undefined {
  const match = /(?:^|[\s([{])@(?:"([^"\n]*)|([^\s"'<>|`@]*))$/.exec(text.slice(0, cursor))
  if (!match) return undefined
  const query = match[1] ?? match[2] ?? ''
  return { from: cursor - query.length - (match[1] === undefined ? 1 : 2), query }
}
