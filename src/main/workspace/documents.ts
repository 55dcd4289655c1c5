import { pathLocks, type PathLocks } from '../base/pathLocks.ts'
import type { Encoding } from '../../shared/files/encodings.ts'
import type { FileStamp, OpenedFile } from '../../shared/files/files.ts'
import type { TextFormat } from '../../shared/files/textFormat.ts'
import { createBuffers, type Buffers } from './buffers.ts'
import type { EditorPort } from './editorPort.ts'
import { createFileEncodings, type FileEncodings } from './fileEncodings.ts'
import type { FileSystem } from './fileSystem.ts'
import { createDocumentTabs } from './documentTabs.ts'
import { editDocument, restoreFileVersion, saveDocument, writeDocument, type DocumentDeps } from './documentWrites.ts'
import { readLines, type LineRange } from './readLines.ts'
import { isWritable, readTextFile } from './textFile.ts'
import type { Workspace } from './containment.ts'
import type { TextDocument, WriteOutcome, PlannedWrite, SaveOptions } from './textDocument.ts'

export type { TextDocument, WriteOutcome, PlannedWrite, SaveOptions } from './textDocument.ts'

export interface Documents {
  /**
   * Reads a text file.
   * @throws ToolError `not_found`, `is_directory`, `binary_file`, `too_large`, `permission_denied`, `invalid_encoding`
   */
  read(path: string, signal?: AbortSignal): Promise<TextDocument>
  /**
   * Reads lines of a file of any size from disk.
   * @param range 1-based first line, and the number of lines
   * @throws like `read`, except `too_large`
   */
  readLines(
    path: string,
    range: { first: number; count: number },
    signal?: AbortSignal,
  ): Promise<LineRange & { path: string }>
  /**
   * Replaces the text of a file with one derived from `base`. In a tab with unsaved changes, only edits the buffer,
   * which stays unsaved (`outcome.unsaved`). Keeps changes that others made elsewhere since `base` was read.
   * @throws ToolError `changed_on_disk` if the same lines have changed in the file; `conflict` if in the tab
   */
  edit(base: TextDocument, text: string, signal?: AbortSignal): Promise<WriteOutcome>
  /**
   * Writes a whole file. Creates it with its parent folders, or overwrites it in its format.
   * @param prepare receives the planned change before the write; if it throws, nothing is written
   * @throws ToolError `unsaved_changes` if an open tab has unsaved changes
   */
  write(
    path: string,
    text: string,
    signal?: AbortSignal,
    prepare?: (change: PlannedWrite) => Promise<void>,
  ): Promise<WriteOutcome>
  /**
   * Runs `work` while no other call, in this or another process, changes the file through Tizona. Edits inside `work`
   * may change it.
   */
  exclusive<T>(document: Pick<TextDocument, 'absolute'>, work: () => Promise<T>, signal?: AbortSignal): Promise<T>
  /** Returns the paths of open tabs, from the mirror while the window reloads. */
  listOpenPaths(signal?: AbortSignal): Promise<string[]>
}

/** File access for the window. The window owns the buffers, so these methods only use the disk. */
export interface WindowDocuments extends Documents {
  /**
   * Reads a file from disk for a tab. Throws like `read`.
   * @param options.encoding chosen by the user; all later reads of the file use it
   */
  open(path: string, options?: { encoding?: Encoding; signal?: AbortSignal }): Promise<OpenedFile>
  /** Saves a tab. @throws ToolError `changed_on_disk` if the file has a different stamp and `force` is not set */
  save(path: string, text: string, format: TextFormat, options?: SaveOptions, signal?: AbortSignal): Promise<FileStamp>
  /**
   * Restores an earlier version of a file byte for byte and updates a clean tab. Replaces a link at this path.
   * @param mode permission bits
   * @throws ToolError `unsaved_changes` if the tab has unsaved changes
   */
  restoreVersion(path: string, content: Buffer, mode: number): Promise<void>
}

interface DocumentOptions {
  /** Mirror of the window's tabs, used while no window is attached. */
  buffers?: Buffers
  /** Default: neither the settings nor the folder specify an encoding. */
  encodings?: FileEncodings
  fileSystem?: FileSystem
  locks?: PathLocks
}

/** Creates the document service of a workspace. Changes to one file run one at a time. */
export function createDocuments(
  workspace: Pick<Workspace, 'resolve'>,
  editor: EditorPort,
  options: DocumentOptions = {},
): WindowDocuments {
  const { buffers = createBuffers(), encodings = unnamedEncodings(), fileSystem, locks = pathLocks } = options
  const tabs = createDocumentTabs(editor, buffers)
  const deps: DocumentDeps = { workspace, tabs, encodings, fileSystem }
  return {
    read: (path, signal) => readDocument(deps, path, signal),
    async readLines(path, range, signal) {
      const { absolute, relative } = await workspace.resolve(path)
      return { path: relative, ...(await readLines(absolute, relative, range, encodings.decodeFile, signal)) }
    },
    edit: (base, text, signal) => locks.run([base.absolute], () => editDocument(deps, base, text, signal), signal),
    async write(path, text, signal, prepare) {
      const resolved = await workspace.resolve(path, { missing: 'allow' })
      return locks.run(
        [resolved.absolute],
        async () => writeDocument(deps, await workspace.resolve(path, { missing: 'allow' }), text, signal, prepare),
        signal,
      )
    },
    exclusive: ({ absolute }, work, signal) => locks.run([absolute], work, signal),
    listOpenPaths: tabs.listOpenPaths,
    async restoreVersion(path, content, mode) {
      const resolved = await workspace.resolve(path, { missing: 'allow', symlink: 'keep' })
      return locks.run([resolved.absolute], () => restoreFileVersion(deps, resolved, content, mode))
    },
    async open(path, { encoding, signal } = {}) {
      const { absolute, relative } = await workspace.resolve(path)
      if (encoding !== undefined) encodings.choose(relative, encoding)
      const { text, format, stamp } = await readTextFile(absolute, relative, signal, encodings.decodeFile)
      const shown = await encodings.formatOfAscii(relative, format, text)
      return { path: relative, text, format: shown, stamp, readonly: !(await isWritable(absolute, fileSystem)) }
    },
    async save(path, text, format, saveOptions = {}, signal) {
      const resolved = await workspace.resolve(path, { missing: 'allow' })
      return locks.run(
        [resolved.absolute],
        async () =>
          saveDocument(deps, await workspace.resolve(path, { missing: 'allow' }), text, format, saveOptions, signal),
        signal,
      )
    },
  }
}

function unnamedEncodings(): FileEncodings {
  return createFileEncodings({ ofSettings: () => 'utf8', ofFolder: () => Promise.resolve(undefined) })
}

async function readDocument(
  { workspace, tabs, encodings }: DocumentDeps,
  path: string,
  signal?: AbortSignal,
): Promise<TextDocument> {
  const resolved = await workspace.resolve(path, { missing: 'allow' })
  const tab = await tabs.tabOf(resolved.relative, signal, true)
  const place = { path: resolved.relative, absolute: resolved.absolute }
  if (!resolved.exists) {
    if (!tab?.dirty) await workspace.resolve(path)
    else return { ...place, text: tab.text, format: { encoding: 'utf8', eol: '\n' }, stamp: '', size: 0, unsaved: true }
  }
  const { text, format, stamp, size } = await readTextFile(
    resolved.absolute,
    resolved.relative,
    signal,
    encodings.decodeFile,
  )
  return tab?.dirty
    ? { ...place, text: tab.text, format, stamp, size, unsaved: true }
    : { ...place, text, format, stamp, size, unsaved: false }
}
