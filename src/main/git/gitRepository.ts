import { readdir, readFile, realpath } from 'node:fs/promises'
import path from 'node:path'
import { ToolError } from '../../shared/errors.ts'
import type { Workspace } from '../workspace/containment.ts'
import { runGit } from './runGit.ts'

/** A repository that is completely inside the workspace. */
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
 * Finds the repository of a folder and reads its configuration without starting programs named in it.
 * @throws ToolError `not_a_directory`, `not_found` outside a repository, `outside_workspace` if part of it is outside
 */
export async function openRepository(workspace: Workspace, folder: string, signal: AbortSignal): Promise<Repository> {
  const start = await workspace.resolve(folder)
  if (start.type !== 'directory')
    throw new ToolError(
      'not_a_directory',
      `"${start.relative}" is not a folder.`,
      'Name the folder of the repository, or omit "path".',
    )
  for (let current = start.absolute; ; current = path.dirname(current)) {
    const entry = await resolveInside(workspace, path.join(current, '.git'), 'The repository')
    if (entry.type !== 'missing') return readRepository(workspace, current, entry, signal)
    if (current === workspace.root) break
  }
  throw new ToolError(
    'not_found',
    `"${start.relative}" is not in a git repository of this workspace.`,
    'Set "path" to the folder of a repository. If a parent folder contains the repository, ask the user to open that folder.',
  )
}

type Entry = Awaited<ReturnType<Workspace['resolve']>>

async function readRepository(
  workspace: Workspace,
  workTree: string,
  entry: Entry,
  signal: AbortSignal,
): Promise<Repository> {
  let gitDir = entry.absolute
  if (entry.type !== 'directory') {
    // In a worktree or submodule, `.git` is a file with the path of the git folder (gitrepository-layout(5)).
    const target =
      entry.type === 'file' ? /^gitdir: (.+)$/m.exec(await readFile(entry.absolute, 'utf8'))?.[1] : undefined
    if (target === undefined)
      throw new ToolError(
        'not_found',
        `"${entry.relative}" does not refer to a repository.`,
        'Ask the user to repair the repository.',
      )
    gitDir = (await resolveInside(workspace, path.resolve(workTree, target.trim()), 'The repository')).absolute
  }
  const common = await workspace.resolve(path.join(gitDir, 'commondir'), { missing: 'allow' })
  const commonDir =
    common.type === 'file'
      ? (
          await resolveInside(
            workspace,
            path.resolve(gitDir, (await readFile(common.absolute, 'utf8')).trim()),
            'The common folder of this worktree',
          )
        ).absolute
      : gitDir

  const { code, stdout, stderr, cut } = await runGit({
    args: [`--git-dir=${gitDir}`, 'config', '--list', '-z'],
    folder: workTree,
    signal,
  })
  // An incomplete configuration could hide a filter.
  if (cut)
    throw new ToolError(
      'too_large',
      'The configuration of the repository is larger than 1 MiB.',
      'Ask the user to check .git/config.',
    )
  if (code !== 0)
    throw new ToolError(
      'io_error',
      `The configuration of the repository cannot be readRepository: ${stderr}`,
      'Ask the user to repair it.',
    )
  const filters = new Set<string>()
  let configuredTree: string | undefined
  for (const setting of stdout.split('\0')) {
    // Each setting is a key, or a key, a newline and a value.
    const [key = '', ...value] = setting.split('\n')
    const filter = /^filter\.(.+)\.[^.]+$/s.exec(key)?.[1]
    if (filter !== undefined) filters.add(filter)
    if (key === 'core.worktree') configuredTree = path.resolve(gitDir, value.join('\n'))
  }
  if (configuredTree !== undefined && (await realOrSame(configuredTree)) !== workTree) {
    throw new ToolError(
      'outside_workspace',
      'The configuration of the repository (core.worktree) refers to another folder for its files.',
      'Ask the user to remove core.worktree, or work in that folder.',
    )
  }
  const config: Record<string, string> = {}
  for (const filter of filters)
    Object.assign(config, {
      [`filter.${filter}.clean`]: '',
      [`filter.${filter}.smudge`]: '',
      [`filter.${filter}.process`]: '',
      [`filter.${filter}.required`]: 'false',
    })
  return { relative: workspace.relative(workTree), workTree, gitDir, commonDir, filters: [...filters], config }
}

/**
 * Rejects links in the git folder before git writes. Through a link, git could write outside, e.g. append to a file in
 * place of a log.
 * @throws ToolError `outside_workspace`
 */
export async function refuseLinks({ gitDir, commonDir }: Repository): Promise<void> {
  const listed = await Promise.all(
    [...new Set([gitDir, commonDir])].flatMap((folder) => [
      listEntries(folder, false),
      ...['refs', 'logs', 'objects'].map((name) => listEntries(path.join(folder, name), name !== 'objects')),
    ]),
  )
  // The hooks folder is excluded: hooks do not run, and the folder is often a link.
  const link = listed
    .flat()
    .find(
      (entry) => entry.isSymbolicLink() && !(entry.name === 'hooks' && [gitDir, commonDir].includes(entry.parentPath)),
    )
  if (link) {
    throw new ToolError(
      'outside_workspace',
      `"${link.name}" in the git folder is a symbolic link, so a commit could write outside it.`,
      'Ask the user to commit in a terminal, or to replace the link.',
    )
  }
}

async function listEntries(folder: string, recursive: boolean) {
  try {
    return await readdir(folder, { withFileTypes: true, recursive })
  } catch (error) {
    // A worktree has no objects folder, and a new repository has no logs.
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    throw error
  }
}

async function resolveInside(workspace: Workspace, absolute: string, what: string): Promise<Entry> {
  try {
    return await workspace.resolve(absolute, { missing: 'allow' })
  } catch (cause) {
    if (!(cause instanceof ToolError && cause.code === 'outside_workspace')) throw cause
    throw new ToolError(
      'outside_workspace',
      `${what} is outside the workspace.`,
      'Ask the user to open the folder that contains it.',
      { cause },
    )
  }
}

async function realOrSame(absolute: string): Promise<string> {
  try {
    return await realpath(absolute)
  } catch {
    return absolute // A missing path differs from every real one.
  }
}
