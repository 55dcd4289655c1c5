import type { WorktreeSessions } from '../core/worktreeSessions.ts'
import type { Platform } from '../appServices/platform.ts'
import type { SessionOverview } from '../core/sessionOverview.ts'
import type { Tries } from '../core/tries.ts'
import type { WorkspaceSwitcher } from '../workspaceServices/workspaceSwitcher.ts'
import type { Handlers } from '../core/coreContract.ts'

type OverviewRequest = `sessions.${'overview' | 'answer' | 'update' | 'archive' | 'stop' | 'open'}`
type SessionRequest = Exclude<Extract<keyof Handlers, `sessions.${string}`>, OverviewRequest>

/**
 * Handles requests about sessions in worktrees.
 *
 * @param root returns the open folder; throws ToolError no_workspace
 */
export function createSessionHandlers(
  sessions: WorktreeSessions,
  root: () => string,
  { closeHidden }: Pick<Platform, 'closeHidden'>,
  tries: Pick<Tries, 'start' | 'stop'>,
): Pick<Handlers, SessionRequest> {
  /** Sessions that are made in the window of a worktree belong to its repository. */
  const origin = () => sessions.originOf(root())
  return {
    async 'sessions.create'({ name }) {
      const { session, skipped } = await sessions.create({
        folder: await origin(),
        ...(name !== undefined && { name }),
      })
      await sessions.deferSetUp(session.id)
      return { worktree: session.worktree, name: session.name, skipped }
    },
    'sessions.startTries': async (task) => tries.start({ ...task, folder: await origin() }),
    'sessions.stopTries': ({ ids }) => tries.stop(ids),
    async 'sessions.list'() {
      const listed = await sessions.list(await origin())
      return listed.map(
        ({ id, name, worktree, branch, createdAt, archived, state, inUse, changed, hasWork, ignored }) => {
          return { id, name, worktree, branch, createdAt, archived, state, inUse, changed, hasWork, ignored }
        },
      )
    },
    'sessions.setUpCommand': async () => (await sessions.setUpCommand(await origin())) ?? null,
    'sessions.approveSetUp': async ({ command }) => sessions.approveSetUp(await origin(), command),
    async 'sessions.remove'({ id, confirmed }) {
      const removed = (await sessions.records([await origin()])).find((each) => each.id === id)
      if (removed) await closeHidden?.(removed.worktree)
      const kept = await sessions.remove(id, { confirmed })
      return kept && (await sessions.hasReference(kept)) ? kept.ref : null
    },
    async 'sessions.branch'({ id }) {
      const { incoming: _incoming, from: _from, ...branch } = await sessions.branch(id)
      return branch
    },
    'sessions.commit': ({ id, message }) => sessions.commit(id, message),
    'sessions.rebase': ({ id, allowProtected }) => sessions.rebase(id, { allowProtected }),
    'sessions.abortRebase': ({ id, confirmed }) => sessions.abortRebase(id, { confirmed }),
    'sessions.changes': ({ id }) => sessions.diff(id),
    'sessions.conflicts': ({ id, selection }) => sessions.conflicts(id, selection),
    'sessions.takeOver': ({ id, selection }) => sessions.takeOverSelected(id, selection),
  }
}

/** Handles requests of the sessions view, which lists and answers the sessions of all windows. */
export function createOverviewHandlers(
  overview: SessionOverview,
  { platform, session, open }: { platform: Pick<Platform, 'openWindow'> } & Pick<WorkspaceSwitcher, 'session' | 'open'>,
): Pick<Handlers, OverviewRequest> {
  return {
    'sessions.overview': ({ refresh }) => overview.rows(refresh),
    'sessions.answer': ({ jobId, text }) => overview.answer(jobId, text),
    'sessions.update': ({ conversation, ...change }) => overview.update(conversation, change),
    'sessions.archive': ({ id, archived }) => overview.archive(id, archived),
    'sessions.stop': ({ conversation }) => overview.stop(conversation),
    async 'sessions.open'({ folder, conversation }) {
      if (session()?.workspace.root !== folder) await (platform.openWindow?.(folder) ?? open(folder))
      if (conversation !== null) overview.show(folder, conversation)
    },
  }
}
