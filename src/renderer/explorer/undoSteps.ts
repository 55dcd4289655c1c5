import { Sequencer } from '../../shared/async/sequencer.ts'
import { attempt } from '../platform/notices.ts'

// Actions of the explorer that Ctrl+Z undoes, latest last.

export interface Step {
  /**
   * Undoes the action. Without `drop`, the step stays and can be undone again, for example after the user cancelled.
   * @param drop removes the step
   */
  undo(drop: () => void): Promise<void>
  /** Reports that another step moved an entry. */
  moved?(from: string, to: string): void
  /** Reports that another step removed an entry. @returns whether nothing remains to undo */
  removed?(path: string): boolean
}

let steps: Step[] = []
const maxSteps = 100

/** Steps and their undoing run one after another, so that Ctrl+Z during a step undoes it and not an earlier one. */
const running = new Sequencer()

/** Forgets all steps, because another folder opens. */
export function forgetSteps(): void {
  steps = []
}

/** Runs an action after those before it. @param act adds the step that undoes what it did */
export function runStep(act: (add: (step: Step) => void) => Promise<void>): Promise<void> {
  return running.queue(() =>
    act((step) => {
      steps = [...steps, step].slice(-maxSteps)
    }),
  )
}

/** Reports to the other steps that one has moved an entry, so that they find it. */
export function reportMoved(by: Step, from: string, to: string): void {
  for (const step of steps) if (step !== by) step.moved?.(from, to)
}

/** Reports to the other steps that one has removed an entry. */
export function reportRemoved(by: Step, path: string): void {
  steps = steps.filter((step) => step === by || step.removed?.(path) !== true)
}

/** Undoes a step. @param latest called once it is its turn */
function undo(latest: () => Step | undefined): Promise<void> {
  return running.queue(async () => {
    const step = latest()
    // A notice can outlive its step: it was undone, or another folder is open.
    if (!step || !steps.includes(step)) return
    await step.undo(() => {
      steps = steps.filter((each) => each !== step)
    })
  })
}

/** Undoes a step, for example from its notice. @param failure text of the notice if it fails */
export function undoStep(step: Step, failure: string): void {
  attempt(() => undo(() => step), failure)
}

/** Undoes the latest move, renaming, copy or deletion. */
export function undoLastStep(): void {
  attempt(() => undo(() => steps.at(-1)), 'It could not be undone')
}
