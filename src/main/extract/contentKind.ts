import { bufferOf, UnreadableError, type DocumentFormat } from './documentJob.ts'

// Detects the real type of a file from its first bytes and the parts of a zip archive. The error messages of the
// parser libraries address programmers, so these checks run first.

const zipFormats: ReadonlySet<DocumentFormat> = new Set(['docx', 'xlsx', 'pptx', 'odt', 'ods', 'odp', 'epub'])
/** The part that identifies a document format (ECMA-376 part 2; OpenDocument part 2, 3.3; EPUB OCF 3). */
const parts: readonly (readonly [part: string, kind: string, formats: readonly DocumentFormat[]])[] = [
  ['word/document', 'a Word document', ['docx']],
  ['xl/workbook', 'an Excel workbook', ['xlsx']],
  ['ppt/presentation', 'a PowerPoint presentation', ['pptx']],
  ['META-INF/container.xml', 'an EPUB', ['epub']],
  ['content.xml', 'an OpenDocument file', ['odt', 'ods', 'odp']],
]
const signatures: readonly (readonly [beginning: string, kind: string])[] = [
  ['%PDF-', 'a PDF'],
  ['{\\rtf', 'an RTF document'],
  ['\x1f\x8b', 'a gzip archive'],
  ['\x89PNG', 'a PNG image'],
  ['\xff\xd8\xff', 'a JPEG image'],
  ['7z\xbc\xaf', 'a 7z archive'],
]
/** Signature of an OLE compound file ([MS-CFB] 2.2): an encrypted Office document, or a format before Office 2007. */
const compoundFile = '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1'
/** The stream with the encrypted document ([MS-OFFCRYPTO] 2.3.4.4). */
const encryptedStream = Buffer.from('EncryptedPackage', 'utf16le')
/**
 * Signatures at the start and end of a zip archive (APPNOTE 4.3.7, 4.3.16). A comment of up to 65,535 bytes can follow
 * the end.
 */
const zipStart = 'PK\x03\x04'
const zipEnd = 'PK\x05\x06'
const zipEndLength = 65_557

/**
 * Checks that content is complete and matches its file name. Compound files are checked by their formats, which detect
 * encryption.
 * @throws UnreadableError broken
 */
export function checkContentKind(format: DocumentFormat, content: Uint8Array<ArrayBuffer>): void {
  const bytes = bufferOf(content)
  const start = bytes.toString('latin1', 0, 1024)
  if (bytes.length === 0 && (zipFormats.has(format) || format === 'pdf' || format === 'rtf'))
    throw broken('It is empty (0 bytes).')
  if (format === 'pdf' && !start.includes('%PDF-')) throw broken(`It is ${kindOf(bytes, start)}.`)
  if (format === 'rtf' && !start.trimStart().startsWith('{\\rtf')) throw broken(`It is ${kindOf(bytes, start)}.`)
  if (!zipFormats.has(format) || start.startsWith(compoundFile)) return
  if (!start.startsWith('PK')) throw broken(`It is ${kindOf(bytes, start)}.`)
  const end = bytes.lastIndexOf(zipEnd, undefined, 'latin1')
  if (end === -1 || end < bytes.length - zipEndLength)
    throw broken('Its end is missing. The copy or download may be incomplete.')
  const found = parts.find(([part]) => bytes.includes(part))
  if (
    found &&
    !found[2].includes(format) &&
    !parts.some(([part, , formats]) => formats.includes(format) && bytes.includes(part))
  )
    throw broken(`It is ${found[1]}.`)
  if (!found) throw broken('It is a zip archive without the parts of this format.')
}

/**
 * Throws if an Office document is a compound file instead of a zip archive.
 * @param older the older format that it may be
 */
export function refuseCompoundFile(content: Buffer, older: string): void {
  if (!content.toString('latin1', 0, compoundFile.length).startsWith(compoundFile)) return
  throw content.includes(encryptedStream)
    ? new UnreadableError('encrypted', '')
    : broken(`It is in the older ${older} format.`)
}

function kindOf(bytes: Buffer, start: string): string {
  const known = signatures.find(([beginning]) => start.startsWith(beginning))
  if (known) return known[1]
  if (start.startsWith(zipStart)) return parts.find(([part]) => bytes.includes(part))?.[1] ?? 'a zip archive'
  if (start.startsWith(compoundFile)) return 'an Office document from before 2007, or an encrypted one'
  if (/^\s*<(?:!doctype html|html)/i.test(start)) return 'an HTML page'
  return start.includes('\0') ? 'data of an unknown kind' : 'plain text'
}

/** Returns a library's error message without links and advice for programmers. */
export function cleanLibraryMessage(message: string): string {
  const plain = message
    .replace(/\s*[:(]?\s*(?:is this a zip file|are you sure this is a \w+ file)\s*\?.*$/is, '')
    .replaceAll(/\bhttps?:\/\/\S+/g, '')
    .replace(/\s*If it is, see\s*$/, '')
  return plain.trim().replace(/[.,:;]+$/, '') || 'Its parts cannot be read'
}

function broken(detail: string): UnreadableError {
  return new UnreadableError('broken', detail)
}
