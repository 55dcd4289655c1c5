import { create } from 'zustand'

export interface ConfirmChoice<T extends string> {
  id: T
  label: string
  variant?: 'primary' | 'danger' | 'default'
}

export interface ConfirmRequest<T extends string = string> {
  title: string
  message: string
  /** List below the message, for example file names. */
  items?: readonly string[]
  /** The primary choice is last. The dialog puts "Cancel" before the choices. */
  choices: readonly ConfirmChoice<T>[]
  /** Label of the cancel button. */
  cancel?: string
}

interface Pending {
  request: ConfirmRequest
  answer: (choice: string | null) => void
}

export const useConfirm = create<{ pending: Pending | null }>(() => ({ pending: null }))

/**
 * Shows a dialog with choices. Cancels a dialog that is already open.
 * @returns the id of the choice; null if cancelled
 */
export function confirm<T extends string>(request: ConfirmRequest<T>): Promise<T | null> {
  useConfirm.getState().pending?.answer(null)
  return new Promise((resolve) => {
    const answer = (choice: string | null) => {
      useConfirm.setState({ pending: null })
      // The buttons have the ids of `choices`.
      resolve(choice as T | null)
    }
    useConfirm.setState({ pending: { request, answer } })
  })
}
