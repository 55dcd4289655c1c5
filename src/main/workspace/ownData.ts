import type { BigIntStats } from 'node:fs'
import { lstat, readdir, realpath } from 'node:fs/promises'
import path from 'node:path'
import { errorCode } from '../base/fileErrors.ts'
import { folderPaths, relativeIn, type WorkspaceRoots } from '../base/workspaceRoots.ts'

/** Files and folders in which Tizona stores settings, keys, trust decisions and conversations. */
export interface OwnData {
  /**
   * Whether a real path equals or is inside one of them. Compares names and file identity, so that another spelling or
   * a second mount of the disk cannot bypass the check.
   * @param stats of the path itself, if the caller has them
   */
  covers(real: string, stats?: Promise<BigIntStats>): Promise<boolean>
  /** Paths of those inside the workspace, relative to it, with `/` separators. */
  readonly inside: readonly string[]
}

/**
 * Locates Tizona's own data relative to a workspace.
 * @param folders data folders of Tizona, which may not exist
 */
export async function locateOwnData(workspace: WorkspaceRoots, folders: readonly string[]): Promise<OwnData> {
  const tops = folderPaths(workspace)
  const places = new Set((await Promise.all(folders.map(withLinkTargets))).flat())
  const folded = [...places].map(fold)
  // A file has one name per hard link, so identity is only compared for folders.
  const identities = new Set(
    (await Promise.all([...places].map((place) => folderIdentity(place)))).filter((id) => id !== undefined),
  )

  return {
    async covers(real, stats) {
      const name = fold(real)
      if (folded.some((place) => isAtOrBelow(place, name))) return true
      if (identities.size === 0) return false
      const found = await Promise.all(
        foldersBetween(tops, real).map((folder) => folderIdentity(folder, folder === real ? stats : undefined)),
      )
      return found.some((id) => id !== undefined && identities.has(id))
    },
    inside: [...places]
      .filter((place) => tops.some((top) => place !== top && isAtOrBelow(top, place)))
      .map((place) => relativeIn(workspace, place))
      .filter((place) => place !== null),
  }
}

/** Returns the real paths of a data folder and of the targets of its links, e.g. a `settings.json` stored elsewhere. */
async function withLinkTargets(folder: string): Promise<string[]> {
  const absolute = path.resolve(folder)
  try {
    const real = await realpath(absolute)
    const links = (await readdir(real, { withFileTypes: true })).filter((entry) => entry.isSymbolicLink())
    const targets = await Promise.all(links.map(({ name }) => realpath(path.join(real, name)).catch(() => undefined)))
    return [real, ...targets.filter((target) => target !== undefined)]
  } catch (error) {
    if (errorCode(error) === undefined) throw error
    return [absolute]
  }
}

/** Returns the folders from a path up to one of `tops`, without it. */
function foldersBetween(tops: readonly string[], real: string): string[] {
  const folders: string[] = []
  for (let folder = real; !tops.includes(folder) && folder !== path.dirname(folder); folder = path.dirname(folder))
    folders.push(folder)
  return folders
}

async function folderIdentity(folder: string, known?: Promise<BigIntStats>): Promise<string | undefined> {
  try {
    const stats = await (known ?? lstat(folder, { bigint: true }))
    return stats.isDirectory() ? `${stats.dev}:${stats.ino}` : undefined
  } catch (error) {
    if (errorCode(error) === undefined) throw error
    return undefined
  }
}

/** Whether a path equals or is inside a folder. */
export function isAtOrBelow(folder: string, candidate: string): boolean {
  return candidate === folder || candidate.startsWith(folder.endsWith(path.sep) ? folder : folder + path.sep)
}

function fold(name: string): string {
  return name.normalize('NFC').toLowerCase()
}
