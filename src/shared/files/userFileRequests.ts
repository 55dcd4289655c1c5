import { z } from 'zod'
import { request, noParams } from '../bridge/requestType.ts'
import type { Snippet } from '../editor/snippets.ts'
import type { CleanUpSummary, StorageSizes } from './storage.ts'
import { isUserFile, type UserFileText } from './userFiles.ts'

const userFile = z.string().refine(isUserFile, 'Not a file of shortcuts or snippets.')

export const userFileRequests = {
  /** Lists the user's snippet files. */
  'userFiles.snippets': request<string[]>()(noParams),
  /** Reads `keybindings.json` or a snippet file of the user. No other file of the user data folder can be read. */
  'userFiles.read': request<UserFileText>()(z.object({ file: userFile })),
  /** Stores such a file and applies it. @throws invalid_arguments with the line of each mistake */
  'userFiles.write': request<void>()(z.object({ file: userFile, text: z.string().max(1_000_000) })),
  /** Reads the snippets of the user, and those of the folder if the user trusts it. */
  'snippets.list': request<Snippet[]>()(noParams),
  /** Measures conversations, checkpoints, code indexes and unsaved text on disk. */
  'storage.sizes': request<StorageSizes>()(noParams),
  /** Computes what `storage.cleanUp` would delete now. */
  'storage.planCleanUp': request<CleanUpSummary>()(noParams),
  /** Deletes data beyond the limits in the settings. Returns what was deleted. */
  'storage.cleanUp': request<CleanUpSummary>()(noParams),
} as const
