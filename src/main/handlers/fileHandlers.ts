import { readdir, realpath, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import path from 'node:path'
import type { RequestParams } from '../../shared/bridge/protocol.ts'
import { ToolError, toFailure } from '../../shared/errors.ts'
import {
  maxBatchCharacters,
  type FileEntry,
  type FileOutcome,
  type FileStamp,
  type FolderListing,
  type OpenedFile,
} from '../../shared/files/files.ts'
import { isOutsideFile } from '../../shared/files/outsideFiles.ts'
import { isWorkspaceFile } from '../../shared/files/workspaceFolders.ts'
import type { Platform } from '../appServices/platform.ts'
import type { Buffers } from '../workspace/buffers.ts'
import type { WindowDocuments } from '../workspace/documents.ts'
import type { OutsideFiles } from '../workspace/outsideFiles.ts'
import { errorCode, fileError } from '../base/fileErrors.ts'
import { encodeText } from '../base/textFormat.ts'
import type { RestoreTarget } from '../history/checkpoints/checkpoints.ts'
import type { LocalHistory } from '../history/localHistory/localHistory.ts'
import { createNameComparer } from '../base/nameOrder.ts'
import { type DeletedEntries, moveToTrash } from '../workspace/deletedEntries.ts'
import type { FileEncodings } from '../workspace/fileEncodings.ts'
import type { FileOperations } from '../workspace/fileOperations.ts'
import { timeOfStamp } from '../workspace/fileStamp.ts'
import { locatePath } from '../workspace/pathSpelling.ts'
import { readFilePart } from '../workspace/readBytes.ts'
import { readTextPart } from '../workspace/textPart.ts'
import type { Uploads } from '../workspace/uploads.ts'
import type { Workspace } from '../workspace/containment.ts'
import type { FileRules } from '../workspaceServices/fileRules.ts'
import type { Handlers } from '../core/coreContract.ts'

/** Services of the open folder that the file handlers use. */
export interface FileServices {
  workspace: Workspace
  documents: WindowDocuments
  outside: OutsideFiles
  encodings: FileEncodings
  files: FileOperations
  buffers: Buffers
  deleted: DeletedEntries
  uploads: Uploads
  fileRules(): Promise<FileRules>
}

/** Services of the open folder that the handlers of the local history use. */
export interface LocalHistoryServices {
  localHistory: LocalHistory
  encodings: FileEncodings
  target: RestoreTarget
}

type FileHandlers = Pick<
  Handlers,
  | 'files.list'
  | 'files.read'
  | 'files.bytes'
  | 'files.textPart'
  | 'files.write'
  | 'files.readBatch'
  | 'files.writeBatch'
  | 'files.makeWritable'
  | 'files.create'
  | 'files.move'
  | 'files.copy'
  | 'files.beginUpload'
  | 'files.uploadPiece'
  | 'files.finishUpload'
  | 'files.cancelUpload'
  | 'files.delete'
  | 'files.trash'
  | 'files.restoreDeleted'
  | 'files.reveal'
  | 'files.locate'
  | 'buffers.sync'
  | 'buffers.edit'
  | 'buffers.list'
  | 'buffers.discard'
  | 'folders.list'
>

/**
 * Handles requests from the explorer, the tabs and the folder picker.
 * @param current returns the services of the open folder, or null while none is open
 * @param host file functions of the host's platform
 */
export function createFileHandlers(
  current: () => FileServices | null,
  host: Pick<Platform, 'showInFileManager' | 'moveToTrash'> = {},
): FileHandlers {
  function services(): FileServices {
    const found = current()
    if (!found) throw new ToolError('no_workspace', 'No folder is open.', 'Open a folder first.')
    return found
  }
  /** Whatever may read and write the file of a tab. */
  const textsOf = (name: string): OutsideFiles => (isOutsideFile(name) ? services().outside : services().documents)

  return {
    'files.list': (params, signal) => listShown(services(), params.path, signal),
    'files.read': (params, signal) => openInLanguage(services(), params, signal),
    'files.bytes': async ({ path: name, offset, length }, signal) => {
      const { absolute, relative } = await services().workspace.resolve(name)
      const { bytes, size } = await readFilePart(absolute, relative, { offset, length }, signal)
      return { base64: bytes.toString('base64'), size }
    },
    'files.textPart': async ({ path: name, part }, signal) => {
      const { workspace, encodings } = services()
      const { absolute, relative } = await workspace.resolve(name)
      return readTextPart(absolute, relative, part, encodings, signal)
    },
    'files.write': async ({ path: name, text, format, stamp, force }, signal) => ({
      stamp: await textsOf(name).save(name, text, format, { stamp, force }, signal),
    }),
    'files.readBatch': async ({ paths }, signal) => {
      const outcomes: FileOutcome<OpenedFile>[] = []
      let characters = 0
      while (outcomes.length < paths.length && characters < maxBatchCharacters) {
        const next = paths.slice(outcomes.length, outcomes.length + maxAtATime)
        for (const outcome of await Promise.all(next.map((name) => outcomeOf(textsOf(name).open(name, { signal }))))) {
          outcomes.push(outcome)
          if (outcome.ok) characters += outcome.file.text.length
        }
      }
      return outcomes
    },
    'files.writeBatch': async ({ files }, signal) => {
      const outcomes: FileOutcome<{ stamp: FileStamp }>[] = []
      while (outcomes.length < files.length) {
        const next = files.slice(outcomes.length, outcomes.length + maxAtATime)
        const written = next.map(async ({ path: name, text, format, stamp }) => ({
          stamp: await textsOf(name).save(name, text, format, { stamp, force: false }, signal),
        }))
        outcomes.push(...(await Promise.all(written.map(outcomeOf))))
      }
      return outcomes
    },
    'files.makeWritable': async ({ path: name }) => {
      const { files } = services()
      await files.setMode(name, (await files.stats(name)).mode | 0o200)
    },
    'files.create': async ({ path: name, directory }) => {
      const { files } = services()
      if (!directory) {
        await files.createFile(name)
        return
      }
      const { created, path: relative } = await files.createDirectory(name)
      if (!created) throw new ToolError('already_exists', `"${relative}" already exists.`, 'Choose another name.')
    },
    'files.move': async ({ from, to }, signal) => void (await services().files.move(from, to, {}, signal)),
    'files.copy': async ({ from, to }, signal) => void (await services().files.copy(from, to, {}, signal)),
    'files.beginUpload': ({ path: name, overwrite }) => services().uploads.begin(name, overwrite),
    'files.uploadPiece': ({ id, base64 }) => services().uploads.append(id, Buffer.from(base64, 'base64')),
    'files.finishUpload': ({ id }, signal) => services().uploads.finish(id, signal),
    'files.cancelUpload': ({ id }) => services().uploads.cancel(id),
    'files.delete': async ({ path: name, keep }) => {
      const { files, deleted } = services()
      const kept = keep ? await deleted.keep(name) : null
      // Recursive, because the window has asked the user.
      await files.delete(name, { recursive: true })
      return kept
    },
    'files.restoreDeleted': ({ id }) => services().deleted.restore(id),
    'files.trash': async ({ path: name }) => {
      if (!host.moveToTrash)
        throw new ToolError('no_window', 'The trash is not available here.', 'Delete the file permanently instead.')
      return moveToTrash(services(), name, host.moveToTrash)
    },
    'files.reveal': async ({ path: name }) => {
      if (!host.showInFileManager)
        throw new ToolError('no_window', 'This window cannot show files in a file manager.', 'Copy the path instead.')
      const { absolute } = await services().workspace.resolve(name, { symlink: 'keep' })
      host.showInFileManager(absolute)
    },
    'files.locate': ({ paths }) => Promise.all(paths.map((name) => locatePath(name, current()?.workspace ?? null))),
    'buffers.sync': (state) => services().buffers.sync(state),
    'buffers.edit': (edit) => services().buffers.edit(edit),
    'buffers.list': () => current()?.buffers.list() ?? [],
    'buffers.discard': ({ paths }) => current()?.buffers.discard(paths),
    'folders.list': ({ path: folder, files }) => listFolders(folder ?? homedir(), files),
  }
}

type LocalHistoryHandlers = Pick<
  Handlers,
  | 'localHistory.list'
  | 'localHistory.files'
  | 'localHistory.read'
  | 'localHistory.restore'
  | 'localHistory.replacedOnDisk'
>

/** Handles requests for earlier versions of files. */
export function createLocalHistoryHandlers(current: () => LocalHistoryServices): LocalHistoryHandlers {
  return {
    'localHistory.list': ({ path: name }) => current().localHistory.list(name),
    'localHistory.files': () => current().localHistory.files(),
    'localHistory.read': async ({ path: name, id }) => {
      const { localHistory, encodings } = current()
      return { text: encodings.decode((await localHistory.content(name, id)).bytes, name).text }
    },
    'localHistory.restore': async ({ path: name, id }) => {
      const { localHistory, target } = current()
      const { bytes, mode } = await localHistory.content(name, id)
      const before = await localHistory.contentBefore(name)
      await target.write(name, bytes, mode)
      localHistory.written(name, 'restored', before)
    },
    'localHistory.replacedOnDisk': ({ path: name, text, format, stamp }) =>
      current().localHistory.replacedOnDisk({
        path: name,
        bytes: encodeText(text, format),
        modified: timeOfStamp(stamp),
      }),
  }
}

/** Lists a folder without what `files.exclude` hides. */
async function listShown(
  { files, fileRules }: FileServices,
  folder: string,
  signal: AbortSignal,
): Promise<FileEntry[]> {
  const [entries, { isShown }] = await Promise.all([files.list(folder, signal), fileRules()])
  return entries.filter((entry) => isShown(entry.path))
}

/** Opens a file with the language that `files.associations` chooses, if any. */
async function openInLanguage(
  { documents, outside, fileRules }: FileServices,
  { path: name, encoding }: RequestParams<'files.read'>,
  signal: AbortSignal,
): Promise<OpenedFile> {
  const file = await (isOutsideFile(name) ? outside : documents).open(name, { encoding, signal })
  const language = (await fileRules()).languageOf(file.path)
  return language === undefined ? file : { ...file, language }
}

/** Number of files of a batch processed concurrently. More would not be faster. */
const maxAtATime = 8

async function outcomeOf<T>(work: Promise<T>): Promise<FileOutcome<T>> {
  try {
    return { ok: true, file: await work }
  } catch (error) {
    return { ok: false, error: toFailure(error) }
  }
}

const compareNames = createNameComparer({ numeric: true })

/**
 * Lists the folders and links to folders in a folder on this machine, hidden ones last.
 * @param listed which files to list, too
 * @throws ToolError `invalid_path` if the path is not absolute, `not_found`, `not_a_directory`, `permission_denied`
 */
async function listFolders(folder: string, listed?: 'workspaces' | 'all'): Promise<FolderListing> {
  if (folder.includes('\0') || !path.isAbsolute(folder)) {
    throw new ToolError('invalid_path', `"${folder}" is not an absolute path.`, `Enter a path such as ${homedir()}.`)
  }
  try {
    const real = await realpath(folder)
    const entries = await readdir(real, { withFileTypes: true })
    const found = await Promise.all(
      entries.map(async (entry) => {
        const absolute = path.join(real, entry.name)
        const isFolder = entry.isDirectory() || (entry.isSymbolicLink() && (await isLinkToFolder(absolute)))
        return isFolder ? [{ name: entry.name, path: absolute }] : []
      }),
    )
    const hidden = (name: string) => Number(name.startsWith('.'))
    const compare = (a: { name: string }, b: { name: string }): number =>
      hidden(a.name) - hidden(b.name) || compareNames(a.name, b.name)
    const folders = found.flat().toSorted(compare)
    const files = entries
      .filter((entry) => !entry.isDirectory() && (listed === 'all' || isWorkspaceFile(entry.name)))
      .map(({ name }) => ({ name, path: path.join(real, name) }))
      .toSorted(compare)
    const parent = path.dirname(real)
    return { path: real, ...(parent === real ? {} : { parent }), folders, ...(listed ? { files } : {}) }
  } catch (error) {
    throw fileError(error, `The folders in "${folder}" could not be listed.`)
  }
}

/** Whether a link leads to a folder that this process can access. */
async function isLinkToFolder(absolute: string): Promise<boolean> {
  try {
    return (await stat(absolute)).isDirectory()
  } catch (error) {
    if (errorCode(error) === undefined) throw error
    return false
  }
}
