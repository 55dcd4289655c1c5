import { z } from 'zod'
import { request, noParams } from '../requestType.ts'
import type { CleanUpSummary, StorageSizes } from './storage.ts'
import { isUserFile, type UserFileText } from './userFiles.ts'

const userFile = z.string().refine(isUserFile, 'Not a file of shortcuts or snippets.')

export const userFileRequests = {
  /** Lists the user's snippet files. */
  'userFiles.snippets': request<string[]>()(() => noParams),
  /**
   * Reads `keybindings.json` or one of the user's snippet files. Other files in the user data folder cannot be read.
   */
  'userFiles.read': request<UserFileText>()(() => z.object({ file: userFile })),
  /**
   * Stores one of these files and applies it. Merges the text with changes of the file since `base`, the text that the
   * user began with.
   * @throws invalid_arguments listing each mistake with its line
   * @throws conflict naming the lines that changed elsewhere meanwhile, unless `overwrite`
   */
  'userFiles.write': request<void>()(() =>
    z.object({
      file: userFile,
      text: z.string().max(1_000_000),
      base: z.string().max(1_000_000),
      overwrite: z.boolean().default(false),
    }),
  ),
  /** Measures conversations, checkpoints, code indexes and unsaved text on disk. */
  'storage.sizes': request<StorageSizes>()(() => noParams),
  /** Computes what `storage.cleanUp` would delete now. */
  'storage.planCleanUp': request<CleanUpSummary>()(() => noParams),
  /** Deletes data beyond the limits in the settings. Returns what was deleted. */
  'storage.cleanUp': request<CleanUpSummary>()(() => noParams),
} as const
