import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { hash } from 'node:crypto'
import { z } from 'zod'
import { ToolError } from '../../../shared/errors.ts'
import { inTransaction, statement } from '../sqlStatement.ts'
import { childPath, entrySchema, type Entry, type FileEntry, type Tree } from './entries.ts'

/** A restorable state of the workspace, or of some of its paths. */
export interface Checkpoint {
  id: number
  /** Milliseconds since the epoch. */
  at: number
  reason: string
  conversationId?: string
  turnId?: string
  /** Limited to these paths and everything inside them; undefined for the whole workspace. */
  paths?: string[]
  /** Number of stored files and links. */
  files: number
  /** Number of entries that were not stored. */
  omittedCount: number
}

/** A content of a file in checkpoints. */
export interface CheckpointVersion {
  /** The oldest checkpoint with this content, unless another content is between it and a newer one. */
  checkpoint: Checkpoint
  file: FileEntry
}

export interface TakeRequest {
  /** Short reason, shown in lists. */
  reason: string
  conversationId?: string
  turnId?: string
  /** Limits the checkpoint to these paths and everything inside them. Relative to the workspace with `/` separators. */
  paths?: readonly string[]
}

export interface TakenCheckpoint extends Checkpoint {
  /** Number of files read. */
  hashed: number
  /** Entries that were not stored, at most 100. */
  omitted: { path: string; why: string }[]
}

/** Serialized entries of a folder, sorted by name. */
export interface Folder {
  hash: string
  entries: string
}

/** Checkpoints of one workspace and their folders, in the shared database. */
export interface Manifests {
  /**
   * Stores new folders, so that the next checkpoint finds them. Until it does, `referencedContents` may delete them.
   */
  addFolders(folders: ReadonlyMap<string, () => string>): Promise<void>
  /** Stores new folders by hash, and the checkpoint, in one transaction. Store the referenced blobs first. */
  add(checkpoint: Omit<Checkpoint, 'id'>, root: string, folders: ReadonlyMap<string, () => string>): Checkpoint
  /** Returns a checkpoint and the hash of its root folder. */
  get(id: number): { checkpoint: Checkpoint; root: string } | undefined
  /** Lists the checkpoints, newest first. */
  list(): Checkpoint[]
  /** Whether a folder is stored, given its hash. */
  hasFolder(folder: string): boolean
  /** Returns all entries inside a root folder, given its hash. @throws ToolError `not_found` if it is not stored */
  tree(root: string): Promise<Tree>
  /** Returns the entry of a path inside a root folder. Reads only the folders above it. */
  entry(root: string, path: string): Entry | undefined
  /** Deletes the `count` oldest checkpoints. */
  removeOldest(count: number): void
  /** Deletes these checkpoints if they belong to this workspace. */
  remove(ids: readonly number[]): void
  /**
   * Returns the hashes of all blobs that a checkpoint, review or local history references. Deletes folders that neither a checkpoint
   * nor the state before a running call contains.
   */
  referencedContents(): Promise<Set<string>>
}

type VisitFolder = (place: string, entries: readonly Entry[]) => void

const entriesSchema = z.array(entrySchema)
const namedSchema = z.array(z.looseObject({ name: z.string() }))
const pathsSchema = z.array(z.string())
/** Number of folders processed before yielding to other work. */
const foldersAtOnce = 50

/** Serializes the entries of a folder. Equal folders have equal hashes, so an unchanged folder needs no new row. */
export function serializeFolder(entries: readonly Entry[]): Folder {
  const sorted = entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  const text = JSON.stringify(sorted)
  return { hash: hash('sha256', text), entries: text }
}

