import { readdir, realpath } from 'node:fs/promises'
import path from 'node:path'
import type { GitRepository } from '../../../shared/git/git.ts'
import type { WorkspaceFolder } from '../../../shared/files/workspaceFolders.ts'
import { relativeInside, type WorkspaceRoots } from '../../base/workspaceRoots.ts'
import { errorCode } from '../../base/fileErrors.ts'
import { isPlaceholder } from '../../base/placeholderFolder.ts'
import { readSmallFile } from '../../base/smallFile.ts'

/** A repository with its folders on disk. */
export interface FoundRepository extends Omit<GitRepository, 'trusted'> {
  /** Absolute path; for a bare repository, of the repository itself. */
  workTree: string
  /** Absolute. */
  gitDir: string
  /** Folder that a linked worktree shares with the others; otherwise `gitDir`. */
  commonDir: string
}

/** Maximum search depth in the workspace. */
const maxDepth = 3
/** Maximum number of folders listed. */
const maxFolders = 3000
const maxRepositories = 100
/** Folders with thousands of files that the user did not write. */
const skipped = new Set(['node_modules', 'bower_components', '.git', '.hg', '.svn', '.venv', 'venv', 'target', 'Pods'])
/** Entries that make git treat a folder as a repository (gitrepository-layout(5)). */
const bareEntries = ['HEAD', 'objects', 'refs'] as const

/**
 * Finds the repositories of a workspace. A repository that contains several of its folders is found once, with all of
 * them.
 * @param above whether to look for repositories that contain the folders
 */
export async function findRepositories(
  { root, folders }: WorkspaceRoots,
  above: boolean,
  signal: AbortSignal,
): Promise<FoundRepository[]> {
  if (folders === undefined) return repositoriesIn(root, above, signal)
  const found = new Map<string, FoundRepository>()
  for (const folder of folders)
    for (const each of await repositoriesIn(folder.path, above, signal)) {
      const repository = inFolderOf(folder, each)
      const { others = [], ...known } = found.get(each.id) ?? repository
      const { folder: name, prefix } = repository
      found.set(
        each.id,
        name === known.folder ? repository : { ...known, others: [...others, { folder: name, prefix }] },
      )
    }
  return [...found.values()]
}

/** Returns a repository of a folder with paths as in the multi-root workspace. */
function inFolderOf({ name }: WorkspaceFolder, repository: FoundRepository): FoundRepository {
  return { ...repository, folder: repository.folder === '.' ? name : `${name}/${repository.folder}` }
}

/**
 * Finds the repositories of a folder: its own, those in its folders, submodules at any depth, and the one that contains
 * it. A bare repository only counts if it is the folder itself.
 * @param root real path
 * @param above whether to look for a repository that contains the folder
 */
async function repositoriesIn(root: string, above: boolean, signal: AbortSignal): Promise<FoundRepository[]> {
  const found = new Map<string, FoundRepository>()
  const add = async (folder: string): Promise<void> => {
    const repository = found.size < maxRepositories ? await repositoryAt(folder, root) : undefined
    if (repository !== undefined && !found.has(repository.id)) {
      found.set(repository.id, repository)
      for (const submodule of await submoduleFolders(folder)) {
        signal.throwIfAborted()
        await add(submodule)
      }
    }
  }

  let level = [root]
  let listed = 0
  for (let depth = 0; depth <= maxDepth && level.length > 0; depth += 1) {
    const next: string[] = []
    for (const folder of level) {
      signal.throwIfAborted()
      listed += 1
      if (listed > maxFolders) break
      const entries = await entriesOf(folder)
      if (entries.some(({ name }) => name === '.git')) await add(folder)
      else if (folder === root && bareEntries.every((name) => entries.some((entry) => entry.name === name)))
        found.set(root, bareRepository(root))
      const folders = entries.filter((entry) => entry.isDirectory() && !skipped.has(entry.name))
      for (const entry of folders) next.push(path.join(folder, entry.name))
    }
    level = next
  }
  if (above && !found.has(root)) {
    const folder = await repositoryFolder(path.dirname(root))
    if (folder !== undefined) await add(folder)
  }
  return withParents([...found.values()])
}

