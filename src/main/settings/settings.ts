import { join } from 'node:path'
import { settingsSchema, type Settings } from '../../shared/settings.ts'
import { openJsonFile } from './jsonFile.ts'

export interface SettingsStore {
  get(): Settings
  /** Replaces the fields named. Listeners are told after the file is written. @throws ZodError for invalid values */
  set(patch: Partial<Settings>): Promise<Settings>
  /** A change that depends on the value before it. */
  update(change: (settings: Settings) => Settings): Promise<Settings>
  /** @returns unsubscribe */
  onChanged(listener: (settings: Settings) => void): () => void
}

/**
 * `settings.json` in the user's data folder, outside every workspace: nothing an agent edits can reach it. A broken file is
 * kept as `settings.json.broken`, told to `onNotice`, and defaults are used.
 */
export async function createSettingsStore(userDataFolder: string, onNotice: (message: string) => void): Promise<SettingsStore> {
  const file = await openJsonFile(join(userDataFolder, 'settings.json'), settingsSchema, {}, onNotice)
  const listeners = new Set<(settings: Settings) => void>()
  const update = async (change: (settings: Settings) => Settings) => {
    const settings = await file.update(change)
    for (const listener of listeners) listener(settings)
    return settings
  }
  return {
    get: () => file.value,
    set: (patch) => update((settings) => ({ ...settings, ...patch })),
    update,
    onChanged(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
