import { describe, expect, it } from 'vitest'
import { ToolError } from '../../shared/errors.ts'
import { formatSize } from '../../shared/text/formatSize.ts'
import { decodeText, encodeText, normalizeText } from './textFormat.ts'

const utf16be = (text: string) => Buffer.from(`\uFEFF${text}`, 'utf16le').swap16()

describe('a text file read and written unchanged is the same, byte for byte', () => {
  const files: Record<string, Buffer> = {
    'UTF-8': Buffer.from('naïve ☕ 🦀\n'),
    'UTF-8 with BOM': Buffer.from('\uFEFFa\nb\n'),
    'UTF-16 LE': Buffer.from('\uFEFFnaïve 🦀\r\nx\r\n', 'utf16le'),
    'UTF-16 BE': utf16be('naïve 🦀\r\nx\r\n'),
    'Windows line ends': Buffer.from('a\r\nb\r\n'),
    'no final newline': Buffer.from('a\nb'),
    'mixed line ends': Buffer.from('a\r\nb\nc\r\nd'),
    'old Mac line ends': Buffer.from('a\rb\rc'),
    'all three line ends': Buffer.from('a\rb\r\nc\n\n\r\r\nd'),
    nothing: Buffer.from(''),
    'only a BOM': Buffer.from('\uFEFF'),
    'a BOM character further on': Buffer.from('a\uFEFFb'),
  }
  it.each(Object.entries(files))('%s', (_, bytes) => {
    const decoded = decodeText(bytes, 'file.txt')
    expect(decoded.text).not.toContain('\r')
    expect(decoded.text.startsWith('\uFEFF')).toBe(false)
    expect(encodeText(decoded.text, decoded.format, decoded).equals(bytes)).toBe(true)
  })
})

it('the format contains the encoding and the more frequent line ending', () => {
  expect(decodeText(Buffer.from('a\r\nb\r\nc\n'), 'f').format).toEqual({ encoding: 'utf8', eol: '\r\n' })
  expect(decodeText(Buffer.from('\uFEFFa\n'), 'f').format).toEqual({ encoding: 'utf8bom', eol: '\n' })
  expect(decodeText(utf16be('a'), 'f').format).toEqual({ encoding: 'utf16be', eol: '\n' })
})

describe('an edit of a file with mixed line endings', () => {
  const edited = (before: string, change: (text: string) => string) => {
    const decoded = decodeText(Buffer.from(before), 'f')
    return encodeText(change(decoded.text), decoded.format, decoded).toString()
  }
  it('keeps the endings of unchanged lines and gives new lines the more frequent one', () => {
    expect(edited('1\r\n2\n3\r\n4\n5\r\n', (text) => text.replace('3', 'three\nmore'))).toBe(
      '1\r\n2\nthree\r\nmore\r\n4\n5\r\n',
    )
    expect(edited('1\r\n2\n3\r\n', (text) => `0\n${text}`)).toBe('0\r\n1\r\n2\n3\r\n')
    expect(edited('1\r\n2\n3\r\n', (text) => text.replace('1\n', ''))).toBe('2\n3\r\n')
    expect(edited('1\r\n2\n3\r\n4', (text) => `${text}\n5`)).toBe('1\r\n2\n3\r\n4\r\n5')
  })
  it('keeps the endings of lines between several changes', () => {
    expect(edited('a\r\nb\nc\r\nd\ne\r\nf\r\n', (text) => text.replace('b', 'B').replace('e', 'E'))).toBe(
      'a\r\nB\r\nc\r\nd\nE\r\nf\r\n',
    )
  })
  it('converts every line to another line ending', () => {
    const decoded = decodeText(Buffer.from('a\r\nb\nc\r\n'), 'f')
    expect(encodeText(decoded.text, { encoding: 'utf8', eol: '\n' }, decoded).toString()).toBe('a\nb\nc\n')
  })
})

describe('binary content is rejected with its kind and size', () => {
  const files: [string, Buffer][] = [
    ['PNG image', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])],
    ['JPEG image', Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 16])],
    ['GIF image', Buffer.from('GIF89a\x01\x00\x01\x00', 'latin1')],
    ['WebP image', Buffer.from('RIFF\x10\0\0\0WEBPVP8 ', 'latin1')],
    ['PDF document', Buffer.from('%PDF-1.7\n%\xe2\xe3\xcf\xd3\n', 'latin1')],
    ['ZIP archive', Buffer.from('PK\x03\x04\x14\0', 'latin1')],
    ['gzip archive', Buffer.from([0x1f, 0x8b, 8, 0])],
    ['ELF program or library', Buffer.from('\x7fELF\x02\x01\x01\0', 'latin1')],
    ['WebAssembly module', Buffer.from('\0asm\x01\0\0\0', 'latin1')],
    ['SQLite database', Buffer.from('SQLite format 3\0\x10\0', 'latin1')],
    ['data', Buffer.from('text\0more')],
  ]
  it.each(files)('%s', (kind, bytes) => {
    expect(failure(bytes)).toMatchObject({
      code: 'binary_file',
      message: expect.stringContaining(`(${kind}, ${bytes.length} bytes)`),
    })
  })
  it('text that starts with the letters of a signature is text', () => {
    expect(decodeText(Buffer.from('GIF89a is an image format\n'), 'f').text).toBe('GIF89a is an image format\n')
    expect(decodeText(Buffer.from('MZ is where programs begin'), 'f').text).toContain('MZ')
  })
})

it('invalid UTF-16 is rejected', () => {
  expect(failure(Buffer.from([0xff, 0xfe, 0x00, 0xd8, 0x41, 0x00]))).toMatchObject({ code: 'invalid_encoding' })
  expect(failure(Buffer.from([0xfe, 0xff, 0x00]))).toMatchObject({ code: 'invalid_encoding' })
})

it('an unpaired surrogate is rejected', () => {
  expect(() => encodeText('a\ud83e', { encoding: 'utf8', eol: '\n' })).toThrow(/surrogate/)
})

it('normalizing moves BOM and carriage returns from the text to its format', () => {
  expect(normalizeText('\uFEFFa\r\nb\r\n')).toEqual({ text: 'a\nb\n', format: { encoding: 'utf8bom', eol: '\r\n' } })
  expect(normalizeText('a\nb')).toEqual({ text: 'a\nb', format: { encoding: 'utf8', eol: '\n' } })
})

it('sizes are formatted with units', () => {
  expect([5, 1024, 1536, 20 * 1024 * 1024].map(formatSize)).toEqual(['5 bytes', '1.0 KB', '1.5 KB', '20 MB'])
})

function failure(bytes: Buffer): ToolError {
  try {
    decodeText(bytes, 'file')
  } catch (error) {
    if (error instanceof ToolError) return error
    throw error
  }
  throw new Error('It was taken for text.')
}
