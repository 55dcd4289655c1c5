import { UnreadableError } from './documentJob.ts'

/** How an OLE compound file begins ([MS-CFB] 2.2): an encrypted Office document, or one of the formats before 2007. */
const signature = Buffer.from('d0cf11e0a1b11ae1', 'hex')
/** The stream that holds the encrypted document ([MS-OFFCRYPTO] 2.3.4.4). */
const encryptedStream = Buffer.from('EncryptedPackage', 'utf16le')

/** Throws where an Office document is no zip archive but a compound file. @param older the format it may be instead */
export function refuseCompoundFile(content: Buffer, older: string): void {
  if (!content.subarray(0, signature.length).equals(signature)) return
  throw content.includes(encryptedStream)
    ? new UnreadableError('encrypted', '')
    : new UnreadableError('broken', `it is in the older format ${older}`)
}
