/** Formats that a worker reads; other files are plain text. */
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

/** Formats with selectable pages. Slides and chapters count as pages. */
export const pagedFormats: ReadonlySet<string> = new Set<DocumentFormat>(['pdf', 'pptx', 'odp', 'epub'])

/** A document for the worker to read. */
export interface DocumentJob {
  format: DocumentFormat
  content: Uint8Array<ArrayBuffer>
  /** 1-based and inclusive. Default: all pages. Only for documents with pages. */
  pages?: { first: number; last: number }
}

/**
 * Returns the content as a Buffer that shares its memory. After transfer between processes, it is part of a larger one.
 */
export const bufferOf = ({ buffer, byteOffset, byteLength }: DocumentJob['content']): Buffer<ArrayBuffer> =>
  Buffer.from(buffer, byteOffset, byteLength)

/** The content of a document. */
export interface Extracted {
  /** `html` must still be converted to Markdown. */
  kind: 'text' | 'html'
  text: string
  /** Total number of pages, for documents with pages. */
  pageCount?: number
}

/** Why a document could not be read, as sent from the worker. */
export interface Unreadable {
  reason: 'encrypted' | 'broken' | 'no_page' | 'too_large'
  /** The library's message, the exceeded limit, or the number of pages. */
  detail: string
}

/** Thrown by the parsers of document formats, and sent from the worker as `failure`. */
export class UnreadableError extends Error {
  readonly failure: Unreadable
  constructor(reason: Unreadable['reason'], detail: string, options?: { cause?: unknown }) {
    super(detail, options)
    this.failure = { reason, detail }
  }
}
