import mammoth from 'mammoth'
import { UnreadableError, type Extracted } from './documentJob.ts'

/** How an OLE compound file begins: an encrypted DOCX, or the older DOC. */
const compoundFile = Buffer.from('d0cf11e0a1b11ae1', 'hex')

/** A Word document as HTML without its pictures. */
export async function extractDocx(content: Uint8Array<ArrayBuffer>): Promise<Extracted> {
  const buffer = Buffer.from(content.buffer)
  if (buffer.subarray(0, compoundFile.length).equals(compoundFile)) {
    const encrypted = buffer.includes(Buffer.from('EncryptedPackage', 'utf16le'))
    throw encrypted ? new UnreadableError('encrypted', '') : new UnreadableError('broken', 'it is in the format of Word 97 (DOC)')
  }
  try {
    const { value } = await mammoth.convertToHtml({ buffer }, { convertImage: mammoth.images.imgElement(() => Promise.resolve({ src: '' })) })
    return { kind: 'html', text: value }
  } catch (error) {
    // Mammoth and its zip and XML parsers throw plain errors; what they say is of use.
    if (error instanceof Error && !(error instanceof RangeError)) throw new UnreadableError('broken', error.message, { cause: error })
    throw error
  }
}
