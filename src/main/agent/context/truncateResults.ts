import type { ToolItem } from '../../../shared/conversation.ts'
import { readPath } from './staleReads.ts'
import { resultText } from './resultText.ts'

/** What a shortened result keeps of its beginning and end. Characters. */
const excerptLength = 800
/** Shorter results are not worth an excerpt. Tokens. */
const worthExcerpt = 350

export interface ShorteningInput {
  /** Results that the model has read before, oldest first. */
  results: readonly ToolItem[]
  /** Of these, reads whose file is another now. */
  stale: ReadonlySet<string>
  /** Ids of results that the model is working with: shortened last, and never left out. */
  recent: ReadonlySet<string>
  /** Tokens of a text. */
  cost(text: string): number
  /** Tokens to be gained. */
  excess: number
}

/** An item as it shall be, and nothing where it stays. */
type Step = (item: ToolItem) => Pick<ToolItem, 'keep' | 'stale'> | undefined

/**
 * Shortens results until enough is gained: first reads that are out of date, then those that were read again later, then what is old
 * and large, at last what is large and recent. Only what is worthless or stands elsewhere is left out altogether: a model that loses
 * what it has read reads it again, and again; the rest is for a summary. Nothing is taken back later, so that requests go on
 * beginning alike.
 * @returns the items that change, as they shall be
 */
export function shortenResults({ results, stale, recent, cost, excess }: ShorteningInput): ToolItem[] {
  const latestRead = new Map(
    results.flatMap((item) => {
      const path = readPath(item)
      return path === undefined ? [] : [[path, item.id]]
    }),
  )
  const superseded = (item: ToolItem) => {
    const path = readPath(item)
    return (
      path !== undefined &&
      latestRead.get(path) !== item.id &&
      isWhole(results.find(({ id }) => id === latestRead.get(path)))
    )
  }
  const large = (item: ToolItem) => cost(item.result?.text ?? '') > worthExcerpt
  const steps: Step[] = [
    (item) => (stale.has(item.id) && !recent.has(item.id) ? { keep: 0, stale: true } : undefined),
    (item) => (superseded(item) && !recent.has(item.id) ? { keep: 0 } : undefined),
    (item) => (!recent.has(item.id) && large(item) ? { keep: excerptLength } : undefined),
    (item) => (large(item) ? { keep: excerptLength, ...(stale.has(item.id) && { stale: true }) } : undefined),
  ]
  const now = new Map(results.map((item) => [item.id, item]))
  let gained = 0
  for (const step of steps) {
    for (const before of now.values()) {
      if (gained >= excess) break
      const change = step(before)
      if (!change || (before.keep ?? Infinity) <= (change.keep ?? Infinity)) continue
      const after = { ...before, ...change }
      const gain = cost(resultText(before)) - cost(resultText(after))
      if (gain <= 0) continue
      gained += gain
      now.set(after.id, after)
    }
  }
  // A read that is out of date says so wherever the history is rewritten anyway.
  if (gained > 0)
    for (const item of now.values()) if (stale.has(item.id) && !item.stale) now.set(item.id, { ...item, stale: true })
  return [...now.values()].filter((item) => !results.includes(item))
}

function isWhole(item: ToolItem | undefined): boolean {
  const view = item?.result?.view
  return view?.kind === 'file' && view.startLine <= 1 && view.endLine >= view.totalLines
}

/** The least that is kept of a result that the model has not read yet. Characters. */
const leastOfNew = 400

/**
 * Shortens results that no request has carried yet, the longest first, until all of them fit.
 * @param room tokens for all of them together
 * @returns the items that change, as they shall be
 */
export function fitNewResults(results: readonly ToolItem[], room: number, cost: (text: string) => number): ToolItem[] {
  const texts = results.map((item) => resultText(item))
  let longest = Math.max(0, ...texts.map((text) => text.length))
  const total = (limit: number) =>
    texts.reduce((sum, text) => sum + cost(text) * Math.min(1, limit / Math.max(1, text.length)), 0)
  while (total(longest) > room && longest > leastOfNew) longest = Math.max(leastOfNew, Math.floor(longest * 0.9))
  return results.flatMap((item, index) => ((texts[index]?.length ?? 0) > longest ? [{ ...item, keep: longest }] : []))
}
