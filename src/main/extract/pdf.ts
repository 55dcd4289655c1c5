import { getDocumentProxy } from 'unpdf'
import { UnreadableError, type DocumentJob, type Extracted } from './documentJob.ts'
import { collectPages } from './pageCollection.ts'
import { textOfRuns } from './pdfLayout.ts'

/** Extracts the text of a PDF, or of some of its pages. @throws UnreadableError */
export async function extractPdf(content: Uint8Array, pages: DocumentJob['pages']): Promise<Extracted> {
  try {
    const pdf = await getDocumentProxy(content, { verbosity: 0 })
    const text = await collectPages({
      count: pdf.numPages,
      range: pages,
      pageName: 'Page',
      formatHeading: (words) => `--- ${words} ---`,
      read: async (number) => (await textOfPage(pdf, number)) || '(no text; an image or a scan)',
    })
    return { kind: 'text', text, pageCount: pdf.numPages }
  } catch (error) {
    throw readable(error)
  }
}

async function textOfPage(pdf: Awaited<ReturnType<typeof getDocumentProxy>>, number: number): Promise<string> {
  const page = await pdf.getPage(number)
  const { items } = await page.getTextContent()
  const text = textOfRuns(
    items.flatMap((item) =>
      'str' in item
        ? [{ text: item.str, x: item.transform[4], y: item.transform[5], width: item.width, height: item.height }]
        : [],
    ),
  )
  page.cleanup()
  return text
}

/** Converts errors of pdf.js. For pages that refer to each other, it throws an object without a message. */
function readable(error: unknown): unknown {
  if (error instanceof UnreadableError || error instanceof RangeError) return error
  if (!(error instanceof Error))
    return new UnreadableError('broken', 'Its list of pages is damaged or refers to itself.', { cause: error })
  // Error name documented by pdf.js.
  if (error.name === 'PasswordException') return new UnreadableError('encrypted', '', { cause: error })
  return new UnreadableError('broken', error.message, { cause: error })
}
