import { existsSync } from 'node:fs'
import path from 'node:path'
import { isAbort, toFailure, ToolError } from '../../shared/errors.ts'
import type { WorkspaceFolder } from '../../shared/files/workspaceFolders.ts'
import { log } from '../base/log/log.ts'
import { makeFolder } from '../base/makeFolder.ts'
import { readSmallFile } from '../base/smallFile.ts'
import { writeAtomically } from '../base/writeAtomically.ts'
import { repositorySettings } from '../base/gitSettings.ts'
import { absoluteIn, topFolders, type WorkspaceRoots } from '../base/workspaceRoots.ts'
import type { ResolvedPath, Workspace } from '../workspace/containment.ts'

/**
 * Resolves a folder to search. @throws ToolError `not_a_directory` for a file, and the errors of `Workspace.resolve`
 */
export async function resolveFolder(workspace: Workspace, path: string): Promise<ResolvedPath> {
  const resolved = await workspace.resolve(path)
  if (resolved.type === 'directory') return resolved
  throw new ToolError(
    'not_a_directory',
    `"${resolved.relative}" is a file, not a folder.`,
    'Use its parent folder. To see its content, read it.',
  )
}

/** Resolves files and folders to search. Drops those inside another one. */
export async function resolveScope(workspace: Workspace, paths: readonly string[]): Promise<ResolvedPath[]> {
  const resolved = await Promise.all(paths.map((path) => workspace.resolve(path)))
  for (const { type, relative } of resolved) {
    if (type === 'other')
      throw new ToolError(
        'invalid_path',
        `"${relative}" is neither a file nor a folder and cannot be searched.`,
        'Pass a file or folder.',
      )
  }
  const scope = resolved.flatMap((one) => (one.relative === '.' ? rootsOf(workspace) : [one]))
  return scope.filter(
    (one, index) =>
      !scope.some(
        (other, at) =>
          at !== index && (isInside(one.relative, other.relative) || (one.relative === other.relative && at < index)),
      ),
  )
}

/** Returns the root, or the folders of a multi-root workspace, like `Workspace.resolve`. They may no longer exist. */
export const rootsOf = (workspace: WorkspaceRoots): ResolvedPath[] =>
  topFolders(workspace).map((relative) => ({
    absolute: absoluteIn(workspace, relative),
    relative,
    exists: true,
    type: 'directory',
  }))

/** Whether a path is inside a folder; both relative to the workspace. */
export function isInside(path: string, folder: string): boolean {
  return path !== folder && (folder === '.' || path.startsWith(`${folder}/`))
}

/** Returns a path as a ripgrep argument that cannot be mistaken for a flag and is recognizable in its messages. */
export const asArgument = (relative: string): string => (relative === '.' ? './' : `./${relative}`)

/** @throws ToolError `permission_denied` if one of the search paths is not readable */
export function checkReadable(scope: readonly ResolvedPath[], skipped: readonly string[]): void {
  for (const { relative } of scope) {
    if (!skipped.some((message) => message.startsWith(`${relative}: Permission denied`))) continue
    throw new ToolError(
      'permission_denied',
      `"${relative}" cannot be read: the operating system denies access.`,
      'Ask the user to change the permissions, or search another path.',
    )
  }
}

/** @throws ToolError `cancelled` if the caller cancelled */
export function checkCancelled(signal: AbortSignal): void {
  if (signal.aborted)
    throw new ToolError(
      'cancelled',
      'The search was cancelled.',
      '',
      isAbort(signal.reason) ? { cause: signal.reason } : undefined,
    )
}

/** Paths that one ripgrep run can search, because the same ignore files apply to them. */
export interface SearchRun {
  /** ripgrep's flags for ignore rules. */
  ignoring: string[]
  /** Arguments. ripgrep follows no links, except these. */
  paths: string[]
}

/** Returns the runs that search paths relative to the workspace. */
export type SearchRuns = (paths: readonly string[]) => SearchRun[]

