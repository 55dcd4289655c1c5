import type { SafeStorage } from 'electron'
import type { Keyring } from '../../appServices/platform.ts'

/**
 * Opens the system keychain through Electron's safeStorage: macOS Keychain, DPAPI on Windows, libsecret or KWallet.
 * Call this once the application is ready.
 * @returns undefined without a keychain, or if Linux only has Chromium's `basic_text`, whose password is public
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
