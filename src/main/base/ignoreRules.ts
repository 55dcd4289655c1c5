import path from 'node:path'
import { globalExcludesFile, repositorySettings, type RepositorySettings } from './gitSettings.ts'
import { parseIgnoreFile, toByteString, type IgnoreFile } from './ignoreFile.ts'
import { pathExists, readSmallFile } from './smallFile.ts'

/** The ignore rules that apply in one folder. */
export interface FolderRules {
  /** Whether an entry of the folder is ignored. As in git, a link to a folder is not a folder. */
  ignores(name: string, directory: boolean): boolean
  /**
   * Returns the rules of a subfolder.
   * @param has whether the subfolder contains a name. Saves file accesses if known.
   */
  enter(name: string, has?: (name: string) => boolean): Promise<FolderRules>
}

/**
 * Rule files by kind, in order of precedence. Within a kind the deepest file comes first. The first file that decides
 * wins.
 */
type Groups = Readonly<Record<'rgignore' | 'ignore' | 'git' | 'exclude' | 'global', readonly PlacedFile[]>>

/** A rule file and the current folder relative to it. The last element of `path` is replaced by the name to check. */
interface PlacedFile {
  file: IgnoreFile
  path: string[]
}

const noRules: Groups = { rgignore: [], ignore: [], git: [], exclude: [], global: [] }

/**
 * Returns the git rules that apply in a folder: every `.gitignore` from the top of the repository down,
 * `.git/info/exclude` and the user's global rules. Outside a repository nothing is ignored. Does not run git, because
 * the repository's configuration could make it start programs.
 * @param folder real absolute path
 */
export async function gitRulesFor(folder: string): Promise<FolderRules> {
  const top = await repositoryTop(folder)
  const start = await openFolder(top ?? folder, {
    search: false,
    groups: noRules,
    ignoreCase: false,
    repository: false,
  })
  return top === undefined ? start : enterBelow(start, path.relative(top, folder), true)
}

/**
 * Returns the rules of a workspace search, the same that ripgrep receives (search/searchScope.ts): git's rules,
 * `.ignore` and `.rgignore`, and the workspace's `.gitignore` files outside a repository. The searched folder itself
 * is never ignored.
 * @param root real absolute path of the workspace
 * @param relative the searched folder, `.` for the root
 */
export async function searchRulesFor(root: string, relative: string): Promise<FolderRules> {
  const top = await repositoryTop(root)
  const excludes = await readRules(await globalExcludesFile(), false)
  const groups = { ...noRules, global: excludes === undefined ? [] : [{ file: excludes, path: [''] }] }
  const start = await openFolder(top ?? root, { search: true, groups, ignoreCase: false, repository: false })
  return enterBelow(start, path.relative(top ?? root, path.join(root, relative)), false)
}

async function enterBelow(start: FolderRules, relative: string, mindIgnored: boolean): Promise<FolderRules> {
  let rules = start
  for (const name of relative.split(path.sep).filter((part) => part !== '')) {
    if (mindIgnored && rules.ignores(name, true)) return everything
    rules = await rules.enter(name)
  }
  return rules
}

/** Rules inside an ignored folder: everything is ignored. */
const everything: FolderRules = { ignores: () => true, enter: () => Promise.resolve(everything) }

interface Above {
  /** Whether `.ignore` files apply too, and `.gitignore` files outside a repository. */
  search: boolean
  groups: Groups
  ignoreCase: boolean
  /** Whether the parent folder is in a repository. */
  repository: boolean
}

/** Combines the rules of one folder with those of its parents. */
async function openFolder(absolute: string, above: Above, has?: (name: string) => boolean): Promise<FolderRules> {
  const { search } = above
  const isTop = has === undefined ? await pathExists(path.join(absolute, '.git')) : has('.git')
  const settings: RepositorySettings | undefined = isTop ? await repositorySettings(absolute) : undefined
  const ignoreCase = settings?.ignoreCase ?? above.ignoreCase
  const repository = isTop || above.repository
  const read = async (file: string): Promise<PlacedFile[]> => {
    const rules = await readRules(file, ignoreCase)
    return rules === undefined ? [] : [{ file: rules, path: [''] }]
  }
  const own = async (name: string): Promise<PlacedFile[]> =>
    has?.(name) === false ? [] : read(path.join(absolute, name))
  // A nested repository does not inherit the rules of the outer one.
  const { git, exclude } = isTop ? noRules : above.groups
  const groups: Groups = {
    rgignore: [...(search ? await own('.rgignore') : []), ...above.groups.rgignore],
    ignore: [...(search ? await own('.ignore') : []), ...above.groups.ignore],
    git: [...(repository || search ? await own('.gitignore') : []), ...git],
    exclude: settings === undefined ? exclude : await read(settings.excludeFile),
    global: isTop ? await read(await globalExcludesFile()) : above.groups.global,
  }
  const ordered = [groups.rgignore, groups.ignore, groups.git, groups.exclude, groups.global].flat()
  return {
    ignores: (name, directory) => (repository && name === '.git') || decides(ordered, toByteString(name), directory),
    enter: (name, hasName) =>
      openFolder(
        path.join(absolute, name),
        { search, groups: below(groups, toByteString(name)), ignoreCase, repository },
        hasName,
      ),
  }
}

function decides(files: readonly PlacedFile[], name: string, directory: boolean): boolean {
  for (const placed of files) {
    placed.path[placed.path.length - 1] = name
    const ignored = placed.file.decides(placed.path, directory)
    if (ignored !== undefined) return ignored
  }
  return false
}

function below(groups: Groups, name: string): Groups {
  const step = (files: readonly PlacedFile[]): PlacedFile[] =>
    files.map((placed) => ({ file: placed.file, path: [...placed.path.slice(0, -1), name, ''] }))
  return {
    rgignore: step(groups.rgignore),
    ignore: step(groups.ignore),
    git: step(groups.git),
    exclude: step(groups.exclude),
    global: step(groups.global),
  }
}

async function readRules(file: string, ignoreCase: boolean): Promise<IgnoreFile | undefined> {
  const content = await readSmallFile(file, 'latin1')
  return content === null ? undefined : parseIgnoreFile(content, ignoreCase)
}

async function repositoryTop(folder: string): Promise<string | undefined> {
  if (await pathExists(path.join(folder, '.git'))) return folder
  const parent = path.dirname(folder)
  return parent === folder ? undefined : repositoryTop(parent)
}
