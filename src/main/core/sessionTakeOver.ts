import path from 'node:path'
import type { PlaceRules } from '../approval/placeRules.ts'
import { ToolError } from '../../shared/errors.ts'
import type { SessionDiff, TakenOver, TakeOverConflict } from '../../shared/git/sessionRequests.ts'
import { newLineEnds } from '../sessions/mergeChange.ts'
import { entryAt, type Entry, type SessionChange } from '../sessions/sessionChanges.ts'
import type { Sessions } from '../sessions/sessions.ts'
import type { WorkspaceSession } from '../workspaceServices/workspaceSession.ts'
import { diffOfChange, selectionOf, type ChosenChange } from './sessionDiff.ts'
import { conflicts, takeOver, type Resolutions, type Selection } from './takeOver.ts'

/** Changes of sessions, taken over into the open folder. */
export interface SessionTakeOver {
  /**
   * Applies changes of a session to the open folder, which is its repository, as a reviewed change.
   *
   * @throws ToolError `conflict` with each file that cannot be merged; nothing is written
   */
  takeOver(id: string, selection?: Selection): Promise<TakenOver>
  /** Like `takeOver`. @throws ToolError `conflict` also if a chosen file has changed since it was shown */
  takeOverSelected(id: string, chosen: readonly ChosenChange[] | undefined): Promise<TakenOver>
  /** Returns those of the chosen changes that cannot be merged. @throws ToolError like `takeOverSelected()` */
  conflicts(id: string, chosen: readonly ChosenChange[]): Promise<TakeOverConflict[]>
  /** Returns what a session has changed, to choose from. @throws ToolError `not_found` if the open folder is not its repository */
  diff(id: string): Promise<SessionDiff>
}

interface SessionTakeOverDeps {
  sessions: Sessions
  current(): WorkspaceSession
  /** Returns the open folder, if one is open. */
  openFolder(): string | undefined
  places(): PlaceRules
}

export function createSessionTakeOver({ sessions, current, openFolder, places }: SessionTakeOverDeps): SessionTakeOver {
  /** @throws ToolError `not_found` for a session of another repository */
  async function changesHere(id: string): Promise<Awaited<ReturnType<Sessions['changes']>>> {
    const { root } = current().workspace
    if ((await sessions.records([root])).some((each) => each.id === id)) return sessions.changes(id)
    throw new ToolError(
      'not_found',
      `This session does not belong to ${root}.`,
      'Open the repository that it was made from.',
    )
  }

  /** Returns the open folder's file if the session changed the line ends, which git may have done. */
  async function lineEndsHere(change: SessionChange): Promise<Entry | null> {
    const root = openFolder()
    if (root === undefined || newLineEnds(change, null) === undefined) return null
    const found = await entryAt(path.join(root, change.path)).catch(() => null)
    return typeof found === 'string' ? null : found
  }

  async function apply(
    { changes, skipped }: Awaited<ReturnType<Sessions['changes']>>,
    selection: Selection | undefined,
    resolutions?: Resolutions,
  ): Promise<TakenOver> {
    return { ...(await takeOver(current(), places(), changes, selection, resolutions)), skipped }
  }

  return {
    takeOver: async (id, selection) => apply(await changesHere(id), selection),
    async takeOverSelected(id, chosen) {
      const found = await changesHere(id)
      const resolutions = new Map(
        chosen?.flatMap(({ path: file, resolution }) => (resolution ? [[file, resolution] as const] : [])),
      )
      return apply(found, chosen && selectionOf(found.changes, chosen), resolutions)
    },
    async conflicts(id, chosen) {
      const { changes } = await changesHere(id)
      return conflicts(current(), changes, selectionOf(changes, chosen))
    },
    async diff(id) {
      const { changes, skipped } = await changesHere(id)
      const files = changes.map(async (change) => diffOfChange(change, places(), await lineEndsHere(change)))
      return { files: await Promise.all(files), skipped }
    },
  }
}
