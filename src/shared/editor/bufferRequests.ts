import { z } from 'zod'
import {
  inlineEditSchema,
  locateCodeBlockSchema,
  type CodeBlockTarget,
  type InlineEditResult,
} from '../agent/inlineEdit.ts'
import { request, noParams, path, id } from '../requestType.ts'
import type { FileStamp } from '../files/files.ts'
import { textFormat, type TextFormat } from '../files/textFormat.ts'
import { textChange } from './textChanges.ts'

export const bufferRequests = {
  /**
   * Asks the model to change or insert lines, and returns them without changing the file. The lines so far arrive as
   * `inlineEdit.progress`.
   */
  'inlineEdit.run': request<InlineEditResult>()(() => inlineEditSchema),
  'inlineEdit.cancel': request<void>()(() => z.object({ id })),
  /**
   * Finds the lines of a file that a code block from the chat replaces.
   * @throws no_match if the block is a diff of other text
   */
  'inlineEdit.place': request<CodeBlockTarget>()(() => locateCodeBlockSchema),
  /** Sends a tab's state and unsaved text, so that a reload loses nothing. */
  'buffers.sync': request<void>()(() =>
    z.object({
      path,
      open: z.boolean(),
      dirty: z.boolean(),
      text: z.string().nullable(),
      version: z.number().int().optional(),
      stamp: z.string().optional(),
      format: textFormat.optional(),
    }),
  ),
  /** Sends a tab's changes since version `base`. Returns false if main does not have `base` and needs the full text. */
  'buffers.edit': request<boolean>()(() =>
    z.object({
      path,
      base: z.number().int(),
      version: z.number().int(),
      changes: z.array(textChange).max(5000),
      length: z.number().int().min(0),
    }),
  ),
  'buffers.list': request<
    { path: string; dirty: boolean; text: string | null; stamp?: FileStamp; format?: TextFormat }[]
  >()(() => noParams),
  /** Deletes the stored unsaved text of files that the user discarded. */
  'buffers.discard': request<void>()(() => z.object({ paths: z.array(path) })),
} as const
