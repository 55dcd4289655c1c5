import { homedir } from 'node:os'
import path from 'node:path'
import { Sequencer } from '../../shared/async/sequencer.ts'
import type { LineHunk } from '../../shared/diff/lineHunks.ts'
import { ToolError } from '../../shared/errors.ts'
import type { TryResult } from '../../shared/agent/sessionTries.ts'
import { createCopyLists } from './copyLists.ts'
import { createWorktree, finishCreation, type NewSession } from './createWorktree.ts'
import { hunksOfChange } from './mergeChange.ts'
import { changeRecord, dropRecord } from './recordChanges.ts'
import { expireWork } from './keptWork.ts'
import { finishRemoval, refusal } from './removeWorktree.ts'
import { readBranch, type BranchState } from './sessionBranch.ts'
import type { CopyLists, SessionDeps } from './sessionDeps.ts'
import {
  claim,
  describeOrReport,
  describeSession,
  inUseError,
  isBusy,
  isInUse,
  markUsed,
  refuseBusy,
  type SessionInfo,
} from './sessionInfo.ts'
import { readChanges, type SessionChange, type SessionChanges } from './sessionChanges.ts'
import type { KeptWork, SessionRecord } from './sessionRecords.ts'
import { commitOf, linksOf, repairLinks, withCurrentBase, type RunGit } from './sessionGit.ts'
import { isFolder, isOnlyHere, workOf } from './sessionWork.ts'
import { hasProcesses } from './worktreeProcesses.ts'

/** A change with its hunks; undefined if it can only be taken over as a whole. */
type ShownChange = SessionChange & { hunks: LineHunk[] | undefined }

/** Worktrees that Tizona made. It changes and removes no others. */
export interface Sessions {
  /** @returns the session, and matching files that were not copied because they lead outside or exist */
  create(request: NewSession): Promise<{ session: SessionRecord; skipped: string[] }>
  /** @param folder root of the repository. Default: all. */
  list(folder?: string): Promise<SessionInfo[]>
  /** Lists the stored sessions of repositories, without asking git. @param folders their roots */
  records(folders: readonly string[]): Promise<SessionRecord[]>
  /** @throws ToolError `not_found` */
  find(name: string, folder?: string): Promise<SessionRecord>
  /** Returns what a session has changed since its base commit. @throws ToolError `not_found` */
  changes(id: string): Promise<Pick<SessionChanges, 'skipped'> & { changes: ShownChange[] }>
  /** Compares a session's branch with that of its repository's folder. @throws ToolError `not_found` */
  branch(id: string): Promise<BranchState>
  /** Makes the changes of a session count from a commit once its history contains it, because it is rebased onto it. */
  rebaseOnto(id: string, commit: string): Promise<void>
  /** Makes git run no hooks while a merge or rebase of a commit of the session is unfinished. */
  stopHooks(id: string, commit: string): Promise<void>
  archive(id: string, archived: boolean): Promise<void>
  /** Makes the set-up command run when a window opens the worktree, or cancels that. */
  deferSetUp(id: string, pending?: boolean): Promise<void>
  /** Returns the session that a folder is the worktree of. */
  sessionAt(worktree: string): Promise<SessionRecord | undefined>
  setConversation(id: string, conversation: string): Promise<void>
  /** Stores what came of a try. */
  endTry(id: string, result: TryResult): Promise<void>
  /**
   * Removes a worktree and its branch.
   *
   * @returns work that was nowhere else, which is kept for 30 days
   * @throws ToolError `conflict` if it has such work or its worktree is missing, and this was not confirmed, or if a
   * process uses it
   */
  remove(id: string, options?: { confirmed?: boolean }): Promise<KeptWork | undefined>
  /**
   * Returns the sessions that nobody needs any more: whose conversation is gone, and that no process uses. Leaves out
   * archived ones, and those without a recorded conversation, because a window does not record its conversations.
   *
   * @param hasConversation whether a conversation still exists
   */
  sweepable(
    hasConversation: (conversation: string) => boolean | Promise<boolean>,
    folder?: string,
  ): Promise<SessionInfo[]>
  /** Returns the kept work of removed sessions. */
  kept(folder?: string): KeptWork[]
  /** Whether git has the reference of kept work. Otherwise only copies of ignored files are kept. */
  hasReference(work: KeptWork): Promise<boolean>
  /**
   * Marks a worktree as used by this process.
   *
   * @returns a function that ends this
   * @throws ToolError `conflict` if it is being removed
   */
  use(worktree: string): Promise<() => Promise<void>>
  /** Completes what a killed process left, and forgets work that was kept long enough. */
  recover(): Promise<void>
}

