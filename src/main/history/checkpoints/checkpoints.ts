import { Sequencer } from '../../../shared/async/sequencer.ts'
import type { WorkspaceRoots } from '../../base/workspaceRoots.ts'
import type { Blobs } from './blobs.ts'
import type { CheckpointDeps, Checkpoints } from './checkpointTypes.ts'
import {
  defaultLimits,
  fileVersions,
  findCheckpoint,
  removeCheckpoints,
  latestTree,
  readStoredFile,
  storeCheckpoint,
  openCheckpointStore,
} from './checkpointStorage.ts'
import { entriesWithin, type Tree } from './entries.ts'
import { hashFolders, type HashedFolders } from './hashFolders.ts'
import type { KnownFolders } from './knownFolders.ts'
import type { Manifests, TakenCheckpoint, TakeRequest } from './manifests.ts'
import { createPendingCheckpoints } from './pendingCheckpoints.ts'
import { devicesOf } from './presentRoot.ts'
import { pruneCheckpoints } from './pruneCheckpoints.ts'
import { createReadingThreads } from './readingThreads.ts'
import { treeDifferences, intersectScopes, normalizeScope, restoreTree } from './restoreTree.ts'
import { scanWorkspace, type WatchedState } from './scanWorkspace.ts'
import { createStoredTrees } from './storedTrees.ts'
import { walkTree, type WalkDeps, type WalkResult } from './walkTree.ts'

export type { CheckpointDeps, CheckpointLimits, Checkpoints } from './checkpointTypes.ts'
export type { Checkpoint } from './manifests.ts'
export type { CheckpointChange, RestoreOutcome, RestoreTarget } from './restoreTree.ts'

