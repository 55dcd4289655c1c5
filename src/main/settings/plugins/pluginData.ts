import { randomUUID } from 'node:crypto'
import { lstat, opendir, realpath, rename, rm, rmdir } from 'node:fs/promises'
import path from 'node:path'
import type { PluginData } from '../../../shared/plugins/plugins.ts'
import { ToolError, toFailure } from '../../../shared/errors.ts'
import { errorCode } from '../../base/fileErrors.ts'
import { makeFolder } from '../../base/makeFolder.ts'

/** Folders in which plug-ins keep data. They stay while versions come and go. */
export interface PluginDataFolders {
  /** Returns the real path of the folder of a plug-in. @param create whether to create it, as far as possible */
  folderOf(name: string, create: boolean): Promise<string>
  measure(name: string): Promise<PluginData>
  /** @throws ToolError if something of it is left */
  remove(name: string): Promise<void>
  /** Removes the folder if nothing is in it. */
  removeEmpty(name: string): Promise<void>
}

/** Maximum number of files and folders that are counted. */
const maxCounted = 20_000

/** @param parent with a folder for each plug-in */
export function createPluginData(parent: string): PluginDataFolders {
  const placeOf = (name: string) => path.join(parent, path.basename(name.toLowerCase()))
  const realOf = (name: string) => realpath(placeOf(name)).catch(() => placeOf(name))
  return {
    async folderOf(name, create) {
      // Without it, the sandbox of a hook does not start, which the hook reports.
      if (create) await makeFolder(placeOf(name)).catch(() => undefined)
      return realOf(name)
    },
    async measure(name) {
      const place = await realOf(name)
      const found: PluginData = { path: place, files: 0, size: 0, more: false }
      let entries = 0
      const walk = async (folder: string): Promise<void> => {
        for await (const entry of await opendir(folder)) {
          entries += 1
          found.more ||= entries > maxCounted
          if (found.more) return
          const file = path.join(folder, entry.name)
          if (entry.isDirectory()) {
            await walk(file).catch(() => undefined) // What cannot be listed counts nothing.
            continue
          }
          found.files += 1
          found.size += (await lstat(file).catch(() => ({ size: 0 }))).size
        }
      }
      await walk(place).catch(() => undefined)
      return found
    },
    async remove(name) {
      const place = placeOf(name)
      // Under another name first, so that a program of the plug-in that still runs writes nothing new into it.
      const removed = path.join(parent, `.removed-${randomUUID()}`)
      try {
        await rename(place, removed)
        await rm(removed, { recursive: true, force: true, maxRetries: 3 })
      } catch (error) {
        if (errorCode(error) === 'ENOENT') return
        const left = (await lstat(removed).catch(() => null)) ? removed : place
        throw new ToolError(
          'permission_denied',
          `${name} was removed, but its data could not be deleted completely: ${toFailure(error).message}`,
          `Delete the folder ${left} yourself.`,
          { cause: error },
        )
      }
    },
    // Fails if there is something in it, even if it was stored a moment ago.
    removeEmpty: (name) => rmdir(placeOf(name)).catch(() => undefined),
  }
}
