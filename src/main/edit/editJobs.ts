import type { FileDiff } from '../../shared/tools/tool.ts'
import { fileDiff } from './fileDiff.ts'
import type { EnvelopeHunk } from './envelope.ts'
import { applyHunks, type HunkLocation } from './envelopeHunks.ts'
import { replaceExactly, type ExactReplacement } from './exactReplace.ts'
import type { Edit, ParameterNames, Placement } from './locateEdit.ts'
import { applyPatches } from './multiPatch.ts'
import type { UnifiedHunk } from './unifiedParser.ts'
import { applyUnified, type UnifiedOutcome } from './unifiedApply.ts'

/** A computation for an edit, without file access. Can be sent to a worker. */
export type EditJob =
  | { kind: 'edits'; path: string; text: string; edits: readonly Edit[]; names: ParameterNames }
  | { kind: 'exact'; path: string; text: string; old: string; now: string; all: boolean }
  | { kind: 'envelope'; path: string; text: string; hunks: readonly EnvelopeHunk[] }
  | { kind: 'unified'; path: string; text: string; hunks: readonly UnifiedHunk[] }
  | { kind: 'diff'; path: string; before: string | null; after: string | null }

/** Result of a job of the same kind. */
export type EditJobResult =
  /** `placements` are in the order of the edits. */
  | { kind: 'edits'; placements: Placement[]; change: FileDiff }
  | { kind: 'exact'; replaced: ExactReplacement }
  | { kind: 'envelope'; patched: { text: string; places: HunkLocation[] } }
  | { kind: 'unified'; outcome: UnifiedOutcome }
  | { kind: 'diff'; change: FileDiff }

/** Runs a job in this thread. Throws the errors of `applyPatches`, `replaceExactly` and `applyHunks`. */
export function runEditJob(job: EditJob): EditJobResult {
  switch (job.kind) {
    case 'edits': {
      const { text, placements } = applyPatches(job.text, job.edits, job.names)
      return { kind: 'edits', placements, change: fileDiff(job.path, job.text, text) }
    }
    case 'exact':
      return { kind: 'exact', replaced: replaceExactly(job.text, job) }
    case 'envelope':
      return { kind: 'envelope', patched: applyHunks(job.text, job.hunks, job.path) }
    case 'unified':
      return { kind: 'unified', outcome: applyUnified(job.text, job.hunks) }
    case 'diff':
      return { kind: 'diff', change: fileDiff(job.path, job.before, job.after) }
  }
}
