interface EncodingText {
  /** Label in the status bar. */
  title: string
  /** Languages that use it. */
  languages?: string
  /** Name in the Encoding Standard, which ripgrep and detectors use. Absent if the standard does not have it. */
  label?: string
}

/** Encodings by id. The ids are those of VS Code's `files.encoding`. */
const table = {
  utf8: { title: 'UTF-8', label: 'UTF-8' },
  utf8bom: { title: 'UTF-8 with BOM' },
  utf16le: { title: 'UTF-16 LE' },
  utf16be: { title: 'UTF-16 BE' },
  utf16lenobom: { title: 'UTF-16 LE without BOM', label: 'UTF-16LE' },
  utf16benobom: { title: 'UTF-16 BE without BOM', label: 'UTF-16BE' },
  windows1252: { title: 'Windows 1252', languages: 'Western', label: 'windows-1252' },
  iso88591: { title: 'ISO 8859-1', languages: 'Western, Latin-1' },
  iso885915: { title: 'ISO 8859-15', languages: 'Western, Latin-9', label: 'ISO-8859-15' },
  macroman: { title: 'Mac Roman', languages: 'Western', label: 'macintosh' },
  cp437: { title: 'CP 437', languages: 'DOS' },
  cp850: { title: 'CP 850', languages: 'DOS, Western' },
  windows1250: { title: 'Windows 1250', languages: 'Central European', label: 'windows-1250' },
  iso88592: { title: 'ISO 8859-2', languages: 'Central European', label: 'ISO-8859-2' },
  cp852: { title: 'CP 852', languages: 'DOS, Central European' },
  windows1251: { title: 'Windows 1251', languages: 'Cyrillic', label: 'windows-1251' },
  iso88595: { title: 'ISO 8859-5', languages: 'Cyrillic', label: 'ISO-8859-5' },
  koi8r: { title: 'KOI8-R', languages: 'Russian', label: 'KOI8-R' },
  koi8u: { title: 'KOI8-U', languages: 'Ukrainian', label: 'KOI8-U' },
  cp866: { title: 'CP 866', languages: 'DOS, Cyrillic', label: 'IBM866' },
  windows1253: { title: 'Windows 1253', languages: 'Greek', label: 'windows-1253' },
  iso88597: { title: 'ISO 8859-7', languages: 'Greek', label: 'ISO-8859-7' },
  windows1254: { title: 'Windows 1254', languages: 'Turkish', label: 'windows-1254' },
  windows1255: { title: 'Windows 1255', languages: 'Hebrew', label: 'windows-1255' },
  iso88598: { title: 'ISO 8859-8', languages: 'Hebrew', label: 'ISO-8859-8' },
  windows1256: { title: 'Windows 1256', languages: 'Arabic', label: 'windows-1256' },
  iso88596: { title: 'ISO 8859-6', languages: 'Arabic', label: 'ISO-8859-6' },
  windows1257: { title: 'Windows 1257', languages: 'Baltic', label: 'windows-1257' },
  iso88594: { title: 'ISO 8859-4', languages: 'Baltic', label: 'ISO-8859-4' },
  iso885913: { title: 'ISO 8859-13', languages: 'Baltic', label: 'ISO-8859-13' },
  windows1258: { title: 'Windows 1258', languages: 'Vietnamese', label: 'windows-1258' },
  windows874: { title: 'Windows 874', languages: 'Thai', label: 'windows-874' },
  gbk: { title: 'GBK', languages: 'Simplified Chinese', label: 'GBK' },
  gb18030: { title: 'GB 18030', languages: 'Chinese', label: 'gb18030' },
  big5hkscs: { title: 'Big5-HKSCS', languages: 'Traditional Chinese', label: 'Big5' },
  shiftjis: { title: 'Shift JIS', languages: 'Japanese', label: 'Shift_JIS' },
  eucjp: { title: 'EUC-JP', languages: 'Japanese', label: 'EUC-JP' },
  euckr: { title: 'EUC-KR', languages: 'Korean', label: 'EUC-KR' },
} as const satisfies Record<string, EncodingText>

export type Encoding = keyof typeof table

/** All encodings, in the order in which pickers show them. */
// A cast, because Object.keys returns strings.
export const encodings = Object.keys(table) as [Encoding, ...Encoding[]]

export const encodingTexts: Readonly<Record<Encoding, EncodingText>> = table

/** Whether the bytes below 128 are ASCII, so that ASCII text is the same as in UTF-8. */
export function extendsAscii(encoding: Encoding): boolean {
  return encoding !== 'utf8bom' && !isUtf16(encoding)
}

export function isUtf16(encoding: Encoding): boolean {
  return encoding.startsWith('utf16')
}

/** Whether an encoding can represent every character. */
export function isUnicode(encoding: Encoding): boolean {
  return encoding.startsWith('utf') || encoding === 'gb18030'
}
