import { join } from 'node:path'
import { z } from 'zod'
import { asSentence } from '../base/asSentence.ts'
import { ToolError } from '../../shared/errors.ts'
import { hideSecret } from '../base/log/redact.ts'
import { openJsonFile } from './jsonFile.ts'

/** API keys by endpoint id. Only the main process reads them; no message to a window contains a key. */
export interface SecretStore {
  /**
   * Reads a key.
   * @param fresh reads the file again, because another process may have changed it
   * @throws ToolError `permission_denied` if the key is encrypted and cannot be decrypted here
   */
  get(id: string, fresh?: boolean): Promise<string | undefined>
  /** Stores a key; `null` removes it. */
  set(id: string, secret: string | null): Promise<void>
}

/** Encrypts with a key from the operating system's keychain. */
export interface Keyring {
  protect(text: string): Promise<string>
  /** Decrypts. Rejects if the text was encrypted with a different key. */
  unprotect(text: string): Promise<string>
}

/** Secrets by id: plain text, or text encrypted with a key from the system keychain. */
const stored = z.record(z.string(), z.union([z.string(), z.object({ protected: z.string() })]))
type Stored = z.infer<typeof stored>[string]

/**
 * Opens `secrets.json` with mode 0600. With a system keychain, secrets are encrypted with its key, and plain ones are
 * encrypted on first access. Otherwise they are plain, because a key of our own would be stored in the same folder.
 * @param openKeyring called for the first secret that is read or written, because the system may ask the user;
 * undefined if the host has no keychain
 */
export async function createFileSecretStore(
  userDataFolder: string,
  onNotice: (message: string) => void,
  openKeyring?: () => Promise<Keyring | undefined>,
): Promise<SecretStore> {
  const file = await openJsonFile(join(userDataFolder, 'secrets.json'), stored, {}, onNotice)
  let warned = false
  let opened: Promise<Keyring | undefined> | undefined
  const keyring = () =>
    (opened ??= (async () => {
      const found = await openKeyring?.()
      if (found) await encryptAll(found)
      return found
    })().catch((cause: unknown) => {
      // The user can allow access next time.
      opened = undefined
      throw keychainError(cause)
    }))

  const encryptAll = async (key: Keyring) => {
    const plain = Object.entries(file.value).filter((entry): entry is [string, string] => typeof entry[1] === 'string')
    if (plain.length === 0) return
    const encrypted = new Map(
      await Promise.all(
        plain.map(async ([id, secret]) => [id, { secret, protected: await key.protect(secret) }] as const),
      ),
    )
    await file.update((secrets) =>
      Object.fromEntries(
        Object.entries(secrets).map(([id, value]): [string, Stored] => {
          const made = encrypted.get(id)
          // Another process may have stored a newer secret.
          return [id, made && value === made.secret ? { protected: made.protected } : value]
        }),
      ),
    )
  }

  return {
    async get(id, fresh = false) {
      if (fresh) await file.reload()
      const before = Object.hasOwn(file.value, id) ? file.value[id] : undefined
      if (before === undefined) return undefined
      const key = await keyring()
      const value = file.value[id]
      if (value === undefined) return undefined
      if (typeof value === 'string') return hideFromLog(value)
      if (!key)
        throw decryptionError(
          "The stored key is in your system's keychain, which only the desktop application can read.",
        )
      try {
        return hideFromLog(await key.unprotect(value.protected))
      } catch (cause) {
        throw decryptionError(
          "Your system's keychain could not decrypt the stored key: it may belong to another user or system.",
          cause,
        )
      }
    },
    async set(id, secret) {
      if (secret) hideSecret(secret)
      const key = secret ? await keyring() : undefined
      const value: Stored | undefined = secret
        ? key
          ? { protected: await key.protect(secret).catch((cause: unknown) => Promise.reject(keychainError(cause))) }
          : secret
        : undefined
      if (!secret && !Object.hasOwn(file.value, id)) return
      await file.update((secrets) =>
        Object.fromEntries([
          ...Object.entries(secrets).filter(([known]) => known !== id),
          ...(value === undefined ? [] : [[id, value]]),
        ]),
      )
      if (secret && openKeyring && !key && !warned) {
        warned = true
        onNotice('Tizona cannot use a keychain on this system: the key was stored in a file that only you can read.')
      }
    },
  }
}

/** Returns a secret and redacts it in later log lines. */
function hideFromLog(secret: string): string {
  hideSecret(secret)
  return secret
}

function keychainError(cause: unknown): ToolError {
  const why = cause instanceof Error ? cause.message : String(cause)
  return new ToolError(
    'permission_denied',
    `Your system's keychain could not be used: ${asSentence(why)}`,
    'Allow Tizona to use it, then try again.',
    { cause },
  )
}

function decryptionError(message: string, cause?: unknown): ToolError {
  return new ToolError('permission_denied', message, 'Enter the key again in the settings.', { cause })
}
