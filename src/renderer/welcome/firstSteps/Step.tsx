import type { ReactNode } from 'react'
import { Icon } from '../../ui/index.ts'

/** `later`: an earlier step comes first. */
export type StepState = 'done' | 'current' | 'waiting' | 'failed' | 'later'

interface StepProps {
  title: string
  state: StepState
  /** The state as one sentence, announced when it changes. */
  status: string
  children?: ReactNode
}

const icons = {
  done: 'pass-filled',
  current: 'arrow-circle-right',
  waiting: 'loading',
  failed: 'warning',
  later: 'circle-large-outline',
} as const satisfies Record<StepState, string>

const stateTexts = {
  done: 'Done',
  current: 'Current step',
  waiting: 'In progress',
  failed: 'Needs attention',
  later: 'Later',
} as const satisfies Record<StepState, string>

export function Step({ title, state, status, children }: StepProps) {
  return (
    <li className="first-step" data-state={state} aria-current={state === 'current' ? 'step' : undefined}>
      <Icon name={icons[state]} spin={state === 'waiting'} />
      <div className="first-step-content">
        <h3>
          {title}
          <span className="visually-hidden">{` (${stateTexts[state]})`}</span>
        </h3>
        <p role="status">{status}</p>
        {children}
      </div>
    </li>
  )
}
