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

/** A text file as the user sees it: the open buffer where it has unsaved changes, else the disk. */
export interface TextDocument {
  /** Relative to the workspace. */
  path: string
  absolute: string
  /** `\n` line ends, no BOM. */
  text: string
  format: TextFormat
  /** Empty for unsaved text whose file is gone from the disk. */
  stamp: FileStamp
  /** Bytes on disk. */
  size: number
  /** The text is that of a tab with unsaved changes and not what stands on disk. */
  unsaved: boolean
}

export interface WriteOutcome {
  path: string
  created: boolean
  /** The text before, null for a new file. */
  before: string | null
  after: string
  /** The change stands in the open tab only: the user's unsaved changes are kept and nothing was written to disk. */
  unsaved: boolean
}

export type PlannedWrite = Pick<WriteOutcome, 'path' | 'before' | 'after'>

export interface Documents {
  /** Throws `not_found`, `is_directory`, `binary_file`, `too_large`, `permission_denied`, `invalid_encoding`. */
  read(path: string, signal?: AbortSignal): Promise<TextDocument>
  /**
   * New text for a file derived from `base`. Refused with `changed_on_disk` when the file is another by now. Under unsaved
   * changes the tab's buffer is edited and stays unsaved (`outcome.unsaved`).
   */
  edit(base: TextDocument, text: string, signal?: AbortSignal): Promise<WriteOutcome>
  /**
   * A whole file, created with its parents or overwritten in its format. Refused with `unsaved_changes` where an open tab
   * would lose the user's typing.
   * @param prepare is told what is about to change, just before it does; when it throws nothing is written
   */
  write(
    path: string,
    text: string,
    signal?: AbortSignal,
    prepare?: (change: PlannedWrite) => Promise<void>,
  ): Promise<WriteOutcome>
  /**
   * Runs `work` while nobody else, in this or another process, changes the file through Tizona. Edits inside of `work` are part
   * of it.
   */
  exclusive<T>(document: Pick<TextDocument, 'absolute'>, work: () => Promise<T>, signal?: AbortSignal): Promise<T>
  /** The open tabs: the window's, or those it had while it reloads. */
  openPaths(signal?: AbortSignal): Promise<string[]>
}

export interface SaveOptions {
  /** What the window last saw on disk. */
  stamp?: FileStamp
  /** Writes over whatever stands there. */
  force?: boolean
}

/** What the window itself does with files: it holds the buffers, so only the disk is asked. */
export interface WindowDocuments extends Documents {
  /** A file for a tab, as it stands on disk. Throws as `read` does. */
  open(path: string, signal?: AbortSignal): Promise<OpenedFile>
  /** Saves a tab. Throws `changed_on_disk` when the file is not the one of `stamp` any more, unless forced. */
  save(path: string, text: string, format: TextFormat, options?: SaveOptions, signal?: AbortSignal): Promise<FileStamp>
  /**
   * Puts back a file as it once was, byte for byte, created where it is gone; a clean tab follows. A link that stands there is
   * replaced. Throws `unsaved_changes` for a tab with unsaved changes.
   * @param mode permission bits
   */
  putBack(path: string, content: Buffer, mode: number): Promise<void>
}

interface DocumentOptions {
  /** The mirror of the window's tabs; it stands in while no window is attached. */
  buffers?: Buffers
  fileSystem?: FileSystem
  locks?: PathLocks
}

/** An open tab, or null where the file is not open. */
type Tab = { text: string; dirty: boolean } | null

/** The text files of one workspace. Changes to the same file follow one another. */
export function createDocuments(
  workspace: Workspace,
  editor: EditorPort,
  options: DocumentOptions = {},
): WindowDocuments {
  const { buffers = createBuffers(), fileSystem, locks = pathLocks } = options

  /**
   * The window's answer, or the mirror's unsaved text while there is no window.
   * @param unsavedOnly a clean tab gives null too: its text, which may have many megabytes, stays in the window
   */
  async function tabOf(path: string, signal?: AbortSignal, unsavedOnly = false): Promise<Tab> {
    if (editor.attached) {
      try {
        return await editor.ask('editor.buffer', { path, unsavedOnly }, signal)
      } catch (error) {
        // The window closed or reloads at this moment.
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

  /** Shows a tab what now stands on disk. */
  async function refresh(path: string, tab: Tab, text: string, stamp: FileStamp): Promise<void> {
    if (!tab || !editor.attached) return
    try {
      await editor.ask('editor.applyText', { path, expected: tab.text, text, saved: true, stamp })
    } catch (error) {
      // The user typed in the moment of writing, or the window went: the disk holds the new text, the tab keeps the typing and
      // its old stamp, so that saving it will ask.
      // Whatever it was, the file is written by now, so the call must not fail.
      if (!['conflict', 'no_window'].includes(toFailure(error).code))
        log.error(`${path} could not be shown in its tab`, error)
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
    if (!resolved.exists) throw changedOnDisk(base.path, 'is gone from the disk')
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
    given: string,
    signal?: AbortSignal,
    prepare?: (change: PlannedWrite) => Promise<void>,
  ): Promise<WriteOutcome> {
    const path = resolved.relative
    const tab = await tabOf(path, signal)
    if (tab?.dirty) {
      throw new ToolError(
        'unsaved_changes',
        `"${path}" is open with unsaved changes of the user, which writing the whole file would lose.`,
        'Change only parts of it with an edit, or ask the user to save or revert the file.',
      )
    }
    const { text, format } = normaliseText(given)
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
    given: string,
    format: TextFormat,
    { stamp, force }: SaveOptions,
    signal?: AbortSignal,
  ): Promise<FileStamp> {
    const path = resolved.relative
    if (!resolved.exists) {
      if (stamp !== undefined && !force) throw changedOnDisk(path, 'is gone from the disk')
      return writeTextFile(resolved.absolute, path, normaliseText(given).text, format, {
        expected: force ? undefined : null,
        signal,
        fileSystem,
      })
    }
    const before = await readForSave(resolved, force === true, signal)
    if (!force && before?.stamp !== stamp) throw changedOnDisk(path, 'has changed')
    return writeTextFile(resolved.absolute, path, normaliseText(given).text, format, {
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
        `"${relative}" is open with unsaved changes of the user.`,
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

/** What the save replaces. A forced one may replace a file that is not text any more. */
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

/** Null for bytes that are no text and so are shown in no tab. */
function textOf(content: Buffer, path: string): string | null {
  try {
    return decodeText(content, path).text
  } catch (error) {
    if (error instanceof ToolError) return null
    throw error
  }
}

/** An overwritten file keeps its shape; one without any line end yet takes that of its new text. */
function keptFormat(before: TextFile, given: TextFormat): TextFormat {
  return before.text.includes('\n') ? before.format : { ...before.format, eol: given.eol }
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
