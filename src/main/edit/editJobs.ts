import type { FileDiff } from '../../shared/tool.ts'
import { fileDiff } from './diff.ts'
import type { Edit, EditNames, Placement } from './match.ts'
import { applyPatches } from './multiPatch.ts'

/** What can be computed of an edit without touching a file; sent to a worker as it stands. */
export type EditJob =
  | { kind: 'edits'; path: string; text: string; edits: readonly Edit[]; names: EditNames }
  | { kind: 'diff'; path: string; before: string | null; after: string | null }

export interface EditAnswer {
  /** Of `edits`, in their order; empty for `diff`. */
  placements: Placement[]
  change: FileDiff
}

/** Does a job in this thread. Throws as `applyPatches` does. */
export function runEditJob(job: EditJob): EditAnswer {
  if (job.kind === 'diff') return { placements: [], change: fileDiff(job.path, job.before, job.after) }
  const { text, placements } = applyPatches(job.text, job.edits, job.names)
  return { placements, change: fileDiff(job.path, job.text, text) }
}
