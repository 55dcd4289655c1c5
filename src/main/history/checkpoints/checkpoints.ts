import { hash } from 'node:crypto'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { ToolError } from '../../../shared/errors.ts'
import { Sequencer } from '../../../shared/sequencer.ts'
import { createBlobs, type Blobs } from './blobs.ts'
import { type Tree } from './entries.ts'
import { hashFolders, type HashedFolders } from './hashFolders.ts'
import type { KnownFolders } from './knownFolders.ts'
import { createManifests, type Checkpoint, type Manifests } from './manifests.ts'
import {
  differences,
  intersectScopes,
  restoreTree,
  normalizeScope,
  type CheckpointChange,
  type RestoreOutcome,
  type RestoreTarget,
} from './restoreTree.ts'
import { deviceOf } from './presentRoot.ts'
import { createReadingThreads } from './readingThreads.ts'
import { createPendingCheckpoints, type PendingCheckpoints } from './pendingCheckpoints.ts'
import { entriesWithin } from './entries.ts'
import { scanWorkspace, type WatchedState } from './scanWorkspace.ts'
import type { WalkLimits } from './treeRecorder.ts'
import { walkTree, type WalkDeps, type WalkResult } from './walkTree.ts'
import type { TakeRequest, TakenCheckpoint } from './checkpointRequest.ts'

export type { TakeRequest, TakenCheckpoint } from './checkpointRequest.ts'

export type { Checkpoint } from './manifests.ts'
export type { CheckpointChange, RestoreOutcome, RestoreTarget } from './restoreTree.ts'

/**
 * Restorable states of the files on disk of one workspace. They are stored outside the workspace and independent of
 * git. Calls run one at a time.
 * @throws ToolError from every method: `cancelled`; `no_space` or `io_error` for failures of the checkpoint store;
 *   `not_found` if the folder of the workspace was moved, deleted or unmounted
 */
export interface Checkpoints {
  take(request: TakeRequest, signal?: AbortSignal): Promise<TakenCheckpoint>
  /** Takes checkpoints while the workspace is in use. */
  readonly pending: Omit<PendingCheckpoints, 'scanned' | 'close'>
  /** Lists the checkpoints, newest first. */
  list(): Checkpoint[]
  /**
   * Returns the changes since a checkpoint.
   * @throws ToolError `not_found` for an unknown or deleted id, like all methods with an id
   */
  changes(id: number, signal?: AbortSignal): Promise<CheckpointChange[]>
  /**
   * Reads the current state of the workspace or of some paths and stores the contents, without a checkpoint. Files that
   * are unchanged since `known`, or since the last scan, are not read again.
   */
  scan(paths: readonly string[] | undefined, signal?: AbortSignal, known?: Pick<Tree, 'get'>): Promise<Tree>
  /**
   * Returns the state of the whole workspace that the last scan read; undefined if it began before `since`, or if files
   * changed during it.
   * @param since by `performance.now()`
   */
  latest(since: number): Tree | undefined
  /** Returns the state in a checkpoint. */
  treeAt(id: number): Promise<Tree>
  /** The store of contents, which sweeps keep as long as a checkpoint or review references them. */
  readonly contents: Pick<Blobs, 'put' | 'get' | 'bytes'>
  /** Returns the content of a file; null if there was none. @throws ToolError `not_found` if it was not stored */
  fileAt(id: number, path: string): Promise<Buffer | null>
  /**
   * Takes a checkpoint of the current state, then restores the workspace or only `paths`. `signal` cancels before the
   * first write only.
   */
  restore(id: number, options?: RestoreOptions, signal?: AbortSignal): Promise<RestoreOutcome>
  /** Deletes checkpoints; with `sweep` also contents that no other checkpoint references. */
  forget(ids: readonly number[], sweep: boolean): Promise<void>
  /** Cancels running checkpoints. */
  close(): Promise<void>
}

export interface RestoreOptions {
  /** Limits the restore to these paths and their content. */
  paths?: readonly string[]
  /** Receives the checkpoint of the current state before the first write. Throwing cancels the restore. */
  onBegin?(before: number): void
}

