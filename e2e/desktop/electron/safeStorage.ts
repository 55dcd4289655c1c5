import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { guarded } from './guarded.ts'
import { config, isReady, needsReady, whenReady } from './host.ts'

const version = Buffer.from('v11')
const available = (): boolean => isReady() && config.keychain !== 'none'

/** Returns the key, which is stored in a file, because a keychain outlives the application. */
function key(): Buffer {
  const file = join(config.state, 'keychain')
  if (!existsSync(file)) writeFileSync(file, randomBytes(32), { mode: 0o600 })
  return readFileSync(file)
}

function encryptString(text: string): Buffer {
  needsReady('safeStorage cannot be used before app is ready')
  if (!available())
    throw new Error(
      'Error while encrypting the text provided to safeStorage.encryptString. Encryption is not available.',
    )
  if (typeof text !== 'string') throw new TypeError('Error processing argument at index 0, conversion failure')
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', key(), nonce)
  return Buffer.concat([version, nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
}

function decryptString(encrypted: Buffer): string {
  needsReady('safeStorage cannot be used before app is ready')
  if (!available())
    throw new Error(
      'Error while decrypting the ciphertext provided to safeStorage.decryptString. Decryption is not available.',
    )
  if (!Buffer.isBuffer(encrypted)) throw new Error('Expected the first argument of decryptString() to be a buffer')
  try {
    if (!encrypted.subarray(0, version.length).equals(version)) throw new Error('unknown version')
    const body = encrypted.subarray(version.length)
    const decipher = createDecipheriv('aes-256-gcm', key(), body.subarray(0, 12))
    decipher.setAuthTag(body.subarray(-16))
    return decipher.update(body.subarray(12, -16), undefined, 'utf8') + decipher.final('utf8')
  } catch (error) {
    throw new Error('Error while decrypting the ciphertext provided to safeStorage.decryptString.', { cause: error })
  }
}

export const safeStorage = guarded('safeStorage', {
  isEncryptionAvailable: available,
  encryptString,
  decryptString,
  async isAsyncEncryptionAvailable(): Promise<boolean> {
    await whenReady()
    return available()
  },
  encryptStringAsync: async (text: string): Promise<Buffer> => encryptString(text),
  decryptStringAsync: async (encrypted: Buffer) => ({ shouldReEncrypt: false, result: decryptString(encrypted) }),
  getSelectedStorageBackend: (): string =>
    isReady() ? (config.keychain === 'none' ? 'basic_text' : config.keychain) : 'unknown',
})
