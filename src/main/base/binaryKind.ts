/** Leading bytes that identify a binary format. Source: the format specifications, as collected by file(1). */
const signatures: readonly { kind: string; bytes: readonly number[]; at?: number }[] = [
  { kind: 'PNG image', bytes: [0x89, 0x50, 0x4e, 0x47] },
  { kind: 'JPEG image', bytes: [0xff, 0xd8, 0xff] },
  { kind: 'PDF document', bytes: [0x25, 0x50, 0x44, 0x46, 0x2d] },
  { kind: 'ZIP archive', bytes: [0x50, 0x4b, 0x03, 0x04] },
  { kind: 'empty ZIP archive', bytes: [0x50, 0x4b, 0x05, 0x06] },
  { kind: 'gzip archive', bytes: [0x1f, 0x8b] },
  { kind: 'xz archive', bytes: [0xfd, 0x37, 0x7a, 0x58, 0x5a] },
  { kind: 'Zstandard archive', bytes: [0x28, 0xb5, 0x2f, 0xfd] },
  { kind: '7-Zip archive', bytes: [0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c] },
  { kind: 'RAR archive', bytes: [0x52, 0x61, 0x72, 0x21, 0x1a, 0x07] },
  { kind: 'ELF program or library', bytes: [0x7f, 0x45, 0x4c, 0x46] },
  { kind: 'Mach-O program or library', bytes: [0xcf, 0xfa, 0xed, 0xfe] },
  { kind: 'Mach-O program or library', bytes: [0xca, 0xfe, 0xba, 0xbe, 0x00, 0x00, 0x00] },
  { kind: 'Java class', bytes: [0xca, 0xfe, 0xba, 0xbe] },
  { kind: 'WebAssembly module', bytes: [0x00, 0x61, 0x73, 0x6d] },
  { kind: 'Windows icon', bytes: [0x00, 0x00, 0x01, 0x00] },
  { kind: 'TrueType font', bytes: [0x00, 0x01, 0x00, 0x00, 0x00] },
  { kind: 'Ogg media', bytes: [0x4f, 0x67, 0x67, 0x53, 0x00] },
  { kind: 'Matroska or WebM video', bytes: [0x1a, 0x45, 0xdf, 0xa3] },
]

/** ASCII signatures. Text can start with them too, so they only classify a file that is known to be binary. */
const letterSignatures: readonly { kind: string; letters: string; at?: number }[] = [
  { kind: 'GIF image', letters: 'GIF8' },
  { kind: 'SQLite database', letters: 'SQLite format 3\0' },
  { kind: 'WebP image', letters: 'WEBP', at: 8 },
  { kind: 'WAV audio', letters: 'WAVE', at: 8 },
  { kind: 'MP4 or similar video', letters: 'ftyp', at: 4 },
  { kind: 'tar archive', letters: 'ustar', at: 257 },
  { kind: 'bzip2 archive', letters: 'BZh' },
  { kind: 'WOFF font', letters: 'wOFF' },
  { kind: 'WOFF2 font', letters: 'wOF2' },
  { kind: 'OpenType font', letters: 'OTTO' },
  { kind: 'MP3 audio', letters: 'ID3' },
  { kind: 'BMP image', letters: 'BM' },
  { kind: 'Windows program or library', letters: 'MZ' },
]

/** Number of leading bytes checked for a NUL, as in git. */
const inspectedBytes = 8000

/**
 * Returns the kind of a binary file, or null for text. A file is binary if it starts with a known signature or has a
 * NUL in its first 8,000 bytes (git's rule). UTF-16 contains NULs, so callers check for its BOM first.
 * @param decodes whether the content is valid UTF-8
 */
export function binaryKind(content: Buffer, decodes: boolean): string | null {
  const known = signatures.find(({ bytes }) => bytes.every((byte, index) => content[index] === byte))
  if (known) return known.kind
  const hasNul = content.subarray(0, inspectedBytes).includes(0)
  if (decodes && !hasNul) return null
  const lettered = letterSignatures.find(({ letters, at = 0 }) =>
    content.subarray(at, at + letters.length).equals(Buffer.from(letters, 'latin1')),
  )
  if (lettered) return lettered.kind
  return hasNul ? 'data' : null
}

/** Number of leading bytes checked for control characters. */
const inspectedLegacy = 64 * 1024

/**
 * Whether content that is not UTF-8 has too many control characters to be text. One in ten random bytes is a control
 * character; text has a stray one at most.
 */
export function hasControlBytes(content: Buffer): boolean {
  const head = content.subarray(0, inspectedLegacy)
  let found = 0
  // Text can contain the bell, backspace, tab, line breaks, form feed, Ctrl+Z (end of a DOS file) and escape.
  for (const byte of head)
    if (byte < 7 || (byte > 13 && byte < 26) || (byte > 27 && byte < 32) || byte === 127) found += 1
  return found > head.length / 1000
}
