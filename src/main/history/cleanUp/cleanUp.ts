import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { HistorySettings } from '../../../shared/settings/settings.ts'
import type { CleanUpSummary } from '../../../shared/files/storage.ts'
import { Sequencer } from '../../../shared/async/sequencer.ts'
import { runnerSchema, runsElsewhere } from '../conversationRunner.ts'
import { withStoreErrors, statement } from '../sqlStatement.ts'
import { conversationBytes, filesBelow } from './storageSizes.ts'

/**
 * Deletes old data according to the limits in the settings: conversations with their checkpoints and images,
 * checkpoints without a conversation, and code indexes of folders without recent changes. Keeps pinned conversations,
 * conversations in use and unsaved text. The limits of a folder's checkpoints are in checkpoints/pruneCheckpoints.ts.
 */
export interface CleanUp {
  /** Returns what `run` would delete now. */
  plan(): Promise<CleanUpSummary>
  /** @returns what was deleted. Rejects on the first failure; earlier deletions stay */
  run(signal?: AbortSignal): Promise<CleanUpSummary>
}

export interface CleanUpDeps {
  db: DatabaseSync
  /** User data folder. */
  userData: string
  limits(): HistorySettings
  /** Ids of conversations used by this process. */
  inUse(): readonly string[]
  deleteConversation(id: string): Promise<void>
  /** Deletes checkpoints of a folder; with `sweep` also unreferenced blobs. */
  forgetCheckpoints(workspace: string, ids: readonly number[], sweep: boolean): Promise<void>
  /** Absolute path of the open folder's code index database. */
  openIndex(): string | undefined
  /** Number of other processes that use the store. */
  otherProcesses(): number
}

interface ExpiredData {
  conversations: { id: string; bytes: number }[]
  checkpoints: { id: number; workspace: string }[]
  /** Files of code indexes, absolute. */
  indexFiles: { path: string; bytes: number }[]
  sharedFilesKept: boolean
}

const dayMs = 24 * 60 * 60 * 1000
const megabyte = 1024 * 1024
/** Number of pages freed before yielding to other work. */
const maxFreedPages = 2_000

export function createCleanUp(deps: CleanUpDeps): CleanUp {
  const { db, userData } = deps
  const listConversations = statement(
    db,
    `SELECT id, updated_at, pinned, runner, coalesce(bytes, 0) AS bytes FROM conversations
     LEFT JOIN (${conversationBytes}) ON conversation_id = id ORDER BY updated_at`,
  )
  const listCheckpoints = statement(db, 'SELECT id, workspace, at, conversation_id FROM checkpoints')
  const isPinned = statement(db, 'SELECT pinned FROM conversations WHERE id = ?')
  const freePages = statement(db, 'PRAGMA freelist_count')

  /** Selects conversations, oldest first, until both limits are met. */
  function findConversations(
    before: number,
    maxBytes: number,
  ): { all: Set<string>; old: ExpiredData['conversations'] } {
    const rows = listConversations.all()
    const inUse = new Set(deps.inUse())
    let total = rows.reduce((sum, row) => sum + Number(row.bytes), 0)
    const old: ExpiredData['conversations'] = []
    for (const row of rows) {
      const [id, bytes] = [String(row.id), Number(row.bytes)]
      const isProtected = row.pinned === 1 || inUse.has(id) || isRunning(row.runner)
      if (isProtected || (Number(row.updated_at) >= before && total <= maxBytes)) continue
      old.push({ id, bytes })
      total -= bytes
    }
    return { all: new Set(rows.map((row) => String(row.id))), old }
  }

  async function find(): Promise<ExpiredData> {
    const { maxAgeDays, maxMegabytes } = deps.limits()
    const before = maxAgeDays === null ? -Infinity : Date.now() - maxAgeDays * dayMs
    const { all, old } = findConversations(before, maxMegabytes === null ? Infinity : maxMegabytes * megabyte)
    const expiredIds = new Set(old.map(({ id }) => id))
    const checkpoints = listCheckpoints.all().flatMap((row) => {
      const conversation = row.conversation_id === null ? undefined : String(row.conversation_id)
      // Checkpoints of messages are kept as long as their conversation.
      const withoutConversation = conversation === undefined || !all.has(conversation)
      const isOld = withoutConversation ? Number(row.at) < before : expiredIds.has(conversation)
      return isOld ? [{ id: Number(row.id), workspace: String(row.workspace) }] : []
    })
    // Another process may rely on stored blobs or have an index open.
    const sharedFilesKept = deps.otherProcesses() > 0
    return {
      conversations: old,
      checkpoints,
      indexFiles: sharedFilesKept ? [] : await findIndexes(before),
      sharedFilesKept,
    }
  }

  async function findIndexes(before: number): Promise<ExpiredData['indexFiles']> {
    const files = await filesBelow(join(userData, 'code-index'))
    const recent = new Set(files.filter(({ changedAt }) => changedAt >= before).map(({ path }) => databaseOf(path)))
    return files.filter(({ path }) => !recent.has(databaseOf(path)) && databaseOf(path) !== deps.openIndex())
  }

  async function shrinkStore(signal?: AbortSignal): Promise<void> {
    for (let left = Number(freePages.get()?.freelist_count); left > 0 && !signal?.aborted; left -= maxFreedPages) {
      withStoreErrors(() => db.exec(`PRAGMA incremental_vacuum(${maxFreedPages})`))
      await nextTurn()
    }
  }

  /** Whether a conversation still exists, unpinned and unused. The user may have changed that since it was selected. */
  function isStillExpired(id: string): boolean {
    return isPinned.get(id)?.pinned === 0 && !deps.inUse().includes(id)
  }

  async function run(signal?: AbortSignal): Promise<CleanUpSummary> {
    const expired = await find()
    for (const { id } of expired.conversations) {
      signal?.throwIfAborted()
      if (isStillExpired(id)) await deps.deleteConversation(id)
      await nextTurn()
    }
    for (const [workspace, found] of Map.groupBy(expired.checkpoints, (checkpoint) => checkpoint.workspace)) {
      signal?.throwIfAborted()
      await deps.forgetCheckpoints(
        workspace,
        found.map(({ id }) => id),
        !expired.sharedFilesKept,
      )
    }
    for (const { path } of expired.indexFiles) {
      signal?.throwIfAborted()
      // The folder may have been opened in the meantime.
      if (databaseOf(path) !== deps.openIndex()) await rm(path, { force: true })
    }
    await shrinkStore(signal)
    return summaryOf(expired)
  }

  const runs = new Sequencer()
  return {
    plan: async () => summaryOf(await find()),
    run: (signal) => runs.queue(() => run(signal)),
  }
}
function summaryOf({ conversations, checkpoints, indexFiles, sharedFilesKept }: ExpiredData): CleanUpSummary {
  const bytesOf = (all: readonly { bytes: number }[]) => all.reduce((sum, { bytes }) => sum + bytes, 0)
  return {
    conversations: { count: conversations.length, bytes: bytesOf(conversations) },
    checkpoints: checkpoints.length,
    codeIndex: { count: indexFiles.filter(({ path }) => path.endsWith('.db')).length, bytes: bytesOf(indexFiles) },
    sharedFilesKept,
  }
}

function isRunning(runner: unknown): boolean {
  return typeof runner === 'string' && runsElsewhere(runnerSchema.parse(JSON.parse(runner)))
}

/** Returns the database that a file belongs to, e.g. for `x.db-wal`. */
function databaseOf(path: string): string {
  return path.replace(/\.db.*$/, '.db')
}
