import { create } from 'zustand'
import type { TakenOver } from '../../shared/git/sessionRequests.ts'

/** A question of the dialog. */
export interface Pending {
  id: string
  name: string
  answer: (taken: TakenOver | null) => void
}

/** The session whose changes the dialog shows. */
export const useTakeOver = create<{ pending: Pending | null }>(() => ({ pending: null }))

/** Lets the user choose which changes of a session to take over. @returns what was taken over; null if cancelled */
export function chooseTakeOver(session: Pick<Pending, 'id' | 'name'>): Promise<TakenOver | null> {
  useTakeOver.getState().pending?.answer(null)
  return new Promise((resolve) => {
    const answer = (taken: TakenOver | null) => {
      useTakeOver.setState({ pending: null })
      resolve(taken)
    }
    useTakeOver.setState({ pending: { ...session, answer } })
  })
}
