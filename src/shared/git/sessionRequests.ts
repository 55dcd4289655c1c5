import { allowedFiles } from './gitRequests.ts'
import { z } from 'zod'
import type { DiffHunk } from '../diff/hunkRows.ts'
import type { SessionRow } from '../agent/sessionRows.ts'
import { sentImages } from '../agent/conversationRequests.ts'
import { maxTries } from '../agent/maxTries.ts'
import { tryOptionsSchema } from '../agent/sessionTries.ts'
import { modes } from '../tools/risk.ts'
import { noParams, path, request } from '../requestType.ts'

// Requests about sessions in worktrees (main/sessions).

/** A worktree that Tizona made, with what its agent did. */
export interface SessionSummary {
  id: string
  name: string
  /** Its folder. Absolute. */
  worktree: string
  branch: string
  createdAt: number
  archived: boolean
  /**
   * `interrupted`: Tizona ended while it created or removed the worktree. `missing`: the worktree was deleted or moved
   * by hand. `orphaned`: its repository is gone. `damaged`: git cannot read it, so it may have any work.
   */
  state: 'ready' | 'creating' | 'removing' | 'interrupted' | 'missing' | 'orphaned' | 'damaged'
  /** Whether a running Tizona or another process works in it. */
  inUse: boolean
  /** Files that differ from the commit that it started from. */
  changed: string[]
  /** Whether removing it would lose something that is nowhere else. */
  hasWork: boolean
  /** Number of other files that git ignores. They are deleted with the worktree. */
  ignored: number
}

/** A file that differs between a session and the commit that it started from. */
export interface SessionFileDiff {
  path: string
  change: 'created' | 'modified' | 'deleted'
  /** Whether the path is protected, so that it is only taken over if the user chooses it. */
  isProtected: boolean
  /** Identifies both sides. A take-over with another revision fails. */
  revision: string
  /** Its changes with context. Empty if it is no text or too large to show. */
  hunks: DiffHunk[]
  /** Whether hunks can be taken over without the others. */
  divisible: boolean
  added: number
  removed: number
  /** Whether it can be run, if that changed. */
  executable: boolean | null
  /** Its line ends, if they changed. Only a take-over of the whole file brings them. */
  lineEnds: 'LF' | 'CRLF' | null
  /** Whether a side is no text, nor a symbolic link. */
  binary: boolean
  /** Where a symbolic link leads. */
  link: { target: string; leadsOutside: boolean } | null
}

/** The branch of a session beside the branch of the folder that it was made from. */
export interface SessionBranch {
  /** The branch that is checked out in the worktree, or its commit. */
  source: string
  /** Root of the folder that the session was made from. */
  folder: string
  /** The branch that is checked out in the folder; null if it has a detached HEAD. */
  target: string | null
  /** Commit that is checked out in the folder. */
  targetHead: string
  /** The commit that is checked out in the worktree. */
  head: string
  /** Number of commits that only the session has. */
  ahead: number
  /** Number of commits that only the folder has. */
  behind: number
  /** Files of the worktree that are not committed, untracked ones included. */
  uncommitted: string[]
  /** Whether a merge or rebase is unfinished in the worktree. */
  unfinished: boolean
  /** Protected files, and git hooks, that the session's own commits change. A merge or rebase needs a confirmation. */
  protectedPaths: string[]
}

/** The changes of a session. */
export interface SessionDiff {
  files: SessionFileDiff[]
  /** Paths that cannot be taken over. */
  skipped: { path: string; why: string }[]
}

/** What was taken over from a session. */
export interface TakenOver {
  /** Written and removed paths. */
  changed: string[]
  /** Paths that the folder already has like this. */
  same: string[]
  /** Protected paths, which are only taken over if they are selected by name. */
  protectedPaths: string[]
  /** Paths that cannot be taken over. */
  skipped: { path: string; why: string }[]
}

/** A change of a session that cannot be merged with the folder's file. */
export interface TakeOverConflict {
  path: string
  why: string
  /** Identifies the folder's file and the chosen hunks. A resolution of others is refused. */
  current: string
  /** The versions to merge in an editor, and their merge with conflict markers; null if they are no such texts. */
  texts: Record<'base' | 'here' | 'now' | 'merged', string> | null
  /** Whether the session's version can replace the folder's file. */
  replaceable: boolean
}

/** The command that prepares a new worktree of a folder. */
export interface SetUpCommand {
  command: string
  /** Whether the user has approved exactly this command for the folder. */
  approved: boolean
}

const id = z.string().min(1).max(100)
const chosenChange = z.object({
  path,
  revision: z.string().max(200),
  hunks: z.array(z.number().int().min(0)).max(100_000).nullable(),
})
/** What the user made of a file that cannot be merged. `text: null`: the session's version. */
const resolution = z.object({ current: z.string().max(200), text: z.string().max(2_000_000).nullable() })

/** Name of the folder whose repository is used, in a multi-root workspace. */
const folder = z.string().max(200).optional()

