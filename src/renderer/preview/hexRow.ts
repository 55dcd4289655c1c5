export const bytesPerRow = 16

/** Pure: formats a row of a hex view: the offset, the bytes and their ASCII characters. */
export function hexRow(
  bytes: Uint8Array,
  row: number,
  pageOffset: number,
): { offset: string; hex: string; text: string } {
  const start = row * bytesPerRow
  const part = [...bytes.subarray(start, start + bytesPerRow)]
  return {
    offset: (pageOffset + start).toString(16).padStart(8, '0'),
    hex: part.map((byte) => byte.toString(16).padStart(2, '0')).join(' '),
    text: part.map((byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '.')).join(''),
  }
}
