import type { SafeStorage } from 'electron'
import type { Keyring } from '../../platform.ts'

/**
 * The operating system's keychain through Electron's safeStorage: macOS Keychain, Windows' DPAPI, libsecret or KWallet. Undefined where
 * there is none. On Linux without one Chromium "encrypts" with a password that everybody knows (`basic_text`), which is no better than
 * plain text and is not taken for more. To be asked once the application is ready.
 */
export async function systemKeyring(
  safeStorage: SafeStorage,
  platform: NodeJS.Platform = process.platform,
): Promise<Keyring | undefined> {
  if (!(await safeStorage.isAsyncEncryptionAvailable())) return undefined
  if (platform === 'linux' && ['basic_text', 'unknown'].includes(safeStorage.getSelectedStorageBackend()))
    return undefined
  return {
    protect: async (text) => (await safeStorage.encryptStringAsync(text)).toString('base64'),
    unprotect: async (text) => (await safeStorage.decryptStringAsync(Buffer.from(text, 'base64'))).result,
  }
}
