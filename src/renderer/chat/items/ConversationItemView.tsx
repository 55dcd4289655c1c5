import { memo, useState } from 'react'
import { useChat } from '../../platform/conversation/chatStore.ts'
import { AssistantMessage } from './AssistantMessage.tsx'
import { Notice } from './Notice.tsx'
import { InstructionsNotice } from './InstructionsNotice.tsx'
import { ToolCard } from './ToolCard.tsx'
import { UserMessage } from './UserMessage.tsx'
import { plural } from '../../../shared/text/plural.ts'
import type { TurnReview } from '../../../shared/review/review.ts'
import { showReview } from '../../platform/review/reviewStore.ts'
import { DiffCounts } from '../../ui/diff/DiffCounts.tsx'
import { Button, Icon } from '../../ui/index.ts'
import { formatNumber } from '../../../shared/text/formatNumber.ts'
import type { SummaryItem } from '../../../shared/agent/conversation.ts'
import '../context/context.css'

/**
 * Renders one item of the transcript. Subscribes to that item only, so that a streaming item does not render the
 * others.
 */
export const ConversationItemView = memo(function ConversationItemView({
  id,
  nextId,
}: {
  id: string
  nextId: string | undefined
}) {
  const item = useChat((state) => state.items[id])
  switch (item?.kind) {
    case 'user':
      return <UserMessage item={item} />
    case 'assistant':
      return (
        <>
          <AssistantMessage item={item} nextId={nextId} />
          {item.review && <TurnReviewCard review={item.review} />}
        </>
      )
    case 'tool':
      return <ToolCard item={item} />
    case 'summary':
      return <Summary item={item} />
    case 'notice':
      return <Notice item={item} />
    case 'instructions':
      return <InstructionsNotice item={item} />
    default:
      return null
  }
})

/** Summarizes the files that a turn changed, with a link to their review. */
function TurnReviewCard({ review: { files, added, removed, message } }: { review: TurnReview }) {
  const conversation = useChat((state) => state.info?.id)
  if (conversation === undefined) return null
  return (
    <section className="chat-review" aria-label="Changes in this turn" data-testid="turn-review">
      <Icon name="checklist" />
      <span className="chat-review-files">{plural(files, 'file')}</span>
      <DiffCounts added={added} removed={removed} />
      <span className="chat-review-space" />
      <Button size="small" onClick={() => showReview({ kind: 'turn', conversation, message })}>
        Review
      </Button>
    </section>
  )
}

/** Marks where the conversation was summarized for the model. The user still sees the earlier messages. */
function Summary({ item }: { item: SummaryItem }) {
  const [open, setOpen] = useState(false)
  return (
    <section className="chat-summary" data-testid="summary" aria-label="Conversation summary">
      <button type="button" className="chat-summary-toggle" aria-expanded={open} onClick={() => setOpen(!open)}>
        <Icon name={open ? 'chevron-down' : 'chevron-right'} />
        <span className="chat-summary-title">Summarized to free context</span>
        <span className="chat-summary-tokens">
          {formatNumber(item.tokensBefore)} → {plural(item.tokensAfter, 'token')}
        </span>
      </button>
      {open && (
        <div className="chat-summary-body">
          <p>
            The model receives this summary instead of the earlier messages above.
            {item.by === 'facts' &&
              (item.problem === undefined
                ? ' The model returned no usable summary, so Tizona listed the facts instead.'
                : ` The model returned no usable summary (${item.problem}), so Tizona listed the facts instead.`)}
          </p>
          <div className="chat-summary-text">{item.text}</div>
        </div>
      )}
    </section>
  )
}
