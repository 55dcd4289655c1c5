import type { SessionRow, SessionWorktree } from '../../shared/agent/sessionRows.ts'
import type { TryResult, TryTest } from '../../shared/agent/sessionTries.ts'
import { stateTexts } from './sessionGroups.ts'

/** A session that tries a task beside others. */
export interface TriedRow extends SessionRow {
  worktree: SessionWorktree & { try: NonNullable<SessionWorktree['try']> }
}

function isTried(row: SessionRow): row is TriedRow {
  return row.worktree !== null && row.worktree.try !== null
}

/** Returns the sessions that try a task, in their order. Other conversations in the same worktree are left out. */
export function triesOf(rows: readonly SessionRow[], task: string): TriedRow[] {
  const found = new Map<string, TriedRow>()
  for (const row of rows.filter(isTried).filter(({ worktree }) => worktree.try.task === task))
    if (!found.has(row.worktree.id) || row.conversation === row.worktree.try.conversation)
      found.set(row.worktree.id, row)
  return [...found.values()].toSorted((one, other) => one.worktree.try.number - other.worktree.try.number)
}

interface StateText {
  label: string
  icon: string
  color: string
}

const { done, stopped, failed, outOfContext } = stateTexts
const outcomes: Readonly<Record<TryResult['outcome'], StateText>> = {
  done,
  cancelled: stopped,
  failed,
  endpoint_failed: { ...failed, label: 'Model server failed' },
  truncated: { ...outOfContext, label: 'Answer cut off' },
  turn_limit: { ...stopped, label: 'Reached the limit of requests' },
  stuck: { ...stopped, label: 'Got stuck' },
  repeating: { ...stopped, label: 'Repeated itself' },
  approval_needed: { ...stopped, label: 'Needed approval' },
}

/** State of a try whose Tizona ended before it had a result. */
export const interruptedText: StateText = {
  label: 'Interrupted',
  icon: 'debug-disconnect',
  color: 'var(--color-warning)',
}

/** Returns what a try does, or how it ended. */
export function stateOfTry({ state, worktree }: TriedRow): StateText {
  const { result, running, interrupted, test } = worktree.try
  if (result) return outcomes[result.outcome]
  if (interrupted && state !== 'working' && state !== 'approval' && state !== 'asking') return interruptedText
  if (state === 'working' || state === 'approval' || state === 'asking' || !running) return stateTexts[state]
  const isTesting = state !== 'idle' && test !== undefined
  return { ...stateTexts.working, label: isTesting ? 'Testing' : state === 'idle' ? 'Preparing' : 'Working' }
}

/** Returns how the test of a try ended; null without one. */
export function testText(test: TryTest | undefined): string | null {
  if (test === undefined) return null
  if (!test.ran) return 'Not run'
  return test.exitCode === 0 ? 'Passed' : test.exitCode === null ? 'Stopped' : `Failed (${test.exitCode})`
}
