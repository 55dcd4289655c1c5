import { readdir } from 'node:fs/promises'
import path from 'node:path'
import type { ResolvedPath } from '../workspace/containment.ts'
import { dependencyFolders, heavyFolders } from './globs.ts'
import { compareCodeUnits } from '../base/nameOrder.ts'

/**
 * Finds installed dependency folders below the searched folders, relative to the root. Does not enter hidden folders,
 * build output, links, or dependency folders themselves.
 */
export async function findDependencyFolders(
  root: string,
  scope: readonly ResolvedPath[],
  signal: AbortSignal,
): Promise<string[]> {
  const found: string[] = []
  let level = scope.filter(({ type }) => type === 'directory').map(({ relative }) => relative)
  while (level.length > 0 && !signal.aborted) {
    const next: string[] = []
    // In batches, so that a large tree does not open thousands of folders at once.
    for (let i = 0; i < level.length && !signal.aborted; i += 32) {
      await Promise.all(
        level.slice(i, i + 32).map(async (folder) => {
          for (const name of await folderNames(path.join(root, folder))) {
            const child = folder === '.' ? name : `${folder}/${name}`
            if (dependencyFolders.has(name)) found.push(child)
            else if (!heavyFolders.has(name)) next.push(child)
          }
        }),
      )
    }
    level = next
  }
  return found.toSorted(compareCodeUnits)
}

/** Returns the visible subfolders. Empty for an unreadable folder, which ripgrep reports. */
async function folderNames(folder: string): Promise<string[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true })
    return entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith('.')).map((entry) => entry.name)
  } catch (error) {
    if (error instanceof Error && 'syscall' in error) return []
    throw error
  }
}
