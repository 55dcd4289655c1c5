import { isAscii, isUtf8 } from 'node:buffer'
import { ToolError } from '../../shared/errors.ts'
import { encodingTexts, extendsAscii, isUtf16, type Encoding } from '../../shared/files/encodings.ts'
import type { TextFormat } from '../../shared/files/textFormat.ts'
import { formatSize } from '../../shared/text/formatSize.ts'
import { lineHunks } from '../../shared/diff/lineHunks.ts'
import { binaryKind, hasControlBytes } from './binaryKind.ts'
import { detectEncoding } from './encodingDetector.ts'
import { decodeBytes, encodeBytes, missingCharacter, replacementCharacter } from './textBytes.ts'

/** Decoded content of a text file. */
export interface DecodedText {
  /** Line endings are `\n`; no BOM. */
  text: string
  format: TextFormat
  /** Original ending of every line if the file mixes them; null if all are `format.eol`. */
  mixedEnds: string[] | null
  /**
   * Original bytes, without line ending, of lines that would not survive decoding and encoding, by 0-based line
   * number: their bytes are invalid or not in canonical form. Null if there are none.
   */
  keptBytes: ReadonlyMap<number, Buffer> | null
}

/** What is known about the encoding of a file. A byte order mark takes precedence. */
export interface EncodingHint {
  /** Chosen by the user for this file. */
  chosen?: Encoding
  /**
   * Encodings in which the file was read before, or named by its folder or the settings; best first. Used if it
   * decodes.
   */
  preferred?: readonly Encoding[]
}

const byteOrderMarks: readonly { encoding: Encoding; bytes: readonly number[] }[] = [
  { encoding: 'utf8bom', bytes: [0xef, 0xbb, 0xbf] },
  { encoding: 'utf16le', bytes: [0xff, 0xfe] },
  { encoding: 'utf16be', bytes: [0xfe, 0xff] },
]

/** Byte order marks of UTF-32. The first one starts with the mark of UTF-16. */
const utf32Marks = [{ bytes: [0xff, 0xfe, 0, 0] }, { bytes: [0, 0, 0xfe, 0xff] }]

/**
 * Decodes the bytes of a text file. `encodeText` with the result returns the same bytes.
 * @param name path shown in errors
 * @throws ToolError `binary_file`, `invalid_encoding`
 */
export function decodeText(content: Buffer, name: string, hint: EncodingHint = {}): DecodedText {
  const startsWith = ({ bytes }: { bytes: readonly number[] }): boolean =>
    bytes.every((byte, index) => content[index] === byte)
  if (utf32Marks.some(startsWith))
    throw new ToolError(
      'invalid_encoding',
      `"${name}" is UTF-32, which cannot be read.`,
      'Convert it to UTF-8 with a command such as iconv -f UTF-32 -t UTF-8.',
    )
  const mark = byteOrderMarks.find(startsWith)
  if (mark) return decodeAs(content.subarray(mark.bytes.length), mark.encoding, name)
  const { chosen } = hint
  // Without a mark, these encodings would add one.
  if (chosen !== undefined && isUtf16(chosen)) return decodeAs(content, withoutMark(chosen), name)
  const isValid = isUtf8(content)
  const kind = binaryKind(content, isValid)
  const wide = kind === 'data' ? utf16WithoutMark(content) : undefined
  if (wide !== undefined) return decodeAs(content, wide, name)
  if (kind !== null || (!isValid && chosen === undefined && hasControlBytes(content)))
    throw new ToolError(
      'binary_file',
      `"${name}" is a binary file (${kind ?? 'data'}, ${formatSize(content.length)}), not text.`,
      'Edit its source, or inspect it with a command.',
    )
  if (chosen !== undefined && chosen !== 'utf8bom') return decodeAs(content, chosen, name)
  const preferred = (hint.preferred ?? []).filter(extendsAscii)
  if (isValid) return decodeAs(content, preferred[0] && isAscii(content) ? preferred[0] : 'utf8', name)
  return decodeLegacy(content, preferred, name)
}

/**
 * Decodes bytes in a known encoding, such as those of `encodeText`, even if they look like a binary file.
 * @param name path shown in errors
 * @throws ToolError `invalid_encoding`
 */
export function decodeIn(content: Buffer, encoding: Encoding, name: string): DecodedText {
  const mark = byteOrderMarks.find((each) => each.encoding === encoding)?.bytes
  const isMarked = mark?.every((byte, index) => content[index] === byte) === true
  return decodeAs(isMarked ? content.subarray(mark.length) : content, encoding, name)
}

