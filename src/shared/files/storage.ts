/** Number and size of one kind of stored data. */
export interface StoredAmount {
  /** Number of conversations, checkpoints, indexed folders or unsaved files. */
  count: number
  /** Size on disk in bytes. */
  bytes: number
}

/** Size of Tizona's data folder by kind of data. */
export interface StorageSizes {
  conversations: StoredAmount
  checkpoints: StoredAmount
  codeIndex: StoredAmount
  /** Backups of unsaved text. A clean-up never deletes them. */
  unsaved: StoredAmount
}

/** Data that a clean-up would delete, or has deleted, because it exceeds the limits in the settings. */
export interface CleanUpSummary {
  conversations: StoredAmount
  checkpoints: number
  codeIndex: StoredAmount
  /** Whether files of checkpoints and code indexes were kept, because another Tizona process may be using them. */
  sharedFilesKept: boolean
}

/** Whether a clean-up has nothing to delete. */
export function deletesNothing({ conversations, checkpoints, codeIndex }: CleanUpSummary): boolean {
  return conversations.count + checkpoints + codeIndex.count === 0
}
