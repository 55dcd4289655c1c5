import { UnreadableError } from './documentJob.ts'

/** Signature of an OLE compound file ([MS-CFB] 2.2): an encrypted Office document, or a format before Office 2007. */
const signature = Buffer.from('d0cf11e0a1b11ae1', 'hex')
/** The stream with the encrypted document ([MS-OFFCRYPTO] 2.3.4.4). */
const encryptedStream = Buffer.from('EncryptedPackage', 'utf16le')

/**
 * Throws if an Office document is a compound file instead of a zip archive.
 * @param older the older format that it may be
 */
export function refuseCompoundFile(content: Buffer, older: string): void {
  if (!content.subarray(0, signature.length).equals(signature)) return
  throw content.includes(encryptedStream)
    ? new UnreadableError('encrypted', '')
    : new UnreadableError('broken', `it is in the older ${older} format`)
}
