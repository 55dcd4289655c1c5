import { constants } from 'node:fs'
import { copyFile, cp, lstat, rename, rm, rmdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { z } from 'zod'
import { ToolError } from '../../shared/errors.ts'
import { plural } from '../../shared/text/plural.ts'
import { visibleText } from '../../shared/text/visibleText.ts'
import { errorCode } from '../base/fileErrors.ts'
import type { LinkedWorktree } from '../base/linkedWorktree.ts'
import { makeFolder } from '../base/makeFolder.ts'
import { readUnlinkedFile } from '../base/unlinkedFile.ts'
import { removeMark } from './createWorktree.ts'
import { releaseHead, withHeadLocked } from './headLock.ts'
import { changeRecord, dropRecord } from './recordChanges.ts'
import type { CopyLists, SessionDeps } from './sessionDeps.ts'
import {
  commitOf,
  gitLines,
  gitOutput,
  inWorktree,
  isCheckedOut,
  isListed,
  linksOf,
  repairLinks,
  type RunGit,
} from './sessionGit.ts'
import type { KeptWork, SessionRecord } from './sessionRecords.ts'
import { clearFlags, flaggedFiles, isFolder, tipsOf, workOf, type SessionWork } from './sessionWork.ts'

/** Days for which the work of a removed session is kept. */
const daysKept = 30

/** Makes git refuse to remove untracked files, even if the user's configuration hides them. */
const showAll = ['-c', 'status.showUntrackedFiles=all']

/** Author of commits that keep work. */
const author = Object.fromEntries(
  ['AUTHOR', 'COMMITTER'].flatMap((role) => [
    [`GIT_${role}_NAME`, 'Tizona'],
    [`GIT_${role}_EMAIL`, 'tizona@localhost'],
  ]),
)

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
  await dropRecord(records, session.id)
  return records.value.kept.find(({ ref }) => ref === keptRef(session))
}

