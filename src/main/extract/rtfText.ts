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
