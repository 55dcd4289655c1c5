import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { HistorySettings } from '../../../shared/settings.ts'
import type { CleanUpSummary } from '../../../shared/storage.ts'
import { Sequencer } from '../../../shared/sequencer.ts'
import { runnerSchema, runsElsewhere } from '../conversationRunner.ts'
import { inWords, statement } from '../sqlStatement.ts'
import { conversationBytes, filesBelow } from './storageSizes.ts'

/**
 * Deletes old data under the limits of the settings: conversations with their checkpoints and images, checkpoints of no
 * conversation, and code indexes of folders that were not changed for long. Pinned conversations, conversations in use
 * and unsaved text stay.
 */
export interface CleanUp {
  /** What `run` would delete now. */
  plan(): Promise<CleanUpSummary>
  /** @returns what was deleted. Rejects with the first failure; what was deleted by then stays deleted */
  run(signal?: AbortSignal): Promise<CleanUpSummary>
}

export interface CleanUpDeps {
  db: DatabaseSync
  /** The user's data folder. */
  userData: string
  limits(): HistorySettings
  /** Conversations that this process uses now. */
  inUse(): readonly string[]
  deleteConversation(id: string): Promise<void>
  /** Deletes checkpoints of a folder; with `sweep` also the contents that nothing names any more. */
  forgetCheckpoints(workspace: string, ids: readonly number[], sweep: boolean): Promise<void>
  /** The database of the open folder's code index, absolute. */
  openIndex(): string | undefined
  /** How many other processes use the store. */
  otherProcesses(): number
}

interface Victims {
  conversations: { id: string; bytes: number }[]
  checkpoints: { id: number; workspace: string }[]
  /** Files of code indexes, absolute. */
  indexFiles: { path: string; bytes: number }[]
  sharedFilesKept: boolean
}

const dayMs = 24 * 60 * 60 * 1000
const megabyte = 1024 * 1024
/** Pages returned to the disk at once, so that other work gets a turn in between. */
const pagesFreed = 2_000

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

  /** The oldest first, until neither limit is exceeded. */
  function findConversations(before: number, maxBytes: number): { all: Set<string>; old: Victims['conversations'] } {
    const rows = listConversations.all()
    const inUse = new Set(deps.inUse())
    let total = rows.reduce((sum, row) => sum + Number(row.bytes), 0)
    const old: Victims['conversations'] = []
    for (const row of rows) {
      const [id, bytes] = [String(row.id), Number(row.bytes)]
      const stays = row.pinned === 1 || inUse.has(id) || isRunning(row.runner)
      if (stays || (Number(row.updated_at) >= before && total <= maxBytes)) continue
      old.push({ id, bytes })
      total -= bytes
    }
    return { all: new Set(rows.map((row) => String(row.id))), old }
  }

  async function find(): Promise<Victims> {
    const { maxAgeDays, maxMegabytes } = deps.limits()
    const before = maxAgeDays === null ? -Infinity : Date.now() - maxAgeDays * dayMs
    const { all, old } = findConversations(before, maxMegabytes === null ? Infinity : maxMegabytes * megabyte)
    const going = new Set(old.map(({ id }) => id))
    const checkpoints = listCheckpoints.all().flatMap((row) => {
      const conversation = row.conversation_id === null ? undefined : String(row.conversation_id)
      // A message can be gone back to as long as its conversation is kept.
      const ownerless = conversation === undefined || !all.has(conversation)
      const isOld = ownerless ? Number(row.at) < before : going.has(conversation)
      return isOld ? [{ id: Number(row.id), workspace: String(row.workspace) }] : []
    })
    // Another process may rely on contents that it has seen, and may have an index open.
    const sharedFilesKept = deps.otherProcesses() > 0
    return {
      conversations: old,
      checkpoints,
      indexFiles: sharedFilesKept ? [] : await findIndexes(before),
      sharedFilesKept,
    }
  }

  async function findIndexes(before: number): Promise<Victims['indexFiles']> {
    const files = await filesBelow(join(userData, 'code-index'))
    const recent = new Set(files.filter(({ changedAt }) => changedAt >= before).map(({ path }) => databaseOf(path)))
    return files.filter(({ path }) => !recent.has(databaseOf(path)) && databaseOf(path) !== deps.openIndex())
  }

  async function shrinkStore(signal?: AbortSignal): Promise<void> {
    for (let left = Number(freePages.get()?.freelist_count); left > 0 && !signal?.aborted; left -= pagesFreed) {
      inWords(() => db.exec(`PRAGMA incremental_vacuum(${pagesFreed})`))
      await nextTurn()
    }
  }

  /** Whether a conversation is there, not pinned and not used: the user may have changed that since it was found. */
  function stillGoing(id: string): boolean {
    return isPinned.get(id)?.pinned === 0 && !deps.inUse().includes(id)
  }

  async function run(signal?: AbortSignal): Promise<CleanUpSummary> {
    const victims = await find()
    for (const { id } of victims.conversations) {
      signal?.throwIfAborted()
      if (stillGoing(id)) await deps.deleteConversation(id)
      await nextTurn()
    }
    for (const [workspace, found] of Map.groupBy(victims.checkpoints, (checkpoint) => checkpoint.workspace)) {
      signal?.throwIfAborted()
      await deps.forgetCheckpoints(
        workspace,
        found.map(({ id }) => id),
        !victims.sharedFilesKept,
      )
    }
    for (const { path } of victims.indexFiles) {
      signal?.throwIfAborted()
      // A folder may have been opened meanwhile.
      if (databaseOf(path) !== deps.openIndex()) await rm(path, { force: true })
    }
    await shrinkStore(signal)
    return summaryOf(victims)
  }

  const runs = new Sequencer()
  return {
    plan: async () => summaryOf(await find()),
    run: (signal) => runs.queue(() => run(signal)),
  }
}
function summaryOf({ conversations, checkpoints, indexFiles, sharedFilesKept }: Victims): CleanUpSummary {
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

/** The database that a file beside it belongs to, e.g. `x.db-wal`. */
function databaseOf(path: string): string {
  return path.replace(/\.db.*$/, '.db')
}
