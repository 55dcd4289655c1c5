import { realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import path from 'node:path'
import { once } from '../../shared/async/once.ts'

/** Number of times each folder is open in this process, by real path. */
const openFolders = new Map<string, number>()

/**
 * Records an open folder, so that Tizona never starts its programs by name.
 * @param folder real path
 * @returns a function that records that it was closed
 */
export function recordOpenFolder(folder: string): () => void {
  openFolders.set(folder, (openFolders.get(folder) ?? 0) + 1)
  return once(() => {
    const count = (openFolders.get(folder) ?? 1) - 1
    if (count > 0) openFolders.set(folder, count)
    else openFolders.delete(folder)
  })
}

const home = once(() => realOrNearest(homedir()))

/**
 * Whether a path is in an open folder, by its name or through links. Ignores a folder that contains the user's home,
 * because the user's own programs are in it.
 * @param trusted an open folder to ignore, because its programs may run
 */
export function isInOpenFolder(file: string, trusted?: string): boolean {
  if (openFolders.size === 0) return false
  const names = [path.normalize(file), realOrNearest(file)]
  return [...openFolders.keys()].some(
    (folder) => folder !== trusted && !isInside(home(), folder) && names.some((name) => isInside(name, folder)),
  )
}

/** Returns the real path. If the path does not exist, resolves the part that does. */
function realOrNearest(file: string): string {
  const folder = path.dirname(file)
  try {
    return realpathSync(file)
  } catch {
    return folder === file ? file : path.join(realOrNearest(folder), path.basename(file))
  }
}

function isInside(file: string, folder: string): boolean {
  const relative = path.relative(folder, file)
  return relative === '' || (relative.split(path.sep)[0] !== '..' && !path.isAbsolute(relative))
}
