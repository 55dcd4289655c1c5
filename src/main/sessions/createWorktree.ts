import { createHash, randomUUID } from 'node:crypto'
import { lstat, realpath, rmdir } from 'node:fs/promises'
import path from 'node:path'
import { ToolError } from '../../shared/errors.ts'
import type { SessionTry } from '../../shared/agent/sessionTries.ts'
import { makeFolder } from '../base/makeFolder.ts'
import { createCopyLists } from './copyLists.ts'
import { copyIncludedFiles } from './includedFiles.ts'
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
import type { SessionRecord } from './sessionRecords.ts'
import { changeRecord, dropRecord } from './recordChanges.ts'
import { isFolder } from './sessionWork.ts'
import { thisUser } from './worktreeProcesses.ts'

export interface NewSession {
  /** Root of a repository. */
  folder: string
  /** Default: the first free one. */
  name?: string
  try?: SessionTry
}

const validName = /^[A-Za-z0-9][A-Za-z0-9._-]{0,59}$/

/**
 * Makes a worktree on a branch of its own from the current commit. Records it before anything is written, so that the
 * next start knows what an interruption left.
 *
 * @throws ToolError `not_found` outside a repository or before its first commit, `invalid_arguments` for a name,
 * `already_exists`, `io_error` if git fails
 */
export async function createWorktree(
  deps: SessionDeps,
  lists: CopyLists,
  request: NewSession,
): Promise<{ session: SessionRecord; skipped: string[] }> {
  const { records, run, step } = deps
  const session = await plannedSession(deps, request)
  step?.('record')
  await records.update((file) => {
    refuseUsed(session, file.sessions)
    return { ...file, sessions: [...file.sessions, session] }
  })
  try {
    step?.('folder')
    await makeFolder(path.dirname(session.worktree))
    step?.('branch')
    await changeRefs(run, session, [
      `create refs/heads/${session.branch} ${session.base}`,
      `create ${markOf(session)} ${session.base}`,
    ])
    step?.('worktree')
    await gitOutput(run, session.folder, ['worktree', 'add', '--quiet', session.worktree, session.branch])
    step?.('list')
    const skipped = await copyFiles(deps, lists, session)
    step?.('ready')
    const ready = await changeRecord(records, session.id, { state: 'ready' })
    await removeMark(run, session)
    return { session: ready, skipped }
  } catch (error) {
    // The first error is the one to report. The record stays, so that the next start finishes it.
    await finishCreation(deps, session).catch(() => undefined)
    throw error
  }
}

async function copyFiles({ run, step }: SessionDeps, lists: CopyLists, session: SessionRecord): Promise<string[]> {
  const { id, folder, worktree } = session
  return copyIncludedFiles(run, folder, worktree, {
    read: () => lists.read(id),
    write: (copied) => lists.write(id, copied),
    beforeCopies: () => step?.('copy'),
  })
}

/** Returns the reference that marks the branch as made by this creation. It exists until the creation has ended. */
function markOf({ id }: SessionRecord): string {
  return `refs/tizona/creating/${id}`
}

/** Changes several references at once. @param changes commands of `git update-ref --stdin` */
async function changeRefs(run: RunGit, { common }: SessionRecord, changes: readonly string[]): Promise<void> {
  await gitOutput(run, common, ['update-ref', '--stdin'], { input: changes.map((line) => `${line}\n`).join('') })
}

/** Ends the creation of a session's branch. */
export async function removeMark(run: RunGit, session: SessionRecord): Promise<void> {
  const mark = markOf(session)
  if ((await commitOf(run, session.common, mark)) === undefined) return
  await gitOutput(run, session.common, ['update-ref', '-d', mark])
}

