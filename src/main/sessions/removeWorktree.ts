import { rmdir } from 'node:fs/promises'
import path from 'node:path'
import { ToolError } from '../../shared/errors.ts'
import { plural } from '../../shared/text/plural.ts'
import type { LinkedWorktree } from '../base/linkedWorktree.ts'
import { removeMark } from './createWorktree.ts'
import { releaseHead, withHeadLocked } from './headLock.ts'
import { commitTree, daysKept, joined, keepCommit, keepCopies, keepTip, keptRef } from './keptWork.ts'
import { changeRecord, dropRecord } from './recordChanges.ts'
import { restoreHead, saveHead, writeSavedHead } from './savedHead.ts'
import type { CopyLists, SessionDeps } from './sessionDeps.ts'
import { commitOf, gitOutput, inWorktree, isCheckedOut, isListed, repairLinks, type RunGit } from './sessionGit.ts'
import type { KeptWork, SessionRecord } from './sessionRecords.ts'
import { clearFlags, flaggedFiles, isFolder, tipsOf, workOf, type SessionWork } from './sessionWork.ts'
import { refuseSubmodules } from './submodules.ts'

/** Makes git refuse to remove untracked files, even if the user's configuration hides them. */
const showAll = ['-c', 'status.showUntrackedFiles=all']

/**
 * Removes a session whose record has the state `removing`. Can be repeated after an interruption.
 *
 * Git deletes the worktree, and only if it is clean. To make it clean, nothing is deleted: everything that is not
 * ignored becomes a commit, which a reference keeps for 30 days, and HEAD of the worktree. A file that changes
 * afterwards makes git refuse.
 *
 * @returns what was kept
 * @throws ToolError `io_error` if git refuses; the session is as before
 */
export async function finishRemoval(
  deps: SessionDeps,
  lists: CopyLists,
  session: SessionRecord,
): Promise<KeptWork | undefined> {
  const { records, run, step } = deps
  const listed = await isListed(run, session)
  // Read before the check of the work, so that a later commit is seen.
  const checked = await commitOf(run, session.common, `refs/heads/${session.branch}`)
  if (listed && (await isFolder(session.worktree))) {
    try {
      const links = await requireLinks(run, session)
      await releaseHead(links)
      const head = await commitOf(run, links.gitFolder, 'HEAD')
      await keepWork(deps, lists, session, links)
      step?.('remove')
      await withHeadLocked(links, async () => {
        await keepLateCommit(deps, session, links, head)
        await gitOutput(run, session.common, [...showAll, 'worktree', 'remove', session.worktree])
      })
    } catch (error) {
      try {
        await restoreHead(deps, session)
      } finally {
        await changeRecord(records, session.id, { state: 'ready' })
      }
      throw error
    }
  } else if (listed) {
    await keepBranch(deps, lists, session)
    step?.('remove')
    await gitOutput(run, session.common, [...showAll, 'worktree', 'remove', session.worktree])
  } else await keepBranch(deps, lists, session)
  step?.('branch')
  await deleteBranch(deps, session, checked)
  await removeMark(run, session)
  step?.('forget')
  for (const folder of [session.worktree, path.dirname(session.worktree)]) await rmdir(folder).catch(() => undefined)
  await lists.remove(session.id)
  await deps.forgetWorktree?.(session.worktree)
  await dropRecord(records, session.id)
  return records.value.kept.find(({ ref }) => ref === keptRef(session))
}

/** @throws ToolError `conflict` if the worktree and its repository do not refer to each other */
async function requireLinks(run: RunGit, session: SessionRecord): Promise<LinkedWorktree> {
  const links = await repairLinks(run, session)
  if (links !== undefined) return links
  throw new ToolError(
    'conflict',
    `${session.worktree} is not a worktree of ${session.folder} any more.`,
    'Check both folders in a terminal. Nothing was removed.',
  )
}

/**
 * Keeps a commit that was made since the work was kept. On a detached HEAD, nothing else would refer to it.
 *
 * @param checked HEAD before the work was kept
 */
