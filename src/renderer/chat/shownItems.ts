import { useCallback, useEffect, useState } from 'react'
import { openedItems } from '../../shared/conversation.ts'
import { keepLatest, useChat } from '../platform/conversation/chatStore.ts'
import { loadEarlier } from '../platform/conversation/earlierItems.ts'
import { attempt } from '../platform/notices.ts'

/** Number of items rendered when a conversation opens, and added each time the user scrolls to an end of the list. */
export const pageSize = 50
/** Maximum number of items rendered while the user scrolls. Those at the other end are removed. */
const maxRendered = 300
/** Number of latest items that are rendered, and so found, while the transcript is searched. */
const maxSearched = 1000
const failedToLoad = 'Earlier items could not be loaded'

/** The rendered items, by the ids of the first and the last one. Without `last`, all to the end. */
interface ItemRange {
  first: string | undefined
  last?: string
}

/** Returns a range of items, at most `maxRendered` from `start` on unless `end` is infinite. */
function rangeFrom(start: number, end: number): ItemRange {
  const { order } = useChat.getState()
  const from = Math.max(0, start)
  const to = end === Number.POSITIVE_INFINITY ? order.length : Math.min(end, from + maxRendered)
  const last = to < order.length ? order[to - 1] : undefined
  return { first: order[from], ...(last === undefined ? {} : { last }) }
}

const latestRange = (): ItemRange => rangeFrom(useChat.getState().order.length - pageSize, Number.POSITIVE_INFINITY)

/** Returns the indexes of a range. An item that was removed since counts as the end of a page at the end. */
function boundsOf({ first, last }: ItemRange, order: readonly string[]): { start: number; end: number } {
  const start = first === undefined ? 0 : order.indexOf(first)
  const end = last === undefined ? order.length : order.indexOf(last) + 1
  return start === -1 || end <= start
    ? { start: Math.max(0, order.length - pageSize), end: order.length }
    : { start, end }
}

/**
 * Chooses the items of the shown conversation that are rendered, and loads earlier ones on demand.
 * @param finding whether the transcript is searched
 * @returns the indexes of the rendered items, and functions that change them
 */
export function useShownItems(finding: boolean) {
  const order = useChat((state) => state.order)
  const conversationId = useChat((state) => state.info?.id)
  const [range, setRange] = useState(latestRange)
  const { start, end } = boundsOf(range, order)

  useEffect(() => {
    if (!finding) return
    const show = () => setRange(rangeFrom(useChat.getState().order.length - maxSearched, Number.POSITIVE_INFINITY))
    show()
    const missing = maxSearched - useChat.getState().order.length
    attempt(() => loadEarlier(missing).then(show), failedToLoad)
  }, [finding, conversationId])

  const forgetEarlier = useCallback(() => {
    keepLatest(openedItems)
    setRange(latestRange())
  }, [])

  return {
    start,
    end,
    showEarlier: () =>
      attempt(async () => {
        if (start === 0) await loadEarlier(pageSize)
        setRange((shown) => {
          const bounds = boundsOf(shown, useChat.getState().order)
          return rangeFrom(bounds.start - pageSize, bounds.end)
        })
      }, failedToLoad),
    showLater(): void {
      const wanted = Math.min(order.length, end + pageSize)
      setRange(rangeFrom(Math.max(start, wanted - maxRendered), wanted))
    },
    /** Renders the latest items only, and forgets all but some of the others. */
    forgetEarlier,
  }
}
