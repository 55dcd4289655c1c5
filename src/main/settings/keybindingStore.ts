import { join } from 'node:path'
import { z } from 'zod'
import type { UserKeybinding } from '../../shared/editor/keymap.ts'
import { followJsonFile, openJsonFile } from './jsonFile.ts'

const fileName = 'keybindings.json'

/** Keeps other fields, such as VS Code's `args`. Entries with invalid keys have no effect. */
export const keybindingsSchema = z.array(
  z.looseObject({ key: z.string(), command: z.string(), when: z.string().optional() }),
)

/** The user's keyboard shortcuts, in `keybindings.json` in the user data folder. */
export interface KeybindingStore {
  get(): readonly UserKeybinding[]
  set(bindings: readonly UserKeybinding[]): Promise<readonly UserKeybinding[]>
  /** Applies a change that depends on the stored shortcuts. */
  update(change: (stored: readonly UserKeybinding[]) => readonly UserKeybinding[]): Promise<readonly UserKeybinding[]>
  /** Applies changes to the file by other programs. @returns a function that stops it */
  follow(): () => void
}

/** Opens the file. Drops invalid entries, which a notice names. */
export async function createKeybindingStore(
  userDataFolder: string,
  onNotice: (message: string) => void,
  onChanged: (bindings: readonly UserKeybinding[]) => void,
): Promise<KeybindingStore> {
  const file = await openJsonFile(join(userDataFolder, fileName), keybindingsSchema, [], onNotice)
  async function update(change: (stored: readonly UserKeybinding[]) => readonly UserKeybinding[]) {
    const stored = await file.update((before) => change(before).map((each) => ({ ...each })))
    onChanged(stored)
    return stored
  }
  return {
    get: () => file.value,
    set: (bindings) => update(() => bindings),
    update,
    // settingsStore.ts reports that the folder cannot be watched.
    follow: () => followJsonFile(join(userDataFolder, fileName), file, () => onChanged(file.value), onNotice),
  }
}
