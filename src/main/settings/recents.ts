import { join } from 'node:path'
import { z } from 'zod'
import { openJsonFile } from './jsonFile.ts'

export interface RecentFolders {
  /** Real paths, the latest first. */
  list(): string[]
  add(path: string): Promise<void>
  forget(path: string): Promise<void>
}

const cap = 20

/** The folders opened last, in `recents.json` of the user's data folder; at most 20. */
export async function createRecents(userDataFolder: string, onNotice: (message: string) => void): Promise<RecentFolders> {
  const file = await openJsonFile(join(userDataFolder, 'recents.json'), z.array(z.string()), [], onNotice)
  const without = (path: string) => (list: string[]) => list.filter((known) => known !== path)
  return {
    list: () => [...file.value],
    async add(path) {
      await file.update((list) => [path, ...without(path)(list)].slice(0, cap))
    },
    async forget(path) {
      await file.update(without(path))
    },
  }
}
