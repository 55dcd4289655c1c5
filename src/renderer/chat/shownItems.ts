import { useCallback, useEffect, useLayoutEffect, useState } from 'react'
import { initialItemCount, type ConversationItem } from '../../shared/agent/conversation.ts'
import { keepLatest, useChat, type ChatState } from '../platform/conversation/chatStore.ts'
import { loadEarlier } from '../platform/conversation/earlierItems.ts'
import { attempt } from '../platform/notices.ts'
import { whenIdle } from '../platform/layout/whenIdle.ts'

/** Number of items rendered after a conversation is shown, and added when the user scrolls to an end of the list. */
export const pageSize = 50
/** Minimum estimated height of the first rendered items, in window heights. */
const openingScreens = 1.5
/** Number of items added at a time until a page is rendered, and the maximum milliseconds before each addition. */
const idleItems = 8
const maxIdleWait = 500
/** Maximum number of items rendered while the user scrolls. Items at the other end are removed. */
const maxRendered = 300
/** Number of latest items that are rendered, and thus searchable, while the transcript is searched. */
const maxSearched = 1000
const failedToLoad = 'Earlier items could not be loaded'

/** The rendered items, from the id of the first to that of the last. Without `last`, to the end. */
interface ItemRange {
  conversationId: string | undefined
  first: string | undefined
  last?: string
  /** Set until a page is rendered. Items are added while the window is idle. */
  opening?: true
}

/** Returns a range of items, at most `maxRendered` from `start` unless `end` is infinite. */
function rangeFrom(start: number, end: number): ItemRange {
  const { order, info } = useChat.getState()
  const from = Math.max(0, start)
  const to = end === Number.POSITIVE_INFINITY ? order.length : Math.min(end, from + maxRendered)
  const last = to < order.length ? order[to - 1] : undefined
  return { conversationId: info?.id, first: order[from], ...(last === undefined ? {} : { last }) }
}

const latestRange = (): ItemRange => rangeFrom(useChat.getState().order.length - pageSize, Number.POSITIVE_INFINITY)

/** Returns the range of a newly opened conversation: only what the user sees, because rendering a page takes longer. */
function openingRange(): ItemRange {
  const state = useChat.getState()
  return growingRange(openingStart(state), state.order.length)
}

/** @param length number of items of the conversation */
function growingRange(start: number, length: number): ItemRange {
  const isPage = start <= Math.max(0, length - pageSize)
  return { ...rangeFrom(start, Number.POSITIVE_INFINITY), ...(isPage ? {} : { opening: true }) }
}

/** Returns the index of the first item to render when a conversation is opened. */
function openingStart({ order, items }: Pick<ChatState, 'order' | 'items'>): number {
  const least = Math.max(0, order.length - pageSize)
  let height = 0
  let start = order.length
  while (start > least && height < innerHeight * openingScreens) height += estimatedHeight(items[order[--start] ?? ''])
  return start
}

/** Estimates an item's height in pixels, assuming 60 characters per 20-pixel line. Prefers too low over too high. */
function estimatedHeight(item: ConversationItem | undefined): number {
  const length = item?.kind === 'assistant' || item?.kind === 'user' ? item.text.length : 0
  return 32 + (length / 60) * 20
}

/** Returns the indices of a range; null if it belongs to another conversation or its items were removed. */
function boundsOf({ conversationId, first, last }: ItemRange): { start: number; end: number } | null {
  const { order, info } = useChat.getState()
  if (conversationId !== info?.id || first === undefined) return null
  const start = order.indexOf(first)
  const end = last === undefined ? order.length : order.indexOf(last) + 1
  return start === -1 || end <= start ? null : { start, end }
}

/** Adds earlier items to the range of a newly opened conversation. */
function grown(range: ItemRange): ItemRange {
  const bounds = boundsOf(range)
  return bounds ? growingRange(Math.max(bounds.start - idleItems, bounds.end - pageSize), bounds.end) : range
}

/**
 * Chooses which items of the shown conversation to render, and loads earlier ones on demand.
 * @param finding whether the transcript is being searched
 * @returns the indices of the rendered items, and functions that change them
 */
export function useShownItems(finding: boolean) {
  const order = useChat((state) => state.order)
  const conversationId = useChat((state) => state.info?.id)
  const [range, setRange] = useState(openingRange)
  const bounds = boundsOf(range)
  const { start, end } = bounds ?? { start: openingStart(useChat.getState()), end: order.length }

  const isUnknown = bounds === null && order.length > 0
  useLayoutEffect(() => {
    if (isUnknown) setRange(openingRange())
  }, [isUnknown])
  useEffect(
    () => range.opening && whenIdle(() => setRange((shown) => (shown === range ? grown(shown) : shown)), maxIdleWait),
    [range],
  )

  useEffect(() => {
    if (!finding) return
    const show = () => setRange(rangeFrom(useChat.getState().order.length - maxSearched, Number.POSITIVE_INFINITY))
    show()
    const missing = maxSearched - useChat.getState().order.length
    attempt(() => loadEarlier(missing).then(show), failedToLoad)
  }, [finding, conversationId])

  const forgetEarlier = useCallback(() => {
    keepLatest(initialItemCount)
    setRange(latestRange())
  }, [])

  return {
    start,
    end,
    showEarlier: () =>
      attempt(async () => {
        if (start === 0) await loadEarlier(pageSize)
        setRange((shown) => {
          const now = boundsOf(shown)
          return now ? rangeFrom(now.start - pageSize, now.end) : shown
        })
      }, failedToLoad),
    showLater(): void {
      const wanted = Math.min(order.length, end + pageSize)
      setRange(rangeFrom(Math.max(start, wanted - maxRendered), wanted))
    },
    /** Renders the latest items only, and unloads most others. */
    forgetEarlier,
  }
}
