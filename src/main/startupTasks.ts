import type { DatabaseSync } from 'node:sqlite'
import { toFailure } from '../shared/errors.ts'
import type { Settings } from '../shared/settings.ts'
import { log } from './base/log/log.ts'
import type { CleanUp } from './history/cleanUp/cleanUp.ts'
import { fillSearchTexts } from './history/searchTexts.ts'
import type { Endpoints } from './model/endpoints/endpoints.ts'

/** Time limit for finding model servers at start, in milliseconds. */
const probeTimeout = 10_000

interface StartupTaskDeps {
  db: DatabaseSync
  endpoints: Pick<Endpoints, 'list'>
  settings(): Settings
  cleanUp: Pick<CleanUp, 'run'>
  warn(message: string): void
}

/**
 * Starts the one-time background tasks of a host with a window: finding model servers (the event `endpoints.changed`
 * reports them), deleting old conversations and completing the search index of conversations.
 * @returns a function that stops the tasks and resolves when none is running
 */
export function runStartupTasks({ db, endpoints, settings, cleanUp, warn }: StartupTaskDeps): () => Promise<void> {
  const stopping = new AbortController()

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
  const tasks = Promise.all([deleteOldConversations(), completeSearch()])
  return async () => {
    stopping.abort()
    await tasks
  }
}