function keptRef({ name, id }: SessionRecord): string {
  return `refs/tizona/kept/${name}-${id.slice(0, 8)}`
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

/** Refuses a worktree with submodules, which git does not remove. @throws ToolError `conflict` */
async function refuseSubmodules(run: RunGit, session: SessionRecord, links: LinkedWorktree): Promise<void> {
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

/** Returns the commit to keep after an interruption, if another one was kept before. */
async function extended(deps: SessionDeps, session: SessionRecord, before: string, commit: string): Promise<string> {
  if (await isAncestor(deps, session, commit, before)) return before
  if (await isAncestor(deps, session, before, commit))
    return (await addsSomething(deps, session, before, commit)) ? commit : before
  return commitTree(deps, session, `${commit}^{tree}`, [commit, before])
}

async function isAncestor({ run }: SessionDeps, { common }: SessionRecord, ancestor: string, commit: string) {
  return (await run(common, ['merge-base', '--is-ancestor', ancestor, commit])).code === 0
}

/**
 * Whether a commit has a file that the commit kept before lacks. After an interrupted removal, only files are missing.
 */
async function addsSomething({ run }: SessionDeps, { common }: SessionRecord, before: string, commit: string) {
  const args = ['diff-tree', '-r', '--no-renames', '--diff-filter=AMT', '--name-only', before, commit]
  return (await gitLines(run, common, args)).length > 0
}

async function commitTree(
  { run }: SessionDeps,
  session: SessionRecord,
  tree: string,
  tips: readonly (string | undefined)[],
): Promise<string> {
  const parents = [...new Set(tips.filter((tip) => tip !== undefined))]
  const args = ['commit-tree', tree, ...parents.flatMap((parent) => ['-p', parent]), '-m', `Work of ${session.name}`]
  return (await gitOutput(run, session.common, args, { environment: author })).trim()
}

/** Returns one commit that has all these in its history. */
async function joined(
  deps: SessionDeps,
  session: SessionRecord,
  { head, branch }: { head: string | undefined; branch: string | undefined },
): Promise<string | undefined> {
  if (head === undefined || branch === undefined || head === branch) return head ?? branch
  if (await isAncestor(deps, session, branch, head)) return head
  if (await isAncestor(deps, session, head, branch)) return branch
  return commitTree(deps, session, `${head}^{tree}`, [head, branch])
}

/** Keeps a commit that appeared on the branch after the files were kept. The files stay those of the kept commit. */
async function keepTip(deps: SessionDeps, session: SessionRecord, tip: string): Promise<void> {
  const before = await commitOf(deps.run, session.common, keptRef(session))
  if (before === undefined || (await isAncestor(deps, session, before, tip))) return storeKept(deps, session, tip)
  if (await isAncestor(deps, session, tip, before)) return
  await storeKept(deps, session, await commitTree(deps, session, `${before}^{tree}`, [before, tip]))
}

/** Makes a reference to a commit, for 30 days. What was kept before stays in its history. */
async function keepCommit(deps: SessionDeps, session: SessionRecord, commit: string): Promise<void> {
  const before = await commitOf(deps.run, session.common, keptRef(session))
  await storeKept(deps, session, before === undefined ? commit : await extended(deps, session, before, commit))
}

async function storeKept(deps: SessionDeps, session: SessionRecord, kept: string): Promise<void> {
  const { records, run, step } = deps
  const ref = keptRef(session)
  step?.('keep')
  await gitOutput(run, session.common, ['update-ref', ref, kept])
  await records.update((file) => {
    const known = file.kept.find((work) => work.ref === ref && work.folder === session.folder)
    const until = Date.now() + daysKept * 24 * 3600 * 1000
    const work = {
      ...known,
      name: session.name,
      folder: session.folder,
      common: session.common,
      ref,
      commit: kept,
      until,
    }
    return { ...file, kept: [...file.kept.filter((other) => other !== known), work] }
  })
}

/** Whether it can be copied: sockets and pipes cannot. */
async function isFileOrFolder(file: string): Promise<boolean> {
  const stats = await lstat(file)
  return stats.isFile() || stats.isDirectory() || stats.isSymbolicLink()
}

/** Copies files and nested repositories that git ignores to the user data. */
async function keepCopies(
  { records, storage }: SessionDeps,
  session: SessionRecord,
  files: readonly string[],
): Promise<void> {
  const folder = path.join(storage, `kept-${session.id}`)
  for (const file of files) {
    const source = path.join(session.worktree, file)
    const target = path.join(folder, file)
    await makeFolder(path.dirname(target))
    const options = { recursive: true, verbatimSymlinks: true, mode: constants.COPYFILE_FICLONE }
    // An interrupted removal may have copied it before.
    if (!file.endsWith('/')) await rm(target, { force: true })
    await cp(source, target, { ...options, filter: isFileOrFolder })
  }
  const ref = keptRef(session)
  await records.update((file) => {
    const known = file.kept.find((work) => work.ref === ref && work.folder === session.folder)
    const until = Date.now() + daysKept * 24 * 3600 * 1000
    const { name, folder: of, common } = session
    const work = { commit: session.base, ...known, name, folder: of, common, ref, files: folder, until }
    return { ...file, kept: [...file.kept.filter((other) => other !== known), work] }
  })
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

/** HEAD of a worktree before its files became a commit. */
const savedHeadSchema = z.object({
  /** Reference that HEAD names; null if it is detached. */
  ref: z.string().nullable(),
  commit: z.string().nullable(),
  /** Commit that HEAD was moved to. */
  moved: z.string().optional(),
})
type SavedHead = z.output<typeof savedHeadSchema>

/** Files in the git folder of a worktree with the state before the removal. An interruption leaves them there. */
const savedFiles = { head: 'tizona-head', index: 'tizona-index' }

/** Records HEAD and the index, so that a failed removal can restore them. */
async function saveHead({ run }: SessionDeps, { gitFolder }: LinkedWorktree): Promise<SavedHead> {
  const now = await headOf(run, gitFolder)
  const saved = await readSavedHead(gitFolder)
  // The removal was interrupted after this point.
  if (saved !== undefined && now.ref === null && now.commit === saved.moved) return saved
  if (saved !== undefined && now.ref === saved.ref && now.commit === saved.commit) return saved
  const index = path.join(gitFolder, savedFiles.index)
  for (const old of [index, `${index}.new`]) await rm(old, { force: true })
  // A copy that an interruption cut short must not count.
  await copyFile(path.join(gitFolder, 'index'), `${index}.new`).then(
    () => rename(`${index}.new`, index),
    (error: unknown) => {
      if (errorCode(error) !== 'ENOENT') throw error
    },
  )
  await writeSavedHead(gitFolder, now)
  return now
}

async function headOf(run: RunGit, gitFolder: string): Promise<SavedHead> {
  const { code, stdout } = await run(gitFolder, ['symbolic-ref', '--quiet', 'HEAD'])
  return { ref: code === 0 ? stdout.trim() : null, commit: (await commitOf(run, gitFolder, 'HEAD')) ?? null }
}

async function readSavedHead(gitFolder: string): Promise<SavedHead | undefined> {
  // A command can have replaced it by a pipe.
  const text = await readUnlinkedFile(path.join(gitFolder, savedFiles.head))
  return text === '' ? undefined : savedHeadSchema.parse(JSON.parse(text))
}

async function writeSavedHead(gitFolder: string, head: SavedHead): Promise<void> {
  const file = path.join(gitFolder, savedFiles.head)
  const complete = `${file}.new`
  await rm(complete, { force: true })
  await writeFile(complete, JSON.stringify(head), { flag: 'wx' })
  await rename(complete, file)
}

/** Restores HEAD and the index as they were before a removal that failed. Changes no file of the worktree. */
async function restoreHead({ run }: SessionDeps, session: SessionRecord): Promise<void> {
  const links = await linksOf(session)
  const saved = links && (await readSavedHead(links.gitFolder))
  // Nothing was moved.
  if (links === undefined || saved === undefined) return
  const now = await headOf(run, links.gitFolder)
  const isMoved = now.ref === null && saved.moved !== undefined && now.commit === saved.moved
  if (isMoved && saved.ref !== null) await gitOutput(run, links.gitFolder, ['symbolic-ref', 'HEAD', saved.ref])
  else if (isMoved && saved.commit !== null)
    await gitOutput(run, links.gitFolder, ['update-ref', '--no-deref', 'HEAD', saved.commit, now.commit ?? ''])
  const index = path.join(links.gitFolder, savedFiles.index)
  // Somebody who moved HEAD since has an index that fits it.
  if (isMoved || (now.ref === saved.ref && now.commit === saved.commit))
    await rename(index, path.join(links.gitFolder, 'index')).catch((error: unknown) => {
      if (errorCode(error) !== 'ENOENT') throw error
    })
  for (const name of [savedFiles.index, savedFiles.head]) await rm(path.join(links.gitFolder, name), { force: true })
}

/** Forgets kept work whose time is over. What cannot be deleted now is left for the next start. */
export async function expireWork(deps: SessionDeps, work: KeptWork): Promise<void> {
  if (work.until > Date.now()) return
  await forgetWork(deps, work).catch(() => undefined)
}

async function forgetWork({ records, run, storage }: SessionDeps, work: KeptWork): Promise<void> {
  if (await isFolder(work.common)) {
    const tip = await commitOf(run, work.common, work.ref)
    if (tip === work.commit) await run(work.common, ['update-ref', '-d', work.ref, tip])
  }
  // Copies that Tizona made in its own data.
  if (work.files !== undefined && path.dirname(work.files) === storage)
    await rm(work.files, { recursive: true, force: true })
  await records.update((file) => ({ ...file, kept: file.kept.filter(({ ref }) => ref !== work.ref) }))
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
