import { plural } from '../../../shared/text/plural.ts'
import type { TurnReview } from '../../../shared/review/review.ts'
import { useChat } from '../../platform/conversation/chatStore.ts'
import { showReview } from '../../platform/review/reviewStore.ts'
import { DiffCounts } from '../../ui/diff/DiffCounts.tsx'
import { Button, Icon } from '../../ui/index.ts'

/** Summary of the files that a turn changed, with the way to their review. */
export function TurnReviewCard({ review: { files, added, removed, message } }: { review: TurnReview }) {
  const conversation = useChat((state) => state.info?.id)
  if (conversation === undefined) return null
  return (
    <section className="chat-review" aria-label="Changes of this turn" data-testid="turn-review">
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
