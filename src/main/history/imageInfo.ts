import type { ImageType } from '../../shared/agent/attachments.ts'

/** Type and size of an image. */
export interface ImageInfo {
  mimeType: ImageType
  /** Pixels. */
  width: number
  height: number
}

const ascii = (bytes: Uint8Array, from: number, length: number): string =>
  String.fromCharCode(...bytes.subarray(from, from + length))

/** Reads an image's type and size; undefined for anything but PNG, JPEG, WebP and GIF. */
export function readImageInfo(bytes: Uint8Array): ImageInfo | undefined {
  if (bytes.length < 24) return undefined
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (view.getUint32(0) === 0x89504e47 && ascii(bytes, 12, 4) === 'IHDR')
    return facts('image/png', view.getUint32(16), view.getUint32(20))
  if (/^GIF8[79]a$/.test(ascii(bytes, 0, 6)))
    return facts('image/gif', view.getUint16(6, true), view.getUint16(8, true))
  if (ascii(bytes, 0, 4) === 'RIFF' && ascii(bytes, 8, 4) === 'WEBP') return webpInfo(bytes, view)
  return view.getUint16(0) === 0xffd8 ? jpegInfo(view) : undefined
}

function facts(mimeType: ImageType, width: number, height: number): ImageInfo | undefined {
  return width > 0 && height > 0 ? { mimeType, width, height } : undefined
}

/** Reads the three formats of WebP (developers.google.com/speed/webp/docs/riff_container). */
function webpInfo(bytes: Uint8Array, view: DataView): ImageInfo | undefined {
  if (bytes.length < 30) return undefined
  switch (ascii(bytes, 12, 4)) {
    case 'VP8X':
      return facts('image/webp', 1 + (view.getUint32(24, true) & 0xffffff), 1 + (view.getUint32(26, true) >>> 8))
    case 'VP8L': {
      const bits = view.getUint32(21, true)
      return facts('image/webp', 1 + (bits & 0x3fff), 1 + ((bits >>> 14) & 0x3fff))
    }
    case 'VP8 ':
      return facts('image/webp', view.getUint16(26, true) & 0x3fff, view.getUint16(28, true) & 0x3fff)
    default:
      return undefined
  }
}

/** Reads a JPEG's size from its frame header, which follows segments of any length. */
function jpegInfo(view: DataView): ImageInfo | undefined {
  for (let at = 2; at + 9 < view.byteLength;) {
    if (view.getUint8(at) !== 0xff) return undefined
    const marker = view.getUint8(at + 1)
    // SOF0 to SOF15, except DHT, JPG and DAC.
    if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker))
      return facts('image/jpeg', view.getUint16(at + 7), view.getUint16(at + 5))
    at += marker === 0xff ? 1 : 2 + view.getUint16(at + 2)
  }
  return undefined
}