/** Finds the innermost repository that contains a folder. @param folder real path in the workspace */
export async function findRepositoryOf(
  folder: string,
  workspace: WorkspaceRoots,
): Promise<FoundRepository | undefined> {
  const top = await repositoryFolder(folder)
  if (top === undefined) return undefined
  const place = workspace.folders?.find(({ path: each }) => relativeInside(each, folder) !== null)
  const found = await repositoryAt(top, place?.path ?? workspace.root)
  return found && place ? inFolderOf(place, found) : found
}

/** Returns the innermost folder with a `.git` that equals or contains a folder. */
async function repositoryFolder(folder: string): Promise<string | undefined> {
  for (let current = folder; ; current = path.dirname(current)) {
    const isThere = (await entriesOf(current)).some(({ name }) => name === '.git')
    if (isThere && !(await isPlaceholder(path.join(current, '.git')))) return current
    if (current === path.dirname(current)) return undefined
  }
}

/** Returns the repository whose work tree is this folder. */
async function repositoryAt(folder: string, root: string): Promise<FoundRepository | undefined> {
  const entry = path.join(folder, '.git')
  const link = await readSmallFile(entry)
  const target = link === null ? undefined : /^gitdir: (.+)$/m.exec(link)?.[1]?.trim()
  if (link !== null && target === undefined) return undefined
  const gitDir = await realOrUndefined(target === undefined ? entry : path.resolve(folder, target))
  if (gitDir === undefined || !(await entriesOf(gitDir)).some(({ name }) => name === 'HEAD')) return undefined
  const common = await readSmallFile(path.join(gitDir, 'commondir'))
  const commonDir = common === null ? gitDir : ((await realOrUndefined(path.resolve(gitDir, common.trim()))) ?? gitDir)
  const inside = path.relative(folder, root)
  const isAbove = inside !== '' && !inside.startsWith('..')
  return {
    id: folder,
    folder: isAbove ? '.' : path.relative(root, folder).split(path.sep).join('/') || '.',
    ...(isAbove && { prefix: inside.split(path.sep).join('/') }),
    name: path.basename(folder) || folder,
    kind: common !== null ? 'worktree' : /[\\/]modules[\\/]/.test(target ?? '') ? 'submodule' : 'repository',
    workTree: folder,
    gitDir,
    commonDir,
  }
}

function bareRepository(root: string): FoundRepository {
  return {
    id: root,
    folder: '.',
    name: path.basename(root),
    kind: 'bare',
    workTree: root,
    gitDir: root,
    commonDir: root,
  }
}

/** Returns the folders listed in `.gitmodules`. Those without a checkout are dropped later. */
async function submoduleFolders(workTree: string): Promise<string[]> {
  const text = (await readSmallFile(path.join(workTree, '.gitmodules'))) ?? ''
  return text
    .split('\n')
    .map((line) => line.split('=', 2).map((part) => part.trim()))
    .filter(([key, place]) => key === 'path' && place)
    .map(([, place = '']) => path.resolve(workTree, place))
    .filter((folder) => folder.startsWith(workTree + path.sep))
}

/** Sets each submodule's containing repository. */
function withParents(repositories: FoundRepository[]): FoundRepository[] {
  return repositories
    .map((repository) => {
      if (repository.kind !== 'submodule') return repository
      const parent = repositories
        .filter(({ id }) => id !== repository.id && repository.id.startsWith(id + path.sep))
        .reduce<string | undefined>(
          (best, { id }) => (best === undefined || id.length > best.length ? id : best),
          undefined,
        )
      return parent === undefined ? repository : { ...repository, parent }
    })
    .toSorted((a, b) => (a.id < b.id ? -1 : 1))
}

async function entriesOf(folder: string) {
  try {
    return await readdir(folder, { withFileTypes: true })
  } catch (error) {
    if (errorCode(error) === undefined) throw error
    return []
  }
}

async function realOrUndefined(absolute: string): Promise<string | undefined> {
  try {
    return await realpath(absolute)
  } catch {
    return undefined // Missing or inaccessible.
  }
}
