import { isUtf16 } from '../../shared/files/encodings.ts'
import type { FileText } from '../../shared/files/files.ts'
import { decodeBytes } from '../base/textBytes.ts'
import type { FileEncodings } from './fileEncodings.ts'
import { readFilePart } from './readBytes.ts'

/** Bytes of a part, and how far the line at its end is read into the next part. */
const partBytes = 1024 * 1024
const inspectedBytes = 64 * 1024

/**
 * Reads the lines that start within one megabyte of a file, so that all parts together are its text. If a line is
 * longer than that, each part has the bytes of its own megabyte.
 * @param part 0-based number of the megabyte
 * @throws ToolError like `readFilePart`; `binary_file`
 */
export async function readTextPart(
  absolute: string,
  name: string,
  part: number,
  { decode }: Pick<FileEncodings, 'decode'>,
  signal?: AbortSignal,
): Promise<FileText> {
  const head = await readFilePart(absolute, name, { offset: 0, length: inspectedBytes }, signal)
  const { encoding } = decode(
    head.bytes.subarray(0, (head.bytes.lastIndexOf('\n') + 1 || head.bytes.length) & ~1),
    name,
  ).format
  const lineEnd = Buffer.from(isUtf16(encoding) ? (encoding.startsWith('utf16be') ? [0, 10] : [10, 0]) : [10])
  const width = lineEnd.length
  // The line break before the part shows whether a line starts with it.
  const from = Math.max(0, part * partBytes - width)
  const before = part * partBytes - from
  const { bytes, size } = await readFilePart(absolute, name, { offset: from, length: before + 2 * partBytes }, signal)
  const next = before + partBytes
  const afterLine = (index: number): number => {
    let found = bytes.indexOf(lineEnd, index)
    while (found >= 0 && found % width !== 0) found = bytes.indexOf(lineEnd, found + 1)
    return found < 0 ? -1 : found + width
  }
  const first = part === 0 ? 0 : afterLine(0)
  const start = first < 0 || first > next ? before : first
  const last = next >= bytes.length ? bytes.length : afterLine(next - width)
  const end = last < 0 ? next : last
  const text = decodeBytes(bytes.subarray(start, end), encoding)
  return {
    text: text.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n'),
    encoding,
    size,
    parts: Math.max(1, Math.ceil(size / partBytes)),
  }
}