/** Decodes text that is not valid UTF-8. */
function decodeLegacy(content: Buffer, preferred: readonly Encoding[], name: string): DecodedText {
  const fits = (encoding: Encoding | undefined): encoding is Encoding =>
    encoding !== undefined && decodesMostly(content, encoding)
  const found =
    ['utf8' as const, ...preferred].find(fits) ?? [detectEncoding(content), 'windows1252' as const].find(fits)
  // Latin-1 has a character for every byte.
  return decodeAs(content, found ?? 'iso88591', name)
}

/** Decodes program output that can contain lines of files in other encodings, such as a diff. */
export function decodeOutput(output: Buffer): string {
  if (isUtf8(output)) return output.toString('utf8')
  const encoding = detectEncoding(output) ?? 'windows1252'
  const lines = output.toString('latin1').split(/(?<=\n)/)
  return lines
    .map((line) => {
      const bytes = Buffer.from(line, 'latin1')
      return decodeBytes(bytes, isUtf8(bytes) ? 'utf8' : encoding)
    })
    .join('')
}

/** Whether almost all bytes above 127 decode to a character. Some files contain a few bytes of another encoding. */
function decodesMostly(content: Buffer, encoding: Encoding): boolean {
  let valid = 0
  let invalid = 0
  for (const character of decodeBytes(content, encoding)) {
    if (character === replacementCharacter) invalid += 1
    else if (character > '\x7f') valid += 1
  }
  return valid >= 10 * invalid
}

/** @param content without byte order mark */
function decodeAs(content: Buffer, encoding: Encoding, name: string): DecodedText {
  const raw = decodeBytes(content, encoding)
  if (isUtf16(encoding)) {
    if (content.length % 2 !== 0 || encodeBytes(raw, encoding)?.equals(content) !== true)
      throw new ToolError(
        'invalid_encoding',
        `"${name}" is not valid UTF-16.`,
        'Inspect its bytes with a command such as xxd.',
      )
  } else if (!isExactly(content, raw, encoding)) return decodeLines(content, encoding)
  const { text, eol, mixedEnds } = splitLineEnds(raw)
  return { text, format: { encoding, eol }, mixedEnds, keptBytes: null }
}

function isExactly(content: Buffer, raw: string, encoding: Encoding): boolean {
  if (encoding === 'utf8' || encoding === 'utf8bom') return isUtf8(content)
  return encodeBytes(raw, encoding)?.equals(content) === true
}

/**
 * Decodes line by line, and keeps the original bytes of lines that the encoding would write differently. In all
 * encodings where this can happen, the bytes of line endings have no other meaning.
 */
function decodeLines(content: Buffer, encoding: Encoding): DecodedText {
  const kept = new Map<number, Buffer>()
  const parts = content.toString('latin1').split(/(\r\n|\r|\n)/)
  const raw = parts.map((part, index) => {
    if (index % 2 === 1) return part
    const bytes = Buffer.from(part, 'latin1')
    const line = decodeBytes(bytes, encoding)
    if (encodeBytes(line, encoding)?.equals(bytes) !== true) kept.set(index / 2, bytes)
    return line
  })
  const { text, eol, mixedEnds } = splitLineEnds(raw.join(''))
  return { text, format: { encoding, eol }, mixedEnds, keptBytes: kept }
}

function withoutMark(encoding: Encoding): Encoding {
  return encoding.startsWith('utf16be') ? 'utf16benobom' : 'utf16lenobom'
}

/** Maximum number of bytes checked for UTF-16 without a byte order mark. Even. */
const inspectedWide = 64 * 1024

/**
 * Returns the byte order of UTF-16 without a mark; undefined if it is not UTF-16. Requires some ASCII, because every
 * text has line breaks or spaces, and no characters that text never contains.
 */
function utf16WithoutMark(content: Buffer): Encoding | undefined {
  if (content.length % 2 !== 0) return undefined
  const head = content.subarray(0, inspectedWide)
  const found = (['utf16lenobom', 'utf16benobom'] as const).filter((encoding) => {
    // The cut can split a surrogate pair.
    const text = decodeBytes(head, encoding).replace(content.length > head.length ? /\uFFFD$/ : /(?!)/, '')
    // oxlint-disable-next-line no-control-regex -- Texts do not have them.
    if (/[\0-\x06\x0e-\x19\x1c-\x1f\uFFFD\p{Cn}\p{Co}]/u.test(text)) return false
    return (text.match(/[\t-\r -~]/g)?.length ?? 0) >= text.length / 50
  })
  return found.length === 1 ? found[0] : undefined
}

