/** Windows code pages by their Encoding Standard name. */
const encodings: Partial<Record<number, string>> = {
  866: 'ibm866',
  874: 'windows-874',
  932: 'shift_jis',
  936: 'gbk',
  949: 'euc-kr',
  950: 'big5',
  1250: 'windows-1250',
  1251: 'windows-1251',
  1252: 'windows-1252',
  1253: 'windows-1253',
  1254: 'windows-1254',
  1255: 'windows-1255',
  1256: 'windows-1256',
  1257: 'windows-1257',
  1258: 'windows-1258',
  10000: 'macintosh',
  65001: 'utf-8',
}
/** Code pages of font character sets (RTF 1.9.1, \fcharset). */
const charsets: Partial<Record<number, number>> = {
  0: 1252,
  77: 10000,
  128: 932,
  129: 949,
  134: 936,
  136: 950,
  161: 1253,
  162: 1254,
  163: 1258,
  177: 1255,
  178: 1256,
  186: 1257,
  204: 1251,
  222: 874,
  238: 1250,
}

/** Returns the code page of a font character set; undefined if it is unknown. */
export function codePageOf(charset: number): number | undefined {
  return charsets[charset]
}

/** Decodes text in a Windows code page; unknown code pages are decoded as Western European. */
export function decodeCodePage(bytes: Uint8Array, codePage: number): string {
  return new TextDecoder(encodings[codePage] ?? 'windows-1252').decode(bytes)
}
