import { memo } from 'react'
import { useChat } from '../../platform/conversation/chatStore.ts'
import { AssistantMessage } from './AssistantMessage.tsx'
import { Notice } from './Notice.tsx'
import { InstructionsNotice } from './InstructionsNotice.tsx'
import { Summary } from './Summary.tsx'
import { ToolCard } from './ToolCard.tsx'
import { TurnReviewCard } from './TurnReviewCard.tsx'
import { UserMessage } from './UserMessage.tsx'

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
