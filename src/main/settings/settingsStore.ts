import { watch } from 'node:fs'
import { join } from 'node:path'
import { toFailure } from '../../shared/errors.ts'
import { settingsSchema, type Settings } from '../../shared/settings.ts'
import { openJsonFile } from './jsonFile.ts'

const fileName = 'settings.json'

export interface SettingsStore {
  /** What counts now: the stored settings under those of this process. */
  get(): Settings
  /** Replaces the fields named. Listeners are told after the file is written. @throws ZodError for invalid values */
  set(patch: Partial<Settings>): Promise<Settings>
  /** A change of the stored settings that depends on what they were. */
  update(change: (stored: Settings) => Partial<Settings>): Promise<Settings>
  /** Takes over what another process of this user, or the user by hand, writes into the file. @returns stop */
  follow(): () => void
  /** @returns unsubscribe */
  onChanged(listener: (settings: Settings) => void): () => void
}

/**
 * `settings.json` in the user's data folder, outside every workspace: nothing an agent edits can reach it. A broken file is
 * kept as `settings.json.broken`, told to `onNotice`, and defaults are used.
 * `forThisProcess` is laid over the stored settings and never stored; setting one of its fields ends that for the field.
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
        // Not every file system can be watched; everything else works without.
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
