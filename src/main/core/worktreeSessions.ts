import path from 'node:path'
import { ToolError } from '../../shared/errors.ts'
import type { SetUpCommand } from '../../shared/git/sessionRequests.ts'
import { readUnlinkedFile } from '../base/unlinkedFile.ts'
import type { TryResult } from '../../shared/agent/sessionTries.ts'
import type { SessionRecord } from '../sessions/sessionRecords.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { createTries, failTry, finishTry, type NewTries, type TriedTurn } from '../sessions/tries.ts'
import type { PlaceRules } from '../approval/placeRules.ts'
import { createSessionBranches, type SessionBranches, type SessionBranchesDeps } from './sessionBranches.ts'
import { createSessionTakeOver, type SessionTakeOver } from './sessionTakeOver.ts'
import { parseFolderSettings } from '../settings/settingsDocument.ts'
import type { FolderTrust } from '../settings/folderTrust.ts'
import type { TrustStore, TrustSubject } from '../settings/trustStore.ts'
import type { WorkspaceSession } from '../workspaceServices/workspaceSession.ts'

/** Sessions of the process, with what they do in the open folder. */
export interface WorktreeSessions extends Omit<Sessions, 'branch'>, SessionBranches, SessionTakeOver {
  /** Returns the repository's folder for the worktree of a session; any other folder unchanged. */
  originOf(folder: string): Promise<string>
  /** Runs the approved set-up command if the open folder is a new worktree that waits for it. */
  setUpOpened(): Promise<void>
  /** Returns the set-up command in a folder's `.tizona/settings.json`; undefined if there is none. */
  setUpCommand(folder: string): Promise<SetUpCommand | undefined>
  /** Stores the user's approval of a folder's set-up command, until the command changes. */
  approveSetUp(folder: string, command: string): Promise<void>
  /**
   * Runs the approved set-up command in the open folder, which is the session's worktree, in the sandbox.
   *
   * @returns exit code and output; undefined if there is no command
   * @throws ToolError `refused` if it is not approved or there is no sandbox
   */
  setUp(session: SessionRecord, signal: AbortSignal): Promise<CommandResult | undefined>
  /** Makes a session for each try. @throws like `create`; no session is left */
  createTries(request: NewTries): ReturnType<typeof createTries>
  /** Runs the test of a try in the open folder, which is its worktree, in the sandbox, and stores what came of the try. */
  finishTry(session: SessionRecord, turn: TriedTurn, signal: AbortSignal): Promise<TryResult>
  /** Stores why a try failed before or outside its turn, unless it is stored already. @returns what is stored */
  failTry(id: string, error: unknown): Promise<TryResult>
}

interface CommandResult {
  exitCode: number | null
  output: string
}

interface WorktreeSessionsDeps extends Pick<SessionBranchesDeps, 'operations' | 'isWorking' | 'trustAll'> {
  sessions: Sessions
  trust: TrustStore
  folderTrust: FolderTrust
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
  folderTrust,
  ...branches
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

  return {
    ...sessions,
    ...createSessionTakeOver({ sessions, current, openFolder, places }),
    ...createSessionBranches({ ...branches, sessions, current, places, trust: folderTrust }),
    setUpCommand,
    approveSetUp: (folder, command) => trust.decide(subjectOf(folder, command), true),
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
    createTries: (request) => createTries(sessions, request),
    finishTry: (session, turn, signal) =>
      finishTry(sessions, session, turn, (command) => runInSandbox(command, signal)),
    failTry: (id, error) => failTry(sessions, id, error),
  }
}
