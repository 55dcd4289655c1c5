import { formatSize } from '../../shared/formatSize.ts'
import { ToolError } from '../../shared/errors.ts'
import type { TextFormat } from '../../shared/files.ts'
import { binaryKind } from './binaryKind.ts'
import { lineHunks } from '../../shared/diff/lineHunks.ts'

type Encoding = TextFormat['encoding']

/** Decoded content of a text file. */
export interface DecodedText {
  /** Line endings are `\n`; no BOM. */
  text: string
  format: TextFormat
  /** Original ending of every line if the file mixes them; null if all are `format.eol`. */
  mixedEnds: string[] | null
}

const byteOrderMarks: readonly { encoding: Encoding; bytes: readonly number[] }[] = [
  { encoding: 'utf8bom', bytes: [0xef, 0xbb, 0xbf] },
  { encoding: 'utf16le', bytes: [0xff, 0xfe] },
  { encoding: 'utf16be', bytes: [0xfe, 0xff] },
]

/**
 * Decodes the bytes of a text file.
 * @param name path shown in errors
 * @throws ToolError `binary_file`, `invalid_encoding`
 */
export function decodeText(content: Buffer, name: string): DecodedText {
  const mark = byteOrderMarks.find(({ bytes }) => bytes.every((byte, index) => content[index] === byte))
  const encoding = mark?.encoding ?? 'utf8'
  const wide = encoding === 'utf16le' || encoding === 'utf16be'
  const raw = decodeBytes(content.subarray(mark?.bytes.length ?? 0), encoding)
  const kind = wide ? null : binaryKind(content, raw !== null)
  if (kind !== null) {
    throw new ToolError(
      'binary_file',
      `"${name}" is a binary file (${kind}, ${formatSize(content.length)}), not text.`,
      'Edit its source, or inspect it with a command.',
    )
  }
  if (raw === null) {
    throw new ToolError(
      'invalid_encoding',
      `"${name}" is not valid ${wide ? 'UTF-16' : 'UTF-8'}; it may use an older encoding such as Latin-1.`,
      'Ask the user to convert it, for example with: iconv -f LATIN1 -t UTF-8',
    )
  }
  const { text, eol, mixedEnds } = splitLineEnds(raw)
  return { text, format: { encoding, eol }, mixedEnds }
}

/** Converts text from a model or the window to `\n` line endings without BOM, and returns its original format. */
export function normalizeText(input: string): { text: string; format: TextFormat } {
  const marked = input.startsWith('\uFEFF')
  const { text, eol } = splitLineEnds(marked ? input.slice(1) : input)
  return { text, format: { encoding: marked ? 'utf8bom' : 'utf8', eol } }
}

/**
 * Encodes text as the bytes of a file in this format.
 * @param before content of the replaced file; unchanged lines keep its mixed line endings
 * @throws ToolError `invalid_encoding` for an unpaired surrogate, which no encoding can represent
 */
export function encodeText(text: string, format: TextFormat, before?: DecodedText): Buffer {
  if (!text.isWellFormed()) {
    throw new ToolError(
      'invalid_encoding',
      'The text contains an unpaired surrogate, which cannot be encoded in a file.',
      'Send the whole character or remove it.',
    )
  }
  const kept = before?.format.eol === format.eol ? before.mixedEnds : null
  const ended = before && kept ? withEndsOf(before.text, kept, text, format.eol) : text.replaceAll('\n', format.eol)
  if (format.encoding === 'utf8') return Buffer.from(ended, 'utf8')
  const marked = `\uFEFF${ended}`
  if (format.encoding === 'utf8bom') return Buffer.from(marked, 'utf8')
  const wide = Buffer.from(marked, 'utf16le')
  return format.encoding === 'utf16be' ? wide.swap16() : wide
}

/** Decodes bytes; null if they are invalid in this encoding. */
function decodeBytes(bytes: Buffer, encoding: Encoding): string | null {
  const wide = encoding === 'utf16le' || encoding === 'utf16be'
  if (wide && bytes.length % 2 !== 0) return null
  const ordered = encoding === 'utf16be' ? Buffer.from(bytes).swap16() : bytes
  try {
    return new TextDecoder(wide ? 'utf-16le' : 'utf-8', { fatal: true, ignoreBOM: true }).decode(ordered)
  } catch (error) {
    if (error instanceof TypeError) return null
    throw error
  }
}

interface SplitText {
  text: string
  eol: TextFormat['eol']
  mixedEnds: string[] | null
}

/**
 * Converts line endings to `\n` and returns the original ones. `eol` is the more frequent one, `\n` for a single line.
 * A lone `\r` counts as a line ending, as editors show it; converting it without a record would change the file.
 */
function splitLineEnds(raw: string): SplitText {
  const returns = count(raw, '\r')
  if (returns === 0) return { text: raw, eol: '\n', mixedEnds: null }
  const crlf = count(raw, '\r\n')
  const lf = count(raw, '\n') - crlf
  const mixed = returns > crlf || (crlf > 0 && lf > 0)
  return {
    text: raw.replace(/\r\n?/g, '\n'),
    eol: crlf > lf ? '\r\n' : '\n',
    mixedEnds: mixed ? (raw.match(/\r\n|\r|\n/g) ?? []) : null,
  }
}

function count(text: string, part: string): number {
  let found = 0
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + part.length)) found += 1
  return found
}

/** Joins the lines of `after`. Lines that are also in `before` keep their endings; new lines get `eol`. */
function withEndsOf(before: string, beforeEnds: readonly string[], after: string, eol: string): string {
  const old = before.split('\n')
  const now = after.split('\n')
  const ends = Array.from({ length: now.length - 1 }, () => eol)

  let oldLine = 0
  let newLine = 0
  const keepUntil = (end: number) => {
    for (; oldLine < end; oldLine += 1, newLine += 1) {
      const kept = beforeEnds[oldLine]
      if (kept !== undefined && newLine < ends.length) ends[newLine] = kept
    }
  }
  for (const { original, modified } of lineHunks(old, now)) {
    keepUntil(original.start - 1)
    oldLine += original.count
    newLine += modified.count
  }
  keepUntil(old.length)
  return now.map((line, index) => line + (ends[index] ?? '')).join('')
}
