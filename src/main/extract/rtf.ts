import { Readable } from 'node:stream'
import { Tokenize } from 'rtf-stream-parser'
import { bufferOf, UnreadableError, type Extracted } from './documentJob.ts'
import { codePageOf, decodeCodePage, RtfText } from './rtfText.ts'

// Rich Text Format 1.9.1.

/** Groups without document text. */
const skippedGroups = new Set([
  'colortbl',
  'info',
  'pict',
  'object',
  'header',
  'headerl',
  'headerr',
  'headerf',
  'footer',
  'footerl',
  'footerr',
  'footerf',
  'fldinst',
  'listtable',
  'listoverridetable',
  'revtbl',
  'rsidtbl',
  'generator',
  'themedata',
  'datastore',
  'latentstyles',
  'xmlnstbl',
  'filetbl',
  'nonshppict',
  'sp',
  'bkmkstart',
  'bkmkend',
  'template',
])
/** Groups marked as optional (`\*`) that nevertheless contain document text. */
const textGroups = new Set(['shpinst', 'listtext', 'pntext'])
/** Control words for characters. */
const characters: Partial<Record<string, string>> = {
  tab: '\t',
  line: '\n',
  emdash: '—',
  endash: '–',
  lquote: '‘',
  rquote: '’',
  ldblquote: '“',
  rdblquote: '”',
  bullet: '•',
  emspace: ' ',
  enspace: ' ',
  qmspace: ' ',
  '~': ' ',
  _: '-',
  '\\': '\\',
  '{': '{',
  '}': '}',
  '\n': '\n',
  '\r': '\n',
}

/** Maximum nesting of groups. It only limits the time. */
const maxDepth = 200_000

/** State that is restored at the end of a group. `destination` is where its text is added. */
interface Group {
  destination: 'text' | 'marker' | 'fonts' | 'styles' | 'discard'
  /** Whether the group starts with `\*`, until its first control word. */
  optional: boolean
  font: number
  style: number
  /** Number of fallback bytes after each `\u`. */
  fallback: number
}

/** Converts an RTF document to Markdown: headings, lists, tables; no images, headers or footers. */
export async function extractRtf(content: Uint8Array<ArrayBuffer>): Promise<Extracted> {
  const source = bufferOf(content).toString('latin1')
  if (!source.startsWith('{\\rtf')) throw new UnreadableError('broken', 'It does not start like RTF.')
  // The tokenizer allocates as many bytes as a picture declares.
  for (const [, length] of source.matchAll(/\\bin(\d+)/g)) {
    if (Number(length) > content.length)
      throw new UnreadableError('broken', 'It declares more binary data than it contains.')
  }
  // The tokenizer returns the tokens of a document at once.
  let depth = 0
  for (const [sign] of source.matchAll(/\\[\s\S]|[{}]/g)) {
    if (sign === '{') depth += 1
    else if (sign === '}') depth -= 1
    if (depth > maxDepth) throw new UnreadableError('broken', 'The document has too many nested groups.')
  }
  const reader = new RtfReader()
  for await (const token of rtfTokens(content)) reader.take(token)
  return { kind: 'text', text: reader.finish() }
}

class RtfReader {
  readonly #text = new RtfText()
  readonly #outerGroups: Group[] = []
  readonly #codePages = new Map<number, number>()
  /** Heading levels by style number. */
  readonly #outlines = new Map<number, number>()
  #group: Group = { destination: 'text', optional: false, font: -1, style: 0, fallback: 1 }
  #codePage = 1252
  #defaultFont = 0
  /** Bytes not decoded yet: East Asian characters have several. */
  #bytes: Buffer[] = []
  #toSkip = 0

  take(token: RtfToken): void {
    if (token.kind === 'text') this.#addBytes(token.data)
    else if (token.kind === 'control') this.#control(token.word, token.value, token.data)
    else {
      this.#flush()
      this.#toSkip = 0
      if (token.kind === 'open') {
        this.#outerGroups.push(this.#group)
        this.#group = { ...this.#group, optional: false }
      } else {
        // Ignores surplus closing braces after the last group.
        this.#group = this.#outerGroups.pop() ?? this.#group
      }
    }
  }