/** Creations and removals of this process: its windows share the records. */
const changes = new Sequencer()

export function createSessions(given: SessionDeps): Sessions {
  const deps = { ...given, worktrees: () => absoluteFolder(given.worktrees()) }
  const { records, run, step } = deps
  const lists = createCopyLists(deps.storage)

  async function all(folder?: string): Promise<SessionRecord[]> {
    await records.reload()
    return records.value.sessions.filter((session) => folder === undefined || session.folder === folder)
  }

  async function byId(id: string): Promise<SessionRecord> {
    const found = (await all()).find((session) => session.id === id)
    if (found) return found
    throw new ToolError('not_found', 'This session does not exist any more.', 'List the sessions again.')
  }

  async function remove(id: string, confirmed: boolean): Promise<KeptWork | undefined> {
    const session = await byId(id)
    refuseBusy(session)
    if (await isInUse(session)) throw inUseError(session)
    if (!(await isFolder(session.common))) return forget(session, confirmed)
    if (session.state === 'creating') await finishCreation(deps, await claim(deps, id, 'creating'))
    const current = (await all()).find((other) => other.id === id)
    // Its creation had left nothing.
    if (current === undefined) return undefined
    await refuseUnfinishedMerge(run, current)
    // Without its `.git` file, nobody would see the work in it.
    if (await isFolder(current.worktree)) await repairLinks(run, current)
    if (!confirmed && current.state === 'ready' && (await linksOf(current)) === undefined) throw missingError(current)
    const work = await workOf(run, current, await lists.read(id))
    if (!confirmed && isOnlyHere(work)) throw refusal(current, work)
    step?.('removing')
    const removing = await claim(deps, id, 'removing')
    // A program may have started while git looked for work.
    if (await hasProcesses(current.worktree)) {
      await changeRecord(records, id, { state: current.state })
      throw inUseError(current)
    }
    return finishRemoval(deps, lists, removing)
  }

  /** Forgets a worktree whose repository is gone. Its folder stays, because git cannot tell what is in it. */
  async function forget(session: SessionRecord, confirmed: boolean): Promise<undefined> {
    if (!confirmed)
      throw new ToolError(
        'conflict',
        `The repository of "${session.name}" is gone: ${session.common}.`,
        `Confirm to forget the session. Its folder ${session.worktree} stays and can be deleted by hand.`,
      )
    await lists.remove(session.id)
    await dropRecord(records, session.id)
  }

  return {
    create: (request) => changes.queue(() => createWorktree(deps, lists, request)),
    list: async (folder) => Promise.all((await all(folder)).map((session) => describeOrReport(deps, lists, session))),
    records: async (folders) => (await all()).filter(({ folder }) => folders.includes(folder)),
    async find(name, folder) {
      const found = (await all(folder)).filter((session) => session.name === name || session.id === name)
      const [session, other] = found
      if (session && !other) return session
      throw session
        ? new ToolError(
            'invalid_arguments',
            `Several repositories have a session "${name}".`,
            'Name the repository with --workspace.',
          )
        : new ToolError('not_found', `There is no session "${name}".`, '"tizona sessions list" lists the sessions.')
    },
    async changes(id) {
      const found = await readChanges(run, await withCurrentBase(run, await byId(id)))
      return { ...found, changes: found.changes.map((change) => ({ ...change, hunks: hunksOfChange(change) })) }
    },
    branch: async (id) => readBranch(run, await byId(id)),
    rebaseOnto: async (id, onto) => {
      const { base } = await withCurrentBase(run, await byId(id))
      await changeRecord(records, id, { base, onto })
    },
    stopHooks: async (id, withoutHooks) => void (await changeRecord(records, id, { withoutHooks })),
    archive: async (id, archived) => void (await changeRecord(records, id, { archived })),
    deferSetUp: async (id, setUpPending = true) => void (await changeRecord(records, id, { setUpPending })),
    sessionAt: async (worktree) => (await all()).find((session) => session.worktree === worktree),
    setConversation: async (id, conversation) => void (await changeRecord(records, id, { conversation })),
    endTry: async (id, result) =>
      void (await changeRecord(records, id, (now) => (now.try ? { try: { ...now.try, result } } : {}))),
    remove: (id, { confirmed = false } = {}) => changes.queue(() => remove(id, confirmed)),
    sweepable: async (hasConversation, folder) =>
      withoutConversation(
        await Promise.all((await all(folder)).map((session) => describeSession(deps, lists, session))),
        hasConversation,
      ),
    kept: (folder) => records.value.kept.filter((work) => folder === undefined || work.folder === folder),
    hasReference: async ({ common, ref }) =>
      (await isFolder(common)) && (await commitOf(run, common, ref)) !== undefined,
    use: (worktree) => markUsed(deps, worktree),
    recover: () =>
      changes.queue(async () => {
        const problems: unknown[] = []
        // One that cannot be finished, for example on a disk that is absent, must not keep the others.
        for (const session of await all())
          await finish(deps, lists, session).catch((error: unknown) => problems.push(error))
        for (const work of records.value.kept) await expireWork(deps, work)
        if (problems.length > 0) throw problems[0]
      }),
  }
}

