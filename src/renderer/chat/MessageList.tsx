import {
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
  type MouseEvent,
  type ReactNode,
  type RefObject,
} from 'react'
import { keysOf } from '../../shared/editor/keyPress.ts'
import { plural } from '../../shared/text/plural.ts'
import { Button, Menu, Spinner, type MenuAnchor, type MenuGroup } from '../ui/index.ts'
import { ConversationItemView } from './items/ConversationItemView.tsx'
import { PlanCard } from './plan/PlanCard.tsx'
import { useChat, type ChatState } from '../platform/conversation/chatStore.ts'
import { pageSize, useShownItems } from './shownItems.ts'
import { canonicalKeys } from '../platform/keymap/keyNotation.ts'
import { useChatView } from './chatViewStore.ts'
import { FindBar } from './find/FindBar.tsx'
import { useStickToEnd } from './useStickToEnd.ts'
import { ChatWelcome } from './ChatWelcome.tsx'
import { transcriptMenuGroups, transcriptTarget } from './transcriptMenu/transcriptMenu.ts'

/** Maximum number of rendered items while the user is at the end, so that a long turn does not fill the memory. */
const maxAtEnd = 150

interface MessageListProps {
  scroller: RefObject<HTMLDivElement | null>
  /** Number of messages sent from this window. The list scrolls to the end when it changes. */
  sentCount: number
}

/** The transcript of the open conversation. Follows the latest message while the user stays at the end. */
export function MessageList({ scroller, sentCount: sent }: MessageListProps) {
  const content = useRef<HTMLDivElement>(null)
  const conversationId = useChat((state) => state.info?.id)
  const order = useChat((state) => state.order)
  const earlier = useChat((state) => state.earlier)
  const finding = useChatView((state) => state.finding)
  const { start, end, showEarlier, showLater, forgetEarlier } = useShownItems(finding)
  const shown = order.length === 0 ? 'empty' : end === order.length ? 'complete' : 'partial'
  const { atEnd, toEnd } = useStickToEnd(scroller, content, shown)
  const { onContextMenu, menu } = useTranscriptMenu()

  const toLatest = useCallback(() => {
    forgetEarlier()
    toEnd()
  }, [forgetEarlier, toEnd])
  useLayoutEffect(toEnd, [conversationId, toEnd])
  useEffect(() => {
    if (sent > 0) toLatest()
  }, [sent, toLatest])

  const trim = useRef(() => {})
  trim.current = () => {
    if (atEnd && !finding && end - start > maxAtEnd) forgetEarlier()
  }
  const lastId = order.at(-1)
  // Only if the list grows at its end. Before the frame, so that it does not jump.
  useLayoutEffect(() => trim.current(), [lastId])

  return (
    <div
      className="chat-body"
      onKeyDown={(event) => {
        if (keysOf(event.nativeEvent) !== canonicalKeys('Mod+F')) return
        event.preventDefault()
        useChatView.setState({ finding: true })
      }}
    >
      {finding && (
        <FindBar
          key={conversationId}
          scroller={scroller}
          onClose={() => {
            useChatView.setState({ finding: false })
            scroller.current?.focus()
          }}
        />
      )}
      <div
        ref={scroller}
        className="chat-scroller"
        role="log"
        aria-label="Conversation"
        aria-live="off"
        tabIndex={0}
        onContextMenu={onContextMenu}
      >
        <div ref={content} className="chat-content">
          {start + earlier > 0 && (
            <ShowMore count={start + earlier} which="earlier" root={scroller} onShow={showEarlier} />
          )}
          {order.length === 0 && <ChatWelcome />}
          {order.slice(start, end).map((id, index) => (
            <div key={id} className="chat-item" data-item-id={id}>
              <ConversationItemView id={id} nextId={order[start + index + 1]} />
            </div>
          ))}
          {end < order.length ? (
            <ShowMore count={order.length - end} which="later" root={scroller} onShow={showLater} />
          ) : (
            <>
              <TurnStatus />
              <PlanCard />
            </>
          )}
        </div>
      </div>
      {!atEnd && (
        <Button size="small" className="chat-to-end" icon="arrow-down" onClick={toLatest}>
          Jump to latest
        </Button>
      )}
      <TurnAnnouncer />
      {menu}
    </div>
  )
}

