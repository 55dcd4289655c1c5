import { formatNumber } from '../../../shared/formatNumber.ts'
import { plural } from '../../../shared/plural.ts'
import { useState } from 'react'
import type { SummaryItem } from '../../../shared/conversation.ts'
import { Icon } from '../../ui/index.ts'
import '../context/context.css'

/** Where the conversation was summed up for the model. The messages above stay as they are. */
export function Summary({ item }: { item: SummaryItem }) {
  const [open, setOpen] = useState(false)
  return (
    <section className="chat-summary" data-testid="summary" aria-label="Summary of the conversation">
      <button type="button" className="chat-summary-toggle" aria-expanded={open} onClick={() => setOpen(!open)}>
        <Icon name={open ? 'chevron-down' : 'chevron-right'} />
        <span className="chat-summary-title">Summarised to make room</span>
        <span className="chat-summary-tokens">
          {formatNumber(item.tokensBefore)} → {plural(item.tokensAfter, 'token')}
        </span>
      </button>
      {open && (
        <div className="chat-summary-body">
          <p>
            The model reads this in place of what stands above, or of its older part.
            {item.by === 'facts' &&
              ` The model gave no summary (${item.problem ?? 'unknown'}), so the facts were put together without it.`}
          </p>
          <div className="chat-summary-text">{item.text}</div>
        </div>
      )}
    </section>
  )
}