/** Converts text from a model or the window to `\n` line endings without BOM, and returns its original format. */
export function normalizeText(input: string): { text: string; format: TextFormat } {
  const marked = input.startsWith('\uFEFF')
  const { text, eol } = splitLineEnds(marked ? input.slice(1) : input)
  return { text, format: { encoding: marked ? 'utf8bom' : 'utf8', eol } }
}

/**
 * Encodes text as the bytes of a file in this format.
 * @param before the replaced file: unchanged lines keep their mixed line endings and, in the same encoding, their
 * bytes
 * @throws ToolError `invalid_encoding` for a character that the encoding cannot represent, and for an unpaired
 * surrogate
 */
export function encodeText(text: string, format: TextFormat, before?: DecodedText): Buffer {
  if (!text.isWellFormed()) {
    throw new ToolError(
      'invalid_encoding',
      'The text contains an unpaired surrogate, which cannot be encoded in a file.',
      'Send the whole character or remove it.',
    )
  }
  const { encoding, eol } = format
  const mixedEnds = before?.format.eol === eol ? before.mixedEnds : null
  const keptBytes = before?.format.encoding === encoding ? before.keptBytes : null
  if (!before || (mixedEnds === null && keptBytes === null)) return encodeAll(text.replaceAll('\n', eol), encoding)
  const lines = text.split('\n')
  const origin = originalLines(before.text.split('\n'), lines)
  const endOf = (index: number): string => (index === lines.length - 1 ? '' : (mixedEnds?.[origin[index] ?? -1] ?? eol))
  if (keptBytes === null) return encodeAll(lines.map((line, index) => line + endOf(index)).join(''), encoding)
  return Buffer.concat(
    lines.flatMap((line, index) => {
      const bytes = keptBytes.get(origin[index] ?? -1) ?? encodeLine(line, index + 1, encoding)
      return [bytes, Buffer.from(endOf(index), 'latin1')]
    }),
  )
}

function encodeAll(text: string, encoding: Encoding): Buffer {
  const mark = byteOrderMarks.find((each) => each.encoding === encoding)
  const bytes = encodeBytes(text, encoding)
  if (bytes === null) throw lacking(text, encoding)
  return mark ? Buffer.concat([Buffer.from(mark.bytes), bytes]) : bytes
}

/** Encodes a changed line of a file that contains undecodable bytes. @param number 1-based */
function encodeLine(line: string, number: number, encoding: Encoding): Buffer {
  if (line.includes(replacementCharacter))
    throw new ToolError(
      'invalid_encoding',
      `Line ${number} contains bytes that are not valid ${encodingTexts[encoding].title}, shown as U+FFFD. Changing the line would lose them.`,
      'Leave the line as it is, replace it without U+FFFD, or ask the user to open the file with another encoding.',
    )
  const bytes = encodeBytes(line, encoding)
  if (bytes === null) throw lacking(line, encoding, number - 1)
  return bytes
}

/** @param linesBefore number of lines in the file before this text */
function lacking(text: string, encoding: Encoding, linesBefore = 0): ToolError {
  const { title } = encodingTexts[encoding]
  const { character = '', line = 1 } = missingCharacter(text, encoding) ?? {}
  const code = `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
  return new ToolError(
    'invalid_encoding',
    `Line ${line + linesBefore} contains "${character}" (${code}), which cannot be encoded in ${title}, so nothing was written.`,
    'Write it with other characters or as an escape, or ask the user to save the file as UTF-8.',
  )
}

interface SplitText {
  text: string
  eol: TextFormat['eol']
  mixedEnds: string[] | null
}

/**
 * Converts line endings to `\n` and returns the original ones. `eol` is the more frequent one; `\n` for a single
 * line. A lone `\r` counts as a line ending, as editors display it; converting it without a record would change the
 * file.
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

/** Returns the 0-based line in `before` of each line of `after`; undefined for a new line. */
function originalLines(before: readonly string[], after: readonly string[]): (number | undefined)[] {
  const origin: (number | undefined)[] = []
  let oldLine = 0
  const keepUntil = (end: number) => {
    for (; oldLine < end; oldLine += 1) origin.push(oldLine)
  }
  for (const { original, modified } of lineHunks([...before], [...after])) {
    keepUntil(original.start - 1)
    oldLine += original.count
    for (let added = 0; added < modified.count; added += 1) origin.push(undefined)
  }
  keepUntil(before.length)
  return origin
}
