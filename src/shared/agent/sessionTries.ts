import { z } from 'zod'
import { profileChoices } from './promptProfile.ts'
import { toolsetNames } from '../tools/risk.ts'

// Several sessions that try the same task (main/sessions/tries.ts).

/** How a try differs from the others. Absent options are those of a new conversation. */
export const tryOptionsSchema = z.object({
  model: z.string().max(500).optional(),
  temperature: z.number().min(0).max(2).optional(),
  toolset: z.enum(toolsetNames).optional(),
  profile: z.enum(profileChoices).optional(),
})

/** How the test command of a try ended. */
const tryTestSchema = z.object({
  /** Null if it was stopped or did not run. */
  exitCode: z.number().nullable(),
  /** The end of its output, or why it did not run. */
  output: z.string(),
  ran: z.boolean(),
})

/** What came of a try. Numbers are null if it failed before they were known. */
export const tryResultSchema = z.object({
  outcome: z.enum([
    'done',
    'turn_limit',
    'stuck',
    'repeating',
    'truncated',
    'cancelled',
    'endpoint_failed',
    'approval_needed',
    'failed',
  ]),
  /** Why it failed outside its turn. */
  error: z.string().optional(),
  /** Duration of the turn. */
  seconds: z.number().nullable(),
  /** Sum of the tokens of all prompts and answers. */
  tokens: z.number().nullable(),
  /** Files and lines that differ from the commit that it started from. */
  files: z.number().nullable(),
  added: z.number().nullable(),
  removed: z.number().nullable(),
  test: tryTestSchema.optional(),
})

/** A session as one of several tries of a task. */
export const sessionTrySchema = tryOptionsSchema.extend({
  /** The same for all tries of a task. */
  task: z.string(),
  /** Beginning of the prompt. */
  title: z.string(),
  /** From 1. */
  number: z.number(),
  /** Command that runs in the worktree after the turn. */
  test: z.string().optional(),
  /** Absent while it works, and if it was interrupted. */
  result: tryResultSchema.optional(),
})

export type TryOptions = z.output<typeof tryOptionsSchema>
export type TryTest = z.output<typeof tryTestSchema>
export type TryResult = z.output<typeof tryResultSchema>
export type SessionTry = z.output<typeof sessionTrySchema>
