import { getDocumentProxy } from 'unpdf'
import { UnreadableError, type DocumentJob, type Extracted } from './documentJob.ts'
import { collectPages } from './pageCollection.ts'
import { textOfRuns } from './pdfLayout.ts'

/** Extracts the text of a PDF, or of some of its pages. */
export async function extractPdf(content: Uint8Array, pages: DocumentJob['pages']): Promise<Extracted> {
  const pdf = await open(content)
  const text = await collectPages({
    count: pdf.numPages,
    range: pages,
    pageName: 'Page',
    formatHeading: (words) => `--- ${words} ---`,
    read: async (number) => {
      const page = await pdf.getPage(number)
      const { items } = await page.getTextContent()
      const found = textOfRuns(
        items.flatMap((item) =>
          'str' in item
            ? [{ text: item.str, x: item.transform[4], y: item.transform[5], width: item.width, height: item.height }]
            : [],
        ),
      )
      page.cleanup()
      return found || '(no text; an image or a scan)'
    },
  })
  return { kind: 'text', text, pageCount: pdf.numPages }
}

async function open(content: Uint8Array) {
  try {
    return await getDocumentProxy(content, { verbosity: 0 })
  } catch (error) {
    if (!(error instanceof Error)) throw error
    // Error names documented by pdf.js.
    if (error.name === 'PasswordException') throw new UnreadableError('encrypted', '', { cause: error })
    if (error.name === 'InvalidPDFException' || error.name === 'FormatError' || error.name === 'ResponseException') {
      throw new UnreadableError('broken', error.message, { cause: error })
    }
    throw error
  }
}
