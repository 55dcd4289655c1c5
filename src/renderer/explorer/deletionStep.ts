import { toFailure } from '../../shared/errors.ts'
import type { KeptEntry } from '../../shared/files/files.ts'
import { plural } from '../../shared/text/plural.ts'
import { request } from '../platform/bridge/bridge.ts'
import { notify } from '../platform/notices.ts'
import { nameOf, parentOf } from './fileTree.ts'
import type { Step } from './undoSteps.ts'
import { tree } from './windowTree.ts'

export interface Deletion {
  path: string
  kept: KeptEntry
}

/** The step that restores deleted entries. What cannot be restored is named with the reason. */
export function deletionStep(deletions: readonly Deletion[]): Step {
  let remaining = deletions
  return {
    async undo(drop) {
      const failures: string[] = []
      const failed: Deletion[] = []
      let restored: string | undefined
      for (const deletion of remaining) {
        const { path, kept } = deletion
        if ('reason' in kept) {
          failures.push(`${path}: ${kept.reason}`)
          continue
        }
        try {
          restored = await request('files.restoreDeleted', { id: kept.id })
        } catch (error) {
          const { message, next } = toFailure(error)
          failures.push(`${path}: ${message} ${next}`)
          failed.push(deletion)
        }
      }
      remaining = failed
      if (failed.length === 0) drop()
      await Promise.all([...new Set(deletions.map(({ path }) => parentOf(path)))].map((path) => tree.read(path)))
      if (restored !== undefined) await tree.reveal(restored)
      const [only] = deletions
      if (failures.length > 0)
        notify(
          'warning',
          deletions.length === 1 && only
            ? `${nameOf(only.path)} could not be restored.`
            : `${plural(failures.length, 'item')} could not be restored.`,
          { detail: failures.join('\n') },
        )
    },
  }
}
