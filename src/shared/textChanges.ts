import { z } from 'zod'

/** One replaced stretch of a text, in UTF-16 units. Several changes apply one after another, each to the text that the one before left. */
export const textChange = z.object({
  offset: z.number().int().min(0),
  length: z.number().int().min(0),
  text: z.string(),
})
export type TextChange = z.infer<typeof textChange>

/** @returns the changed text, or null when a change lies outside of the text, so that both sides hold different texts */
export function applyTextChanges(text: string, changes: readonly TextChange[]): string | null {
  let current = text
  for (const { offset, length, text: inserted } of changes) {
    if (offset + length > current.length) return null
    current = current.slice(0, offset) + inserted + current.slice(offset + length)
  }
  return current
}
