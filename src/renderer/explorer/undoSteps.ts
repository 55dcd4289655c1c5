import { Sequencer } from '../../shared/async/sequencer.ts'
import { attempt } from '../platform/notices.ts'

// Explorer actions that Ctrl+Z can undo, latest last.

export interface Step {
  /**
   * Undoes the action. Unless it calls `drop`, the step stays and can be undone again, for example after the user
   * cancelled.
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

/** Steps and undoing them run one after another, so that Ctrl+Z during a step undoes that step. */
const running = new Sequencer()

/** Forgets all steps, because another folder is opened. */
export function forgetSteps(): void {
  steps = []
}

/** Runs an action after the earlier ones. @param act adds the step that undoes it */
export function runStep(act: (add: (step: Step) => void) => Promise<void>): Promise<void> {
  return running.queue(() =>
    act((step) => {
      steps = [...steps, step].slice(-maxSteps)
    }),
  )
}

/** Notifies the other steps that an entry was moved, so that they still find it. */
export function reportMoved(by: Step, from: string, to: string): void {
  for (const step of steps) if (step !== by) step.moved?.(from, to)
}

/** Notifies the other steps that an entry was removed. */
export function reportRemoved(by: Step, path: string): void {
  steps = steps.filter((step) => step === by || step.removed?.(path) !== true)
}

/** Undoes a step. @param latest returns the step when all earlier ones have ended */
function undo(latest: () => Step | undefined): Promise<void> {
  return running.queue(async () => {
    const step = latest()
    // A notice can outlive its step, because the step was undone or another folder was opened.
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

/** Undoes the latest move, rename, copy or deletion. */
export function undoLastStep(): void {
  attempt(() => undo(() => steps.at(-1)), 'The last action could not be undone')
}
