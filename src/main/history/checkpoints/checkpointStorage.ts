import { asSentence } from '../../base/asSentence.ts'
import { hash } from 'node:crypto'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { ToolError } from '../../../shared/errors.ts'
import { createBlobs, type Blobs } from './blobs.ts'
import type { CheckpointDeps, CheckpointLimits } from './checkpointTypes.ts'
import { hashFolders, type HashedFolders } from './hashFolders.ts'
import {
  createManifests,
  type Checkpoint,
  type CheckpointVersion,
  type Manifests,
  type TakenCheckpoint,
  type TakeRequest,
} from './manifests.ts'
import { pruneLimits } from './pruneCheckpoints.ts'
import { normalizeScope } from './restoreTree.ts'
import type { Tree } from './entries.ts'
import type { WalkResult } from './walkTree.ts'

const megabyte = 1024 * 1024
export const defaultLimits: CheckpointLimits = {
  fileBytes: 10 * megabyte,
  files: 100_000,
  readBytes: 1024 * megabyte,
  ...pruneLimits,
  grace: 60 * 60 * 1000,
}
const maxOmittedShown = 100

/** Deletes checkpoints of a folder that is not open in this process, like `Checkpoints.forget`. */
export async function forgetCheckpoints(
  { db, root, userData }: Pick<CheckpointDeps, 'db' | 'root' | 'userData'>,
  ids: readonly number[],
  sweep: boolean,
): Promise<void> {
  const { manifests, blobs } = openCheckpointStore(db, root, userData, defaultLimits.grace)
  await removeCheckpoints(manifests, blobs, ids, sweep)
}

/** Opens a workspace's store: checkpoint trees in the database, blobs in a folder. */
export function openCheckpointStore(db: DatabaseSync, root: string, userData: string, grace: number) {
  const blobFolder = join(userData, 'checkpoints', hash('sha256', root).slice(0, 32))
  return { manifests: createManifests(db, root), blobs: createBlobs(blobFolder, grace) }
}

export async function removeCheckpoints(
  manifests: Manifests,
  blobs: Blobs,
  ids: readonly number[],
  sweep: boolean,
): Promise<void> {
  manifests.remove(ids)
  if (sweep) await blobs.sweep(await manifests.referencedContents())
}

/** Stores a checkpoint of a scanned tree whose blobs are already stored. */
export async function storeCheckpoint(
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

/** Maximum number of checkpoints that `fileVersions` reads. */
const maxVersions = 50

/** Returns the different contents of a file in the latest checkpoints, newest first. */
export async function fileVersions(manifests: Manifests, path: string): Promise<CheckpointVersion[]> {
  const versions: CheckpointVersion[] = []
  for (const { id } of manifests.list().slice(0, maxVersions)) {
    // Another process may have deleted it.
    const found = manifests.get(id)
    const file = found && manifests.entry(found.root, path)
    if (found && file?.kind === 'file') {
      if (versions.at(-1)?.file.hash === file.hash) versions.pop()
      versions.push({ checkpoint: found.checkpoint, file })
    }
    await nextTurn()
  }
  return versions
}

/** Returns the tree of the latest checkpoint of the whole workspace. */
export async function latestTree(manifests: Manifests): Promise<Tree> {
  const whole = manifests.list().find((checkpoint) => checkpoint.paths === undefined)
  return whole ? manifests.tree(findCheckpoint(manifests, whole.id).root) : new Map()
}

/** @throws ToolError `not_found` */
export function findCheckpoint(manifests: Manifests, id: number): { checkpoint: Checkpoint; root: string } {
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
export async function readStoredFile(
  manifests: Manifests,
  blobs: Blobs,
  id: number,
  path: string,
): Promise<Buffer | null> {
  const entry = manifests.entry(findCheckpoint(manifests, id).root, normalizeScope([path])?.[0] ?? '')
  if (entry?.kind === 'omitted')
    throw new ToolError(
      'not_found',
      `"${path}" was not stored. ${asSentence(entry.why)}`,
      'Restore it from your version control.',
    )
  return entry?.kind === 'file' ? blobs.get(entry.hash) : null
}
