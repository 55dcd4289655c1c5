/** Amount of one kind of stored data. */
export interface StoredAmount {
  /** Conversations, checkpoints, indexed folders, or unsaved files. */
  count: number
  /** Bytes on disk. */
  bytes: number
}

/** Contents of Tizona's data folder. */
export interface StorageSizes {
  conversations: StoredAmount
  checkpoints: StoredAmount
  codeIndex: StoredAmount
  /** Backups of unsaved text. A clean-up never deletes them. */
  unsaved: StoredAmount
}

/** What a clean-up deletes or has deleted under the limits in the settings. */
export interface CleanUpSummary {
  conversations: StoredAmount
  checkpoints: number
  codeIndex: StoredAmount
  /** Files of checkpoints and code indexes stay, because another Tizona process may be using them. */
  sharedFilesKept: boolean
}

/** Whether a clean-up deletes anything. */
export function deletesNothing({ conversations, checkpoints, codeIndex }: CleanUpSummary): boolean {
  return conversations.count + checkpoints + codeIndex.count === 0
}
