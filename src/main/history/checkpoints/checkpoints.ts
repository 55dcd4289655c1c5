import { hash } from 'node:crypto'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { ToolError } from '../../../shared/errors.ts'
import { Sequencer } from '../../../shared/sequencer.ts'
import { createBlobs, type Blobs } from './blobs.ts'
import { type Tree } from './entries.ts'
import { createManifests, folderOf, type Checkpoint, type Manifests } from './manifests.ts'
import {
  differences,
  narrower,
  restoreTree,
  scopeOf,
  type CheckpointChange,
  type RestoreOutcome,
  type RestoreTarget,
} from './restoreTree.ts'
import { byFolder, part, walk, type Walked, type WalkLimits } from './walkTree.ts'

export type { Checkpoint } from './manifests.ts'
export type { CheckpointChange, RestoreOutcome, RestoreTarget } from './restoreTree.ts'

export interface TakeRequest {
  /** Why, for a list: a few words. */
  reason: string
  conversationId?: string
  turnId?: string
  /** Relative to the workspace, `/` separated; only these and what lies below them. */
  paths?: readonly string[]
}

/** A checkpoint just taken. */
export interface TakenCheckpoint extends Checkpoint {
  /** Files that had to be read. */
  hashed: number
  /** What it saw and did not keep, at most 100. */
  leftOut: { path: string; why: string }[]
}

/**
 * States of one workspace that can be gone back to, as they stood on disk. They live outside it and know nothing of its git. Calls
 * follow one another; all throw `cancelled`, and `no_space` or `io_error` where their own store is at fault.
 */
export interface Checkpoints {
  take(request: TakeRequest, signal?: AbortSignal): Promise<TakenCheckpoint>
  /** Newest first. */
  list(): Checkpoint[]
  /** What has happened since. Throws `not_found` for an unknown or forgotten checkpoint, as all calls with an id do. */
  changes(id: number, signal?: AbortSignal): Promise<CheckpointChange[]>
  /** What a file held; null when there was none. Throws `not_found` where it was there and not kept. */
  fileAt(id: number, path: string): Promise<Buffer | null>
  /**
   * Takes a checkpoint of the present and makes the workspace what it was, or only `paths` of it. `signal` ends it as long as
   * nothing is written.
   */
  restore(id: number, options?: RestoreOptions, signal?: AbortSignal): Promise<RestoreOutcome>
  /** Deletes checkpoints; with `sweep` also the contents that no other checkpoint names. */
  forget(ids: readonly number[], sweep: boolean): Promise<void>
}

export interface RestoreOptions {
  /** Only these and what lies below them. */
  paths?: readonly string[]
  /** Told the checkpoint of the present before anything is written; what it throws ends the restore. */
  began?(before: number): void
}

