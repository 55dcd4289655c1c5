/**
 * Where a version of a file comes from. `earlier`: the text before the first change that Tizona recorded. `deleted`:
 * the text that a deleted file had. `checkpoint`: the state before the first change that follows a message.
 */
export type VersionSource = 'saved' | 'agent' | 'external' | 'restored' | 'deleted' | 'earlier' | 'checkpoint'

/** A stored version of a file. */
export interface FileVersion {
  id: string
  /** Milliseconds since the epoch. */
  at: number
  source: VersionSource
  /** Title of the agent's conversation, or name of the checkpoint. */
  detail?: string
}

/** A file with versions in the local history. */
export interface FileWithHistory {
  path: string
  /** Time of the newest version, in milliseconds since the epoch. */
  at: number
  versions: number
}

/** Maximum length of an earlier text that the window sends, in UTF-16 units. */
export const maxEarlierText = 1_000_000
