import { z } from 'zod'
import { encodings } from './encodings.ts'

/** Encoding and line endings of a file, which edits preserve. */
export const textFormat = z.object({
  encoding: z.enum(encodings),
  eol: z.enum(['\n', '\r\n']),
})
export type TextFormat = z.output<typeof textFormat>
