import { lstat } from 'node:fs/promises'
import path from 'node:path'
import { ToolError } from '../../shared/errors.ts'
import { visibleText } from '../../shared/text/visibleText.ts'
import type { LinkedWorktree } from '../base/linkedWorktree.ts'
import { gitLines, inWorktree, type RunGit } from './sessionGit.ts'
import type { SessionRecord } from './sessionRecords.ts'
import { isFolder } from './sessionWork.ts'

/** Refuses a worktree with submodules, which git does not remove. @throws ToolError `conflict` */
export async function refuseSubmodules(run: RunGit, session: SessionRecord, links: LinkedWorktree): Promise<void> {
  const submodules = (await gitLines(run, session.worktree, [...inWorktree(session, links), 'ls-files', '-s', '-z']))
    .filter((line) => line.startsWith('160000 '))
    .map((line) => line.slice(line.indexOf('\t') + 1))
  const checkedOut = await Promise.all(
    submodules.map(async (file) => lstat(path.join(session.worktree, file, '.git')).catch(() => undefined)),
  )
  if (!checkedOut.some(Boolean) && !(await isFolder(path.join(links.gitFolder, 'modules')))) return
  const present = submodules.filter((_, index) => checkedOut[index] !== undefined)
  const hasWork = await Promise.all(present.map((file) => hasOwnWork(run, path.join(session.worktree, file))))
  const working = present.filter((_, index) => hasWork[index]).map(visibleText)
  const refused = `The submodules of "${session.name}" are checked out, and Git cannot remove a worktree with submodules.`
  // "git submodule deinit" is not enough: it leaves the modules, and changes the configuration of the repository.
  const force = `run "git worktree remove --force ${session.worktree}" in a terminal, and remove the session again.`
  if (working.length > 0)
    throw new ToolError(
      'conflict',
      `${refused} Uncommitted files or commits that are not pushed are in ${working.join(', ')}.`,
      `Keep the worktree. Or commit and push that first, commit what the worktree has, then ${force}`,
    )
  throw new ToolError(
    'conflict',
    `${refused} None of them has work that is nowhere else: ${present.map(visibleText).join(', ')}.`,
    `Keep the worktree. Or commit what the worktree has, then ${force}`,
  )
}

/** Whether a submodule has files or commits that are nowhere else, also if git cannot tell. */
async function hasOwnWork(run: RunGit, folder: string): Promise<boolean> {
  const files = await run(folder, ['status', '--porcelain', '--untracked-files=all', '--ignore-submodules=none'])
  // A stash is a reference, too.
  const commits = await run(folder, ['rev-list', '--count', 'HEAD', '--all', '--not', '--remotes', '--tags'])
  return files.code !== 0 || files.stdout !== '' || commits.code !== 0 || commits.stdout.trim() !== '0'
}
