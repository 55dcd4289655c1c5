import { z } from 'zod'
import { maxInstruction } from './inlineEditLimits.ts'

// Inline edit: the user selects lines, describes a change, and sees the model's answer as a diff in the editor.

/** Indentation of an open file. */
const indentation = z.object({ tabs: z.boolean(), size: z.number().int().min(1).max(64) })

/** What an inline edit changes: whole lines of an open file, or the gap between two lines. */
const editTarget = z.object({
  path: z.string().min(1).max(4096),
  /** Language id; '' if unknown. */
  language: z.string().max(100),
  /** The lines to replace. Null: the answer is inserted between `before` and `after`. */
  selection: z.array(z.string()).min(1).nullable(),
  /** 1-based number of the first selected line, or of the line before which the answer is inserted. */
  line: z.number().int().min(1),
  /** Text before and after the lines, at most `maxSurrounding` characters each. */
  before: z.string(),
  after: z.string(),
  /** Whitespace on the cursor's line, if the answer replaces that blank line. */
  cursorIndent: z.string().max(1000).default(''),
  indentation,
})

export const inlineEditSchema = editTarget.extend({
  /** Identifies the edit for `inlineEdit.progress` and `inlineEdit.cancel`. */
  id: z.string().min(1).max(200),
  /** The conversation whose model to use. Default: the default model. */
  conversationId: z.string().min(1).max(200).optional(),
  instruction: z.string().trim().min(1).max(maxInstruction),
  /** Earlier instructions of this edit with the lines that the model proposed. */
  earlier: z.array(z.object({ instruction: z.string().max(maxInstruction), lines: z.array(z.string()) })).max(50),
})
export type InlineEditTarget = z.output<typeof editTarget>
export type InlineEditParams = z.output<typeof inlineEditSchema>

const lineRange = z.object({ start: z.number().int().min(1), count: z.number().int().min(0) })

/** A code block from the chat to apply to an open file. */
export const locateCodeBlockSchema = z.object({
  path: z.string().min(1).max(4096),
  /** The current text of the file with `\n` line endings. */
  text: z.string().max(10_000_000),
  code: z.string().max(2_000_000),
  /** Language of the code block as the model wrote it. */
  language: z.string().max(100),
  /** Selected whole lines; null without a selection. */
  selection: lineRange.nullable(),
  /** Where the block is inserted if it replaces nothing. */
  cursor: lineRange,
  indentation,
})
export type LocateCodeBlockParams = z.output<typeof locateCodeBlockSchema>

/** The lines that a code block replaces: by `lines`, or by the model's answer to `instruction`. */
export type CodeBlockTarget = z.output<typeof lineRange> & ({ lines: string[] } | { instruction: string })

export interface InlineEditResult {
  /** The lines that replace the selection. */
  lines: string[]
  /** What may have degraded the answer, for example a prompt that the server truncated. */
  warning?: string
}

/** State of a running inline edit. */
export type InlineEditProgress =
  /** e.g. "Loading model…" */
  | { kind: 'note'; text: string }
  /** The complete lines so far are the first `keep` lines of the previous event, followed by `lines`. */
  | { kind: 'lines'; keep: number; lines: string[] }
