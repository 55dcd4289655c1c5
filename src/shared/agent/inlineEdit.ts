import { z } from 'zod'
import { maxInstruction } from './inlineEditLimits.ts'

// Inline edit: the user selects lines in the editor, describes a change, and sees the answer of the model as a diff in
// place.

/** Indentation of an open file. */
const indentation = z.object({ tabs: z.boolean(), size: z.number().int().min(1).max(64) })

/** What an inline edit changes: whole lines of an open file, or a place between two lines. */
const editTarget = z.object({
  path: z.string().min(1).max(4096),
  /** Name of the language, '' if unknown. */
  language: z.string().max(100),
  /** The lines to replace. Null: the answer is inserted between `before` and `after`. */
  selection: z.array(z.string()).min(1).nullable(),
  /** 1-based number of the first selected line, or of the line that the answer is inserted before. */
  line: z.number().int().min(1),
  /** Text before and after the lines, which the window limits to `maxSurrounding` characters each. */
  before: z.string(),
  after: z.string(),
  /** Whitespace on the line of the cursor, if the answer replaces that blank line. */
  cursorIndent: z.string().max(1000).default(''),
  indentation,
})

export const inlineEditSchema = editTarget.extend({
  /** Identifies the edit for `inlineEdit.progress` and `inlineEdit.cancel`. */
  id: z.string().min(1).max(200),
  /** The conversation whose model answers. Without one, the default model answers. */
  conversationId: z.string().min(1).max(200).optional(),
  instruction: z.string().trim().min(1).max(maxInstruction),
  /** Earlier instructions of this edit and the lines that the model proposed. */
  earlier: z.array(z.object({ instruction: z.string().max(maxInstruction), lines: z.array(z.string()) })).max(50),
})
export type InlineEditTarget = z.output<typeof editTarget>
export type InlineEditParams = z.output<typeof inlineEditSchema>

const lineRange = z.object({ start: z.number().int().min(1), count: z.number().int().min(0) })

/** A code block of the chat that is to be applied to an open file. */
export const placeBlockSchema = z.object({
  path: z.string().min(1).max(4096),
  /** The current text of the file with `\n` line endings. */
  text: z.string().max(10_000_000),
  code: z.string().max(2_000_000),
  /** Language of the code block, as the model wrote it. */
  language: z.string().max(100),
  /** Whole selected lines; null without a selection. */
  selection: lineRange.nullable(),
  /** Where the block is inserted if it replaces nothing. */
  cursor: lineRange,
  indentation,
})
export type PlaceBlockParams = z.output<typeof placeBlockSchema>

/** The lines that a code block replaces: with `lines`, or with the model's answer to `instruction`. */
export type BlockPlace = z.output<typeof lineRange> & ({ lines: string[] } | { instruction: string })

export interface InlineEditResult {
  /** The lines that replace the selection. */
  lines: string[]
  /** Something that may have made the answer worse, for example a prompt that the server truncated. */
  warning?: string
}

/** State of a running inline edit. */
export type InlineEditProgress =
  /** e.g. "Loading model…" */
  | { kind: 'note'; text: string }
  /** The complete lines so far are the first `keep` lines of the previous event, then `lines`. */
  | { kind: 'lines'; keep: number; lines: string[] }