/** Returns how to search a workspace. The folders of a multi-root workspace that need different flags get own runs. */
export async function searchRuns({ root, folders }: WorkspaceRoots): Promise<SearchRuns> {
  if (folders === undefined) {
    const ignoring = await ignoreFlagsOf(root)
    return (paths) => [{ ignoring, paths: paths.map(asArgument) }]
  }
  const flags = await Promise.all(
    folders.map(
      async (folder) => [folder.name, await ignoreFlagsOf(folder.path, () => relinked(root, folder))] as const,
    ),
  )
  const flagsOf = new Map(flags)
  return (paths) => {
    const runs = new Map<string, SearchRun>()
    for (const each of paths.flatMap((path) => (path === '.' ? topFolders({ folders }) : [path]))) {
      const [folder = '', ...rest] = each.split('/')
      const ofFolder = flagsOf.get(folder) ?? []
      // ripgrep finds the folder's own file if it searches the whole folder.
      const ignoring = rest.length > 0 ? ofFolder : withoutIgnoreFile(ofFolder)
      const run = runs.get(ignoring.join('\0')) ?? { ignoring, paths: [] }
      run.paths.push(asArgument(each))
      runs.set(ignoring.join('\0'), run)
    }
    return [...runs.values()]
  }
}

const withoutIgnoreFile = (flags: readonly string[]): string[] =>
  flags.filter((flag, index) => flag !== '--ignore-file' && flags[index - 1] !== '--ignore-file')

/**
 * Returns the flags that make ripgrep use the right ignore files. In a repository these are git's, up to the top of the
 * repository. Elsewhere the workspace's `.gitignore` files apply, but not those above it: the ignore file of an
 * unrelated parent folder, such as a home folder in git, must not hide files.
 * @param ignoreFile returns the file with the rules of the folder's `.gitignore`
 */
async function ignoreFlagsOf(
  root: string,
  ignoreFile = (): string | Promise<string> => path.join(root, '.gitignore'),
): Promise<string[]> {
  const above = ancestors(root)
  // Synchronous: these few calls take a tenth of the time of asynchronous ones. Starting ripgrep in the folder waits
  // for the same disk.
  const has = (name: string) => (folder: string) => existsSync(path.join(folder, name))
  const top = [root, ...above].find(has('.git'))
  if (top !== undefined) return (await repositorySettings(top)).ignoreCase ? ['--ignore-file-case-insensitive'] : []
  if (!above.some(has('.gitignore'))) return ['--no-require-git']
  // Without parent rules, a search in a subfolder would miss the workspace's own ignore file, so it is passed
  // explicitly.
  return [
    '--no-require-git',
    '--no-ignore-parent',
    ...(has('.gitignore')(root) ? ['--ignore-file', await ignoreFile()] : []),
  ]
}

/**
 * Returns a file with the rules of a folder's `.gitignore` as they are in the folder with the links, because ripgrep
 * compares the rules of `--ignore-file` with paths from where it runs. It is beside that folder.
 */
async function relinked(root: string, { name, path: folder }: WorkspaceFolder): Promise<string> {
  const own = path.join(folder, '.gitignore')
  const text = await readSmallFile(own)
  if (text === null) return own
  const rules = text
    .split('\n')
    .flatMap((line) => ruleBelow(name, line) ?? [])
    .map((rule) => `${rule}\n`)
    .join('')
  const file = path.join(`${root}.ignore`, name)
  try {
    if ((await readSmallFile(file)) === rules) return file
    await makeFolder(path.dirname(file))
    await writeAtomically(file, rules)
    return file
  } catch (error) {
    // Its rules without a slash hold all the same.
    log.warn(`The ignore rules of ${folder} could not be stored. ${toFailure(error).message}`)
    return own
  }
}

/** Returns a rule of gitignore(5) for the folder above; undefined for a line without one. */
function ruleBelow(name: string, line: string): string | undefined {
  const [, not = '', rule = ''] = /^(!?)(.*?)\r?$/s.exec(line) ?? []
  if (rule.trim() === '' || rule.startsWith('#')) return undefined
  const folder = name.replaceAll(/[\\*?[\]{}!# ]/g, String.raw`\$&`)
  // A slash that is not at the end anchors the rule.
  const isAnchored = rule.trimEnd().slice(0, -1).includes('/')
  if (isAnchored) return `${not}/${folder}/${rule.startsWith('/') ? rule.slice(1) : rule}`
  return `${not}/${folder}/**/${rule}`
}

function ancestors(folder: string): string[] {
  const parent = path.dirname(folder)
  return parent === folder ? [] : [parent, ...ancestors(parent)]
}
