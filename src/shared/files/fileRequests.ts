import { z } from 'zod'
import { request, noParams, path, id } from '../requestType.ts'
import type { LocatedSymbol } from '../language/codeNavigation.ts'
import type { EditorConfig, FormattedText } from './formatting.ts'
import type { Match } from '../tools/tool.ts'
import { encodings } from './encodings.ts'
import {
  maxBatchFiles,
  maxPreviewBytes,
  uploadPieceBytes,
  type FileBytes,
  type FileOutcome,
  type FileText,
  type FileEntry,
  type FileStamp,
  type FolderListing,
  type KeptEntry,
  type LocatedPath,
  type OpenedFile,
  type TrashOutcome,
} from './files.ts'
import { maxEarlierText, type FileVersion, type FileWithHistory } from './localHistory.ts'
import { textFormat } from './textFormat.ts'

export const fileRequests = {
  'folders.list': request<FolderListing>()(() =>
    z.object({ path: path.optional(), files: z.enum(['workspaces', 'all']).optional() }),
  ),
  'files.list': request<FileEntry[]>()(() => z.object({ path })),
  /** `encoding`: the user's choice, in which tools then read and write the file. */
  'files.read': request<OpenedFile>()(() => z.object({ path, encoding: z.enum(encodings).optional() })),
  /** Reads part of a file as bytes, for previews. Returns fewer bytes at the end of the file. */
  'files.bytes': request<FileBytes>()(() =>
    z.object({
      path,
      offset: z.number().int().min(0).default(0),
      length: z.number().int().min(1).max(maxPreviewBytes),
    }),
  ),
  /** Reads the lines that start within one megabyte of a file. The file can have any size. */
  'files.textPart': request<FileText>()(() => z.object({ path, part: z.number().int().min(0).default(0) })),
  /** `stamp`: the version that the window last saw. @throws changed_on_disk if the file has changed, unless `force` */
  'files.write': request<{ stamp: FileStamp }>()(() =>
    z.object({
      path,
      text: z.string(),
      format: textFormat,
      stamp: z.string().optional(),
      force: z.boolean().default(false),
    }),
  ),
  /**
   * Reads several files like `files.read`. If their text exceeds `maxBatchCharacters`, returns only the first ones, at
   * least one.
   */
  'files.readBatch': request<FileOutcome<OpenedFile>[]>()(() =>
    z.object({ paths: z.array(path).min(1).max(maxBatchFiles) }),
  ),
  /** Writes several files like `files.write` without `force`. A failure does not stop the others. */
  'files.writeBatch': request<FileOutcome<{ stamp: FileStamp }>[]>()(() =>
    z.object({
      files: z
        .array(z.object({ path, text: z.string(), format: textFormat, stamp: z.string().optional() }))
        .min(1)
        .max(maxBatchFiles),
    }),
  ),
  /** Gives a file's owner write permission. @throws permission_denied */
  'files.makeWritable': request<void>()(() => z.object({ path })),
  'files.create': request<void>()(() => z.object({ path, directory: z.boolean().default(false) })),
  'files.move': request<void>()(() => z.object({ from: path, to: path })),
  /** Copies a file, or a folder with everything in it. */
  'files.copy': request<void>()(() => z.object({ from: path, to: path })),
  /** Starts the upload of a file in pieces. The file appears once it is complete. @throws already_exists */
  'files.beginUpload': request<string>()(() => z.object({ path, overwrite: z.boolean().default(false) })),
  'files.uploadPiece': request<void>()(() =>
    z.object({ id, base64: z.string().max(Math.ceil(uploadPieceBytes / 3) * 4) }),
  ),
  'files.finishUpload': request<void>()(() => z.object({ id })),
  'files.cancelUpload': request<void>()(() => z.object({ id })),
  /** Deletes permanently. `keep`: keeps a copy for `files.restoreDeleted` until the folder is closed. */
  'files.delete': request<KeptEntry | null>()(() => z.object({ path, keep: z.boolean().default(false) })),
  /** Moves to the system's trash, if the host supports it (`AppState.hostFeatures`). */
  'files.trash': request<TrashOutcome>()(() => z.object({ path })),
  /** Undoes a deletion. Returns the path. @throws already_exists, not_found if it is no longer kept */
  'files.restoreDeleted': request<string>()(() => z.object({ id })),
  /** Lists the stored versions of a file, newest first, including those in checkpoints. */
  'localHistory.list': request<FileVersion[]>()(() => z.object({ path })),
  /** Lists the files with recorded versions, latest change first. Some of them may be deleted. */
  'localHistory.files': request<FileWithHistory[]>()(() => noParams),
  /** Reads a version. @throws not_found if it is no longer stored, binary_file */
  'localHistory.read': request<{ text: string }>()(() => z.object({ path, id })),
  /** Writes a version to its path. @throws not_found, unsaved_changes */
  'localHistory.restore': request<void>()(() => z.object({ path, id })),
  /** Records the text of a tab without unsaved changes that another program has replaced or deleted on disk. */
  'localHistory.replacedOnDisk': request<void>()(() =>
    z.object({ path, text: z.string().max(maxEarlierText), format: textFormat, stamp: z.string() }),
  ),
  /** Shows a file or folder in the system's file manager, if the host supports it (`AppState.hostFeatures`). */
  'files.reveal': request<void>()(() => z.object({ path })),
  /** Reports whether absolute paths are folders, files or missing, for example files dropped onto the window. */
  'files.locate': request<LocatedPath[]>()(() => z.object({ paths: z.array(path).min(1).max(200) })),
  /**
   * Locates the files and symbols that a text mentions. A path is relative to the folder, absolute, or the end of a
   * path if only one file has it. Null: not in the open folder.
   */
  'links.locate': request<{ files: (string | null)[]; symbols: (LocatedSymbol | null)[] }>()(() =>
    z.object({ paths: z.array(path).max(200), names: z.array(z.string().min(1).max(200)).max(40) }),
  ),
  /** Finds files by fuzzy name for quick open, best first. */
  'files.find': request<string[]>()(() =>
    z.object({ query: z.string().max(500), limit: z.number().int().min(1).max(200).default(50) }),
  ),
  /** Reads the settings of `.editorconfig` files for a file. */
  'files.editorConfig': request<EditorConfig>()(() => z.object({ path })),
  /** Formats a text with the project's formatter. Null if there is none or the folder is not trusted. */
  'files.format': request<FormattedText | null>()(() => z.object({ path, text: z.string() })),
  'search.text': request<{ matches: Match[]; total: number; truncated: boolean }>()(() =>
    z.object({
      query: z.string().min(1).max(10_000),
      regex: z.boolean().default(false),
      caseSensitive: z.boolean().default(false),
      wholeWord: z.boolean().default(false),
      include: z.string().max(1000).default(''),
      exclude: z.string().max(1000).default(''),
      /** Also returns the replacement for each match. For a regular expression, `$1` and `${name}` are its groups. */
      replacement: z.string().max(10_000).optional(),
      limit: z.number().int().min(1).max(5000).default(1000),
    }),
  ),
} as const
