import { access, constants, lstat, open, realpath } from 'node:fs/promises'
import path from 'node:path'
import { isInside } from '../command/sandbox/paths.ts'
import { readSmallFile } from '../command/sandbox/readSmallFile.ts'
import { submodulesInIndex } from '../git/gitIndex.ts'
import { isPassiveConfiguration } from '../git/passiveConfiguration.ts'
import { programOfUser, type UserSetting } from '../git/userConfiguration.ts'

/** Maximum size of an index that is read, in bytes. One of 100,000 files has about ten megabytes. */
const maxIndexBytes = 64 * 1024 * 1024

/** The hook that git starts when `git status` updates the index. */
const hook = 'post-index-change'

/** What a git command runs with. */
export interface GitContext {
  /** Real path. */
  workspace: string
  home: string | undefined
  /** See `createUserSettings`. */
  userSettings(workTree: string): Promise<readonly UserSetting[] | undefined>
  /** See `ProgramLookup`. */
  realFile(name: string): Promise<string | undefined>
}

/**
 * Whether git takes a folder `.git` for a repository, as is_git_directory does in its setup.c, and all of it is in the
 * folder. Otherwise git would read the repository above, or parts of another one.
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
  const head = await readSmallFile(path.join(gitFolder, 'HEAD'))
  return isThere && elsewhere.every((found) => found === undefined) && /^(?:ref: refs\/\S|[\da-f]{40})/.test(head)
}

/**
 * Whether git may start a program when it reads a repository: one that the configuration or a hook of the repository or
 * of a submodule names, or a program of the workspace that the user's configuration names.
 * @param gitFolder its `.git`, with a real path
 */
export async function startsConfiguredPrograms(gitFolder: string, context: GitContext): Promise<boolean> {
  if (!isPassiveConfiguration(await readSmallFile(path.join(gitFolder, 'config')))) return true
  // Submodules have a configuration of their own.
  for (const name of ['modules', `hooks/${hook}`]) if (await exists(path.join(gitFolder, name))) return true
  if (await hasSubmodules(gitFolder)) return true
  return !(await isHarmlessForUser(path.dirname(gitFolder), context))
}

function exists(file: string): Promise<boolean> {
  return lstat(file).then(Boolean, () => false)
}

/** Whether the index has submodules that are there, or may have some. Git enters them. */
async function hasSubmodules(gitFolder: string): Promise<boolean> {
  const index = path.join(gitFolder, 'index')
  // A new repository has none.
  if (!(await exists(index))) return false
  const bytes = await readIndex(index)
  const submodules = bytes && submodulesInIndex(bytes)
  if (!submodules) return true
  for (const place of submodules) if (await exists(path.join(path.dirname(gitFolder), place, '.git'))) return true
  return false
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

/** Whether the configuration outside a repository is certain to start no program of the workspace. */
async function isHarmlessForUser(
  workTree: string,
  { workspace, home = '~', userSettings, realFile }: GitContext,
): Promise<boolean> {
  const settings = await userSettings(workTree)
  if (!settings) return false
  for (const setting of settings) {
    const program = programOfUser(setting)
    if (program === undefined) return false
    const file = program === null ? undefined : await realFile(program)
    if (file !== undefined && isInside(file, workspace)) return false
  }
  // Since version 2.54, the configuration also names hooks.
  if (settings.some(({ key, value }) => /^hook\..+\.event$/s.test(key) && value === hook)) return false
  const hooks = settings.findLast(({ key }) => key === 'core.hookspath')?.value
  if (hooks === undefined || hooks === '') return true
  // Git starts hooks in the root of the work tree.
  const folder = path.resolve(workTree, hooks.replace(/^~(?=\/|$)/, home))
  const real = await realpath(folder).catch(() => folder)
  return !isInside(folder, workspace) && !isInside(real, workspace) && !(await exists(path.join(real, hook)))
}
