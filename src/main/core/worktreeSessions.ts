import path from 'node:path'
import { ToolError } from '../../shared/errors.ts'
import type { SessionDiff, SetUpCommand, TakenOver } from '../../shared/git/sessionRequests.ts'
import { readUnlinkedFile } from '../base/unlinkedFile.ts'
import { newLineEnds } from '../sessions/mergeChange.ts'
import { entryAt, type Entry, type SessionChange } from '../sessions/sessionChanges.ts'
import type { SessionRecord } from '../sessions/sessionRecords.ts'
import type { Sessions } from '../sessions/sessions.ts'
import type { PlaceRules } from '../approval/placeRules.ts'
import { diffOfChange, selectionOf, type ChosenChange } from './sessionDiff.ts'
import { takeOver, type Selection } from './takeOver.ts'
import { parseFolderSettings } from '../settings/settingsDocument.ts'
import type { TrustStore, TrustSubject } from '../settings/trustStore.ts'
import type { WorkspaceSession } from '../workspaceServices/workspaceSession.ts'

export interface WorktreeSessions extends Sessions {
  /** Returns the repository's folder for the worktree of a session; any other folder unchanged. */
  originOf(folder: string): Promise<string>
  /** Runs the approved set-up command if the open folder is a new worktree that waits for it. */
  setUpOpened(): Promise<void>
  /** Returns the set-up command in a folder's `.tizona/settings.json`; undefined if there is none. */
  setUpCommand(folder: string): Promise<SetUpCommand | undefined>
  /** Stores the user's approval of a folder's set-up command, until the command changes. */
  approveSetUp(folder: string, command: string): Promise<void>
  /**
   * Applies changes of a session to the open folder, which is its repository, as a reviewed change.
   *
   * @throws ToolError `conflict` with each file that cannot be merged; nothing is written
   */
  takeOver(id: string, selection?: Selection): Promise<TakenOver>
  /** Like `takeOver`. @throws ToolError `conflict` also if a chosen file has changed since it was shown */
  takeOverSelected(id: string, chosen: readonly ChosenChange[] | undefined): Promise<TakenOver>
  /** Returns what a session has changed, to choose from. @throws ToolError `not_found` if the open folder is not its repository */
  diff(id: string): Promise<SessionDiff>
  /**
   * Runs the approved set-up command in the open folder, which is the session's worktree, in the sandbox.
   *
   * @returns exit code and output; undefined if there is no command
   * @throws ToolError `refused` if it is not approved or there is no sandbox
   */
  setUp(session: SessionRecord, signal: AbortSignal): Promise<CommandResult | undefined>
  /**
   * Runs a command that the user gave in the open folder, in the sandbox.
   *
   * @throws ToolError `refused` if there is no sandbox
   */
  check(command: string, signal: AbortSignal): Promise<CommandResult>
}

interface CommandResult {
  exitCode: number | null
  output: string
}

interface WorktreeSessionsDeps {
  sessions: Sessions
  trust: TrustStore
  current(): WorkspaceSession
  /** Returns the open folder, if one is open. */
  openFolder(): string | undefined
  places(): PlaceRules
}

/** Time limit of a set-up command or a check in milliseconds. */
const commandTimeout = 30 * 60_000

export function createWorktreeSessions({
  sessions,
  trust,
  current,
  openFolder,
  places,
}: WorktreeSessionsDeps): WorktreeSessions {
  const subjectOf = (folder: string, command: string): TrustSubject => ({
    workspace: folder,
    kind: 'setUp',
    name: 'worktree',
    definition: { command },
  })

  async function setUpCommand(folder: string): Promise<SetUpCommand | undefined> {
    const text = await readUnlinkedFile(path.join(folder, '.tizona', 'settings.json'))
    const command = text === '' ? undefined : parseFolderSettings(text).settings.sessions?.setUp?.trim()
    if (command === undefined || command === '') return undefined
    return { command, approved: trust.check(subjectOf(folder, command)).state === 'trusted' }
  }

  async function runInSandbox(command: string, signal: AbortSignal): Promise<CommandResult> {
    const { jobs, workspace } = current()
    const sandbox = await jobs.plan(command, 'sandbox')
    if (!sandbox.sandboxed)
      throw new ToolError(
        'refused',
        `The command was not run, because there is no sandbox (${sandbox.reason}): ${command}`,
        'Run the command yourself in the worktree.',
      )
    const request = { run: { command }, cwd: workspace.root, timeoutMs: commandTimeout, sandbox }
    const { job, output } = await jobs.run(request, signal)
    // It waits for input, which nobody can give.
    if (job.exitCode === undefined) await jobs.stop(job.id)
    return { exitCode: job.exitCode ?? null, output }
  }

  async function setUp({ folder }: SessionRecord, signal: AbortSignal): Promise<CommandResult | undefined> {
    const found = await setUpCommand(folder)
    if (found === undefined) return undefined
    const { command, approved } = found
    if (!approved)
      throw new ToolError(
        'refused',
        `The set-up command of this folder is not approved: ${command}`,
        'Approve it once, or run the command yourself in the worktree.',
      )
    return runInSandbox(command, signal)
  }

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
  ): Promise<TakenOver> {
    return { ...(await takeOver(current(), places(), changes, selection)), skipped }
  }

  return {
    ...sessions,
    setUpCommand,
    approveSetUp: (folder, command) => trust.decide(subjectOf(folder, command), true),
    takeOver: async (id, selection) => apply(await changesHere(id), selection),
    async takeOverSelected(id, chosen) {
      const found = await changesHere(id)
      return apply(found, chosen && selectionOf(found.changes, chosen))
    },
    async diff(id) {
      const { changes, skipped } = await changesHere(id)
      const files = changes.map(async (change) => diffOfChange(change, places(), await lineEndsHere(change)))
      return { files: await Promise.all(files), skipped }
    },
    originOf: async (folder) => (await sessions.sessionAt(folder))?.folder ?? folder,
    async setUpOpened() {
      const root = openFolder()
      const session = root === undefined ? undefined : await sessions.sessionAt(root)
      if (session?.setUpPending !== true) return
      // Once, whatever its result.
      await sessions.deferSetUp(session.id, false)
      if ((await setUpCommand(session.folder))?.approved !== true) return
      const result = await setUp(session, new AbortController().signal)
      if (result?.exitCode !== 0)
        throw new ToolError(
          'io_error',
          'The set-up command of this worktree failed.',
          'Its output is in the terminal panel.',
        )
    },
    setUp,
    check: runInSandbox,
  }
}
