import type { DatabaseSync } from 'node:sqlite'
import { toFailure } from '../../shared/errors.ts'
import type { Settings } from '../../shared/settings/settings.ts'
import type { Agent } from '../agent/agent.ts'
import { log } from '../base/log/log.ts'
import { indexFileOf } from '../code/codeIndex.ts'
import { forgetCheckpoints } from '../history/checkpoints/checkpointStorage.ts'
import { type CleanUp, createCleanUp } from '../history/cleanUp/cleanUp.ts'
import { fillSearchTexts } from '../history/searchTexts.ts'
import type { Endpoints } from '../model/endpoints/endpoints.ts'
import { createUpdateCheck } from '../updates/updateCheck.ts'
import { sweepDeletedEntries } from '../workspace/deletedEntries.ts'
import type { WorkspaceSession } from '../workspaceServices/workspaceSession.ts'
import type { UserData } from '../appServices/userData.ts'

/** Maximum milliseconds for detecting model servers at start. */
const probeTimeout = 10_000

interface StartupTaskDeps {
  db: DatabaseSync
  endpoints: Pick<Endpoints, 'list'>
  settings(): Settings
  cleanUp: Pick<CleanUp, 'run'>
  warn(message: string): void
  /** Shows a notice about a newer version. `url`: its page. */
  inform(message: string, url?: string): void
  /** Calls the listener after each change of the settings. @returns a function that unsubscribes */
  onSettingsChanged(listener: () => void): () => void
  version: string
  userData: string
}

/**
 * Starts the one-time background tasks of a host with a window: detecting model servers (reported by the event
 * `endpoints.changed`), checking for updates, deleting old conversations and kept copies of deleted files, and
 * completing the conversation search index.
 * @returns a function that stops the tasks and resolves when none is running
 */
export function runStartupTasks(deps: StartupTaskDeps): () => Promise<void> {
  const { db, endpoints, settings, cleanUp, warn } = deps
  const stopping = new AbortController()
  const { version, userData, inform } = deps
  const updates = createUpdateCheck({ version, userData, feed: () => settings().updateFeed, notify: inform })
  const checkForUpdates = () =>
    void updates.checkIfDue().catch((error: unknown) => log.error('The update check failed', error))

  async function deleteOldConversations(): Promise<void> {
    const { maxAgeDays, maxMegabytes } = settings().history
    if (maxAgeDays === null && maxMegabytes === null) return
    try {
      await cleanUp.run(stopping.signal)
    } catch (error) {
      if (!stopping.signal.aborted) warn(`Old conversations were not deleted. ${toFailure(error).message}`)
    }
  }

  async function completeSearch(): Promise<void> {
    try {
      await fillSearchTexts(db, stopping.signal)
    } catch (error) {
      log.error('Search in old conversations is incomplete until the next start', error)
    }
  }

  endpoints
    .list({ probe: true }, AbortSignal.timeout(probeTimeout))
    .catch((error: unknown) => warn(toFailure(error).message))
  const sweep = sweepDeletedEntries(userData).catch((error: unknown) =>
    log.error('Copies of deleted files from an earlier process remain', error),
  )
  const tasks = Promise.all([deleteOldConversations(), completeSearch(), sweep])
  checkForUpdates()
  const unsubscribe = deps.onSettingsChanged(checkForUpdates)
  return async () => {
    unsubscribe()
    updates.stop()
    stopping.abort()
    await tasks
  }
}

interface StorageCleanUpDeps {
  userData: string
  data: Pick<UserData, 'db' | 'settings' | 'otherProcesses'>
  agent: Pick<Agent, 'inUse' | 'delete'>
  session(): WorkspaceSession | undefined
}

/** Cleans up stored data, except what the agent or the open folder uses. */
export function createStorageCleanUp({ userData, data, agent, session }: StorageCleanUpDeps): CleanUp {
  const { db, settings, otherProcesses } = data
  return createCleanUp({
    db,
    userData,
    otherProcesses,
    limits: () => settings.get().history,
    inUse: agent.inUse,
    deleteConversation: agent.delete,
    forgetCheckpoints(root, ids, sweep) {
      const open = session()
      if (open?.workspace.root === root) return open.checkpoints.forget(ids, sweep)
      return forgetCheckpoints({ db, root, userData }, ids, sweep)
    },
    openIndex() {
      const open = session()
      return open && indexFileOf(open.workspace.root, userData)
    },
  })
}
