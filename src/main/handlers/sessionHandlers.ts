import { ToolError } from '../../shared/errors.ts'
import { folderPaths, type WorkspaceRoots } from '../base/workspaceRoots.ts'
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
 * @param workspace returns the open one; throws ToolError no_workspace
 */
export function createSessionHandlers(
  sessions: WorktreeSessions,
  workspace: () => WorkspaceRoots,
  { closeHidden }: Pick<Platform, 'closeHidden'>,
  tries: Pick<Tries, 'start' | 'stop'>,
): Pick<Handlers, SessionRequest> {
  /** Sessions that are made in the window of a worktree belong to its repository. */
  const origin = (folder?: string) => sessions.originOf(repositoryFolder(workspace(), folder))
  /** A repository and its worktree, both in the workspace, have one origin. */
  const origins = async () => [
    ...new Set(await Promise.all(folderPaths(workspace()).map((folder) => sessions.originOf(folder)))),
  ]
  return {
    async 'sessions.create'({ name, folder }) {
      const { session, skipped } = await sessions.create({
        folder: await origin(folder),
        ...(name !== undefined && { name }),
      })
      await sessions.deferSetUp(session.id)
      return { worktree: session.worktree, name: session.name, skipped }
    },
    'sessions.startTries': async ({ folder, ...task }) => tries.start({ ...task, folder: await origin(folder) }),
    'sessions.stopTries': ({ ids }) => tries.stop(ids),
    async 'sessions.list'() {
      const listed = await Promise.all((await origins()).map((folder) => sessions.list(folder)))
      return listed
        .flat()
        .map(({ id, name, worktree, branch, createdAt, archived, state, inUse, changed, hasWork, ignored }) => {
          return { id, name, worktree, branch, createdAt, archived, state, inUse, changed, hasWork, ignored }
        })
    },
    'sessions.setUpCommand': async ({ folder }) => (await sessions.setUpCommand(await origin(folder))) ?? null,
    'sessions.approveSetUp': async ({ command, folder }) => sessions.approveSetUp(await origin(folder), command),
    async 'sessions.remove'({ id, confirmed }) {
      const removed = (await sessions.records(await origins())).find((each) => each.id === id)
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

/** Returns the folder whose repository a session belongs to. @param name a folder of a multi-root workspace */
function repositoryFolder({ root, folders }: WorkspaceRoots, name: string | undefined): string {
  if (folders === undefined) return root
  const found = folders.length === 1 ? folders[0] : folders.find((folder) => folder.name === name)
  if (found) return found.path
  throw new ToolError(
    'invalid_arguments',
    name === undefined
      ? 'The workspace has several folders, and a session works in one of them.'
      : `The workspace has no folder "${name}".`,
    `Choose one of: ${folders.map((folder) => folder.name).join(', ')}.`,
  )
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
