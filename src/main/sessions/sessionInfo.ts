import type { SessionSummary } from '../../shared/git/sessionRequests.ts'
import { changeRecord } from './recordChanges.ts'
import type { CopyLists, SessionDeps } from './sessionDeps.ts'
import { linksOf } from './sessionGit.ts'
import type { SessionRecord } from './sessionRecords.ts'
import { changedSinceBase, isFolder, isOnlyHere, workOf } from './sessionWork.ts'
import { hasProcesses, isSameUser, mayRun, thisUser } from './worktreeProcesses.ts'

/** A session as the user sees it. */
export type SessionInfo = SessionSummary & Pick<SessionRecord, 'folder' | 'base' | 'conversation'>

/** Whether a process may work in a session's worktree. */
export async function isInUse({ users, worktree }: SessionRecord): Promise<boolean> {
  return users.some(mayRun) || (await hasProcesses(worktree))
}

async function stateOf(session: SessionRecord): Promise<SessionInfo['state']> {
  if (!(await isFolder(session.common))) return 'orphaned'
  if (session.state !== 'ready') return mayRun(session.by) ? session.state : 'interrupted'
  return (await linksOf(session)) === undefined ? 'missing' : 'ready'
}

export async function describeSession(
  { run }: SessionDeps,
  lists: CopyLists,
  session: SessionRecord,
): Promise<SessionInfo> {
  const { common: _common, by: _by, users: _users, ...shown } = session
  const state = await stateOf(session)
  const [inUse, changed, work] = await Promise.all([
    isInUse(session),
    state === 'ready' ? changedSinceBase(run, session) : [],
    state === 'orphaned' ? undefined : lists.read(session.id).then((copied) => workOf(run, session, copied)),
  ])
  // Nobody can tell what an orphaned worktree contains.
  return { ...shown, state, inUse, changed, hasWork: work ? isOnlyHere(work) : await isFolder(session.worktree) }
}

/** Marks a worktree as used by this process. @returns a function that ends this */
export async function markUsed({ records }: SessionDeps, worktree: string): Promise<() => Promise<void>> {
  await records.reload()
  const session = records.value.sessions.find((each) => each.worktree === worktree)
  if (session === undefined) return async () => undefined
  const user = thisUser()
  const others = ({ users }: SessionRecord) => users.filter((each) => mayRun(each) && !isSameUser(each, user))
  await changeRecord(records, session.id, (now) => ({ users: [...others(now), user] }))
  return async () => {
    // It may have been removed.
    await changeRecord(records, session.id, (now) => ({ users: others(now) })).catch(() => undefined)
  }
}
