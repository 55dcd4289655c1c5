import { z } from 'zod'

/** Replacement of a range in UTF-16 units. In a list, each change applies to the result of the previous one. */
export const textChange = z.object({
  offset: z.number().int().min(0),
  length: z.number().int().min(0),
  text: z.string(),
})
export type TextChange = z.infer<typeof textChange>

/** Applies changes in order. @returns null if a change is out of range, because window and main are out of sync */
export function applyTextChanges(text: string, changes: readonly TextChange[]): string | null {
  let current = text
  for (const { offset, length, text: inserted } of changes) {
    if (offset + length > current.length) return null
    current = current.slice(0, offset) + inserted + current.slice(offset + length)
  }
  return current
}
