import { useState } from 'react'
import { useSettings } from '../../platform/appState.ts'
import { attempt } from '../../platform/notices.ts'
import { Button, Icon } from '../../ui/index.ts'
import { modeTexts } from '../../../shared/modeTexts.ts'
import { useChat } from '../../platform/conversation/chatStore.ts'
import { focusComposer } from '../chatViewStore.ts'
import { executePlan, modeAfterPlan, pendingPlan } from './plan.ts'
import './plan.css'

/** Actions for a finished plan: execute it, edit it first, or keep planning. */
export function PlanCard() {
  const plan = useChat(pendingPlan)
  // The key resets the editor for each plan.
  return plan ? <Card key={plan.id} text={plan.text} /> : null
}

function Card({ text }: { text: string }) {
  const settings = useSettings()
  const before = useChat((state) => state.info?.modeBeforePlan)
  const [edited, setEdited] = useState<string>()
  const [sending, setSending] = useState(false)
  const mode = modeAfterPlan(before, settings?.mode)
  const { label, detail } = modeTexts[mode]

  function execute(): void {
    setSending(true)
    attempt(
      () => executePlan(mode, edited === text ? undefined : edited).finally(() => setSending(false)),
      'The plan could not be executed',
    )
  }
  return (
    <section className="plan-card" aria-label="Plan" data-testid="plan-card">
      <div className="plan-card-row">
        <Icon name="checklist" />
        <span className="plan-card-text">
          Nothing has changed yet. The plan will be executed in <b>{label}</b> mode:{' '}
          {detail.charAt(0).toLowerCase() + detail.slice(1)}.
        </span>
      </div>
      {edited !== undefined && (
        <textarea
          className="ui-input plan-card-editor"
          aria-label="Edited plan"
          value={edited}
          autoFocus
          onChange={(event) => setEdited(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Escape') setEdited(undefined)
          }}
        />
      )}
      <div className="plan-card-actions">
        {edited === undefined ? (
          <>
            <Button size="small" variant="ghost" onClick={focusComposer}>
              Keep planning
            </Button>
            <Button size="small" variant="ghost" icon="edit" onClick={() => setEdited(text)}>
              Edit plan
            </Button>
          </>
        ) : (
          <Button size="small" variant="ghost" onClick={() => setEdited(undefined)}>
            Cancel
          </Button>
        )}
        <Button
          size="small"
          variant="primary"
          icon="play"
          disabled={sending || edited?.trim() === ''}
          onClick={execute}
        >
          Execute plan
        </Button>
      </div>
    </section>
  )
}
