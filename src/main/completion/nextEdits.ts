import type { ModelChoice } from '../../shared/agent/conversation.ts'
import type { NextEdit, NextEditParams } from '../../shared/editor/inlineCompletion.ts'
import { isAbort } from '../../shared/errors.ts'
import type { CompletionDeps } from './completions.ts'
import { createFailurePauses } from './failurePauses.ts'
import { createLatestRequest, pauseFor } from './latestRequest.ts'

export interface NextEditDeps extends Pick<
  CompletionDeps,
  'settings' | 'isAllowed' | 'isReadable' | 'onFailed' | 'onRecovered'
> {
  /** Requests the new lines of the excerpt; null if the model has no edit. @throws ModelError, AbortError */
  predict(choice: ModelChoice, params: NextEditParams, signal: AbortSignal): Promise<string[] | null>
}

/** Predicts the user's next change near the cursor. At most one request runs. */
export interface NextEdits {
  suggest(params: NextEditParams, closed: AbortSignal): Promise<NextEdit>
  cancel(id: string): void
  reset(): void
  stop(): Promise<void>
}

/** Milliseconds without a key before a request. An edit is larger than a suggestion and needs a pause. */
const settleMs = 300
/** If an edit deletes more lines than this without a replacement, the model stopped early. */
const maxDeleted = 8

export function createNextEdits(deps: NextEditDeps): NextEdits {
  const requests = createLatestRequest()
  const failures = createFailurePauses(deps)
  /** The last answer. Monaco requests it again when the user moves the cursor without a change. */
  let last: { key: string; answer: NextEdit } | undefined

  return {
    async suggest(params, closed) {
      const { enabled, nextEditModel } = deps.settings()
      if (!enabled || !nextEditModel) return null
      try {
        // Starts at once, so that keys cancel each other in order, however long their checks take.
        return await requests.start(params.id, closed, async (signal) => {
          if (!(await deps.isAllowed(params.path)) || failures.isPaused()) return null
          signal.throwIfAborted()
          const { id: _id, cursor: _cursor, ...place } = params
          const key = JSON.stringify([nextEditModel, place])
          if (last?.key === key) return last.answer
          await pauseFor(settleMs, signal)
          const edits = params.edits.filter((edit) => deps.isReadable(edit.path))
          const updated = await deps.predict(nextEditModel, { ...params, edits }, signal)
          failures.succeeded()
          const answer = updated && changedLines(params, updated)
          last = { key, answer }
          return answer
        })
      } catch (error) {
        if (!closed.aborted && !isAbort(error)) failures.failed(error)
        return null
      }
    },
    cancel: requests.cancel,
    reset() {
      requests.cancelAny()
      last = undefined
      failures.succeeded()
    },
    stop() {
      requests.cancelAny()
      return requests.ended()
    },
  }
}

/**
 * Returns the lines that differ, with a neighbor if lines are only added or only removed. Returns null for an edit that
 * changes nothing, undoes the user's latest edit, or deletes too much.
 */
export function changedLines(
  { lines, firstLine, path, edits }: Pick<NextEditParams, 'lines' | 'firstLine' | 'path' | 'edits'>,
  updated: readonly string[],
): NextEdit {
  let start = 0
  const most = Math.min(lines.length, updated.length)
  while (start < most && lines[start] === updated[start]) start += 1
  let end = 0
  while (end < most - start && lines.at(-1 - end) === updated.at(-1 - end)) end += 1
  const removed = lines.slice(start, lines.length - end)
  const added = updated.slice(start, updated.length - end)
  if (removed.length === 0 && added.length === 0) return null
  if (removed.length - added.length > maxDeleted) return null
  const latest = edits.at(-1)
  if (latest?.path === path && latest.line === firstLine + start && isSame(latest.before, added)) return null
  if (removed.length > 0 && added.length > 0) return { line: firstLine + start, count: removed.length, lines: added }
  // Monaco can replace whole lines only with other lines.
  const at = Math.max(0, start - 1)
  const neighbor = lines[at] ?? ''
  const withNeighbor = start === 0 ? [...added, lines[removed.length] ?? neighbor] : [neighbor, ...added]
  return { line: firstLine + at, count: removed.length + 1, lines: withNeighbor }
}

const isSame = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((line, at) => line === b[at])
