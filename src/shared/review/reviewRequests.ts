import { z } from 'zod'
import { request, noParams, path, id, serverPrompt } from '../requestType.ts'
import {
  type ReviewFileDetail,
  type ReviewFileExcerpts,
  type ReviewFileHunks,
  type ReviewOutcome,
  type ReviewScope,
  type ReviewSummary,
  type ReviewTarget,
  maxQuotedLines,
} from './review.ts'

const reviewScope = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('pending') }),
  z.object({ kind: z.enum(['turn', 'since']), conversation: id, message: id }),
  z.object({ kind: z.literal('conversation'), conversation: id }),
  z.object({ kind: z.literal('checkpoint'), checkpoint: z.number().int() }),
]) satisfies z.ZodType<ReviewScope>
const quotedLines = z.array(z.string()).max(maxQuotedLines)
const reviewTarget = z.object({
  path,
  hunks: z.array(id).min(1).max(10_000).optional(),
  revision: z.number().int().optional(),
}) satisfies z.ZodType<ReviewTarget>
const reviewAction = z.object({
  scope: reviewScope,
  targets: z.union([z.array(reviewTarget).min(1).max(10_000), z.literal('all')]),
})

export const reviewRequests = {
  /**
   * Lists the changed files of a scope. Changes arrive as `review.changed`. `paths`: limits the list to these files.
   */
  'review.list': request<ReviewSummary>()(() =>
    z.object({ scope: reviewScope, paths: z.array(path).max(100).optional() }),
  ),
  /** Returns a file's hunks. @throws not_found if the file has no changes in this scope */
  'review.hunks': request<ReviewFileHunks>()(() => z.object({ scope: reviewScope, path })),
  /** Returns a file's hunks with surrounding lines. Throws like `review.hunks`. */
  'review.excerpts': request<ReviewFileExcerpts>()(() => z.object({ scope: reviewScope, path })),
  /** Returns a file's hunks and texts. Throws like `review.hunks`. */
  'review.file': request<ReviewFileDetail>()(() => z.object({ scope: reviewScope, path })),
  /** Accepts changes. Waits until the running tool call ends. */
  'review.keep': request<ReviewOutcome>()(() => reviewAction),
  /** Restores the base's lines or files. Waits like `review.keep`. */
  'review.undo': request<ReviewOutcome>()(() => reviewAction),
  /** Reverts the last keep or undo. @throws not_found if there is none */
  'review.revert': request<ReviewOutcome>()(() => noParams),
  /** Repeats the last reverted keep or undo. @throws not_found if there is none */
  'review.redo': request<ReviewOutcome>()(() => noParams),
  /** Sends comments to the agent as a conversation's next message. `steer`, `interrupt`: as in `conversations.send`. */
  'review.comment': request<{ queued: boolean }>()(() =>
    z.object({
      conversation: id,
      comments: z
        .array(
          z.object({
            path,
            line: z.number().int().min(1),
            text: z.string().min(1).max(100_000),
            quote: z.object({ removed: quotedLines, added: quotedLines }).optional(),
            anchor: quotedLines.optional(),
          }),
        )
        .min(1)
        .max(500),
      /** The user's text besides the comments. */
      text: z.string().max(5_000_000).optional(),
      serverPrompt,
      steer: z.boolean().optional(),
      interrupt: z.boolean().optional(),
    }),
  ),
  'edits.undo': request<{ paths: string[] }>()(() => z.object({ editId: id })),
} as const
