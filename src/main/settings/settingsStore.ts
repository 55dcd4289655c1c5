import { watch } from 'node:fs'
import { join } from 'node:path'
import { toFailure } from '../../shared/errors.ts'
import { settingsSchema, type Settings } from '../../shared/settings.ts'
import { openJsonFile } from './jsonFile.ts'

const fileName = 'settings.json'

export interface SettingsStore {
  /** The effective settings: the stored ones, overridden by those of this process. */
  get(): Settings
  /**
   * Replaces the given settings. Listeners are called after the file is written.
   * @throws ZodError if a value is invalid
   */
  set(patch: Partial<Settings>): Promise<Settings>
  /** Applies a change that depends on the stored settings. */
  update(change: (stored: Settings) => Partial<Settings>): Promise<Settings>
  /** Applies changes of the file by other processes or the user. @returns stop */
  follow(): () => void
  /** @returns unsubscribe */
  onChanged(listener: (settings: Settings) => void): () => void
}

/**
 * Opens `settings.json` in the user data folder, which agents cannot edit. An invalid file is renamed to
 * `settings.json.broken` with a notice, and the defaults apply.
 * @param forThisProcess overrides stored settings and is never stored; setting a field removes its override
 */
export async function createSettingsStore(
  userDataFolder: string,
  onNotice: (message: string) => void,
  forThisProcess: Partial<Settings> = {},
): Promise<SettingsStore> {
  const file = await openJsonFile(join(userDataFolder, fileName), settingsSchema, {}, onNotice)
  const listeners = new Set<(settings: Settings) => void>()
  let laidOver = forThisProcess
  const get = () => ({ ...file.value, ...laidOver })
  const update = async (change: (stored: Settings) => Partial<Settings>) => {
    let patch: Partial<Settings> = {}
    await file.update((stored) => {
      patch = change(stored)
      return { ...stored, ...patch }
    })
    laidOver = Object.fromEntries(Object.entries(laidOver).filter(([field]) => !Object.hasOwn(patch, field)))
    for (const listener of listeners) listener(get())
    return get()
  }
  return {
    get,
    set: (patch) => update(() => patch),
    update,
    follow() {
      const lost = (error: unknown) =>
        onNotice(`Changes of the settings by other programs are not noticed. ${toFailure(error).message}`)
      const readAgain = () =>
        file.reload().then(
          (changed) => {
            if (changed) for (const listener of listeners) listener(get())
          },
          (error: unknown) =>
            onNotice(`The settings changed on disk and could not be read. ${toFailure(error).message}`),
        )
      try {
        // The folder, for each write puts another file in the place of the old one. Files beside it change often and are passed over.
        const watcher = watch(userDataFolder, { persistent: false }, (_kind, name) => {
          if (name === fileName) void readAgain()
        })
        watcher.on('error', lost)
        return () => watcher.close()
      } catch (error) {
        // Some file systems cannot be watched. Everything else works without it.
        lost(error)
        return () => undefined
      }
    },
    onChanged(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