/** Completes what a killed process left of a session. */
async function finish(deps: SessionDeps, lists: CopyLists, session: SessionRecord): Promise<void> {
  if (session.state === 'ready' || isBusy(session)) return
  // Git goes on when the Tizona that started it is killed.
  if (!(await isFolder(session.common)) || (await isInUse(session))) return
  const claimed = await claim(deps, session.id, session.state).catch(ignoreFaster)
  if (claimed?.state === 'creating') await finishCreation(deps, claimed)
  else if (claimed) await finishRemoval(deps, lists, claimed)
}

/** Returns the sessions that nobody uses and whose recorded conversation is gone. */
async function withoutConversation(
  sessions: readonly SessionInfo[],
  hasConversation: Parameters<Sessions['sweepable']>[0],
): Promise<SessionInfo[]> {
  const offered: SessionInfo[] = []
  for (const session of sessions) {
    const { archived, conversation, inUse, state } = session
    if (state !== 'ready' || inUse || archived || conversation === undefined) continue
    if (!(await hasConversation(conversation))) offered.push(session)
  }
  return offered
}

/**
 * A merge that the user allowed without hooks only must be finished first, because the record says so.
 *
 * @throws ToolError `conflict`
 */
async function refuseUnfinishedMerge(run: RunGit, { name, folder, withoutHooks }: SessionRecord): Promise<void> {
  if (withoutHooks === undefined || (await commitOf(run, folder, 'MERGE_HEAD')) !== withoutHooks) return
  throw new ToolError(
    'conflict',
    `The merge of "${name}" is not finished in ${folder}, so the session was not removed.`,
    'Commit or abort the merge first.',
  )
}

function missingError({ name, worktree }: SessionRecord): ToolError {
  return new ToolError(
    'conflict',
    `The worktree of "${name}" is missing: ${worktree}.`,
    'If the folder is only moved or on a disk that is absent, bring it back. Otherwise confirm the removal.',
  )
}

/** Ignores that another process claimed or removed a session first. */
function ignoreFaster(error: unknown): undefined {
  if (!(error instanceof ToolError && (error.code === 'conflict' || error.code === 'not_found'))) throw error
}

/** Expands `~` in the folder for worktrees. @throws ToolError `invalid_arguments` for a relative path */
function absoluteFolder(folder: string): string {
  const expanded = /^~(?=$|[/\\])/.test(folder) ? path.join(homedir(), folder.slice(1)) : folder
  if (path.isAbsolute(expanded)) return expanded
  throw new ToolError(
    'invalid_arguments',
    `The folder for worktrees, ${folder}, is not an absolute path.`,
    'Choose an absolute path in the settings: sessions.folder.',
  )
}