async function plannedSession({ records, run, worktrees }: SessionDeps, request: NewSession): Promise<SessionRecord> {
  const folder = await realpath(request.folder)
  const { code, stdout } = await run(folder, [
    'rev-parse',
    '--path-format=absolute',
    '--show-toplevel',
    '--git-common-dir',
  ])
  const [top = '', commonDir = ''] = stdout.split('\n')
  if (code !== 0 || top === '')
    throw new ToolError('not_found', `${folder} is not in a git repository.`, 'Create one with "git init", and commit.')
  if ((await realpath(top)) !== folder)
    throw new ToolError('not_found', `${folder} is inside the repository ${top}.`, 'Open the folder of the repository.')
  const base = await commitOf(run, folder, 'HEAD')
  if (base === undefined)
    throw new ToolError(
      'not_found',
      'The repository has no commit yet, so nothing can be checked out.',
      'Commit first.',
    )
  const place = `${path.basename(folder)}-${createHash('sha256').update(folder).digest('hex').slice(0, 8)}`
  const home = await existingRealPath(path.resolve(worktrees(), place))
  if (isSameOrBelow(home, folder))
    throw new ToolError(
      'invalid_arguments',
      `The folder for worktrees, ${home}, is inside the repository.`,
      'Choose another folder in the settings: sessions.folder.',
    )
  await records.reload()
  const isFree = async (name: string): Promise<boolean> =>
    !records.value.sessions.some((other) => other.worktree === path.join(home, name)) &&
    (await commitOf(run, folder, `refs/heads/${branchOf(name)}`)) === undefined &&
    (await lstat(path.join(home, name)).catch(() => undefined)) === undefined
  const name = request.name ?? (await firstFree(isFree))
  if (!validName.test(name) || name.includes('..') || name.endsWith('.lock') || name.endsWith('.'))
    throw new ToolError(
      'invalid_arguments',
      `"${name}" cannot be the name of a session.`,
      'Use letters, digits, ".", "_" and "-", at most 60 characters.',
    )
  if (!(await isFree(name)))
    throw new ToolError(
      'already_exists',
      `A session, branch or folder for the name "${name}" exists.`,
      'Choose another name. "tizona sessions list" lists the sessions.',
    )
  const by = thisUser()
  return {
    id: randomUUID(),
    name,
    folder,
    common: await realpath(commonDir),
    worktree: path.join(home, name),
    branch: branchOf(name),
    base,
    createdAt: Date.now(),
    state: 'creating',
    by,
    archived: false,
    setUpPending: false,
    users: [],
    ...(request.try && { try: request.try }),
  }
}

function branchOf(name: string): string {
  return `tizona/${name}`
}

async function firstFree(isFree: (name: string) => Promise<boolean>): Promise<string> {
  for (let number = 1; ; number += 1) if (await isFree(`session-${number}`)) return `session-${number}`
}

/** Another process may have recorded the same place in the meantime. */
function refuseUsed(session: SessionRecord, others: readonly SessionRecord[]): void {
  if (!others.some(({ worktree }) => worktree === session.worktree)) return
  throw new ToolError('already_exists', `A session "${session.name}" exists.`, 'Choose another name.')
}

async function existingRealPath(file: string): Promise<string> {
  const parent = path.dirname(file)
  return realpath(file).catch(async () =>
    parent === file ? file : path.join(await existingRealPath(parent), path.basename(file)),
  )
}

function isSameOrBelow(file: string, folder: string): boolean {
  return file === folder || file.startsWith(folder + path.sep)
}

/**
 * Ends an interrupted creation: completes a worktree that git has registered, without overwriting a file, and otherwise
 * removes what there is of it. Can be repeated.
 */
export async function finishCreation(deps: SessionDeps, session: SessionRecord): Promise<void> {
  const { run, records } = deps
  const lists = createCopyLists(deps.storage)
  const listed = await isListed(run, session)
  if (listed && (await isFolder(session.worktree))) {
    await run(session.common, ['worktree', 'unlock', session.worktree])
    await repairLinks(run, session)
    await restoreMissingFiles(deps, session)
    // Without its copies it is still usable, and can be removed.
    await copyFiles(deps, lists, session).catch(() => undefined)
    await changeRecord(records, session.id, { state: 'ready' })
    await removeMark(run, session)
    return
  }
  if (listed) {
    await run(session.common, ['worktree', 'unlock', session.worktree])
    await gitOutput(run, session.common, ['worktree', 'remove', session.worktree])
  }
  await deleteUnusedBranch(run, session)
  for (const folder of [session.worktree, path.dirname(session.worktree)]) await rmdir(folder).catch(() => undefined)
  await lists.remove(session.id)
  await dropRecord(records, session.id)
}

/** Deletes the branch, if this creation made it, it has no commit of its own, and no worktree has it checked out. */
async function deleteUnusedBranch(run: RunGit, session: SessionRecord): Promise<void> {
  const { common, branch, base } = session
  const isOwn = (await commitOf(run, common, markOf(session))) !== undefined
  const tip = await commitOf(run, common, `refs/heads/${branch}`)
  if (isOwn && tip === base && !(await isCheckedOut(run, session)))
    await gitOutput(run, common, ['update-ref', '-d', `refs/heads/${branch}`, base])
  await removeMark(run, session)
}

/** Checks out what an interrupted checkout left out. */
async function restoreMissingFiles({ run }: SessionDeps, session: SessionRecord): Promise<void> {
  const links = await linksOf(session)
  if (links === undefined) return
  const git = inWorktree(session, links)
  if ((await lstat(path.join(links.gitFolder, 'index')).catch(() => undefined)) === undefined)
    await gitOutput(run, session.worktree, [...git, 'read-tree', 'HEAD'])
  const missing = await gitLines(run, session.worktree, [...git, 'ls-files', '--deleted', '-z'])
  if (missing.length === 0) return
  const input = missing.map((file) => `${file}\0`).join('')
  await gitOutput(run, session.worktree, [...git, 'checkout-index', '--quiet', '-z', '--stdin'], { input })
}
