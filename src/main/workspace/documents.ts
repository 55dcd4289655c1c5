import { pathLocks, type PathLocks } from '../base/pathLocks.ts'
import { ToolError, toFailure } from '../../shared/errors.ts'
import type { FileStamp, OpenedFile, TextFormat } from '../../shared/files.ts'
import { createBuffers, type Buffers } from './buffers.ts'
import type { EditorPort } from './editorPort.ts'
import type { FileSystem } from './fileSystem.ts'
import { isWritable, readTextFile, writeBytes, writeTextFile, type TextFile } from './textFile.ts'
import { decodeText, normaliseText } from './textFormat.ts'
import type { ResolvedPath, Workspace } from './containment.ts'
import { log } from '../base/log/log.ts'

/** A text file as the user sees it: its unsaved text if there is any, otherwise the text on disk. */
export interface TextDocument {
  /** Relative to the workspace. */
  path: string
  absolute: string
  /** Line endings are `\n`; no BOM. */
  text: string
  format: TextFormat
  /** Empty for unsaved text whose file was deleted. */
  stamp: FileStamp
  /** Size on disk in bytes. */
  size: number
  /** Whether `text` is the unsaved text of a tab. */
  unsaved: boolean
}

export interface WriteOutcome {
  path: string
  created: boolean
  /** Previous text; null for a new file. */
  before: string | null
  after: string
  /** Whether only the open tab was changed, which keeps its unsaved changes. Nothing was written to disk. */
  unsaved: boolean
}

export type PlannedWrite = Pick<WriteOutcome, 'path' | 'before' | 'after'>

export interface Documents {
  /** Throws `not_found`, `is_directory`, `binary_file`, `too_large`, `permission_denied`, `invalid_encoding`. */
  read(path: string, signal?: AbortSignal): Promise<TextDocument>
  /**
   * Replaces the text of a file with one derived from `base`. In a tab with unsaved changes only the buffer is edited,
   * and it stays unsaved (`outcome.unsaved`).
   * @throws ToolError `changed_on_disk` if the file has changed since `base` was read; `conflict` if the tab has
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
  /** Returns the paths of open tabs. While the window reloads, these are the mirrored ones. */
  openPaths(signal?: AbortSignal): Promise<string[]>
}

export interface SaveOptions {
  /** Stamp of the version that the window last read. */
  stamp?: FileStamp
  /** Overwrites any version of the file. */
  force?: boolean
}

/** File access for the window. The window has the buffers itself, so these methods only use the disk. */
export interface WindowDocuments extends Documents {
  /** Reads a file from disk for a tab. Throws as `read` does. */
  open(path: string, signal?: AbortSignal): Promise<OpenedFile>
  /** Saves a tab. @throws ToolError `changed_on_disk` if the file does not have this stamp and `force` is not set */
  save(path: string, text: string, format: TextFormat, options?: SaveOptions, signal?: AbortSignal): Promise<FileStamp>
  /**
   * Restores an earlier version of a file byte for byte and updates a clean tab. A link at this path is replaced.
   * @param mode permission bits
   * @throws ToolError `unsaved_changes` if the tab has unsaved changes
   */
  putBack(path: string, content: Buffer, mode: number): Promise<void>
}

interface DocumentOptions {
  /** Mirror of the window's tabs, used while no window is attached. */
  buffers?: Buffers
  fileSystem?: FileSystem
  locks?: PathLocks
}

/** State of an open tab; null if the file is not open. */
type Tab = { text: string; dirty: boolean } | null

