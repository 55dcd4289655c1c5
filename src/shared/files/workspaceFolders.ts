/** A folder of a multi-root workspace. */
export interface WorkspaceFolder {
  /** First part of every path in the folder. Unique in the workspace. */
  name: string
  /** Real path. */
  path: string
}

/** Extension of the files that describe multi-root workspaces, as in VS Code. */
export const workspaceFileExtension = '.code-workspace'

/** Name of a workspace that has no file yet, as in VS Code. */
export const untitledWorkspace = 'Untitled (workspace)'

/** What a window shows: a folder, or the folders of a multi-root workspace. */
export interface ShownFolders {
  /** Real path of the folder. In a multi-root workspace a folder of Tizona, whose path is not for users. */
  root: string
  multiRoot?: { folders: readonly WorkspaceFolder[]; file: string | null }
}

/** Whether a path names a `.code-workspace` file. */
export function isWorkspaceFile(path: string): boolean {
  return path.toLowerCase().endsWith(workspaceFileExtension)
}

/** Returns the last part of an absolute path. */
export function lastPart(absolute: string): string {
  return absolute.split(/[\\/]/).findLast((part) => part !== '') ?? absolute
}

/** Returns the name of a recent folder or `.code-workspace` file, as in the title of its window. */
export function nameOfPlace(absolute: string): string {
  const name = lastPart(absolute)
  return isWorkspaceFile(name) ? `${name.slice(0, -workspaceFileExtension.length)} (workspace)` : name
}

/** Returns the folders of a window, with the name of each. */
export function foldersOf({ root, multiRoot }: ShownFolders): readonly WorkspaceFolder[] {
  return multiRoot?.folders ?? [{ name: lastPart(root), path: root }]
}

/**
 * Returns the folder of a multi-root workspace that a workspace path names.
 * @returns undefined for all other paths, and in a window with a single folder
 */
export function topFolder(shown: ShownFolders | null, path: string): WorkspaceFolder | undefined {
  return shown?.multiRoot?.folders.find(({ name }) => name === path)
}

/** Returns the absolute path of a workspace path, with `/` after the path of the folder. */
export function absolutePath({ root, multiRoot }: ShownFolders, path: string): string {
  if (path === '.') return root
  if (!multiRoot) return `${root}/${path}`
  const [name, ...rest] = path.split('/')
  const folder = multiRoot.folders.find((each) => each.name === name)
  return folder ? [folder.path, ...rest].join('/') : `${root}/${path}`
}

/** Returns the workspace path of an absolute path; null outside the folders. `.` is a single folder itself. */
export function workspacePath({ root, multiRoot }: ShownFolders, absolute: string): string | null {
  if (!multiRoot) return pathInside(root, absolute)
  for (const { name, path } of multiRoot.folders) {
    const inside = pathInside(path, absolute)
    if (inside !== null) return inside === '.' ? name : `${name}/${inside}`
  }
  return null
}

/** Returns a workspace path without the folder's name that it begins with in a multi-root workspace. */
export function pathInFolder(shown: ShownFolders | null, path: string): string {
  const slash = path.indexOf('/')
  return slash > 0 && topFolder(shown, path.slice(0, slash)) ? path.slice(slash + 1) : path
}

/** Returns the path of the same file after the folders of a window changed; null if they no longer contain it. */
export function movedPath(from: ShownFolders, to: ShownFolders, path: string): string | null {
  return workspacePath(to, absolutePath(from, path))
}

function pathInside(folder: string, absolute: string): string | null {
  if (absolute === folder) return '.'
  const start = folder.replace(/[\\/]$/, '')
  if (!absolute.startsWith(start) || !/^[\\/]/.test(absolute.slice(start.length))) return null
  const inside = absolute.slice(start.length + 1)
  // A backslash is a character of names elsewhere.
  return /^[A-Za-z]:|^\\\\/.test(folder) ? inside.replaceAll('\\', '/') : inside
}
