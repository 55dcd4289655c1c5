import { stat } from 'node:fs/promises'
import { isAbsolute } from 'node:path'
import { RequestError } from '@agentclientprotocol/sdk'
import { ToolError } from '../../../shared/errors.ts'
import type { Core } from '../../core.ts'

/** An open folder. */
export interface Folder {
  core: Core
  /** Real path. */
  root: string
}

/** The folders of all sessions. A core serves one folder, so each folder has a core of its own. */
export interface FolderCores {
  /**
   * Opens a folder, or returns it if it is open.
   * @throws RequestError if the path is not an absolute one of a folder
   * @throws ToolError `cancelled` after `dispose`, also for requests from before it
   */
  open(path: string): Promise<Folder>
  /** Returns the open folders. */
  opened(): Promise<Folder[]>
  /** Ends all turns and closes all folders. */
  dispose(): Promise<void>
}

/** Maximum number of folders that are open at the same time. Each has its own processes. */
const maxFolders = 8

/** @param onOpened called once for each folder, before its first session */
export function createFolderCores(
  createCore: () => Promise<Core>,
  onOpened: (folder: Folder) => Promise<void>,
): FolderCores {
  const folders = new Map<string, Promise<Folder>>()
  let disposed = false

  function checkOpen(): void {
    if (disposed) throw new ToolError('cancelled', 'The connection was closed.', 'Connect again.')
  }

  async function openFolder(path: string): Promise<Folder> {
    const core = await createCore()
    try {
      const { root } = await core.openWorkspace(path)
      const folder = { core, root }
      await onOpened(folder)
      return folder
    } catch (error) {
      await core.dispose()
      throw error
    }
  }

  async function opened(): Promise<Folder[]> {
    const all = await Promise.allSettled(folders.values())
    return all.flatMap((folder) => (folder.status === 'fulfilled' ? [folder.value] : []))
  }

  return {
    async open(path) {
      const found = isAbsolute(path) ? await stat(path).catch(() => null) : null
      if (!found?.isDirectory())
        throw RequestError.invalidParams({ cwd: path }, `cwd must be the absolute path of an existing folder: ${path}`)
      checkOpen()
      const known = folders.get(path)
      if (known) {
        const folder = await known
        checkOpen()
        return folder
      }
      if (folders.size >= maxFolders)
        throw RequestError.invalidParams(
          { cwd: path },
          `At most ${maxFolders} folders can be open at the same time. Start another "tizona acp" for this one.`,
        )
      const opening = openFolder(path)
      folders.set(path, opening)
      // A folder that could not be opened can be tried again.
      opening.catch(() => folders.delete(path))
      const folder = await opening
      checkOpen()
      return folder
    },
    opened,
    async dispose() {
      disposed = true
      const open = await opened()
      folders.clear()
      await Promise.all(open.map(({ core }) => core.dispose()))
    },
  }
}
