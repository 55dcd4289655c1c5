import { createConversationStore, type ConversationStore } from '../history/conversations.ts'
import { openDatabase, type OpenedDatabase } from '../history/database.ts'
import { temporaryFolder } from '../tools/testing/toolContext.ts'

export interface TemporaryStore {
  /** The user data folder. */
  root: string
  opened: OpenedDatabase
  store: ConversationStore
  close(): Promise<void>
}

/** Opens a conversation store in a temporary folder. */
export async function openTemporaryStore(): Promise<TemporaryStore> {
  const data = await temporaryFolder()
  const opened = await openDatabase(data.root)
  return {
    root: data.root,
    opened,
    store: createConversationStore(opened.db),
    async close() {
      opened.close()
      await data.remove()
    },
  }
}
