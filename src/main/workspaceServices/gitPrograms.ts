import { access, constants, lstat, open, realpath } from 'node:fs/promises'
import path from 'node:path'
import { isInside, isInsideAny } from '../command/sandbox/paths.ts'
import { readUnlinkedFile } from '../base/unlinkedFile.ts'
import { submodulesInIndex } from '../git/gitIndex.ts'
import { readPassiveConfiguration } from '../git/passiveConfiguration.ts'
import { programOfUser, type UserSetting } from '../git/userConfiguration.ts'

/** Maximum bytes of an index that is read. An index of 100,000 files has about ten megabytes. */
const maxIndexBytes = 64 * 1024 * 1024
/** Maximum number of submodules and nested repositories examined. */
const maxSubmodules = 50

/** The hook that git runs when `git status` updates the index. */
const hook = 'post-index-change'

/** Context of a git command. */
export interface GitContext {
  /** Real paths of the workspace's folders. */
  workspace: readonly string[]
  home: string | undefined
  /** See `createUserSettings`. */
  userSettings(workTree: string): Promise<readonly UserSetting[] | undefined>
  /** See `ProgramLookup`. */
  realFile(name: string): Promise<string | undefined>
}

/**
 * Whether git would treat a `.git` folder as a repository, like is_git_directory in its setup.c, and all of it is
 * inside the folder. Otherwise git would read the repository above, or parts of another one.
 */
export async function isWholeRepository(gitFolder: string): Promise<boolean> {
  const kind = async (name: string) => (await lstat(path.join(gitFolder, name)).catch(() => undefined))?.isDirectory()
  const elsewhere = await Promise.all(['commondir', 'objects/info/alternates'].map(kind))
  const isOpen = async (name: string) =>
    (await kind(name)) === true &&
    (await access(path.join(gitFolder, name), constants.X_OK).then(
      () => true,
      () => false,
    ))
  const isThere = (await isOpen('objects')) && (await isOpen('refs'))
  const head = await readUnlinkedFile(path.join(gitFolder, 'HEAD'))
  return isThere && elsewhere.every((found) => found === undefined) && /^(?:ref: refs\/\S|[\da-f]{40})/.test(head)
}

/**
 * Whether git may start a program when it reads a repository: one named by a configuration or hook of the repository or
 * of a submodule, or a workspace program named in the user's configuration. A hook from the user's configuration that
 * `core.hooksPath` of the repository replaces counts as well.
 * @param gitFolder its `.git`, as a real path
 */
export async function startsConfiguredPrograms(gitFolder: string, context: GitContext): Promise<boolean> {
  /** Repositories to examine. Git enters those in the index, which have their own configuration. */
  const repositories = [{ gitFolder, workTree: path.dirname(gitFolder) }]
  for (const repository of repositories) {
    if (repositories.length > maxSubmodules || !(await isPassive(repository, context))) return true
    const places = await submodulesOf(repository)
    if (!places) return true
    for (const workTree of places) {
      const found = await gitFolderOf(workTree, repository.gitFolder)
      if (found === undefined) return true
      repositories.push({ gitFolder: found, workTree })
    }
  }
  return false
}

interface Repository {
  gitFolder: string
  workTree: string
}

/** Whether neither the repository's nor the user's configuration makes git start a program in it. */
async function isPassive({ gitFolder, workTree }: Repository, context: GitContext): Promise<boolean> {
  for (const name of ['config', 'config.worktree']) {
    const file = path.join(gitFolder, name)
    if (name !== 'config' && !(await exists(file))) continue
    const configuration = readPassiveConfiguration(await readUnlinkedFile(file))
    if (!configuration) return false
    if (configuration.workTree !== undefined && path.resolve(gitFolder, configuration.workTree) !== workTree)
      return false
    const hooks = configuration.hooksPath
    if (hooks !== undefined && (await exists(path.join(hooksFolder(hooks, workTree, context), hook)))) return false
  }
  if (await exists(path.join(gitFolder, 'hooks', hook))) return false
  return isHarmlessForUser(workTree, context)
}

/** Returns the folder named in `core.hooksPath`. Git runs hooks in the root of the work tree. */
function hooksFolder(hooksPath: string, workTree: string, { home = '~' }: Pick<GitContext, 'home'>): string {
  return path.resolve(workTree, hooksPath.replace(/^~(?=\/|$)/, home))
}

/**
 * Returns the git folder of a submodule or nested repository, if all of it is in the submodule or in the git folder of
 * the surrounding repository.
 */
async function gitFolderOf(workTree: string, outer: string): Promise<string | undefined> {
  const place = path.join(workTree, '.git')
  const [, target] = /^gitdir: ([^\r\n]+)\r?\n?$/.exec(await readUnlinkedFile(place)) ?? []
  const gitFolder = target === undefined ? place : path.resolve(workTree, target)
  const expected = target === undefined ? workTree : path.join(outer, 'modules')
  const real = await realpath(gitFolder).catch(() => undefined)
  return real === gitFolder && isInside(real, expected) && (await isWholeRepository(gitFolder)) ? gitFolder : undefined
}

function exists(file: string): Promise<boolean> {
  return lstat(file).then(Boolean, () => false)
}

/** Returns the existing submodule folders in the index; undefined if there may be others. */
async function submodulesOf({ gitFolder, workTree }: Repository): Promise<string[] | undefined> {
  const index = path.join(gitFolder, 'index')
  // A new repository has none.
  if (!(await exists(index))) return []
  const bytes = await readIndex(index)
  const submodules = bytes && submodulesInIndex(bytes)
  if (!submodules) return undefined
  const found: string[] = []
  for (const place of submodules) {
    const folder = path.join(workTree, place)
    if (await exists(path.join(folder, '.git'))) found.push(folder)
  }
  return found
}

async function readIndex(file: string): Promise<Buffer | undefined> {
  try {
    const stats = await lstat(file)
    if (!stats.isFile() || stats.size > maxIndexBytes) return undefined
    const handle = await open(file)
    try {
      return await handle.readFile()
    } finally {
      await handle.close()
    }
  } catch {
    return undefined // replaced, or not readable
  }
}

/** Whether the configuration outside a repository certainly starts no program in the workspace. */
async function isHarmlessForUser(workTree: string, context: GitContext): Promise<boolean> {
  const { workspace, userSettings, realFile } = context
  const settings = await userSettings(workTree)
  if (!settings) return false
  for (const setting of settings) {
    const program = programOfUser(setting)
    if (program === undefined) return false
    const file = program === null ? undefined : await realFile(program)
    if (file !== undefined && isInsideAny(file, workspace)) return false
  }
  // Since version 2.54, the configuration also names hooks.
  if (settings.some(({ key, value }) => /^hook\..+\.event$/s.test(key) && value === hook)) return false
  const hooks = settings.findLast(({ key }) => key === 'core.hookspath')?.value
  if (hooks === undefined || hooks === '') return true
  const folder = hooksFolder(hooks, workTree, context)
  const real = await realpath(folder).catch(() => folder)
  return !isInsideAny(folder, workspace) && !isInsideAny(real, workspace) && !(await exists(path.join(real, hook)))
}
