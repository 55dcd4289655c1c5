import { realpath, stat } from 'node:fs/promises'
import { isAbsolute } from 'node:path'
import { RequestError } from '@agentclientprotocol/sdk'
import { ToolError } from '../../../shared/errors.ts'
import type { Core } from '../../core.ts'

/** An open folder. */
export interface Folder {
  core: Core
  /** Real path. */
  root: string
  isRepository: boolean
}

/** The folders of all sessions. A core serves one folder, so each folder has its own. */
export interface FolderCores {
  /**
   * Opens a folder, or returns it if it is open. If too many are open, closes an unused one.
   * @throws RequestError if the path is not an absolute path of a folder, or if all open folders are in use
   * @throws ToolError `cancelled` after `dispose`, even for earlier requests
   */
  open(path: string): Promise<Folder>
  /** Makes room for another folder by closing an unused one. @throws RequestError if all open folders are in use */
  makeRoom(): Promise<void>
  /** Returns the open folders. */
  opened(): Promise<Folder[]>
  /** Closes a folder, if it is open. @param path real path */
  close(path: string): Promise<void>
  /** Ends all turns and closes all folders. */
  dispose(): Promise<void>
}

/** Maximum number of folders open at the same time. Each has its own processes. */
const maxFolders = 8

interface FolderCoresOptions {
  /** Called once for each folder, before its first session. */
  onOpened(folder: Folder): Promise<void>
  /** Whether a session is open in a folder, or is being opened in it. */
  isUsed(folder: Folder): boolean
}

export function createFolderCores(
  createCore: () => Promise<Core>,
  { onOpened, isUsed }: FolderCoresOptions,
): FolderCores {
  const folders = new Map<string, Promise<Folder>>()
  let disposed = false

  function checkOpen(): void {
    if (disposed) throw new ToolError('cancelled', 'The connection was closed.', 'Connect again.')
  }

  async function openFolder(path: string): Promise<Folder> {
    const core = await createCore()
    try {
      const { root, branch } = await core.openWorkspace(path)
      const folder = { core, root, isRepository: branch !== undefined }
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

  /** Makes room for another folder by closing the one opened first. */
  async function closeUnused(): Promise<void> {
    if (folders.size < maxFolders) return
    const unused = (await opened()).find((folder) => !isUsed(folder))
    if (!unused || !folders.delete(unused.root)) return
    await unused.core.dispose()
  }

  function checkRoom(): void {
    if (folders.size >= maxFolders)
      throw RequestError.invalidParams(
        undefined,
        `At most ${maxFolders} folders and worktrees can have open sessions. Close one, or start another "tizona acp".`,
      )
  }

  return {
    async open(cwd) {
      const path = isAbsolute(cwd) ? await realpath(cwd).catch(() => cwd) : cwd
      const found = isAbsolute(cwd) ? await stat(path).catch(() => null) : null
      if (!found?.isDirectory())
        throw RequestError.invalidParams({ cwd }, `cwd must be the absolute path of an existing folder: ${cwd}`)
      if (!folders.has(path)) await closeUnused()
      checkOpen()
      const known = folders.get(path)
      if (known) {
        const folder = await known
        checkOpen()
        return folder
      }
      checkRoom()
      const opening = openFolder(path)
      folders.set(path, opening)
      // A folder that could not be opened can be tried again.
      opening.catch(() => folders.delete(path))
      const folder = await opening
      checkOpen()
      return folder
    },
    async makeRoom() {
      await closeUnused()
      checkRoom()
    },
    opened,
    async close(path) {
      const opening = folders.get(path)
      folders.delete(path)
      // One that could not be opened has closed itself.
      const folder = await opening?.catch(() => undefined)
      await folder?.core.dispose()
    },
    async dispose() {
      disposed = true
      const open = await opened()
      folders.clear()
      await Promise.all(open.map(({ core }) => core.dispose()))
    },
  }
}