// oxlint-disable-next-line eslint/max-lines-per-function -- One state: scans, checkpoints and restores share it.
export function createCheckpoints(deps: CheckpointDeps): Checkpoints {
  const { db, root, folders: workspaceFolders, userData, target, isTransient = () => false, isOwnData } = deps
  const limits = { ...defaultLimits, ...deps.limits }
  const { manifests, blobs } = openCheckpointStore(db, root, userData, limits.grace)
  const operations = new Sequencer()
  const workspace: WorkspaceRoots = { root, folders: workspaceFolders }
  const devices = devicesOf(workspace)
  const thread = createReadingThreads(workspace)
  const folders: KnownFolders = new Map()
  const hashedFolders: HashedFolders = new Map()
  const scanned = createScannedState(blobs.losses)
  const trees = createStoredTrees(manifests)

  /**
   * @param scope paths to scan. They are always read, because loading the latest state to compare them would be slower.
   * If undefined, scans the workspace and skips unchanged files.
   */
  async function scanDeps(
    scope: readonly string[] | undefined,
    contents: WalkDeps['contents'],
    signal?: AbortSignal,
  ): Promise<WalkDeps> {
    const losses = blobs.losses()
    const before = scope ? new Map() : (scanned.tree() ?? (await latestTree(manifests)))
    const about = { workspace, devices: await devices, limits, isTransient, isOwnData }
    return { ...about, before, contents, losses, folders, thread, signal }
  }

  /** Reads the state of paths, or of the whole workspace. @param unchanged a state whose unchanged files are skipped */
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

  /** Waits for running scans, because they may be about to reference blobs that no checkpoint references yet. */
  async function cleanUp(): Promise<void> {
    await pending.scanned()
    await pruneCheckpoints(manifests, blobs, limits)
  }

  const pending = createPendingCheckpoints({
    operations,
    batch: blobs.batch,
    scanDeps: (contents, signal) => scanDeps(undefined, contents, signal),
    watchedState: scanned.watched,
    async commit(request, result) {
      const taken = await storeCheckpoint(manifests, hashedFolders, request, result)
      if (request.paths === undefined) trees.known(result.tree, findCheckpoint(manifests, taken.id).root)
      return taken
    },
    onScanned: scanned.set,
    async onPrepared(tree) {
      const { top, folders } = await hashFolders(tree, hashedFolders)
      await manifests.addFolders(folders)
      trees.known(tree, top)
    },
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
        const earlier = await manifests.tree(then)
        return treeDifferences(withoutGoneFolders(workspace, earlier), withoutNewFolders(workspace, earlier, tree))
      }),
    scan: (paths, signal, unchanged) =>
      operations.queue(async () => (await read(normalizeScope(paths), signal, unchanged)).tree),
    latest: scanned.after,
    treeAt: (id) => operations.queue(() => manifests.tree(findCheckpoint(manifests, id).root)),
    trees: {
      async store(tree, paths) {
        // Blobs that a checkpoint is about to store need not be stored twice.
        await pending.stored()
        return trees.store(tree, paths)
      },
      read: trees.read,
    },
    contents: blobs,
    fileAt: (id, path) => operations.queue(() => readStoredFile(manifests, blobs, id, path)),
    versions: (path) => fileVersions(manifests, path),
    forget: (ids, sweep) =>
      operations.queue(async () => {
        if (sweep) await pending.scanned()
        await removeCheckpoints(manifests, blobs, ids, sweep)
      }),
    restore: (id, { paths, onBegin } = {}, signal) =>
      operations.queue(async () => {
        await pending.scanned()
        const { wanted, whole, scope, request } = await plannedRestore(manifests, id, paths)
        const present = await take(request, signal)
        onBegin?.(present.id)
        // A copy, because the restore changes it.
        const current = new Map(entriesWithin(withoutNewFolders(workspace, whole, present.tree), scope))
        return {
          before: present.id,
          ...(await restoreTree(wanted, current, { workspace, target, content: blobs.get })),
        }
      }),
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

/**
 * Returns the current state without the folders that the workspace did not have at an earlier time: a restore must not
 * delete their files.
 */
function withoutNewFolders({ folders }: WorkspaceRoots, earlier: Tree, current: Tree): Tree {
  const added = folders?.filter(({ name }) => !earlier.has(name)) ?? []
  if (added.length === 0) return current
  const isAdded = (place: string) => added.some(({ name }) => place === name || place.startsWith(`${name}/`))
  return new Map([...current].filter(([place]) => !isAdded(place)))
}

/** Returns an earlier state without folders that the workspace no longer has: their files are not deleted. */
function withoutGoneFolders({ folders }: WorkspaceRoots, earlier: Tree): Tree {
  if (folders === undefined) return earlier
  const present = new Set(folders.map(({ name }) => name))
  return new Map([...earlier].filter(([place]) => present.has(place.split('/', 1)[0] ?? '')))
}

/**
 * Returns the entries to restore, and the request for a checkpoint of their current state.
 * @throws ToolError `not_found`
 */
async function plannedRestore(manifests: Manifests, id: number, paths: readonly string[] | undefined) {
  const { checkpoint, root } = findCheckpoint(manifests, id)
  const scope = intersectScopes(checkpoint.paths, normalizeScope(paths))
  const { reason, conversationId } = checkpoint
  const whole = await manifests.tree(root)
  return {
    wanted: entriesWithin(whole, scope),
    whole,
    scope,
    request: { reason: `before restoring: ${reason}`, conversationId, paths: scope },
  }
}

/**
 * The latest scanned state of all files. Its stamps identify unchanged files.
 * @param losses see `Blobs`
 */
function createScannedState(losses: () => number) {
  let latest: Tree | undefined
  let began = -Infinity
  let time: number | undefined
  let lost: number | undefined
  return {
    tree: () => latest,
    /** Returns the state if later changes are known and all blobs are still stored. */
    watched: (): WatchedState | undefined =>
      latest && time !== undefined && losses() === lost ? { tree: latest, time } : undefined,
    /** @param since when the scan began, if this state is that old or newer */
    set(result: WalkResult, since = -Infinity) {
      latest = result.tree
      time = result.time
      lost = result.losses
      began = since
    },
    /** Returns the state if its scan began at or after a time. */
    after: (time: number) => (began >= time ? latest : undefined),
  }
}

/** Scans paths. Skips files that are unchanged since one of the earlier states. */
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
