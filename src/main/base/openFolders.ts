import { realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import path from 'node:path'
import { once } from '../../shared/async/once.ts'

/** Real paths of the folders that are open in this process, with how often each is open. */
const openFolders = new Map<string, number>()

/**
 * Records that a folder is open, so that Tizona starts no program of it by name.
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
 * Whether a path is in an open folder, by its name or through links. A folder with the home of the user does not count,
 * because the user's own programs are in it.
 * @param trusted an open folder that does not count, because its programs may run
 */
export function isInOpenFolder(file: string, trusted?: string): boolean {
  if (openFolders.size === 0) return false
  const names = [path.normalize(file), realOrNearest(file)]
  return [...openFolders.keys()].some(
    (folder) => folder !== trusted && !isInside(home(), folder) && names.some((name) => isInside(name, folder)),
  )
}

/** Returns the real path. Of what does not exist, the part that does is resolved. */
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
