import type { Blobs } from './blobs.ts'
import type { CheckpointLimits } from './checkpointTypes.ts'
import type { Manifests } from './manifests.ts'

type PruneLimits = Pick<CheckpointLimits, 'count' | 'bytes'>

/** Limits of the checkpoints of one folder. No setting changes them. */
export const pruneLimits: PruneLimits = { count: 200, bytes: 1024 * 1024 * 1024 }
/** Minimum number of stored checkpoints: a restore needs its own and its target. */
const minKept = 2

/** Deletes the oldest checkpoints and unreferenced blobs if a limit is exceeded. */
export async function pruneCheckpoints(manifests: Manifests, blobs: Blobs, limits: PruneLimits): Promise<void> {
  let count = manifests.list().length
  const removeOldest = (removed: number) => {
    manifests.removeOldest(removed)
    count -= removed
  }
  if (count <= limits.count && (await blobs.bytes()) <= limits.bytes) return
  // Deletes more than needed, so that the next checkpoints need not search for unreferenced blobs.
  if (count > limits.count) removeOldest(count - Math.max(minKept, Math.floor(limits.count * 0.9)))
  let referenced = await manifests.referencedContents()
  while (count > minKept && (await blobs.bytes(referenced)) > limits.bytes) {
    removeOldest(Math.min(count - minKept, Math.ceil(count / 4)))
    referenced = await manifests.referencedContents()
  }
  await blobs.sweep(referenced)
}