async function keepLateCommit(
  deps: SessionDeps,
  session: SessionRecord,
  { gitFolder }: LinkedWorktree,
  checked: string | undefined,
): Promise<void> {
  const head = await commitOf(deps.run, gitFolder, 'HEAD')
  const kept = await commitOf(deps.run, session.common, keptRef(session))
  if (head !== undefined && head !== checked && head !== kept) await keepTip(deps, session, head)
}

/** Keeps everything that is nowhere else, and makes the worktree clean without deleting anything. */
async function keepWork(
  deps: SessionDeps,
  lists: CopyLists,
  session: SessionRecord,
  links: LinkedWorktree,
): Promise<void> {
  const { run, step } = deps
  await refuseSubmodules(run, session, links)
  const work = await workOf(run, session, await lists.read(session.id))
  if (work.copies.length > 0) {
    step?.('copies')
    await keepCopies(deps, session, work.copies)
  }
  if (work.uncommitted.length > 0) return commitEverything(deps, session, links)
  if (work.commits === 0) return
  const tips = await tipsOf(run, session, links)
  const commit = await joined(deps, session, tips)
  if (commit !== undefined) await keepCommit(deps, session, commit)
}

async function keepBranch(deps: SessionDeps, lists: CopyLists, session: SessionRecord): Promise<void> {
  const work = await workOf(deps.run, session, await lists.read(session.id))
  const { branch } = await tipsOf(deps.run, session, undefined)
  if (work.commits > 0 && branch !== undefined) await keepCommit(deps, session, branch)
}

/** Commits all files that git does not ignore, and makes the commit HEAD of the worktree. */
async function commitEverything(deps: SessionDeps, session: SessionRecord, links: LinkedWorktree): Promise<void> {
  const { run, step } = deps
  const git = inWorktree(session, links)
  const tips = await tipsOf(run, session, links)
  const saved = await saveHead(deps, links)
  step?.('add')
  await clearFlags(run, session, links, await flaggedFiles(run, session, links))
  await gitOutput(run, session.worktree, [...git, 'add', '--all'])
  const tree = (await gitOutput(run, session.worktree, [...git, 'write-tree'])).trim()
  const commit = await commitTree(deps, session, tree, [tips.head, tips.branch])
  // Kept before HEAD moves: an interruption in between only leaves a reference.
  await keepCommit(deps, session, commit)
  await writeSavedHead(links.gitFolder, { ...saved, moved: commit })
  step?.('head')
  await gitOutput(run, session.worktree, [...git, 'update-ref', '--no-deref', 'HEAD', commit])
}

/**
 * Deletes the session's branch, unless a worktree has it checked out. Keeps a commit made since its work was checked.
 *
 * @param checked commit whose work is kept or elsewhere
 */
async function deleteBranch(deps: SessionDeps, session: SessionRecord, checked: string | undefined): Promise<void> {
  const { run } = deps
  const ref = `refs/heads/${session.branch}`
  const tip = await commitOf(run, session.common, ref)
  if (tip === undefined || (await isCheckedOut(run, session))) return
  if (tip !== checked) await keepTip(deps, session, tip)
  await gitOutput(run, session.common, ['update-ref', '-d', ref, tip])
}

/** Returns the error for a removal that would lose work. */
export function refusal({ name }: SessionRecord, { uncommitted, copies, commits, ignored }: SessionWork): ToolError {
  const parts = [
    ...(uncommitted.length > 0 ? [`${plural(uncommitted.length, 'uncommitted file')}`] : []),
    ...(copies.length > 0 ? [`${plural(copies.length, 'new or changed file')} that git ignores`] : []),
    ...(commits > 0 ? [`${plural(commits, 'commit')} on no other branch`] : []),
  ]
  const deleted = ignored > 0 ? ` ${plural(ignored, 'other file')} that git ignores will be deleted.` : ''
  return new ToolError(
    'conflict',
    `The session "${name}" has work that is nowhere else: ${parts.join(', ')}.`,
    `Take it over first, or confirm the removal: the work is then kept for ${daysKept} days.${deleted}`,
  )
}
