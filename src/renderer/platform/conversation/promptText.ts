import { create } from 'zustand'

export interface TextPrompt {
  title: string
  label: string
  /** Label of the button, a verb. */
  button: string
  initial?: string
  /** Whether the text is a secret, which is not shown. */
  password?: boolean
  /** Checks the text. @returns the problem; null if the text is valid */
  problem: (text: string) => string | null
}

interface Pending {
  prompt: TextPrompt
  answer: (text: string | null) => void
}

/** The open prompt. app/Workbench.tsx shows it. */
export const useTextPrompt = create<{ pending: Pending | null }>(() => ({ pending: null }))

/** Shows a dialog with a text field. @returns the text; null if cancelled */
export function promptText(prompt: TextPrompt): Promise<string | null> {
  useTextPrompt.getState().pending?.answer(null)
  return new Promise((resolve) => {
    const answer = (text: string | null) => {
      useTextPrompt.setState({ pending: null })
      resolve(text)
    }
    useTextPrompt.setState({ pending: { prompt, answer } })
  })
}
