import type { ToolItem } from '../../../shared/agent/conversation.ts'
import { resultText } from '../conversation/resultText.ts'
import { pathReadBy } from './staleReads.ts'

/** Length of a truncated result in characters, with its start and end. */
const excerptLength = 800
/** Minimum size of a result that is worth truncating, in tokens. */
const minTruncated = 350

export interface TruncationInput {
  /** Results in earlier requests, oldest first. */
  results: readonly ToolItem[]
  /** Ids of reads whose file has changed since. */
  stale: ReadonlySet<string>
  /** Ids of results of the latest answers. They are truncated last and never left out. */
  recent: ReadonlySet<string>
  /** Returns the tokens of a text. */
  cost(text: string): number
  /** Tokens to free. */
  excess: number
}

/** Returns the change to an item; undefined if the step does not apply. */
type Step = (item: ToolItem) => Pick<ToolItem, 'keep' | 'stale'> | undefined

/**
 * Truncates results until `excess` tokens are freed: first stale reads, then reads of files that were read again later,
 * then large old results, last large recent ones. Only results that are stale or repeated are left out completely,
 * because the model would read other files again. Truncation is never undone, so that requests keep starting with the
 * same bytes.
 * @returns the changed items
 */
export function truncateResults({ results, stale, recent, cost, excess }: TruncationInput): ToolItem[] {
  const latestRead = new Map(
    results.flatMap((item) => {
      const path = pathReadBy(item)
      return path === undefined ? [] : [[path, item.id]]
    }),
  )
  const isRepeated = (item: ToolItem) => {
    const path = pathReadBy(item)
    const latest = path === undefined ? undefined : latestRead.get(path)
    return latest !== undefined && latest !== item.id && isWhole(results.find(({ id }) => id === latest))
  }
  const isLarge = (item: ToolItem) => cost(item.result?.text ?? '') > minTruncated
  const steps: Step[] = [
    (item) => (stale.has(item.id) && !recent.has(item.id) ? { keep: 0, stale: true } : undefined),
    (item) => (isRepeated(item) && !recent.has(item.id) ? { keep: 0 } : undefined),
    (item) => (!recent.has(item.id) && isLarge(item) ? { keep: excerptLength } : undefined),
    (item) => (isLarge(item) ? { keep: excerptLength, ...(stale.has(item.id) && { stale: true }) } : undefined),
  ]
  const current = new Map(results.map((item) => [item.id, item]))
  let freed = 0
  for (const step of steps) {
    for (const before of current.values()) {
      if (freed >= excess) break
      const change = step(before)
      if (!change || (before.keep ?? Infinity) <= (change.keep ?? Infinity)) continue
      const after = { ...before, ...change }
      const gain = cost(resultText(before)) - cost(resultText(after))
      if (gain <= 0) continue
      freed += gain
      current.set(after.id, after)
    }
  }
  // The history changes anyway, so all stale reads can be marked.
  if (freed > 0)
    for (const item of current.values())
      if (stale.has(item.id) && !item.stale) current.set(item.id, { ...item, stale: true })
  return [...current.values()].filter((item) => !results.includes(item))
}

function isWhole(item: ToolItem | undefined): boolean {
  const view = item?.result?.view
  return view?.kind === 'file' && view.startLine <= 1 && view.endLine >= view.totalLines
}

/** Minimum length of a truncated result that the model has not received yet, in characters. */
const minNewResult = 400

/**
 * Truncates results that no request has included yet, the longest first, until together they take at most `maxTokens`.
 * @returns the changed items
 */
export function truncateNewResults(
  results: readonly ToolItem[],
  maxTokens: number,
  cost: (text: string) => number,
): ToolItem[] {
  const texts = results.map((item) => resultText(item))
  let maxLength = Math.max(0, ...texts.map((text) => text.length))
  const total = (length: number) =>
    texts.reduce((sum, text) => sum + cost(text) * Math.min(1, length / Math.max(1, text.length)), 0)
  while (total(maxLength) > maxTokens && maxLength > minNewResult)
    maxLength = Math.max(minNewResult, Math.floor(maxLength * 0.9))
  return results.flatMap((item, index) =>
    (texts[index]?.length ?? 0) > maxLength ? [{ ...item, keep: maxLength }] : [],
  )
}
