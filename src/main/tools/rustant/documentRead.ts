import path from 'node:path'
import { z } from 'zod'
import { ToolError } from '../../../shared/errors.ts'
import { documentFormats, pagedFormats, type DocumentFormat, type Extracted } from '../../extract/documentJob.ts'
import { extractDocument } from '../../extract/extractDocument.ts'
import { readPage } from '../../web/pageReader.ts'
import { checkFirstLine, checkLineOrder, textLines } from '../common/textLines.ts'
import { defineTool, type ToolContext } from '../common/toolDefinition.ts'

/** Maximum document size in bytes. */
const maxDocumentSize = 50 * 1024 * 1024
/** Unsupported document formats, for a clearer error than "binary". */
const otherFormats = new Set(['ppt', 'doc', 'xls', 'odg', 'pages', 'numbers', 'key', 'mobi', 'azw3'])
/** Formats that are text files and can have unsaved changes. */
const textFormats: ReadonlySet<DocumentFormat> = new Set(['csv', 'tsv', 'ipynb'])
/** Relative links in a document have no base address. */
const noAddress = 'about:blank'

export const documentRead = defineTool({
  name: 'document_read',
  title: 'Read document',
  description:
    'Reads a document as text or Markdown: PDF, PPTX, ODP and EPUB (optionally only some pages, slides or chapters), DOCX, ODT, RTF, HTML, XLSX, ODS, CSV and TSV as tables, IPYNB with outputs, plain text.',
  risk: 'read',
  schema: () =>
    z.object({
      path: z.string().describe('Document to read, relative to the workspace.'),
      pages: z
        .string()
        .regex(/^\d+(-\d*)?$/, 'is a page or a range such as "3", "2-5" or "7-"')
        .optional()
        .describe(
          'Pages of a PDF, slides of a presentation, chapters of an EPUB: "3", "2-5", or "7-" for all from 7. Default: all.',
        ),
      start_line: z.number().int().min(1).optional().describe('First line of the extracted text, 1-based. Default: 1.'),
      end_line: z.number().int().min(1).optional().describe('Last line, inclusive. Default: the last.'),
    }),
  examples: [{ path: 'docs/manual.pdf', pages: '1-2' }],
  reads: ({ path }) => [path],
  async run({ path: given, pages, start_line: start = 1, end_line: end }, context) {
    checkLineOrder(start, end)
    const text = await readDocument(given, pages, context)
    if (text.trim() === '') return { text: '(The document has no text. It is empty or contains only images.)' }
    const lines = textLines(text)
    checkFirstLine(given, start, lines.length)
    return {
      text: start === 1 && end === undefined ? text : lines.slice(start - 1, end).join('\n'),
      readMoreHint:
        pages === undefined && pagedFormats.has(formatOf(given))
          ? 'Read fewer pages with pages, such as "1-5".'
          : 'Read a part with start_line and end_line.',
    }
  },
})

async function readDocument(given: string, pages: string | undefined, context: ToolContext): Promise<string> {
  const format = formatOf(given)
  if (format === 'other') {
    await context.workspace.resolve(given)
    throw new ToolError(
      'binary_file',
      `"${given}" has a document format that document_read does not support.`,
      'Convert it first, for example with soffice --headless --convert-to pdf.',
    )
  }
  if (pages !== undefined && !pagedFormats.has(format))
    throw new ToolError(
      'invalid_arguments',
      `"${given}" has no pages; \`pages\` is for PDF, presentations and EPUB.`,
      'Use start_line and end_line.',
    )
  if (format === 'text') return (await context.documents.read(given, context.signal)).text
  if (format === 'html') return markdown(given, (await context.documents.read(given, context.signal)).text, context)
  const range = pages === undefined ? undefined : pageRange(pages)
  const content = await bytesOf(given, format, context)
  const extracted: Extracted = await extractDocument(
    context.runIsolated,
    given,
    { format, content, pages: range },
    context.signal,
  )
  return extracted.kind === 'html' ? markdown(given, extracted.text, context) : extracted.text
}

/** Reads text formats including unsaved changes, and other formats from disk. */
async function bytesOf(given: string, format: DocumentFormat, context: ToolContext): Promise<Uint8Array<ArrayBuffer>> {
  if (!textFormats.has(format)) return context.files.readBytes(given, maxDocumentSize, context.signal)
  return new TextEncoder().encode((await context.documents.read(given, context.signal)).text)
}

async function markdown(given: string, html: string, { runIsolated, signal }: ToolContext): Promise<string> {
  try {
    const { title, markdown: text } = await readPage(runIsolated, html, noAddress, signal)
    return title && !text.includes(title) ? `# ${title}\n\n${text}` : text
  } catch (error) {
    if (error instanceof ToolError)
      throw new ToolError(
        error.code,
        `"${given}" cannot be converted to text. ${error.message}`,
        'Read its source with file_read.',
        { cause: error },
      )
    throw error
  }
}

function formatOf(given: string): DocumentFormat | 'html' | 'text' | 'other' {
  const extension = path.extname(given).slice(1).toLowerCase()
  if (extension === 'html' || extension === 'htm' || extension === 'xhtml') return 'html'
  if (otherFormats.has(extension)) return 'other'
  return documentFormats.find((format) => format === extension) ?? 'text'
}

/** @throws ToolError invalid_arguments if pages are in reverse order or start at 0 */
function pageRange(pages: string): { first: number; last: number } {
  const [from = '', to] = pages.split('-')
  const first = Number(from)
  const last = to === undefined ? first : to === '' ? Infinity : Number(to)
  if (first < 1 || last < first)
    throw new ToolError(
      'invalid_arguments',
      `\`pages\` ("${pages}") is not a range of pages.`,
      'Pass the smaller number first, starting at 1: "2-5".',
    )
  return { first, last }
}