export function createManifests(db: DatabaseSync, workspace: string): Manifests {
  const insert = statement(
    db,
    `INSERT INTO checkpoints (workspace, at, reason, conversation_id, turn_id, paths, root, files, not_kept)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const select = statement(db, 'SELECT * FROM checkpoints WHERE workspace = ? AND id = ?')
  const selectAll = statement(db, 'SELECT * FROM checkpoints WHERE workspace = ? ORDER BY id DESC')
  const contentsOfOthers = otherContents(db, workspace)
  const selectHashes = statement(db, 'SELECT hash FROM checkpoint_folders WHERE workspace = ?')
  const selectCalls = statement(
    db,
    "SELECT json FROM review_state WHERE workspace = ? AND kind = 'state' AND key LIKE 'call/%'",
  )
  const { entriesOf, entryAt, has, insertNew } = folderRows(db, workspace)
  const removeFolder = statement(db, 'DELETE FROM checkpoint_folders WHERE workspace = ? AND hash = ?')
  const removeOne = statement(db, 'DELETE FROM checkpoints WHERE workspace = ? AND id = ?')
  const removeOldest = statement(
    db,
    'DELETE FROM checkpoints WHERE id IN (SELECT id FROM checkpoints WHERE workspace = ? ORDER BY id LIMIT ?)',
  )

  /** Visits the folders inside a root. @param enters returns whether to enter the folder with a hash */
  async function walk(root: string, enters: (folder: string) => boolean, visit: VisitFolder): Promise<void> {
    const waiting = [{ place: '.', folder: root }]
    let read = 0
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      const { place, folder } = next
      if (!enters(folder)) continue
      const entries = entriesOf(folder)
      visit(place, entries)
      for (const entry of entries)
        if (entry.kind === 'folder') waiting.push({ place: childPath(place, entry.name), folder: entry.hash })
      read += 1
      if (read % foldersAtOnce === 0) await nextTurn()
    }
  }

  return {
    async addFolders(folders) {
      const waiting = [...folders]
      while (waiting.length > 0) {
        const next = waiting.splice(-foldersAtOnce)
        inTransaction(db, () => next.forEach(insertNew))
        await nextTurn()
      }
    },
    add({ at, reason, conversationId, turnId, paths, files, omittedCount }, root, folders) {
      const scope = paths ? JSON.stringify(paths) : null
      const values = [workspace, at, reason, conversationId ?? null, turnId ?? null, scope, root, files, omittedCount]
      const id = inTransaction(db, () => {
        for (const folder of folders) insertNew(folder)
        return Number(insert.run(...values).lastInsertRowid)
      })
      return { id, at, reason, conversationId, turnId, paths, files, omittedCount }
    },
    get(id) {
      const row = select.get(workspace, id)
      return row && { checkpoint: checkpointOf(row), root: String(row.root) }
    },
    list: () => selectAll.all(workspace).map(checkpointOf),
    hasFolder: has,
    async tree(root) {
      const tree: Tree = new Map()
      await walk(
        root,
        () => true,
        (place, entries) => {
          for (const entry of entries) tree.set(childPath(place, entry.name), entry)
        },
      )
      return tree
    },
    entry: entryAt,
    removeOldest: (count) => void removeOldest.run(workspace, count),
    remove(ids) {
      for (const id of ids) removeOne.run(workspace, id)
    },
    async referencedContents() {
      const folders = new Set<string>()
      const contents = new Set<string>()
      // Folders shared by several trees are visited once.
      const enters = (folder: string) => {
        const first = !folders.has(folder)
        folders.add(folder)
        return first
      }
      const callRoots = () =>
        selectCalls.all(workspace).flatMap(({ json }) => /"root":"([0-9a-f]{64})"/.exec(String(json))?.[1] ?? [])
      for (const root of [...selectAll.all(workspace).map((row) => String(row.root)), ...callRoots().filter(has)])
        await walk(root, enters, (_, entries) => {
          for (const entry of entries) if (entry.kind === 'file') contents.add(entry.hash)
        })
      for (const content of contentsOfOthers()) contents.add(content)
      // A call that began in the meantime needs folders that were not visited.
      if (callRoots().some((root) => !folders.has(root) && has(root))) return contents
      for (const row of selectHashes.all(workspace))
        if (!folders.has(String(row.hash))) removeFolder.run(workspace, String(row.hash))
      return contents
    },
  }
}

/** Returns a function that lists the blobs that reviews and the local history reference. */
function otherContents(db: DatabaseSync, workspace: string): () => string[] {
  const selectReviews = statement(db, 'SELECT json FROM review_state WHERE workspace = ?')
  const selectVersions = statement(db, 'SELECT DISTINCT hash FROM local_history WHERE workspace = ?')
  return () => [
    ...selectReviews.all(workspace).flatMap(({ json }) => String(json).match(/\b[0-9a-f]{64}\b/g) ?? []),
    ...selectVersions.all(workspace).map((row) => String(row.hash)),
  ]
}

function folderRows(db: DatabaseSync, workspace: string) {
  const insertFolder = statement(
    db,
    'INSERT OR IGNORE INTO checkpoint_folders (workspace, hash, entries) VALUES (?, ?, ?)',
  )
  const selectFolder = statement(db, 'SELECT entries FROM checkpoint_folders WHERE workspace = ? AND hash = ?')
  const selectKey = statement(db, 'SELECT 1 FROM checkpoint_folders WHERE workspace = ? AND hash = ?')

  const has = (folder: string): boolean => selectKey.get(workspace, folder) !== undefined

  function read(folder: string): unknown {
    const row = selectFolder.get(workspace, folder)
    if (!row)
      throw new ToolError(
        'not_found',
        'A folder of this checkpoint is no longer stored.',
        'Use another checkpoint, or your version control.',
      )
    return JSON.parse(String(row.entries))
  }

  return {
    has,
    entriesOf: (folder: string): Entry[] => entriesSchema.parse(read(folder)),
    /** See `Manifests.entry`. */
    entryAt(root: string, path: string): Entry | undefined {
      let entry: Entry | undefined
      let folder: string | undefined = root
      for (const name of path.split('/')) {
        if (folder === undefined) return undefined
        // Checks only one entry, because a folder can have many.
        const found: unknown = namedSchema.parse(read(folder)).find((each) => each.name === name)
        entry = found === undefined ? undefined : entrySchema.parse(found)
        folder = entry?.kind === 'folder' ? entry.hash : undefined
      }
      return entry
    },
    insertNew([folder, entries]: readonly [string, () => string]): void {
      if (!has(folder)) insertFolder.run(workspace, folder, entries())
    },
  }
}

function checkpointOf(row: Record<string, SQLOutputValue>): Checkpoint {
  return {
    id: Number(row.id),
    at: Number(row.at),
    reason: String(row.reason),
    ...(row.conversation_id === null ? {} : { conversationId: String(row.conversation_id) }),
    ...(row.turn_id === null ? {} : { turnId: String(row.turn_id) }),
    ...(row.paths === null ? {} : { paths: pathsSchema.parse(JSON.parse(String(row.paths))) }),
    files: Number(row.files),
    omittedCount: Number(row.not_kept),
  }
}