/** Button that renders more items. Runs by itself when it scrolls into view. */
function ShowMore({
  count,
  which,
  root,
  onShow,
}: {
  count: number
  which: 'earlier' | 'later'
  root: RefObject<HTMLElement | null>
  onShow: () => void
}) {
  const button = useRef<HTMLButtonElement>(null)
  const show = useRef(onShow)
  show.current = onShow
  useEffect(() => {
    const element = button.current
    if (!element) return
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) show.current()
      },
      { root: root.current },
    )
    observer.observe(element)
    return () => observer.disconnect()
  }, [root, count])
  return (
    <Button ref={button} size="small" variant="ghost" className="chat-earlier" onClick={onShow}>
      {which === 'earlier'
        ? `Show ${Math.min(pageSize, count)} of ${plural(count, 'earlier item')}`
        : `Show ${Math.min(pageSize, count)} of ${plural(count, 'later item')}`}
    </Button>
  )
}

/** Status of the running turn, unless the last item already shows it. */
function TurnStatus() {
  const status = useChat(statusText)
  if (status === '') return null
  return (
    <div className="chat-status">
      <Spinner label="Working" />
      <span className="chat-shimmer">{status}</span>
    </div>
  )
}

function statusText(state: ChatState): string {
  if (!state.running || state.approvals.some(({ conversationId }) => conversationId === state.info?.id)) return ''
  if (state.note !== '') return state.note
  const last = state.items[state.order.at(-1) ?? '']
  if (last?.kind === 'tool' && (last.state === 'running' || last.state === 'approval' || last.state === 'streaming'))
    return ''
  if (last?.kind === 'assistant' && last.state === 'streaming' && (last.text !== '' || last.reasoning !== '')) return ''
  return 'Working…'
}

const outcomes = {
  done: 'The answer is complete.',
  turn_limit: 'The turn reached its limit.',
  stuck: 'The model repeated itself and was stopped.',
  repeating: 'The model repeated itself and was stopped.',
  truncated: 'The answer was truncated.',
  cancelled: 'The turn was stopped.',
  endpoint_failed: 'The model endpoint failed.',
  approval_needed: 'The turn ended because a call needs approval.',
  failed: 'The turn stopped because of an error in Tizona.',
} as const

/**
 * Announces to screen readers that a turn is running, what it waits for, and how it ended. Speaks a few times per turn,
 * however many steps it has. The transcript itself is not a live region.
 */
function TurnAnnouncer() {
  const text = useChat(({ running, note, lastOutcome }) =>
    running ? note || 'The model is working.' : lastOutcome ? outcomes[lastOutcome] : '',
  )
  return (
    <div className="visually-hidden" role="status">
      {text}
    </div>
  )
}

/** The transcript's context menu. @returns the handler for the transcript, and the open menu to render */
function useTranscriptMenu(): { onContextMenu: (event: MouseEvent) => void; menu: ReactNode } {
  const [open, setOpen] = useState<{ anchor: MenuAnchor; groups: readonly MenuGroup[] } | null>(null)

  function onContextMenu(event: MouseEvent): void {
    const target = event.target instanceof Element ? transcriptTarget(event.target, event.currentTarget) : undefined
    if (!target) return
    event.preventDefault()
    setOpen({ anchor: { x: event.clientX, y: event.clientY }, groups: transcriptMenuGroups(target) })
  }

  return {
    onContextMenu,
    menu: open && (
      <Menu groups={open.groups} anchor={open.anchor} label="Message actions" onClose={() => setOpen(null)} />
    ),
  }
}
