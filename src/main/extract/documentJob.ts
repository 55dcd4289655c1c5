/** Formats that are read in a worker; what else is text needs none. */
export const documentFormats = [
  'pdf',
  'docx',
  'xlsx',
  'pptx',
  'odt',
  'ods',
  'odp',
  'rtf',
  'epub',
  'csv',
  'tsv',
  'ipynb',
] as const
export type DocumentFormat = (typeof documentFormats)[number]

/** Formats with pages that can be chosen; those of a presentation are its slides, those of a book its chapters. */
export const pagedFormats: ReadonlySet<string> = new Set<DocumentFormat>(['pdf', 'pptx', 'odp', 'epub'])

export interface DocumentJob {
  format: DocumentFormat
  content: Uint8Array<ArrayBuffer>
  /** 1-based, both included; without it every page. Only where a document has pages. */
  pages?: { first: number; last: number }
}

/** What a document says. */
export interface Extracted {
  /** `html` is still to be turned into Markdown. */
  kind: 'text' | 'html'
  text: string
  /** Pages of the whole document, where it has pages. */
  pageCount?: number
}

/** A document that its format's library refuses, and why; travels between the threads as an answer. */
export interface Unreadable {
  unreadable: 'encrypted' | 'broken' | 'no_page' | 'too_large'
  /** The library's words, how it is too large, or the number of pages that there are. */
  detail: string
}

export class UnreadableError extends Error {
  readonly answer: Unreadable
  constructor(unreadable: Unreadable['unreadable'], detail: string, options?: { cause?: unknown }) {
    super(detail, options)
    this.answer = { unreadable, detail }
  }
}
