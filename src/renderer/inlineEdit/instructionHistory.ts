const sent: string[] = []
const maxInstructions = 100

/** The instructions of this window, oldest first. */
export function instructions(): readonly string[] {
  return sent
}

/** Adds an instruction that is being sent, or moves it to the end. */
export function rememberInstruction(text: string): void {
  const known = sent.indexOf(text)
  if (known !== -1) sent.splice(known, 1)
  sent.push(text)
  if (sent.length > maxInstructions) sent.shift()
}
