import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { ToolError } from '../../shared/errors.ts'
import type { FileDiff } from '../../shared/tools/tool.ts'
import { runEditJob, type EditJobResult, type EditJob } from './editJobs.ts'
import type { WorkerResult } from './editWorker.ts'
import type { EnvelopeHunk } from './envelope.ts'
import type { HunkLocation } from './envelopeHunks.ts'
import type { ExactReplacement } from './exactReplace.ts'
import { applyPlacements, type Edit, type ParameterNames } from './locateEdit.ts'
import type { PatchedText } from './multiPatch.ts'
import type { UnifiedHunk } from './unifiedParser.ts'
import type { UnifiedOutcome } from './unifiedApply.ts'
import { log } from '../base/log/log.ts'

/**
 * Maximum UTF-16 units processed in this thread. Larger jobs run in a worker, so that they do not block this thread.
 */
const maxLengthInThread = 2_000_000

/** The new text of a file and its diff. */
export interface PlannedEdit {
  patched: PatchedText
  change: FileDiff
}

/** Plans edits of a file, in a worker if the text is large. Throws the errors of `applyPatches`. */
export async function planEdits(
  path: string,
  text: string,
  edits: readonly Edit[],
  names: ParameterNames,
  signal: AbortSignal,
): Promise<PlannedEdit> {
  const answer = await run({ kind: 'edits', path, text, edits, names }, text.length * edits.length, signal)
  if (answer.kind !== 'edits') throw unexpectedResult(answer)
  const { placements, change } = answer
  return { patched: { text: applyPlacements(text, placements), placements }, change }
}

/** Runs `fileDiff`, in a worker if the texts are large. */
export async function diffOf(
  path: string,
  before: string | null,
  after: string | null,
  signal: AbortSignal,
): Promise<FileDiff> {
  const answer = await run({ kind: 'diff', path, before, after }, (before?.length ?? 0) + (after?.length ?? 0), signal)
  if (answer.kind !== 'diff') throw unexpectedResult(answer)
  return answer.change
}

/** Runs `replaceExactly`, in a worker if the text is large. */
export async function planExact(
  path: string,
  text: string,
  replacement: { old: string; now: string; all: boolean },
  signal: AbortSignal,
): Promise<ExactReplacement> {
  const answer = await run({ kind: 'exact', path, text, ...replacement }, text.length, signal)
  if (answer.kind !== 'exact') throw unexpectedResult(answer)
  return answer.replaced
}

/** Runs `applyHunks`, in a worker if the text is large. */
export async function planHunks(
  path: string,
  text: string,
  hunks: readonly EnvelopeHunk[],
  signal: AbortSignal,
): Promise<{ text: string; places: HunkLocation[] }> {
  const answer = await run({ kind: 'envelope', path, text, hunks }, text.length * hunks.length, signal)
  if (answer.kind !== 'envelope') throw unexpectedResult(answer)
  return answer.patched
}

/** Runs `applyUnified`, in a worker if the text is large. */
export async function planUnified(
  path: string,
  text: string,
  hunks: readonly UnifiedHunk[],
  signal: AbortSignal,
): Promise<UnifiedOutcome> {
  const answer = await run({ kind: 'unified', path, text, hunks }, text.length * hunks.length, signal)
  if (answer.kind !== 'unified') throw unexpectedResult(answer)
  return answer.outcome
}

function unexpectedResult({ kind }: EditJobResult): Error {
  return new Error(`The edit worker returned a result of the wrong kind: ${kind}.`)
}

async function run(job: EditJob, length: number, signal: AbortSignal): Promise<EditJobResult> {
  signal.throwIfAborted()
  if (length <= maxLengthInThread) return runEditJob(job)
  let answer: WorkerResult
  try {
    answer = await runInWorker(job, signal)
  } catch (error) {
    if (signal.aborted) throw error
    if (error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY') {
      throw new ToolError(
        'too_large',
        `Not enough memory to edit "${job.path}".`,
        'Change it with a command such as sed.',
        { cause: error },
      )
    }
    // If no thread can start, the edit blocks this thread.
    log.error('The edit worker failed', error)
    return runEditJob(job)
  }
  if ('answer' in answer) return answer.answer
  throw new ToolError(answer.failure.code, answer.failure.message, answer.failure.next)
}

function runInWorker(job: EditJob, signal: AbortSignal): Promise<WorkerResult> {
  const { promise, resolve, reject } = Promise.withResolvers<WorkerResult>()
  const worker = new Worker(workerFile(), { workerData: job })
  const stop = () => {
    reject(signal.reason)
    void worker.terminate()
  }
  signal.addEventListener('abort', stop, { once: true })
  worker.once('message', resolve)
  worker.once('error', reject)
  worker.once('exit', (code) => {
    signal.removeEventListener('abort', stop)
    // No effect after a response or an error.
    reject(new Error(`The edit worker exited with code ${code} and no result.`))
  })
  return promise
}

/**
 * Returns the path of the worker entry. In the sources it is next to this file. In the build it is in out/main, while
 * this code may be in out/main/chunks.
 */
function workerFile(): string {
  const folder = import.meta.dirname
  if (import.meta.filename.endsWith('.ts')) return join(folder, 'editWorker.ts')
  return join(folder, /[\\/]chunks$/.test(folder) ? '..' : '.', 'editWorker.js')
}
