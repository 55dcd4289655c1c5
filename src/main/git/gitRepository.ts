import { readdir, readFile, realpath } from 'node:fs/promises'
import path from 'node:path'
import { ToolError } from '../../shared/errors.ts'
import type { Workspace } from '../workspace/containment.ts'
import { runGit } from './runGit.ts'

/** A repository that lies in the workspace with all that belongs to it. */
export interface Repository {
  /** Relative to the workspace, `.` for its root. */
  relative: string
  /** Absolute. */
  workTree: string
  /** Absolute. */
  gitDir: string
  /** Where a linked worktree keeps what it shares with the others; else `gitDir`. */
  commonDir: string
  /** Filter drivers of any configuration; none is run. */
  filters: string[]
  /** Configuration that turns the filters off. */
  config: Record<string, string>
}

/**
 * Finds the repository of a folder and reads its configuration, which runs nothing.
 * Throws `not_a_directory`, `not_found` outside a repository, `outside_workspace` when a part of it lies elsewhere.
 */
export async function openRepository(workspace: Workspace, folder: string, signal: AbortSignal): Promise<Repository> {
  const start = await workspace.resolve(folder)
  if (start.type !== 'directory')
    throw new ToolError(
      'not_a_directory',
      `"${start.relative}" is not a folder.`,
      'Name the folder of the repository, or leave "path" out.',
    )
  for (let current = start.absolute; ; current = path.dirname(current)) {
    const entry = await inside(workspace, path.join(current, '.git'), 'The repository')
    if (entry.type !== 'missing') return read(workspace, current, entry, signal)
    if (current === workspace.root) break
  }
  throw new ToolError(
    'not_found',
    `"${start.relative}" is not in a git repository of this workspace.`,
    'Name the folder of a repository in "path". If the repository is that of a folder above, ask the user to open that folder.',
  )
}

type Entry = Awaited<ReturnType<Workspace['resolve']>>

async function read(workspace: Workspace, workTree: string, entry: Entry, signal: AbortSignal): Promise<Repository> {
  let gitDir = entry.absolute
  if (entry.type !== 'directory') {
    // A worktree or submodule: `.git` is a file that names the real folder (gitrepository-layout(5)).
    const target =
      entry.type === 'file' ? /^gitdir: (.+)$/m.exec(await readFile(entry.absolute, 'utf8'))?.[1] : undefined
    if (target === undefined)
      throw new ToolError(
        'not_found',
        `"${entry.relative}" does not name a repository.`,
        'Ask the user to repair the repository.',
      )
    gitDir = (await inside(workspace, path.resolve(workTree, target.trim()), 'The repository')).absolute
  }
  const common = await workspace.resolve(path.join(gitDir, 'commondir'), { missing: 'allow' })
  const commonDir =
    common.type === 'file'
      ? (
          await inside(
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
  // Read in part it could hide a filter.
  if (cut)
    throw new ToolError(
      'too_large',
      'The configuration of the repository is larger than 1 MiB.',
      'Ask the user to look at .git/config.',
    )
  if (code !== 0)
    throw new ToolError(
      'io_error',
      `The configuration of the repository cannot be read: ${stderr}`,
      'Ask the user to repair it.',
    )
  const filters = new Set<string>()
  let configuredTree: string | undefined
  for (const setting of stdout.split('\0')) {
    // A key alone, or the key, a line end and the value.
    const [key = '', ...value] = setting.split('\n')
    const filter = /^filter\.(.+)\.[^.]+$/s.exec(key)?.[1]
    if (filter !== undefined) filters.add(filter)
    if (key === 'core.worktree') configuredTree = path.resolve(gitDir, value.join('\n'))
  }
  if (configuredTree !== undefined && (await realOrSame(configuredTree)) !== workTree) {
    throw new ToolError(
      'outside_workspace',
      'The configuration of the repository (core.worktree) names another folder for its files.',
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
 * Before git writes: a link in the repository's own folder would let it write elsewhere, for example append to another file in
 * place of a log. Throws `outside_workspace`.
 */
export async function refuseLinks({ gitDir, commonDir }: Repository): Promise<void> {
  const listed = await Promise.all(
    [...new Set([gitDir, commonDir])].flatMap((folder) => [
      list(folder, false),
      ...['refs', 'logs', 'objects'].map((name) => list(path.join(folder, name), name !== 'objects')),
    ]),
  )
  // Hooks do not run, and their folder is often a link.
  const link = listed
    .flat()
    .find(
      (entry) => entry.isSymbolicLink() && !(entry.name === 'hooks' && [gitDir, commonDir].includes(entry.parentPath)),
    )
  if (link) {
    throw new ToolError(
      'outside_workspace',
      `"${link.name}" in the folder of the repository is a symbolic link, so a commit could write somewhere else.`,
      'Ask the user to commit in a terminal, or to replace the link.',
    )
  }
}

async function list(folder: string, recursive: boolean) {
  try {
    return await readdir(folder, { withFileTypes: true, recursive })
  } catch (error) {
    // A worktree has no objects of its own, and a new repository no logs.
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    throw error
  }
}

async function inside(workspace: Workspace, absolute: string, what: string): Promise<Entry> {
  try {
    return await workspace.resolve(absolute, { missing: 'allow' })
  } catch (cause) {
    if (!(cause instanceof ToolError && cause.code === 'outside_workspace')) throw cause
    throw new ToolError(
      'outside_workspace',
      `${what} is kept outside the workspace.`,
      'Ask the user to open the folder that holds it.',
      { cause },
    )
  }
}

async function realOrSame(absolute: string): Promise<string> {
  try {
    return await realpath(absolute)
  } catch {
    return absolute // Missing: it is not the folder we compare with.
  }
}
