/**
 * Finds the message that Up (`step` 1) or Down (-1) recalls, like a shell's history.
 * @param at number of messages back; 0 is the draft
 * @returns undefined at either end of the history
 */
export function recallMessage(
  messages: readonly string[],
  at: number,
  step: 1 | -1,
): { at: number; text: string } | undefined {
  const next = at + step
  if (next < 0 || next > messages.length) return undefined
  return { at: next, text: next === 0 ? '' : (messages[messages.length - next] ?? '') }
}
