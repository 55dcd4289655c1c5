import { useState, type ReactNode } from 'react'
import { useSettings } from '../../platform/appState.ts'
import { attempt } from '../../platform/notices.ts'
import { Button, Icon } from '../../ui/index.ts'
import { modeTexts } from '../../../shared/tools/modeTexts.ts'
import { useChat } from '../../platform/conversation/chatStore.ts'
import { focusComposer } from '../chatViewStore.ts'
import { executePlan, modeAfterPlan, pendingPlan, runSteps } from './plan.ts'
import './plan.css'

/** Actions for a finished plan: execute it, edit it first, or continue planning. */
export function PlanCard() {
  const plan = useChat(pendingPlan)
  // The key resets the editor for each plan.
  if (!plan) return null
  return plan.isStepList ? <StepsCard key={plan.id} text={plan.text} /> : <ExecuteCard key={plan.id} text={plan.text} />
}

/** The steps of a guided turn. */
function StepsCard({ text }: { text: string }) {
  return (
    <Card
      text={text}
      noun="steps"
      run={(edited) => runSteps(edited ?? text)}
      runLabel="Run steps"
      failure="The steps could not be run"
    >
      Nothing has changed yet. The steps run one after the other. Edit them to change, remove or reorder some.
    </Card>
  )
}

function ExecuteCard({ text }: { text: string }) {
  const settings = useSettings()
  const before = useChat((state) => state.info?.modeBeforePlan)
  const mode = modeAfterPlan(before, settings?.mode)
  const { label, detail } = modeTexts[mode]
  return (
    <Card
      text={text}
      noun="plan"
      run={(edited) => executePlan(mode, edited)}
      runLabel="Execute plan"
      failure="The plan could not be executed"
      extra={
        <Button size="small" variant="ghost" onClick={focusComposer}>
          Keep planning
        </Button>
      }
    >
      {`Nothing has changed yet. The plan will be executed in ${label} mode. ${detail}.`}
    </Card>
  )
}

interface CardProps {
  text: string
  noun: 'plan' | 'steps'
  /** @param edited undefined if the user changed nothing */
  run(edited: string | undefined): Promise<void>
  runLabel: string
  failure: string
  /** An additional action. */
  extra?: ReactNode
  children: ReactNode
}

function Card({ text, noun, run, runLabel, failure, extra, children }: CardProps) {
  const [edited, setEdited] = useState<string>()
  const [sending, setSending] = useState(false)

  function execute(): void {
    setSending(true)
    attempt(() => run(edited === text ? undefined : edited).finally(() => setSending(false)), failure)
  }
  return (
    <section className="plan-card" aria-label={noun === 'plan' ? 'Plan' : 'Steps'} data-testid="plan-card">
      <div className="plan-card-row">
        <Icon name="checklist" />
        <span className="plan-card-text">{children}</span>
      </div>
      {edited !== undefined && (
        <textarea
          className="ui-input plan-card-editor"
          aria-label={noun === 'plan' ? 'Edited plan' : 'Edited steps'}
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
            {extra}
            <Button size="small" variant="ghost" icon="edit" onClick={() => setEdited(text)}>
              {noun === 'plan' ? 'Edit plan' : 'Edit steps'}
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
          {runLabel}
        </Button>
      </div>
    </section>
  )
}
