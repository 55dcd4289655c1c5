import type { WorktreeSessions } from '../core/worktreeSessions.ts'
import type { Handlers } from './handlers.ts'

type SessionRequest = Extract<keyof Handlers, `sessions.${string}`>

/**
 * Handles requests about sessions in worktrees.
 *
 * @param root returns the open folder; throws ToolError no_workspace
 */
export function createSessionHandlers(sessions: WorktreeSessions, root: () => string): Pick<Handlers, SessionRequest> {
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
    async 'sessions.list'() {
      const listed = await sessions.list(await origin())
      return listed.map(({ id, name, worktree, branch, createdAt, archived, state, inUse, changed, hasWork }) => {
        return { id, name, worktree, branch, createdAt, archived, state, inUse, changed, hasWork }
      })
    },
    'sessions.setUpCommand': async () => (await sessions.setUpCommand(await origin())) ?? null,
    'sessions.approveSetUp': async ({ command }) => sessions.approveSetUp(await origin(), command),
    'sessions.archive': ({ id, archived }) => sessions.archive(id, archived),
    async 'sessions.remove'({ id, confirmed }) {
      const kept = await sessions.remove(id, { confirmed })
      return kept && (await sessions.hasReference(kept)) ? kept.ref : null
    },
    'sessions.takeOver': ({ id }) => sessions.takeOver(id),
  }
}
