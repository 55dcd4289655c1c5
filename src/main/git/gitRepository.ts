import { realpath } from 'node:fs/promises'
import path from 'node:path'
import { folderPaths, topFolders } from '../base/workspaceRoots.ts'
import { ToolError } from '../../shared/errors.ts'
import { linkedWorktree } from '../base/linkedWorktree.ts'
import { isPlaceholder } from '../base/placeholderFolder.ts'
import { readSmallFile } from '../base/smallFile.ts'
import type { ResolvedPath, Workspace } from '../workspace/containment.ts'
import { refuseExternalData, resolveInside, type GitPlaces } from './repositoryContainment.ts'
import { readConfiguration } from './repositoryConfiguration.ts'

/** A repository that is completely inside the workspace, except for the git folder of an allowed worktree. */
export interface Repository {
  /** Relative to the workspace, `.` for its root. */
  relative: string
  /** Absolute. */
  workTree: string
  /** Absolute. */
  gitDir: string
  /** Folder that a linked worktree shares with the others; otherwise `gitDir`. */
  commonDir: string
  /** Names of all configured filter drivers. None is run. */
  filters: string[]
  /** Configuration that disables the filters. */
  config: Record<string, string>
}

/**
 * Returns where the parts of a linked worktree may be; undefined if its git folder must be inside the workspace.
 *
 * @param workTree real path
 * @param common real path of its common git folder, which refers back to it
 */
export type WorktreePlaces = (workTree: string, common: string) => Promise<GitPlaces | undefined>

/**
 * Finds the repository of a folder and reads its configuration without starting programs named in it.
 * @throws ToolError `not_a_directory`, `not_found` outside a repository, `outside_workspace` if part of it is outside
 */
export async function openRepository(
  workspace: Workspace,
  folder: string,
  signal: AbortSignal,
  worktreePlaces: WorktreePlaces = async () => undefined,
): Promise<Repository> {
  const start = await workspace.resolve(folder)
  if (start.type !== 'directory')
    throw new ToolError(
      'not_a_directory',
      `"${start.relative}" is not a folder.`,
      'Pass the folder of the repository, or omit "path".',
    )
  if (workspace.folders && start.relative === '.')
    throw new ToolError(
      'not_found',
      'The workspace has several folders, each with its own repository or none.',
      `Set "path" to one of them: ${topFolders(workspace).join(', ')}.`,
    )
  const tops = folderPaths(workspace)
  for (let current = start.absolute; ; current = path.dirname(current)) {
    const entry = await resolveInside(workspace, path.join(current, '.git'), 'The repository is outside the workspace.')
    if (entry.type !== 'missing' && !(await isPlaceholder(entry.absolute)))
      return readRepository(workspace, current, entry, signal, worktreePlaces)
    if (tops.includes(current)) break
  }
  throw new ToolError(
    'not_found',
    `"${start.relative}" is not in a git repository of this workspace.`,
    'Set "path" to the folder of a repository. If a parent folder contains the repository, ask the user to open that folder.',
  )
}

async function readRepository(
  workspace: Workspace,
  workTree: string,
  entry: ResolvedPath,
  signal: AbortSignal,
  worktreePlaces: WorktreePlaces,
): Promise<Repository> {
  const linked = entry.type === 'file' ? await linkedWorktree(entry.absolute) : undefined
  const allowed = linked && (await worktreePlaces(workTree, linked.common))
  const places = allowed ?? workspace
  const { gitDir, commonDir } = await gitFoldersOf(places, workTree, entry)
  await refuseExternalData(places, { gitDir, commonDir }, signal)
  const { filters, config, workTree: configuredTree } = await readConfiguration(places, { gitDir, workTree }, signal)
  if (configuredTree !== undefined && (await realOrSame(configuredTree)) !== workTree) {
    throw new ToolError(
      'outside_workspace',
      'The repository configuration (core.worktree) refers to another folder for its files.',
      'Ask the user to remove core.worktree, or work in that folder.',
    )
  }
  return { relative: workspace.relative(workTree), workTree, gitDir, commonDir, filters, config }
}

/** Returns the git folders that `.git` names. @throws ToolError `not_found`, `outside_workspace` */
async function gitFoldersOf(
  workspace: GitPlaces,
  workTree: string,
  entry: ResolvedPath,
): Promise<Pick<Repository, 'gitDir' | 'commonDir'>> {
  let gitDir = entry.absolute
  if (entry.type !== 'directory') {
    // In a worktree or submodule, `.git` is a file with the path of the git folder (gitrepository-layout(5)).
    const target =
      entry.type === 'file' ? /^gitdir: (.+)$/m.exec((await readSmallFile(entry.absolute)) ?? '')?.[1] : undefined
    if (target === undefined)
      throw new ToolError(
        'not_found',
        `"${entry.relative}" does not refer to a repository.`,
        'Ask the user to repair the repository.',
      )
    gitDir = (
      await resolveInside(workspace, path.resolve(workTree, target.trim()), 'The repository is outside the workspace.')
    ).absolute
  }
  const common = await workspace.resolve(path.join(gitDir, 'commondir'), { missing: 'allow' })
  const commonName = common.type === 'file' ? await readSmallFile(common.absolute) : undefined
  if (commonName === null)
    throw new ToolError(
      'outside_workspace',
      'The file "commondir" in the git folder is too large or cannot be read.',
      'Ask the user to repair the repository.',
    )
  if (commonName === undefined) return { gitDir, commonDir: gitDir }
  const named = path.resolve(gitDir, commonName.trim())
  return {
    gitDir,
    commonDir: (await resolveInside(workspace, named, 'The common folder of this worktree is outside the workspace.'))
      .absolute,
  }
}

async function realOrSame(absolute: string): Promise<string> {
  try {
    return await realpath(absolute)
  } catch {
    return absolute // A missing path differs from every real one.
  }
}
