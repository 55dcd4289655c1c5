import { z } from 'zod'
import { sessionTrySchema } from '../../shared/agent/sessionTries.ts'

/** A process that uses a session's worktree, on the machine with this id (processIdentity.ts). */
const userSchema = z.object({ pid: z.number(), start: z.string(), machine: z.string() })

/** A worktree that Tizona made. Absolute paths are real paths. */
export const sessionRecordSchema = z.object({
  /** Random. */
  id: z.string(),
  /** Unique among the sessions of a repository. */
  name: z.string(),
  /** Root of the repository that the worktree was made from. */
  folder: z.string(),
  /** Common git folder of both. */
  common: z.string(),
  worktree: z.string(),
  branch: z.string(),
  /** Commit that the session started from. */
  base: z.string(),
  /** Commit that the session was last rebased onto. It replaces `base` once it is in the session's history. */
  onto: z.string().optional(),
  createdAt: z.number(),
  /** `creating` and `removing` are interrupted if the process of `by` has ended. */
  state: z.enum(['creating', 'ready', 'removing']),
  by: userSchema,
  archived: z.boolean().default(false),
  /** Conversation that `tizona run` started in it. */
  conversation: z.string().optional(),
  /** Whether the set-up command runs when a window opens the worktree. */
  setUpPending: z.boolean().default(false),
  users: z.array(userSchema).default([]),
  /** Commit whose merge or rebase the user allowed without hooks only, also when it stops and is continued. */
  withoutHooks: z.string().optional(),
  /** The task that it tries beside other sessions. */
  try: sessionTrySchema.optional(),
})

/** Work of a removed session, kept for a while. */
export const keptWorkSchema = z.object({
  name: z.string(),
  folder: z.string(),
  common: z.string(),
  /** Reference in the repository, and its commit. */
  ref: z.string(),
  commit: z.string(),
  /** Folder with copies of changed files that git ignores. */
  files: z.string().optional(),
  until: z.number(),
})

export const sessionFileSchema = z.object({
  sessions: z.array(sessionRecordSchema).default([]),
  kept: z.array(keptWorkSchema).default([]),
})

export type SessionUser = z.output<typeof userSchema>
export type SessionRecord = z.output<typeof sessionRecordSchema>
export type KeptWork = z.output<typeof keptWorkSchema>
export type SessionFile = z.output<typeof sessionFileSchema>