export interface CheckpointLimits extends WalkLimits {
  /** Maximum number of checkpoints per workspace. */
  count: number
  /** Maximum size on disk per workspace in bytes. The newest checkpoints are kept even above it. */
  bytes: number
  /**
   * Time in milliseconds for which unreferenced contents are kept, because another process may be about to reference
   * them.
   */
  grace: number
}

const megabyte = 1024 * 1024
const defaults: CheckpointLimits = {
  fileBytes: 10 * megabyte,
  files: 100_000,
  readBytes: 1024 * megabyte,
  count: 200,
  bytes: 1024 * megabyte,
  grace: 60 * 60 * 1000,
}
/** Minimum number of stored checkpoints: a restore needs its own and its target. */
const minKept = 2
const maxOmittedShown = 100

export interface CheckpointDeps {
  db: DatabaseSync
  /** Real path of the workspace. */
  root: string
  /** User data folder. Contents are in `checkpoints/` below it. */
  userData: string
  target: RestoreTarget
  /** Whether a name belongs to a running write. Such files are not stored. */
  isTransient?(name: string): boolean
  /** Whether a path, relative to the root, is part of Tizona's own data, which no checkpoint contains. */
  isOwnData?(place: string): boolean
  limits?: Partial<CheckpointLimits>
}

export function createCheckpoints(deps: CheckpointDeps): Checkpoints {
  const { db, root, userData, target, isTransient = () => false, isOwnData } = deps
  const limits = { ...defaults, ...deps.limits }
  const { manifests, blobs } = storeOf(db, root, userData, limits.grace)
  const operations = new Sequencer()
  const device = deviceOf(root)
  const thread = createReadingThreads(root)
  const folders: KnownFolders = new Map()
  const hashedFolders: HashedFolders = new Map()
  const scanned = createScannedState(blobs.losses)

  /**
   * @param scope paths to scan, which are always read: loading the latest state to compare them would be slower. If
   *   undefined, scans the workspace and skips unchanged files
   */
  async function scanDeps(
    scope: readonly string[] | undefined,
    contents: WalkDeps['contents'],
    signal?: AbortSignal,
  ): Promise<WalkDeps> {
    const losses = blobs.losses()
    const before = scope ? new Map() : (scanned.tree() ?? (await latestTree(manifests)))
    const about = { root, device: await device, limits, isTransient, isOwnData }
    return { ...about, before, contents, losses, folders, thread, signal }
  }

  /** Reads the state of paths, or of the whole workspace. @param unchanged a state whose unchanged files are not read */
  async function read(
    scope: readonly string[] | undefined,
    signal?: AbortSignal,
    unchanged?: Pick<Tree, 'get'>,
  ): Promise<WalkResult> {
    const walkDeps = await scanDeps(scope, blobs.batch(), signal)
    const result = await walkSince(walkDeps, [unchanged, scanned.tree()], scope, scanned.watched())
    signal?.throwIfAborted()
    if (scope === undefined) scanned.set(result)
    return result
  }

  async function take(request: TakeRequest, signal?: AbortSignal): Promise<TakenCheckpoint & { tree: Tree }> {
    const paths = normalizeScope(request.paths)
    const result = await read(paths, signal)
    const taken = await storeCheckpoint(manifests, hashedFolders, { ...request, paths }, result)
    await cleanUp()
    return { ...taken, tree: result.tree }
  }

  /** Waits for running scans, because they may be about to reference content that no checkpoint references yet. */
  async function cleanUp(): Promise<void> {
    await pending.scanned()
    await prune(manifests, blobs, limits)
  }

  const pending = createPendingCheckpoints({
    operations,
    batch: blobs.batch,
    scanDeps: (contents, signal) => scanDeps(undefined, contents, signal),
    watchedState: scanned.watched,
    commit: (request, result) => storeCheckpoint(manifests, hashedFolders, request, result),
    onScanned: scanned.set,
    onPrepared: async (tree) => manifests.addFolders((await hashFolders(tree, hashedFolders)).folders),
    remove: manifests.remove,
  })

  return {
    take: (request, signal) =>
      operations.queue(async () => {
        const { tree: _, ...taken } = await take(request, signal)
        return taken
      }),
    pending: {
      prepare: pending.prepare,
      beforeChange: pending.beforeChange,
      entriesRead: pending.entriesRead,
      async begin(request, onSaved, signal) {
        const taken = await pending.begin(request, onSaved, signal)
        await operations.queue(cleanUp)
        return taken
      },
    },
    close: () => pending.close().then(thread.dispose),
    list: manifests.list,
    changes: (id, signal) =>
      operations.queue(async () => {
        const { checkpoint, root: then } = findCheckpoint(manifests, id)
        const { tree } = await walkTree(await scanDeps(checkpoint.paths, unstored(blobs), signal), checkpoint.paths)
        return differences(await manifests.tree(then), tree)
      }),
    scan: (paths, signal, unchanged) =>
      operations.queue(async () => (await read(normalizeScope(paths), signal, unchanged)).tree),
    latest: scanned.after,
    treeAt: (id) => operations.queue(() => manifests.tree(findCheckpoint(manifests, id).root)),
    contents: blobs,
    fileAt: (id, path) => operations.queue(() => readStoredFile(manifests, blobs, id, path)),
    forget: (ids, sweep) =>
      operations.queue(async () => {
        if (sweep) await pending.scanned()
        await forget(manifests, blobs, ids, sweep)
      }),
    restore: (id, { paths, onBegin } = {}, signal) =>
      operations.queue(async () => {
        await pending.scanned()
        const { wanted, scope, request } = await plannedRestore(manifests, id, paths)
        const present = await take(request, signal)
        onBegin?.(present.id)
        return {
          before: present.id,
          ...(await restoreTree(wanted, entriesWithin(present.tree, scope), { root, target, content: blobs.get })),
        }
      }),
  }
}

