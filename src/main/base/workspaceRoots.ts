import path from 'node:path'
import type { WorkspaceFolder } from '../../shared/files/workspaceFolders.ts'

/**
 * Where the files of a workspace are: a plain object that can be passed to threads.
 *
 * A workspace is one folder, or a few: a multi-root workspace. Then `root` is a folder of Tizona that only contains a link
 * to each folder, named as in paths. Programs that start in it, and search programs, see the same paths as tools.
 */
export interface WorkspaceRoots {
  /** Real path of the folder, or of the folder with the links. */
  readonly root: string
  /** Folders of a multi-root workspace; undefined for a single folder. None is inside another. */
  readonly folders?: readonly WorkspaceFolder[] | undefined
}

/**
 * Returns the absolute path of a workspace path, without looking at the disk.
 * @param relative with `/` separators
 * @returns in a multi-root workspace a path below the folder itself, not below its link
 */
export function absoluteIn({ root, folders }: WorkspaceRoots, relative: string): string {
  if (folders === undefined) return path.join(root, relative)
  const [name, ...rest] = path.posix.normalize(relative).split('/')
  const folder = folders.find((each) => each.name === name)
  return folder === undefined ? path.join(root, relative) : path.join(folder.path, ...rest)
}

/** Returns the workspace path of an absolute path, with `/` separators; null outside the workspace. `.` is the root. */
export function relativeIn({ root, folders }: WorkspaceRoots, absolute: string): string | null {
  const linked = relativeInside(root, absolute)
  if (folders === undefined || linked === '.') return linked
  // First, because a folder can contain the links: the home folder, for example.
  if (linked !== null && folders.some(({ name }) => linked === name || linked.startsWith(`${name}/`))) return linked
  for (const folder of folders) {
    const inside = relativeInside(folder.path, absolute)
    if (inside !== null) return inside === '.' ? folder.name : `${folder.name}/${inside}`
  }
  return null
}

/** Returns the path of a folder from another, with `/` separators; null outside it. */
export function relativeInside(root: string, absolute: string): string | null {
  const relative = path.relative(root, absolute)
  if (relative === '') return '.'
  if (relative === '..' || relative.startsWith(`..${path.sep}`) || path.isAbsolute(relative)) return null
  return relative.split(path.sep).join('/')
}

/** Returns the real paths of the folders; of a single folder, the root. */
export function folderPaths({ root, folders }: WorkspaceRoots): string[] {
  return folders === undefined ? [root] : folders.map((folder) => folder.path)
}

/** Returns the workspace paths of the folders: their names, or `.` for a single folder. */
export function topFolders({ folders }: Pick<WorkspaceRoots, 'folders'>): string[] {
  return folders === undefined ? ['.'] : folders.map(({ name }) => name)
}

/** Whether a workspace path is a folder of a multi-root workspace. */
export function isTopFolder({ folders }: Pick<WorkspaceRoots, 'folders'> = {}, relative: string): boolean {
  return folders?.some(({ name }) => name === relative) === true
}

/** Returns the workspace paths of a path in each folder, e.g. of `AGENTS.md`. */
export function inEachFolder(roots: Pick<WorkspaceRoots, 'folders'>, relative: string): string[] {
  return topFolders(roots).map((folder) => (folder === '.' ? relative : `${folder}/${relative}`))
}

/**
 * Splits a workspace path at the folder that contains it.
 * @returns the workspace path of the folder, its absolute path, and the path in it; undefined for the links themselves
 */
export function folderOf(
  roots: WorkspaceRoots,
  relative: string,
): { folder: string; absolute: string; inside: string } | undefined {
  const { root, folders } = roots
  if (folders === undefined) return { folder: '.', absolute: root, inside: relative }
  const [name, ...rest] = relative.split('/')
  const found = folders.find((each) => each.name === name)
  return found && { folder: found.name, absolute: found.path, inside: rest.length === 0 ? '.' : rest.join('/') }
}

/** Returns the folder of a workspace path, or the first one if it is in none. */
export function folderOrFirst(roots: WorkspaceRoots, relative: string): { folder: string; absolute: string } {
  const first = roots.folders?.[0]
  return (
    folderOf(roots, relative) ??
    (first ? { folder: first.name, absolute: first.path } : { folder: '.', absolute: roots.root })
  )
}

/** Returns the workspace path of a path that a file in a folder names. An absolute one stays. */
export function pathInFolder(folder: string, named: string): string {
  return folder === '.' || path.isAbsolute(named) ? named : `${folder}/${named}`
}

/** Returns a glob without the absolute path before it, as models often write it. */
export function relativeGlob({ root, folders }: WorkspaceRoots, glob: string): string {
  const folder = folders?.find((each) => glob.startsWith(`${each.path}/`))
  if (folder) return folder.name + glob.slice(folder.path.length)
  return glob.startsWith(`${root}/`) ? glob.slice(root.length + 1) : glob
}

/**
 * Returns a glob, and the same below each folder of a multi-root workspace if it begins with the name of none, because
 * models leave the name out. A leading `/` means the top.
 */
export function globsInFolders({ folders }: Pick<WorkspaceRoots, 'folders'>, glob: string): string[] {
  const [, start = '', rest = ''] = /^(!?(?:\.\/)?)(.*)$/s.exec(glob) ?? []
  const [first = ''] = rest.split('/', 1)
  if (
    !folders ||
    first === '' ||
    first === rest ||
    /[*?[{\\]/.test(first) ||
    folders.some(({ name }) => name === first)
  )
    return [glob]
  return [glob, `${start}*/${rest}`]
}
