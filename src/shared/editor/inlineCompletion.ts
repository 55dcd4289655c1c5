import { z } from 'zod'

// Inline completion: while the user types, a model suggests how the text continues at the cursor.

/** Number of lines before and after the cursor in a request, as in llama.vscode. */
export const contextLines = { before: 256, after: 64 }

/** Maximum characters on each side of the cursor. Files with very long lines reach it. */
export const maxContextCharacters = { before: 40_000, after: 12_000 }

/** Lines per chunk of recently seen code. */
export const chunkLines = 64

const path = z.string().min(1).max(4096)
const id = z.string().min(1).max(200)

/** The text around the cursor of an open file, with `\n` line endings. */
export const completionSchema = z.object({
  /** Identifies the request for `completion.cancel` and `completion.outcome`. */
  id,
  path,
  /** 1-based line of the cursor. */
  line: z.number().int().min(1),
  /** Text from the start of a line to the cursor. */
  before: z.string().max(maxContextCharacters.before),
  /** Text from the cursor to the end of a line. */
  after: z.string().max(maxContextCharacters.after),
})
export type CompletionParams = z.output<typeof completionSchema>

/** The model to test. */
export const completionModelSchema = z.object({
  endpointId: z.string().min(1).max(200),
  model: z.string().min(1).max(500),
})

/** Lines of a file that the user has just left, saved or copied. */
export const seenCodeSchema = z.object({ path, text: z.string().max(40_000) })
export type SeenCode = z.output<typeof seenCodeSchema>

export type CompletionSuggestion = {
  /** The text to insert at the cursor. */
  text: string
  /** Characters after the cursor that the text replaces. They are on the line of the cursor. */
  replaces: number
  /** Whether it continues an earlier answer, without a request to the server. */
  cached: boolean
} | null

/** Outcomes of suggestions. */
export const completionOutcomeSchema = z.object({
  /** Number of suggestions that became visible. */
  shown: z.number().int().min(0).max(1000).default(0),
  /** Number of suggestions that were accepted, even in part. */
  accepted: z.number().int().min(0).max(1000).default(0),
  acceptedCharacters: z.number().int().min(0).max(1_000_000).default(0),
  /** Characters of accepted suggestions that were checked later, and how many of those were unchanged. */
  checkedCharacters: z.number().int().min(0).max(1_000_000).default(0),
  keptCharacters: z.number().int().min(0).max(1_000_000).default(0),
})
export type CompletionOutcome = z.output<typeof completionOutcomeSchema>

/** Statistics of inline completion. They never leave this computer. */
export const completionFiguresSchema = z.object({
  /** Milliseconds since 1970. 0: nothing was counted yet. */
  since: z.number().default(0),
  /** Requests from the editor, one per keystroke. */
  keys: z.number().default(0),
  /** Keystrokes served without a request to the server. */
  fromCache: z.number().default(0),
  /** Requests to the server, and how many of them were cancelled. */
  requests: z.number().default(0),
  cancelled: z.number().default(0),
  shown: z.number().default(0),
  accepted: z.number().default(0),
  acceptedCharacters: z.number().default(0),
  checkedCharacters: z.number().default(0),
  keptCharacters: z.number().default(0),
})
export type CompletionFigures = z.output<typeof completionFiguresSchema>

/** Result of testing a model for inline completion. */
export interface CompletionTest {
  /** How requests are sent, for example "llama.cpp's /infill". */
  form: string
  /** Duration of a short suggestion in milliseconds. */
  ms: number
  /** Beginning of the suggestion. */
  sample: string
}

/** Lines that a next edit can change: the cursor's line and this many before and after it. */
export const excerptLines = { before: 10, after: 10 }
/** Lines of context on each side of the excerpt. */
export const excerptContextLines = 40
/** Number of earlier edits in a request. */
export const maxRecentEdits = 6

const someLines = z.array(z.string().max(2000)).max(200)

/** The cursor position and the user's recent edits. */
export const nextEditSchema = z.object({
  id,
  path,
  above: someLines,
  /** The excerpt. Only these lines can change. */
  lines: someLines.min(1),
  below: someLines,
  /** 1-based line of the file at which the excerpt starts. */
  firstLine: z.number().int().min(1),
  cursor: z.object({ line: z.number().int().min(0), character: z.number().int().min(0) }),
  /** Oldest first. */
  edits: z
    .array(z.object({ path, line: z.number().int().min(1), before: someLines, after: someLines }))
    .min(1)
    .max(maxRecentEdits),
})
export type NextEditParams = z.output<typeof nextEditSchema>

/** Whole lines to replace; null if there is no edit. */
export type NextEdit = {
  /** 1-based. */
  line: number
  /** At least 1. */
  count: number
  lines: string[]
} | null
