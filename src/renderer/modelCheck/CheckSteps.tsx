import { formatDuration } from '../../shared/text/formatDuration.ts'
import { checkStepTexts, type CheckStepResult } from '../../shared/models/modelCheck.ts'
import { stepStateText } from '../../shared/models/modelCheckTexts.ts'
import { Icon } from '../ui/index.ts'

const icons: Readonly<Record<CheckStepResult['state'], string>> = {
  waiting: 'circle-large-outline',
  running: 'loading',
  passed: 'pass-filled',
  failed: 'error',
  skipped: 'circle-slash',
  cancelled: 'circle-slash',
}

/** A check's steps with their states. @param live announces completed steps */
export function CheckSteps({ steps, live = false }: { steps: readonly CheckStepResult[]; live?: boolean }) {
  const running = steps.find(({ state }) => state === 'running')
  return (
    <>
      {live && (
        <p className="visually-hidden" role="status">
          {running && `Running: ${checkStepTexts[running.step]}`}
        </p>
      )}
      <ul className="model-check-steps" aria-label="Steps">
        {steps.map((result) => (
          <Step key={result.step} result={result} />
        ))}
      </ul>
    </>
  )
}

function Step({ result: { step, state, note, detail, ms } }: { result: CheckStepResult }) {
  const isAbsent = step === 'vision' && state === 'failed'
  const text = [note, detail].filter((part) => part !== undefined).join(' ')
  return (
    <li data-state={isAbsent ? 'skipped' : state}>
      <Icon
        name={isAbsent ? icons.skipped : icons[state]}
        label={stepStateText(step, state)}
        spin={state === 'running'}
      />
      <span className="model-check-step-name">{checkStepTexts[step]}</span>
      {ms !== undefined && <span className="model-check-muted">{formatDuration(ms)}</span>}
      {text !== '' && <span className="model-check-note">{text}</span>}
    </li>
  )
}
