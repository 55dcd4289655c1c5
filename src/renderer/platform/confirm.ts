import { create } from 'zustand'

export interface ConfirmChoice<T extends string> {
  id: T
  label: string
  variant?: 'primary' | 'danger' | 'default'
}

export interface ConfirmRequest<T extends string = string> {
  title: string
  message: string
  /** Shown as a short list below the message, e.g. file names. */
  items?: readonly string[]
  /** The main choice last. "Cancel" is always there. */
  choices: readonly ConfirmChoice<T>[]
}

interface Pending {
  request: ConfirmRequest
  answer: (choice: string | null) => void
}

export const useConfirm = create<{ pending: Pending | null }>(() => ({ pending: null }))

/** Asks in a dialog. @returns the id of the choice, null when cancelled. A second question cancels the first. */
export function confirm<T extends string>(request: ConfirmRequest<T>): Promise<T | null> {
  useConfirm.getState().pending?.answer(null)
  return new Promise((resolve) => {
    const answer = (choice: string | null) => {
      useConfirm.setState({ pending: null })
      // Buttons are drawn from `choices`, so the id is one of T.
      resolve(choice as T | null)
    }
    useConfirm.setState({ pending: { request, answer } })
  })
}
