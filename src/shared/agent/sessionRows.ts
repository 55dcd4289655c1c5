import type { SessionTry } from './sessionTries.ts'
import type { ApprovalRequest } from '../tools/approval.ts'

/**
 * What a session does. `approval`: a call waits for the user's approval. `asking`: it waits for the user's input.
 * `outOfContext`: its last request did not fit the model's context. `idle`: nothing has been sent yet.
 */
export type SessionState = 'working' | 'approval' | 'asking' | 'done' | 'stopped' | 'failed' | 'outOfContext' | 'idle'

/**
 * Where a session is open. `here`: in this window. `window`: in another window, or in the background of this Tizona.
 * `closed`: no Tizona has its folder open. `elsewhere`: another Tizona process works on it, so it cannot be answered here.
 */
export type SessionPlace = 'here' | 'window' | 'closed' | 'elsewhere'

/** A command that waits for input of the user. */
export interface SessionQuestion {
  jobId: string
  command: string
  /** Its last output, which ends with the question. */
  output: string
}

/** A worktree that Tizona made, as the place of a session. */
export interface SessionWorktree {
  id: string
  name: string
  /** Root of the repository that it was made from. */
  origin: string
  archived: boolean
  /** Whether its folder is missing, or Tizona ended while it created or removed it. */
  broken: boolean
  /**
   * The task that it tries beside other sessions. `running`: whether this Tizona works on it. `interrupted`: whether
   * the Tizona that worked on it ended before it had a result. `conversation`: that of the try; null until it has one.
   */
  try: (SessionTry & { running: boolean; interrupted: boolean; conversation: string | null }) | null
}

/** A session as the sessions view lists it: a conversation, or a worktree without one. */
export interface SessionRow {
  /** Unique among the rows. */
  key: string
  /** Null for a worktree without a conversation. */
  conversation: string | null
  title: string
  /** Root of the folder. */
  folder: string
  /** Name of a multi-root workspace, whose root means nothing to the user. */
  workspace?: string
  branch: string | null
  worktree: SessionWorktree | null
  place: SessionPlace
  state: SessionState
  /** What it does, for example "Loading model…". */
  note: string | null
  /** Files that its last turn changed. In a worktree: all files that differ from its base; null if not yet known. */
  changedFiles: number | null
  /** Tokens of the latest request; 0 if unknown. */
  tokens: number
  /** Start of the turn while it works, otherwise the last use. Milliseconds since the epoch. */
  since: number
  pinned: boolean
  archived: boolean
  /** Calls that wait for approval, oldest first. */
  approvals: ApprovalRequest[]
  questions: SessionQuestion[]
}