/**
 * The latest scanned state of all files. Its stamps show which files are unchanged.
 * @param losses see `Blobs`
 */
function createScannedState(losses: () => number) {
  let latest: Tree | undefined
  let began = -Infinity
  let time: number | undefined
  let lost: number | undefined
  return {
    tree: () => latest,
    /** Returns the state if its later changes are known, and all contents are still stored. */
    watched: (): WatchedState | undefined =>
      latest && time !== undefined && losses() === lost ? { tree: latest, time } : undefined,
    /** @param since when the scan began, if this is the state of that time or later */
    set(result: WalkResult, since = -Infinity) {
      latest = result.tree
      time = result.time
      lost = result.losses
      began = since
    },
    /** Returns the state if its scan began at a time or later. */
    after: (time: number) => (began >= time ? latest : undefined),
  }
}

/** Returns a batch that stores nothing. */
function unstored({ has }: Pick<Blobs, 'has'>): WalkDeps['contents'] {
  const hasAll = async (hashes: Iterable<string>) => {
    for (const hash of hashes) if (!(await has(hash))) return false
    return true
  }
  return { has, hasAll, put: async () => undefined, flush: async () => undefined }
}

/** Returns the state in the latest checkpoint of the whole workspace. */
async function latestTree(manifests: Manifests): Promise<Tree> {
  const whole = manifests.list().find((checkpoint) => checkpoint.paths === undefined)
  return whole ? manifests.tree(findCheckpoint(manifests, whole.id).root) : new Map()
}

/** Scans paths. Files that are unchanged since one of the earlier states are not read again. */
function walkSince(
  deps: WalkDeps,
  earlier: readonly (Pick<Tree, 'get'> | undefined)[],
  scope: readonly string[] | undefined,
  watched: WatchedState | undefined,
): Promise<WalkResult> {
  const states = [...earlier, deps.before]
  const get = (place: string) => {
    for (const state of states) {
      const entry = state?.get(place)
      if (entry) return entry
    }
    return undefined
  }
  return scope ? walkTree({ ...deps, before: { get } }, scope) : scanWorkspace({ ...deps, before: { get } }, watched)
}

/**
 * Returns the entries to restore, and the request for a checkpoint of their current state.
 * @throws ToolError `not_found`
 */