  finish(): string {
    if (this.#outerGroups.length > 0) throw new UnreadableError('broken', 'Its end is missing.')
    this.#flush()
    return this.#text.finish()
  }

  #control(word: string, value: number | undefined, data: Buffer | undefined): void {
    const group = this.#group
    if (word === "'" && data) return this.#addBytes(data)
    if (word === 'u' && value !== undefined) return this.#addUnicode(value)
    if (word === 'bin') return
    this.#flush()
    this.#toSkip = 0
    if (word === '*') group.optional = true
    else if (word === 'fonttbl') group.destination = 'fonts'
    else if (word === 'stylesheet') group.destination = 'styles'
    else if (word === 'listtext' || word === 'pntext')
      group.destination = group.destination === 'discard' ? 'discard' : 'marker'
    else if (skippedGroups.has(word) || (group.optional && !textGroups.has(word))) group.destination = 'discard'
    else this.#property(word, value)
    if (word !== '*') group.optional = false
  }

  #property(word: string, value = 0): void {
    const group = this.#group
    if (word === 'ansicpg') this.#codePage = value
    else if (word === 'mac') this.#codePage = 10000
    else if (word === 'deff') this.#defaultFont = value
    else if (word === 'uc') group.fallback = Math.max(value, 0)
    else if (word === 'f') group.font = value
    else if (word === 'plain') group.font = -1
    else if (word === 'fcharset' && group.destination === 'fonts') {
      const codePage = codePageOf(value)
      if (codePage !== undefined) this.#codePages.set(group.font, codePage)
    } else if (group.destination === 'styles') {
      if (word === 's') group.style = value
      else if (word === 'outlinelevel') this.#outlines.set(group.style, value)
    } else if (group.destination === 'text') this.#layout(word, value)
    else if (group.destination === 'marker' && word === 'tab') this.#text.addMarker(' ')
  }

  #layout(word: string, value: number): void {
    switch (word) {
      case 'par':
      case 'sect':
      case 'page':
        this.#text.endParagraph()
        break
      case 'pard':
        this.#text.reset()
        break
      case 'intbl':
        this.#text.enterTable()
        break
      case 's':
        this.#text.setOutline(this.#outlines.get(value))
        break
      case 'outlinelevel':
        this.#text.setOutline(value)
        break
      case 'cell':
      case 'nestcell':
        this.#text.endCell()
        break
      case 'row':
      case 'nestrow':
        this.#text.endRow()
        break
      default:
        this.#text.add(characters[word] ?? '')
    }
  }

  #addBytes(data: Buffer): void {
    const skipped = Math.min(this.#toSkip, data.length)
    this.#toSkip -= skipped
    if (skipped < data.length && this.#group.destination !== 'discard' && this.#group.destination !== 'fonts')
      this.#bytes.push(data.subarray(skipped))
  }

  /** `\u` has a signed 16-bit number: one UTF-16 unit. */
  #addUnicode(value: number): void {
    this.#flush()
    this.#put(String.fromCharCode(value & 0xffff))
    this.#toSkip = this.#group.fallback
  }

  #flush(): void {
    if (this.#bytes.length === 0) return
    const font = this.#group.font === -1 ? this.#defaultFont : this.#group.font
    this.#put(decodeCodePage(Buffer.concat(this.#bytes), this.#codePages.get(font) ?? this.#codePage))
    this.#bytes = []
  }

  #put(text: string): void {
    if (this.#group.destination === 'text') this.#text.add(text)
    else if (this.#group.destination === 'marker') this.#text.addMarker(text)
    else if (this.#group.destination === 'styles') {
      // Programs that omit the level use Word's names for heading styles.
      const level = /^heading ([1-9])/i.exec(text)?.[1]
      if (level !== undefined) this.#outlines.set(this.#group.style, Number(level) - 1)
    }
  }
}

/** A token of RTF. */
export type RtfToken =
  | { kind: 'open' | 'close' }
  /** A control word or symbol: `par`, `'` with its byte, `*`. */
  | { kind: 'control'; word: string; value: number | undefined; data: Buffer | undefined }
  | { kind: 'text'; data: Buffer }

/** A token of rtf-stream-parser, whose type enumeration only exists at compile time. */
interface LibraryToken {
  type: number
  word?: string
  param?: number
  data?: Buffer
}
const tokenTypes = { open: 0, close: 1, control: 2 }

/** Splits an RTF document into tokens. */
export async function* rtfTokens(content: Uint8Array<ArrayBuffer>): AsyncGenerator<RtfToken> {
  // The stream is in object mode, which its types do not express.
  const tokens: AsyncIterable<LibraryToken> = Readable.from([bufferOf(content)], { objectMode: false }).pipe(
    new Tokenize(),
  )
  for await (const { type, word = '', param, data } of tokens) {
    if (type === tokenTypes.open) yield { kind: 'open' }
    else if (type === tokenTypes.close) yield { kind: 'close' }
    else if (type === tokenTypes.control) yield { kind: 'control', word, value: param, data }
    else if (data) yield { kind: 'text', data }
  }
}
