import { join } from 'node:path'
import { z } from 'zod'
import { toFailure } from '../../shared/errors.ts'
import { openJsonFile } from './jsonFile.ts'

export interface RecentFolders {
  /** Real paths, most recent first. */
  list(): string[]
  /** Adds a folder. Never fails: if the list cannot be written, a notice reports it. */
  add(path: string): Promise<void>
  forget(path: string): Promise<void>
  clear(): Promise<void>
}

const maxFolders = 20

/** Opens the list of the last 20 folders, `recents.json` in the user data folder. */
export async function createRecentFolders(
  userDataFolder: string,
  onNotice: (message: string) => void,
  onChanged: (folders: string[]) => void = () => {},
): Promise<RecentFolders> {
  const file = await openJsonFile(join(userDataFolder, 'recents.json'), z.array(z.string()), [], onNotice, {
    replaceable: true,
  })
  async function update(change: (list: string[]) => string[]): Promise<void> {
    onChanged([...(await file.update(change))])
  }
  const without = (path: string) => (list: string[]) => list.filter((known) => known !== path)
  return {
    list: () => [...file.value],
    async add(path) {
      try {
        await update((list) => [path, ...without(path)(list)].slice(0, maxFolders))
      } catch (error) {
        const { message, next } = toFailure(error)
        onNotice(`The list of recent folders could not be saved. ${message} ${next}`)
      }
    },
    forget: (path) => update(without(path)),
    clear: () => update(() => []),
  }
}
