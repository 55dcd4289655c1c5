/**
 * Steps through earlier messages with Up and Down, as a shell does.
 * @param at number of messages back; 0 is the draft
 */
export function recall(
  messages: readonly string[],
  at: number,
  step: 1 | -1,
): { at: number; text: string } | undefined {
  const next = at + step
  if (next < 0 || next > messages.length) return undefined
  return { at: next, text: next === 0 ? '' : (messages[messages.length - next] ?? '') }
}
