import { join } from 'node:path'
import { z } from 'zod'
import { openJsonFile } from './jsonFile.ts'

/** API keys by endpoint id. Read in main only; no answer to a window ever holds one. */
export interface SecretStore {
  get(id: string): Promise<string | undefined>
  /** `null` forgets it. */
  set(id: string, secret: string | null): Promise<void>
}

/**
 * `secrets.json` with mode 0600. Not encrypted: the key to it would stand beside it. Where the system has a key ring
 * (Electron's safeStorage), the shell brings a store of its own.
 */
export async function createFileSecretStore(userDataFolder: string, onNotice: (message: string) => void): Promise<SecretStore> {
  const file = await openJsonFile(join(userDataFolder, 'secrets.json'), z.record(z.string(), z.string()), {}, onNotice)
  return {
    get: (id) => Promise.resolve(Object.hasOwn(file.value, id) ? file.value[id] : undefined),
    async set(id, secret) {
      await file.update((secrets) =>
        Object.fromEntries([...Object.entries(secrets).filter(([key]) => key !== id), ...(secret ? [[id, secret]] : [])]),
      )
    },
  }
}
