import { markdownTable } from './csv.ts'

/**
 * Builds the text of an RTF document: paragraphs, headings, list items, and tables, whose rows RTF stores cell by cell.
 */
export class RtfText {
  #text = ''
  /** Whether the last block is a list item. No blank line separates it from a following item. */
  #afterItem = false
  #paragraph = ''
  #marker = ''
  #outline: number | undefined
  #inTable = false
  #cell: string[] = []
  #row: string[] = []
  #rows: string[][] = []

  add(text: string): void {
    this.#paragraph += text
  }

  /** Handles the number or bullet that precedes a list item. */
  addMarker(text: string): void {
    this.#marker += text
  }

  /** Starts a plain paragraph. */
  reset(): void {
    this.#outline = undefined
    this.#inTable = false
  }

  /** @param level 0 for the top heading level, 9 for none */
  setOutline(level: number | undefined): void {
    this.#outline = level !== undefined && level >= 0 && level < 9 ? level : undefined
  }

  enterTable(): void {
    this.#inTable = true
  }

  endParagraph(): void {
    const item = this.#marker.trim() !== '' && this.#outline === undefined
    const text = this.#take()
    if (this.#inTable) {
      this.#cell.push(text)
      return
    }
    this.#endTable()
    if (text !== '') this.#block(text, item)
  }

  endCell(): void {
    this.#row.push([...this.#cell, this.#take()].join(' '))
    this.#cell = []
  }

  endRow(): void {
    this.#rows.push(this.#row)
    this.#row = []
  }

  finish(): string {
    this.reset()
    this.endParagraph()
    return this.#text
  }

  #block(text: string, item: boolean): void {
    const gap = this.#text === '' ? '' : item && this.#afterItem ? '\n' : '\n\n'
    this.#text += gap + text
    this.#afterItem = item
  }

  #take(): string {
    const text = this.#paragraph.trim()
    const marker = this.#marker.trim()
    this.#paragraph = ''
    this.#marker = ''
    if (text === '') return ''
    if (this.#outline !== undefined) return `${'#'.repeat(Math.min(this.#outline + 1, 6))} ${text}`
    if (marker === '') return text
    return /^\w+[.)]$/.test(marker) ? `${marker} ${text}` : `- ${text}`
  }

  #endTable(): void {
    // The last row can lack its end marker.
    if (this.#row.length > 0) this.endRow()
    if (this.#rows.length > 0) this.#block(markdownTable(this.#rows), false)
    this.#rows = []
  }
}

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
