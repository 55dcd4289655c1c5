import { ToolError } from '../../shared/errors.ts'
import type { SessionSummary } from '../../shared/git/sessionRequests.ts'
import { log } from '../base/log/log.ts'
import { changeRecord } from './recordChanges.ts'
import type { CopyLists, SessionDeps } from './sessionDeps.ts'
import { linksOf, withCurrentBase } from './sessionGit.ts'
import type { SessionRecord } from './sessionRecords.ts'
import { changedSinceBase, isFolder, isOnlyHere, workOf } from './sessionWork.ts'
import { hasProcesses, isSameUser, mayRun, thisUser } from './worktreeProcesses.ts'

/** A session as the user sees it. */
export type SessionInfo = SessionSummary & Pick<SessionRecord, 'folder' | 'base' | 'conversation' | 'try'>

/** Whether a process may work in a session's worktree. */
export async function isInUse({ users, worktree }: SessionRecord): Promise<boolean> {
  return users.some(mayRun) || (await hasProcesses(worktree))
}

/**
 * Whether another process creates or removes a session. Called where this process changes no other session, so that a
 * record of its own is what a failure left.
 */
export function isBusy({ state, by }: SessionRecord): boolean {
  return state !== 'ready' && mayRun(by) && !isSameUser(by, thisUser())
}

/** @throws ToolError `conflict` if another process creates or removes a session */
export function refuseBusy(session: SessionRecord): void {
  if (isBusy(session))
    throw new ToolError('conflict', `The session "${session.name}" is being changed.`, 'Try again in a moment.')
}

/** Returns the error for a session that a process works in. */
export function inUseError({ name, worktree }: SessionRecord): ToolError {
  return new ToolError(
    'conflict',
    `The session "${name}" is in use: a window, terminal or program works in ${worktree}.`,
    'Close it, then try again.',
  )
}

/**
 * Marks a session as being created or removed by this process. The check and the mark are one change of the file, so
 * that of several processes only one gets it, and none that uses the worktree is overlooked.
 *
 * @throws ToolError `conflict` if another process changes or uses it, `not_found` if it was removed
 */
export async function claim(
  { records }: SessionDeps,
  id: string,
  state: 'creating' | 'removing',
): Promise<SessionRecord> {
  return changeRecord(records, id, (now) => {
    refuseBusy(now)
    if (now.users.some(mayRun)) throw inUseError(now)
    return { state, by: thisUser() }
  })
}

/** @throws ToolError `conflict` if the worktree is being removed */
export function refuseRemoving({ name, state }: SessionRecord): void {
  if (state === 'removing')
    throw new ToolError('conflict', `The session "${name}" is being removed.`, 'Create another session.')
}

async function stateOf(session: SessionRecord): Promise<SessionInfo['state']> {
  if (!(await isFolder(session.common))) return 'orphaned'
  if (session.state !== 'ready') return mayRun(session.by) ? session.state : 'interrupted'
  return (await linksOf(session)) === undefined ? 'missing' : 'ready'
}

export async function describeSession(
  { run }: SessionDeps,
  lists: CopyLists,
  record: SessionRecord,
): Promise<SessionInfo> {
  const session = await withCurrentBase(run, record)
  const { common: _common, by: _by, users: _users, onto: _onto, ...shown } = session
  const state = await stateOf(session)
  const [inUse, changed, work] = await Promise.all([
    isInUse(session),
    state === 'ready' ? changedSinceBase(run, session) : [],
    state === 'orphaned' ? undefined : lists.read(session.id).then((copied) => workOf(run, session, copied)),
  ])
  // Nobody can tell what an orphaned worktree contains.
  const hasWork = work ? isOnlyHere(work) : await isFolder(session.worktree)
  return { ...shown, state, inUse, changed, hasWork, ignored: work?.ignored ?? 0 }
}

/** Describes a session, also one of which git can read nothing, so that the others are listed. */
export async function describeOrReport(
  deps: SessionDeps,
  lists: CopyLists,
  session: SessionRecord,
): Promise<SessionInfo> {
  try {
    return await describeSession(deps, lists, session)
  } catch (error) {
    log.error(`The session "${session.name}" could not be read`, error)
    const { common: _common, by: _by, users: _users, onto: _onto, ...shown } = session
    return { ...shown, state: 'damaged', inUse: await isInUse(session), changed: [], hasWork: true, ignored: 0 }
  }
}

/** How many windows of this process use a worktree, by its folder. They share the mark in its record. */
const usesHere = new Map<string, number>()

/**
 * Marks a worktree as used by this process, until all windows that use it have ended that.
 *
 * @returns a function that ends this
 * @throws ToolError `conflict` if it is being removed
 */
export async function markUsed({ records }: SessionDeps, worktree: string): Promise<() => Promise<void>> {
  await records.reload()
  const session = records.value.sessions.find((each) => each.worktree === worktree)
  if (session === undefined) return async () => undefined
  const user = thisUser()
  const others = ({ users }: SessionRecord) => users.filter((each) => mayRun(each) && !isSameUser(each, user))
  /** @returns whether no window of this process uses it any more */
  const leave = (): boolean => {
    const left = (usesHere.get(worktree) ?? 1) - 1
    if (left > 0) usesHere.set(worktree, left)
    else usesHere.delete(worktree)
    return left <= 0
  }
  usesHere.set(worktree, (usesHere.get(worktree) ?? 0) + 1)
  try {
    await changeRecord(records, session.id, (now) => {
      refuseRemoving(now)
      return { users: [...others(now), user] }
    })
  } catch (error) {
    leave()
    throw error
  }
  return async () => {
    if (!leave()) return
    // It may have been removed.
    await changeRecord(records, session.id, (now) => ({ users: others(now) })).catch(() => undefined)
  }
}
