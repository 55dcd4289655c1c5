import type { CopiedFiles } from './includedFiles.ts'
import type { RunGit } from './sessionGit.ts'
import type { SessionFile } from './sessionRecords.ts'

/** File with the records of all sessions, which all processes share. */
export interface SessionFileAccess {
  readonly value: SessionFile
  update(change: (value: SessionFile) => SessionFile): Promise<SessionFile>
  reload(): Promise<unknown>
}

export interface SessionDeps {
  records: SessionFileAccess
  /** Folder for copies and lists of files, in the user data. */
  storage: string
  /** Folder for worktrees, as the user chose it. */
  worktrees(): string
  run: RunGit
  /** Deletes what Tizona has stored about a worktree that was removed. Can be repeated after an interruption. */
  forgetWorktree?(worktree: string): Promise<void>
  /** Called before each step that changes something, so that tests can end the process there. */
  step?(name: string): void
}

/** Lists of copied files, by session. */
export interface CopyLists {
  read(session: string): Promise<CopiedFiles>
  write(session: string, copied: CopiedFiles): Promise<void>
  remove(session: string): Promise<void>
}