/** Creates the document service of a workspace. Changes of one file run one at a time. */
export function createDocuments(
  workspace: Workspace,
  editor: EditorPort,
  options: DocumentOptions = {},
): WindowDocuments {
  const { buffers = createBuffers(), fileSystem, locks = pathLocks } = options

  /**
   * Returns the tab as the window reports it, or as mirrored while no window is attached.
   * @param unsavedOnly also returns null for a clean tab, so that its text is not transferred from the window
   */
  async function tabOf(path: string, signal?: AbortSignal, unsavedOnly = false): Promise<Tab> {
    if (editor.attached) {
      try {
        return await editor.ask('editor.buffer', { path, unsavedOnly }, signal)
      } catch (error) {
        // The window was closed or is reloading.
        if (toFailure(error).code !== 'no_window') throw error
      }
    }
    const mirrored = buffers.get(path)
    return mirrored?.dirty && mirrored.text !== null ? { text: mirrored.text, dirty: true } : null
  }

  async function openPaths(signal?: AbortSignal): Promise<string[]> {
    if (editor.attached) {
      try {
        return (await editor.ask('editor.state', {}, signal)).open_files
      } catch (error) {
        // As in tabOf.
        if (toFailure(error).code !== 'no_window') throw error
      }
    }
    return buffers.list().map((state) => state.path)
  }

  async function read(path: string, signal?: AbortSignal): Promise<TextDocument> {
    const resolved = await workspace.resolve(path, { missing: 'allow' })
    const tab = await tabOf(resolved.relative, signal, true)
    const place = { path: resolved.relative, absolute: resolved.absolute }
    if (!resolved.exists) {
      if (!tab?.dirty) await workspace.resolve(path)
      else
        return { ...place, text: tab.text, format: { encoding: 'utf8', eol: '\n' }, stamp: '', size: 0, unsaved: true }
    }
    const { text, format, stamp, size } = await readTextFile(resolved.absolute, resolved.relative, signal)
    return tab?.dirty
      ? { ...place, text: tab.text, format, stamp, size, unsaved: true }
      : { ...place, text, format, stamp, size, unsaved: false }
  }

  /** Updates a tab to the text that was written to disk. */
  async function refresh(path: string, tab: Tab, text: string, stamp: FileStamp): Promise<void> {
    if (!tab || !editor.attached) return
    try {
      await editor.ask('editor.applyText', { path, expected: tab.text, text, saved: true, stamp })
    } catch (error) {
      // The user typed during the write, or the window closed: the tab keeps its text and its old stamp, so saving it
      // reports a conflict. No failure is passed on, because the file is already written.
      if (!['conflict', 'no_window'].includes(toFailure(error).code))
        log.error(`Updating the tab of "${path}" failed`, error)
    }
  }

  async function editBuffer(
    base: TextDocument,
    tab: { text: string },
    text: string,
    signal?: AbortSignal,
  ): Promise<WriteOutcome> {
    const { path } = base
    if (tab.text !== base.text) throw changedInTab(path)
    const done = editor.attached
      ? (await editor.ask('editor.applyText', { path, expected: base.text, text, saved: false }, signal)).applied
      : true
    if (!done) throw changedInTab(path)
    const mirrored = buffers.get(path)
    if (mirrored || !editor.attached)
      buffers.sync({ stamp: base.stamp, format: base.format, ...mirrored, path, open: true, dirty: true, text })
    return { path, created: false, before: base.text, after: text, unsaved: true }
  }

  async function editFile(base: TextDocument, tab: Tab, text: string, signal?: AbortSignal): Promise<WriteOutcome> {
    const resolved = await workspace.resolve(base.path, { missing: 'allow' })
    if (!resolved.exists) throw changedOnDisk(base.path, 'was deleted')
    const before = await readTextFile(resolved.absolute, resolved.relative, signal)
    if (before.text !== base.text) throw changedOnDisk(base.path, 'has changed')
    const stamp = await writeTextFile(resolved.absolute, resolved.relative, text, before.format, {
      before,
      expected: before.stamp,
      signal,
      fileSystem,
    })
    await refresh(resolved.relative, tab, text, stamp)
    return { path: resolved.relative, created: false, before: base.text, after: text, unsaved: false }
  }

  async function edit(base: TextDocument, text: string, signal?: AbortSignal): Promise<WriteOutcome> {
    const tab = await tabOf(base.path, signal)
    return tab?.dirty ? editBuffer(base, tab, text, signal) : editFile(base, tab, text, signal)
  }

  async function write(
    resolved: ResolvedPath,
    input: string,
    signal?: AbortSignal,
    prepare?: (change: PlannedWrite) => Promise<void>,
  ): Promise<WriteOutcome> {
    const path = resolved.relative
    const tab = await tabOf(path, signal)
    if (tab?.dirty) {
      throw new ToolError(
        'unsaved_changes',
        `"${path}" has unsaved changes in an open tab, which would be lost.`,
        'Edit parts of the file, or ask the user to save or revert the file.',
      )
    }
    const { text, format } = normaliseText(input)
    const before = resolved.exists ? await readTextFile(resolved.absolute, path, signal) : undefined
    await prepare?.({ path, before: before?.text ?? null, after: text })
    const stamp = await writeTextFile(resolved.absolute, path, text, before ? keptFormat(before, format) : format, {
      before,
      expected: before?.stamp ?? null,
      signal,
      fileSystem,
    })
    await refresh(path, tab, text, stamp)
    return { path, created: !before, before: before?.text ?? null, after: text, unsaved: false }
  }

  async function save(
    resolved: ResolvedPath,
    input: string,
    format: TextFormat,
    { stamp, force }: SaveOptions,
    signal?: AbortSignal,
  ): Promise<FileStamp> {
    const path = resolved.relative
    if (!resolved.exists) {
      if (stamp !== undefined && !force) throw changedOnDisk(path, 'was deleted')
      return writeTextFile(resolved.absolute, path, normaliseText(input).text, format, {
        expected: force ? undefined : null,
        signal,
        fileSystem,
      })
    }
    const before = await readForSave(resolved, force === true, signal)
    if (!force && before?.stamp !== stamp) throw changedOnDisk(path, 'has changed')
    return writeTextFile(resolved.absolute, path, normaliseText(input).text, format, {
      before,
      expected: force ? undefined : before?.stamp,
      signal,
      fileSystem,
    })
  }

  async function putBack({ absolute, relative }: ResolvedPath, content: Buffer, mode: number): Promise<void> {
    const tab = await tabOf(relative)
    if (tab?.dirty)
      throw new ToolError(
        'unsaved_changes',
        `"${relative}" has unsaved changes in an open tab.`,
        'Save or revert it first.',
      )
    const stamp = await writeBytes(absolute, relative, content, mode, fileSystem)
    const text = textOf(content, relative)
    if (text !== null) await refresh(relative, tab, text, stamp)
  }

  return {
    read,
    edit: (base, text, signal) => locks.run([base.absolute], () => edit(base, text, signal), signal),
    async write(path, text, signal, prepare) {
      const resolved = await workspace.resolve(path, { missing: 'allow' })
      return locks.run(
        [resolved.absolute],
        async () => write(await workspace.resolve(path, { missing: 'allow' }), text, signal, prepare),
        signal,
      )
    },
    exclusive: ({ absolute }, work, signal) => locks.run([absolute], work, signal),
    openPaths,
    async putBack(path, content, mode) {
      const resolved = await workspace.resolve(path, { missing: 'allow', symlink: 'keep' })
      return locks.run([resolved.absolute], () => putBack(resolved, content, mode))
    },
    async open(path, signal) {
      const { absolute, relative } = await workspace.resolve(path)
      const { text, format, stamp } = await readTextFile(absolute, relative, signal)
      return { path: relative, text, format, stamp, readonly: !(await isWritable(absolute, fileSystem)) }
    },
    async save(path, text, format, saveOptions = {}, signal) {
      const resolved = await workspace.resolve(path, { missing: 'allow' })
      return locks.run(
        [resolved.absolute],
        async () => save(await workspace.resolve(path, { missing: 'allow' }), text, format, saveOptions, signal),
        signal,
      )
    },
  }
}