export const sessionRequests = {
  /**
   * Makes a worktree of the open repository. Its approved set-up command runs when a window opens it.
   *
   * @returns its folder, and files of `.worktreeinclude` that were not copied
   */
  'sessions.create': request<{ worktree: string; name: string; skipped: string[] }>()(() =>
    z.object({ name: z.string().min(1).max(60).optional(), folder }),
  ),
  /**
   * Gives one prompt to several sessions in worktrees of the open repository. Returns when the worktrees are made; the
   * rows of `sessions.overview` have what came of them.
   *
   * @returns id of the task, and files of `.worktreeinclude` that were not copied
   */
  'sessions.startTries': request<{ task: string; skipped: string[] }>()(() =>
    z.object({
      prompt: z.string().trim().min(1).max(5_000_000),
      folder,
      images: sentImages.optional(),
      /** Default: that of new conversations. */
      mode: z.enum(modes).optional(),
      tries: z
        .array(
          tryOptionsSchema
            .pick({ temperature: true, toolset: true })
            .extend({ model: z.object({ endpointId: z.string(), model: z.string() }).optional() }),
        )
        .min(1)
        .max(maxTries),
      /** Command that runs in each worktree after its turn, in the sandbox. */
      test: z.string().trim().min(1).max(2000).optional(),
    }),
  ),
  /** Stops running tries. Returns when they have ended. */
  'sessions.stopTries': request<void>()(() => z.object({ ids: z.array(id).max(100) })),
  /** Lists the sessions of the open repository, or of the one that the open worktree was made from. */
  'sessions.list': request<SessionSummary[]>()(() => noParams),
  /** @returns the set-up command of the open folder; null if it has none */
  'sessions.setUpCommand': request<SetUpCommand | null>()(() => z.object({ folder })),
  'sessions.approveSetUp': request<void>()(() => z.object({ command: z.string().min(1).max(2000), folder })),
  'sessions.archive': request<void>()(() => z.object({ id, archived: z.boolean() })),
  /**
   * Removes a session. Fails with `conflict` if it has work that is nowhere else, unless that is confirmed.
   *
   * @returns the git reference that keeps its work for 30 days; null if there was none
   */
  'sessions.remove': request<string | null>()(() => z.object({ id, confirmed: z.boolean() })),
  /** Returns what a session has changed since the commit that it started from. */
  'sessions.changes': request<SessionDiff>()(() => z.object({ id })),
  /**
   * Applies changes of a session to the open folder as a reviewed change. `selection`: files, with the indexes of their
   * hunks or null for all; default: everything that is not protected. Fails with `conflict` and changes nothing.
   */
  'sessions.takeOver': request<TakenOver>()(() =>
    z.object({
      id,
      selection: z
        .array(chosenChange.extend({ resolution: resolution.optional() }))
        .max(100_000)
        .optional(),
    }),
  ),
  /** Returns those of the chosen changes that cannot be merged. Changes nothing. */
  'sessions.conflicts': request<TakeOverConflict[]>()(() =>
    z.object({ id, selection: z.array(chosenChange).max(100_000) }),
  ),
  'sessions.branch': request<SessionBranch>()(() => z.object({ id })),
  /** Commits all files of a session's worktree to its branch, with the user's hooks. */
  'sessions.commit': request<void>()(() => z.object({ id, message: z.string().trim().min(1).max(100_000) })),
  /**
   * Rebases a session onto the branch of its repository's folder. Fails with `conflict` while it works or has
   * uncommitted files, and with the reason `conflicts` if git stopped at conflicts. `allowProtected`: whether its commits
   * may change protected files.
   */
  'sessions.rebase': request<void>()(() => z.object({ id, allowProtected: allowedFiles })),
  /**
   * Aborts an unfinished rebase in a session's worktree. Fails with `conflict` if that discards uncommitted changes,
   * unless `confirmed`.
   */
  'sessions.abortRebase': request<void>()(() => z.object({ id, confirmed: z.boolean().default(false) })),
  /**
   * Lists the sessions of all folders that this Tizona has open, and of the worktrees made from them. `refresh`: whether
   * git looks for changed files in the worktrees again; `sessions.changed` reports the result.
   */
  'sessions.overview': request<SessionRow[]>()(() => z.object({ refresh: z.boolean() })),
  /** Sends a line to a command of any session in this process that waits for input. */
  'sessions.answer': request<void>()(() => z.object({ jobId: id, text: z.string().max(10_000) })),
  /** Renames, pins or archives the conversation of any session. */
  'sessions.update': request<void>()(() =>
    z.object({
      conversation: id,
      title: z.string().min(1).max(200).optional(),
      pinned: z.boolean().optional(),
      archived: z.boolean().optional(),
    }),
  ),
  /** Stops the turn of any session in this process. */
  'sessions.stop': request<void>()(() => z.object({ conversation: id })),
  /** Shows a folder in its window, or opens one, and shows a conversation in it. */
  'sessions.open': request<void>()(() => z.object({ folder: path, conversation: id.nullable() })),
} as const
