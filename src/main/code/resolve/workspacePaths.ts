// Paths relative to the workspace, with `/` as separator. The root is `''`.

/** Returns the folder of a file. */
export function folderOf(path: string): string {
  const slash = path.lastIndexOf('/')
  return slash < 0 ? '' : path.slice(0, slash)
}

/** Joins paths; null if the result is outside the workspace. */
export function joinInside(folder: string, relative: string): string | null {
  const parts = folder === '' ? [] : folder.split('/')
  for (const part of relative.split('/')) {
    if (part === '' || part === '.') continue
    if (part !== '..') parts.push(part)
    else if (parts.pop() === undefined) return null
  }
  return parts.join('/')
}

/** Returns a folder and its ancestors, ending with the root. */
export function selfAndAncestors(folder: string): string[] {
  const folders = [folder]
  for (let at = folder; at !== ''; at = folderOf(at)) folders.push(folderOf(at))
  return folders
}

/** Joins a folder and the path of a file or folder in it. */
export const childPath = (folder: string, name: string): string => (folder === '' ? name : `${folder}/${name}`)