export interface CheckpointLimits extends WalkLimits {
  /** Checkpoints kept of one workspace. */
  count: number
  /** Bytes on disk of one workspace; the newest checkpoints are kept even above. */
  bytes: number
  /** Milliseconds that a content nobody names yet is kept for another process that may be about to. */
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
/** A restore needs its own and the one it goes back to. */
const fewestKept = 2
const leftOutShown = 100

export interface CheckpointParts {
  db: DatabaseSync
  /** Real path of the workspace. */
  root: string
  /** The user's data folder; contents lie in `checkpoints/` below it. */
  userData: string
  target: RestoreTarget
  /** Names of files being written, which belong to no state. */
  isTransient?(name: string): boolean
  limits?: Partial<CheckpointLimits>
}

export function createCheckpoints({
  db,
  root,
  userData,
  target,
  isTransient = () => false,
  limits: given,
}: CheckpointParts): Checkpoints {
  const limits = { ...defaults, ...given }
  const { manifests, blobs } = storeOf(db, root, userData, limits.grace)
  const operations = new Sequencer()

  function find(id: number): { checkpoint: Checkpoint; root: string } {
    const found = manifests.get(id)
    if (!found)
      throw new ToolError(
        'not_found',
        `Checkpoint ${id} is no longer kept.`,
        'List the checkpoints and use one of those.',
      )
    return found
  }

  /** The latest state known of all files: what a file's stamp is held against. */
  async function latest(): Promise<Tree> {
    const whole = manifests.list().find((checkpoint) => checkpoint.paths === undefined)
    return whole ? manifests.tree(find(whole.id).root) : new Map()
  }

  async function look(paths: readonly string[] | undefined, keep: boolean, signal?: AbortSignal): Promise<Walked> {
    // A few paths are sooner read again than found in the state of everything.
    const before = paths ? new Map() : await latest()
    return walk(
      { root, limits, before, isTransient, isKept: blobs.has, keep: keep ? blobs.put : async () => undefined, signal },
      paths,
    )
  }

  async function take(request: TakeRequest, signal?: AbortSignal): Promise<TakenCheckpoint & { tree: Tree }> {
    const { reason, conversationId, turnId, paths } = request
    const scope = scopeOf(paths)
    const { tree, hashed } = await look(scope, true, signal)
    signal?.throwIfAborted()
    const folders = new Map<string, string>()
    const top = await hashFolders(tree, folders)
    const entries = [...tree]
    const leftOut = entries.flatMap(([path, entry]) => (entry.kind === 'omitted' ? [{ path, why: entry.why }] : []))
    const files = entries.filter(([, { kind }]) => kind === 'file' || kind === 'link').length
    const about = { at: Date.now(), reason, conversationId, turnId, paths: scope, files, notKept: leftOut.length }
    const taken = manifests.add(about, top, folders)
    await prune()
    return { ...taken, hashed, leftOut: leftOut.slice(0, leftOutShown), tree }
  }

  async function prune(): Promise<void> {
    let count = manifests.list().length
    const forget = (going: number) => {
      manifests.forget(going)
      count -= going
    }
    if (count <= limits.count && (await blobs.bytes()) <= limits.bytes) return
    // Some more than needed, so that not every checkpoint has to look for what nobody names any more.
    if (count > limits.count) forget(count - Math.max(fewestKept, Math.floor(limits.count * 0.9)))
    let named = await manifests.named()
    while (count > fewestKept && (await blobs.bytes(named)) > limits.bytes) {
      forget(Math.min(count - fewestKept, Math.ceil(count / 4)))
      named = await manifests.named()
    }
    await blobs.sweep(named)
  }

  return {
    take: (request, signal) =>
      operations.queue(async () => {
        const { tree: _, ...taken } = await take(request, signal)
        return taken
      }),
    list: manifests.list,
    changes: (id, signal) =>
      operations.queue(async () => {
        const { checkpoint, root: then } = find(id)
        const { tree } = await look(checkpoint.paths, false, signal)
        return differences(await manifests.tree(then), tree)
      }),
    fileAt: (id, path) =>
      operations.queue(async () => {
        const entry = (await manifests.tree(find(id).root)).get(scopeOf([path])?.[0] ?? '')
        if (entry?.kind === 'omitted')
          throw new ToolError('not_found', `"${path}" was not kept: ${entry.why}.`, 'Use your version control.')
        return entry?.kind === 'file' ? blobs.get(entry.hash) : null
      }),
    forget: (ids, sweep) => operations.queue(() => forget(manifests, blobs, ids, sweep)),
    restore: (id, { paths, began } = {}, signal) =>
      operations.queue(async () => {
        const { checkpoint, root: then } = find(id)
        const scope = narrower(checkpoint.paths, scopeOf(paths))
        const wanted = part(await manifests.tree(then), scope)
        const { reason, conversationId } = checkpoint
        const present = await take({ reason: `before going back to: ${reason}`, conversationId, paths: scope }, signal)
        began?.(present.id)
        return {
          before: present.id,
          ...(await restoreTree(wanted, part(present.tree, scope), { root, target, content: blobs.get })),
        }
      }),
  }
}

/** Deletes checkpoints of a folder that is not open in this process. As `Checkpoints.forget`. */
export async function forgetCheckpoints(
  { db, root, userData }: Pick<CheckpointParts, 'db' | 'root' | 'userData'>,
  ids: readonly number[],
  sweep: boolean,
): Promise<void> {
  const { manifests, blobs } = storeOf(db, root, userData, defaults.grace)
  await forget(manifests, blobs, ids, sweep)
}

function storeOf(db: DatabaseSync, root: string, userData: string, grace: number) {
  const folder = join(userData, 'checkpoints', hash('sha256', root).slice(0, 32))
  return { manifests: createManifests(db, root), blobs: createBlobs(folder, grace) }
}

async function forget(manifests: Manifests, blobs: Blobs, ids: readonly number[], sweep: boolean): Promise<void> {
  manifests.remove(ids)
  if (sweep) await blobs.sweep(await manifests.named())
}

/** Folders hashed before other work gets a turn. */
const foldersAtOnce = 50

/** Fills in the folders' hashes, innermost first. @returns that of the workspace itself */
async function hashFolders(tree: Tree, folders: Map<string, string>): Promise<string> {
  const children = byFolder(tree)
  const places = [...children.keys()]
    .filter((place) => place !== '.')
    .map((place) => ({ place, depth: place.split('/').length }))
  for (const [index, { place }] of places.toSorted((a, b) => b.depth - a.depth).entries()) {
    if (index % foldersAtOnce === 0) await nextTurn()
    const folder = folderOf(children.get(place) ?? [])
    folders.set(folder.hash, folder.entries)
    const entry = tree.get(place)
    if (entry?.kind === 'folder') entry.hash = folder.hash
  }
  const top = folderOf(children.get('.') ?? [])
  folders.set(top.hash, top.entries)
  return top.hash
}
