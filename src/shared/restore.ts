import type { JobInfo } from './tool.ts'

/** A file that is not as it was. */
export interface ChangedFile {
  path: string
  change: 'created' | 'changed' | 'deleted'
}

/** What going back to a message would mean, before anybody decides. */
export interface RestorePreview {
  /** The files as they were; null where nothing was changed from that message on, or it is no longer kept. */
  checkpoint: { id: number; at: number } | null
  /** Why there is no checkpoint. */
  missing?: 'unchanged' | 'forgotten'
  /** What happened to files since, by path. */
  changes: ChangedFile[]
  /** Of these, files that are open with unsaved changes; a restore leaves them alone. */
  unsaved: string[]
  /** Commands that still run and may go on writing. */
  jobs: JobInfo[]
  /** Items that would leave the conversation, the message itself among them. */
  items: number
}

export interface RestoreResult {
  /** The message that was gone back to, to be written anew; null where the conversation stayed. */
  text: string | null
  /** Files written and removed. */
  changed: number
  /** What was left as it is, each with the reason. */
  skipped: { path: string; why: string }[]
}

/** A restore that a notice tells of, with what is needed to take it back. */
export interface RestoreRecord {
  /** `running`: its end was not told yet, as when the process was killed meanwhile. */
  state: 'running' | 'done' | 'undone'
  /** Checkpoint of the files just before; absent where only the conversation went back. */
  before?: number
  /** The conversation as it was, kept as one of its own; absent where only files went back. */
  fork?: string
}
