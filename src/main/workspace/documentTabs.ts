import { ToolError, toFailure } from '../../shared/errors.ts'
import type { FileStamp } from '../../shared/files.ts'
import { log } from '../base/log/log.ts'
import type { Buffers } from './buffers.ts'
import type { TextDocument, WriteOutcome } from './textDocument.ts'
import type { EditorPort } from './editorPort.ts'

/** State of an open tab; null if the file is not open. */
export type Tab = { text: string; dirty: boolean } | null

/** The open tabs as the window reports them, or as mirrored while no window is attached. */
export interface DocumentTabs {
  /** @param unsavedOnly also returns null for a clean tab, so that its text is not transferred from the window */
  tabOf(path: string, signal?: AbortSignal, unsavedOnly?: boolean): Promise<Tab>
  listOpenPaths(signal?: AbortSignal): Promise<string[]>
  /** Updates a tab to the text that was written to disk. */
  refresh(path: string, tab: Tab, text: string, stamp: FileStamp): Promise<void>
  /** Replaces the unsaved text of a tab. @throws ToolError `conflict` if it is not the text of `base` */
  edit(base: TextDocument, tab: { text: string }, text: string, signal?: AbortSignal): Promise<WriteOutcome>
}

/** @param buffers mirror of the tabs, used while no window is attached */
export function createDocumentTabs(editor: EditorPort, buffers: Buffers): DocumentTabs {
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

  async function listOpenPaths(signal?: AbortSignal): Promise<string[]> {
    if (editor.attached) {
      try {
        return (await editor.ask('editor.state', {}, signal)).open_files
      } catch (error) {
        // The window was closed or is reloading.
        if (toFailure(error).code !== 'no_window') throw error
      }
    }
    return buffers.list().map((state) => state.path)
  }

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

  async function edit(
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

  return { tabOf, listOpenPaths, refresh, edit }
}

function changedInTab(path: string): ToolError {
  return new ToolError(
    'conflict',
    `"${path}" was changed in the editor since it was read, so nothing was written.`,
    'Read it again and repeat the edit on the new text.',
  )
}