async function plannedRestore(manifests: Manifests, id: number, paths: readonly string[] | undefined) {
  const { checkpoint, root } = findCheckpoint(manifests, id)
  const scope = intersectScopes(checkpoint.paths, normalizeScope(paths))
  const { reason, conversationId } = checkpoint
  return {
    wanted: entriesWithin(await manifests.tree(root), scope),
    scope,
    request: { reason: `before restoring: ${reason}`, conversationId, paths: scope },
  }
}

/** @throws ToolError `not_found` */
function findCheckpoint(manifests: Manifests, id: number): { checkpoint: Checkpoint; root: string } {
  const found = manifests.get(id)
  if (!found)
    throw new ToolError(
      'not_found',
      `Checkpoint ${id} is no longer stored.`,
      'List the checkpoints and use one of those.',
    )
  return found
}

/**
 * @returns the content of a file in a checkpoint; null if the checkpoint has no such file.
 * @throws ToolError `not_found`
 */
async function readStoredFile(manifests: Manifests, blobs: Blobs, id: number, path: string): Promise<Buffer | null> {
  const entry = (await manifests.tree(findCheckpoint(manifests, id).root)).get(normalizeScope([path])?.[0] ?? '')
  if (entry?.kind === 'omitted')
    throw new ToolError('not_found', `"${path}" was not stored: ${entry.why}.`, 'Use your version control.')
  return entry?.kind === 'file' ? blobs.get(entry.hash) : null
}

/** Stores the checkpoint of a scanned tree, whose contents are stored already. */
async function storeCheckpoint(
  manifests: Manifests,
  hashedFolders: HashedFolders,
  { reason, conversationId, turnId, paths }: TakeRequest,
  { tree, hashed }: WalkResult,
): Promise<TakenCheckpoint> {
  const { top, folders } = await hashFolders(tree, paths === undefined ? hashedFolders : new Map())
  const omitted: { path: string; why: string }[] = []
  let files = 0
  for (const [path, entry] of tree) {
    if (entry.kind === 'omitted') omitted.push({ path, why: entry.why })
    else if (entry.kind !== 'folder') files += 1
  }
  const about = {
    at: Date.now(),
    reason,
    conversationId,
    turnId,
    paths: paths && [...paths],
    files,
    omittedCount: omitted.length,
  }
  return { ...manifests.add(about, top, folders), hashed, omitted: omitted.slice(0, maxOmittedShown) }
}

/** Deletes checkpoints of a folder that is not open in this process, like `Checkpoints.forget`. */
export async function forgetCheckpoints(
  { db, root, userData }: Pick<CheckpointDeps, 'db' | 'root' | 'userData'>,
  ids: readonly number[],
  sweep: boolean,
): Promise<void> {
  const { manifests, blobs } = storeOf(db, root, userData, defaults.grace)
  await forget(manifests, blobs, ids, sweep)
}

function storeOf(db: DatabaseSync, root: string, userData: string, grace: number) {
  const blobFolder = join(userData, 'checkpoints', hash('sha256', root).slice(0, 32))
  return { manifests: createManifests(db, root), blobs: createBlobs(blobFolder, grace) }
}

async function forget(manifests: Manifests, blobs: Blobs, ids: readonly number[], sweep: boolean): Promise<void> {
  manifests.remove(ids)
  if (sweep) await blobs.sweep(await manifests.referencedContents())
}

/** Deletes the oldest checkpoints and unreferenced contents if a limit is exceeded. */
async function prune(
  manifests: Manifests,
  blobs: Blobs,
  limits: Pick<CheckpointLimits, 'count' | 'bytes'>,
): Promise<void> {
  let count = manifests.list().length
  const removeOldest = (removed: number) => {
    manifests.removeOldest(removed)
    count -= removed
  }
  if (count <= limits.count && (await blobs.bytes()) <= limits.bytes) return
  // Deletes more than needed, so that the next checkpoints need not search for unreferenced contents.
  if (count > limits.count) removeOldest(count - Math.max(minKept, Math.floor(limits.count * 0.9)))
  let referenced = await manifests.referencedContents()
  while (count > minKept && (await blobs.bytes(referenced)) > limits.bytes) {
    removeOldest(Math.min(count - minKept, Math.ceil(count / 4)))
    referenced = await manifests.referencedContents()
  }
  await blobs.sweep(referenced)
}
