import { create } from 'zustand'
import type { SessionSummary } from '../../shared/git/sessionRequests.ts'

/** What the dialog shows of a session. */
export type Side = Pick<SessionSummary, 'id' | 'name' | 'branch'>

/** The sessions that the dialog compares; null while it is closed. */
export const useCompare = create<{ sides: readonly [Side, Side] | null }>(() => ({ sides: null }))

/** Shows what two sessions have changed beside each other. */
export function showComparison(one: Side, other: Side): void {
  useCompare.setState({ sides: [one, other] })
}
