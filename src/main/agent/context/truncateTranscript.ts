import { contextShares } from '../../../shared/agent/contextAllocation.ts'
import { splitAtSummary } from '../conversation/messages.ts'
import type { Transcript } from '../conversation/transcript.ts'
import { finishedCalls, unsentItems } from './conversationTail.ts'
import type { RequestBudget } from './requestBudget.ts'
import { changedSinceKnown, staleReads, type ChangedAt } from './staleReads.ts'
import { truncateNewResults, truncateResults } from './truncateResults.ts'

// Compaction steps that change items in the transcript. Truncation is never undone, so that all requests start with the
// same bytes.

/** Marks workspace instructions that were truncated because nothing else could be left out. */
const truncatedInstructions = "\n[Truncated: the rest does not fit in the model's context.]"
/** Number of latest answers whose results are truncated last. */
const recentAnswers = 3

/** Adds the files that changed since the model read them to the newest item, which no request has included yet. */
export async function addChangedFiles(transcript: Transcript, changedAt: ChangedAt): Promise<void> {
  const last = unsentItems(transcript.items()).findLast((item) => item.kind === 'tool' || item.kind === 'user')
  if (!last) return
  const changed = await changedSinceKnown(splitAtSummary(transcript.items()).rest, changedAt)
  if (changed.length > 0) transcript.put({ ...last, changedFiles: [...(last.changedFiles ?? []), ...changed] })
}

/**
 * Adds errors that language servers reported after the last call to the user's newest message, unless it was already
 * sent.
 */
export function addLateErrors(transcript: Transcript, take: () => string | undefined): void {
  const last = unsentItems(transcript.items()).findLast((item) => item.kind === 'tool' || item.kind === 'user')
  if (last?.kind !== 'user') return
  const lateErrors = take()
  if (lateErrors === undefined) return
  const earlier = last.lateErrors === undefined ? '' : `${last.lateErrors}\n`
  transcript.put({ ...last, lateErrors: `${earlier}${lateErrors}` })
}

/** Truncates the results that no request has included yet to `maxTokens` in total. */
export function truncateUnsentResults(transcript: Transcript, { size }: RequestBudget, maxTokens: number): void {
  for (const item of truncateNewResults(finishedCalls(unsentItems(transcript.items())), maxTokens, size.text))
    transcript.put(item)
}

/** Truncates results of earlier requests. @param excess tokens to free. @returns whether any was truncated */
export async function truncateOldResults(
  transcript: Transcript,
  { size }: RequestBudget,
  changedAt: ChangedAt,
  excess: number,
): Promise<boolean> {
  const { rest } = splitAtSummary(transcript.items())
  const newIds = new Set(unsentItems(rest).map(({ id }) => id))
  const sent = finishedCalls(rest).filter(({ id }) => !newIds.has(id))
  const lastAnswers = rest.filter((item) => item.kind === 'assistant').slice(-recentAnswers)
  const lastIds = new Set(lastAnswers.map(({ id }) => id))
  const changed = truncateResults({
    results: sent,
    stale: await staleReads(rest, changedAt),
    recent: new Set(sent.filter(({ assistantId }) => lastIds.has(assistantId)).map(({ id }) => id)),
    cost: size.text,
    excess,
  })
  for (const item of changed) transcript.put(item)
  return changed.length > 0
}

/** Leaves out the reasoning of all but the latest answers. @returns whether requests contained any of it */
export function leaveOutOldReasoning(transcript: Transcript): boolean {
  const { rest } = splitAtSummary(transcript.items())
  const old = rest
    .filter((item) => item.kind === 'assistant')
    .slice(0, -recentAnswers)
    .filter(({ reasoning, reasoningLeftOut }) => reasoning !== '' && !reasoningLeftOut)
  for (const item of old) transcript.put({ ...item, reasoningLeftOut: true })
  return old.length > 0
}

/** Truncates workspace instructions to their share of the context window. */
export function truncateInstructions(transcript: Transcript, { size, window }: RequestBudget): void {
  const maxTokens = Math.floor(window * contextShares.instructions)
  for (const item of transcript.items()) {
    if (item.kind !== 'instructions' || item.text.endsWith(truncatedInstructions)) continue
    const tokens = size.text(item.text)
    if (tokens <= maxTokens) continue
    const text = item.text.slice(0, Math.floor(item.text.length * (maxTokens / tokens)))
    transcript.put({ ...item, text: text + truncatedInstructions })
  }
}
