import { formatNumber } from '../../../shared/text/formatNumber.ts'
import { plural } from '../../../shared/text/plural.ts'
import { useState } from 'react'
import type { SummaryItem } from '../../../shared/agent/conversation.ts'
import { Icon } from '../../ui/index.ts'
import '../context/context.css'

/** Marks where the conversation was summarized for the model. The messages above stay visible to the user. */
export function Summary({ item }: { item: SummaryItem }) {
  const [open, setOpen] = useState(false)
  return (
    <section className="chat-summary" data-testid="summary" aria-label="Summary of the conversation">
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
              ` The model returned no usable summary (${item.problem ?? 'reason unknown'}), so Tizona listed the facts instead.`}
          </p>
          <div className="chat-summary-text">{item.text}</div>
        </div>
      )}
    </section>
  )
}
