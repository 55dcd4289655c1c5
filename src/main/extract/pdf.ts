import { getDocumentProxy } from 'unpdf'
import { UnreadableError, type DocumentJob, type Extracted } from './documentJob.ts'
import { textOfRuns } from './pdfText.ts'

/** Characters. What lies behind is not read: nobody reads so much at once, and a page range gives it. */
const maxLength = 1_000_000

/** The text of a PDF page by page, or of some pages of it. */
export async function extractPdf(content: Uint8Array, pages: DocumentJob['pages']): Promise<Extracted> {
  const pdf = await open(content)
  const first = pages?.first ?? 1
  if (first > pdf.numPages) throw new UnreadableError('no_page', String(pdf.numPages))
  const last = Math.min(pages?.last ?? pdf.numPages, pdf.numPages)
  const parts: string[] = []
  let length = 0
  for (let number = first; number <= last; number += 1) {
    const page = await pdf.getPage(number)
    const { items } = await page.getTextContent()
    const text = textOfRuns(items.flatMap((item) => ('str' in item ? [{ text: item.str, x: item.transform[4], y: item.transform[5], width: item.width, height: item.height }] : [])))
    page.cleanup()
    parts.push(`--- Page ${number} of ${pdf.numPages} ---\n${text || '(no text; a picture or a scan)'}`)
    length += text.length
    if (length > maxLength && number < last) {
      parts.push(`--- Pages ${number + 1} to ${last} were not read. Ask for them with pages: "${number + 1}-${last}". ---`)
      break
    }
  }
  return { kind: 'text', text: parts.join('\n\n'), pageCount: pdf.numPages }
}

async function open(content: Uint8Array) {
  try {
    return await getDocumentProxy(content, { verbosity: 0 })
  } catch (error) {
    if (!(error instanceof Error)) throw error
    // The names under which pdf.js documents these errors.
    if (error.name === 'PasswordException') throw new UnreadableError('encrypted', '', { cause: error })
    if (error.name === 'InvalidPDFException' || error.name === 'FormatError' || error.name === 'ResponseException') {
      throw new UnreadableError('broken', error.message, { cause: error })
    }
    throw error
  }
}
