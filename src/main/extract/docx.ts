import mammoth from 'mammoth'
import { refuseCompoundFile, cleanLibraryMessage } from './contentKind.ts'
import { bufferOf, UnreadableError, type Extracted } from './documentJob.ts'

/** Converts a Word document to HTML without images. */
export async function extractDocx(content: Uint8Array<ArrayBuffer>): Promise<Extracted> {
  const buffer = bufferOf(content)
  refuseCompoundFile(buffer, 'DOC')
  try {
    const { value } = await mammoth.convertToHtml(
      { buffer },
      { convertImage: mammoth.images.imgElement(() => Promise.resolve({ src: '' })) },
    )
    return { kind: 'html', text: value }
  } catch (error) {
    // Mammoth and its zip and XML parsers throw plain `Error` objects, whose messages explain the problem.
    if (error instanceof Error && !(error instanceof RangeError))
      throw new UnreadableError('broken', cleanLibraryMessage(error.message), { cause: error })
    throw error
  }
}
