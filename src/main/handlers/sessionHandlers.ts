import type { WorktreeSessions } from '../core/worktreeSessions.ts'
import type { Handlers } from './handlers.ts'

type SessionRequest = Extract<keyof Handlers, `sessions.${string}`>

/**
 * Handles requests about sessions in worktrees.
 *
 * @param root returns the open folder; throws ToolError no_workspace
 */
export function createSessionHandlers(sessions: WorktreeSessions, root: () => string): Pick<Handlers, SessionRequest> {
  return {
    async 'sessions.create'({ name }) {
      const { session, skipped } = await sessions.create({ folder: root(), ...(name !== undefined && { name }) })
      await sessions.deferSetUp(session.id)
      return { worktree: session.worktree, name: session.name, skipped }
    },
    async 'sessions.list'() {
      const folder = await sessions.originOf(root())
      const listed = await sessions.list(folder)
      return listed.map(({ id, name, worktree, branch, createdAt, archived, state, inUse, changed, hasWork }) => {
        return { id, name, worktree, branch, createdAt, archived, state, inUse, changed, hasWork }
      })
    },
    'sessions.setUpCommand': async () => (await sessions.setUpCommand(root())) ?? null,
    'sessions.approveSetUp': ({ command }) => sessions.approveSetUp(root(), command),
    'sessions.archive': ({ id, archived }) => sessions.archive(id, archived),
    async 'sessions.remove'({ id, confirmed }) {
      const kept = await sessions.remove(id, { confirmed })
      return kept && (await sessions.hasReference(kept)) ? kept.ref : null
    },
    'sessions.takeOver': ({ id }) => sessions.takeOver(id),
  }
}