/** Reads the file that a save replaces; undefined if the save is forced and the file is no longer text. */
async function readForSave(
  resolved: ResolvedPath,
  force: boolean,
  signal?: AbortSignal,
): Promise<TextFile | undefined> {
  try {
    return await readTextFile(resolved.absolute, resolved.relative, signal)
  } catch (error) {
    if (force && ['binary_file', 'invalid_encoding', 'too_large'].includes(toFailure(error).code)) return undefined
    throw error
  }
}

/** Decodes text; null for content that is not text and therefore in no tab. */
function textOf(content: Buffer, path: string): string | null {
  try {
    return decodeText(content, path).text
  } catch (error) {
    if (error instanceof ToolError) return null
    throw error
  }
}

/** Format for overwriting a file. A file without line endings takes those of its new text. */
function keptFormat(before: TextFile, input: TextFormat): TextFormat {
  return before.text.includes('\n') ? before.format : { ...before.format, eol: input.eol }
}

function changedInTab(path: string): ToolError {
  return new ToolError(
    'conflict',
    `"${path}" was changed in the editor since it was read, so nothing was written.`,
    'Read it again and repeat the edit on the new text.',
  )
}

function changedOnDisk(path: string, how: string): ToolError {
  return new ToolError(
    'changed_on_disk',
    `"${path}" ${how} since it was read, so nothing was written.`,
    'Read it again and repeat the edit on the new text.',
  )
}
