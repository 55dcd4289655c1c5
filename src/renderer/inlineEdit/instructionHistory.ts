import { useLayout } from '../platform/layout/layoutStore.ts'

const maxInstructions = 100
const maxLength = 5_000

/** Instructions that were sent in this folder, oldest first, including those before a reload. */
export function instructions(): readonly string[] {
  return useLayout.getState().inlineEdit.instructions
}

/** Adds an instruction that is being sent, or moves it to the end. */
export function rememberInstruction(text: string): void {
  if (text.length > maxLength) return
  const others = instructions().filter((each) => each !== text)
  useLayout.setState({ inlineEdit: { instructions: [...others, text].slice(-maxInstructions) } })
}
