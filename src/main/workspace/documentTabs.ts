import { ToolError, toFailure } from '../../shared/errors.ts'
import type { FileStamp } from '../../shared/files/files.ts'
import { log } from '../base/log/log.ts'
import { mergeAgentEdit } from '../../shared/diff/mergeEdits.ts'
import type { Buffers, BufferState } from './buffers.ts'
import type { TextDocument, WriteOutcome } from './textDocument.ts'
import type { EditorPort } from './editorPort.ts'

/** State of an open tab; null if the file is not open. */
export type Tab = { text: string; dirty: boolean } | null

/** The open tabs as reported by the window, or as mirrored while no window is attached. */
export interface DocumentTabs {
  /** @param unsavedOnly also returns null for a clean tab, so that its text is not transferred from the window */
  tabOf(path: string, signal?: AbortSignal, unsavedOnly?: boolean): Promise<Tab>
  listOpenPaths(signal?: AbortSignal): Promise<string[]>
  /**
   * Updates a tab to the text that was written to disk.
   * @returns the tab's text before and after, if it contains what the user typed meanwhile
   */
  refresh(
    path: string,
    tab: Tab,
    text: string,
    stamp: FileStamp,
  ): Promise<{ before: string; after: string } | undefined>
  /**
   * Replaces the unsaved text of a tab. Keeps changes elsewhere in the text.
   * @throws ToolError `conflict` if the user changed the same lines since `base` was read
   */
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

  async function refresh(path: string, tab: Tab, text: string, stamp: FileStamp) {
    if (!tab || !editor.attached) return undefined
    try {
      const { merged } = await editor.ask('editor.applyText', { path, expected: tab.text, text, saved: true, stamp })
      if (merged) syncMirror(path, merged.after, { stamp })
      return merged
    } catch (error) {
      // The user typed in the same lines during the write, or the window closed. The tab keeps its text and old stamp,
      // so saving it reports a conflict. The failure is not passed on, because the file is already written.
      if (!['conflict', 'no_window'].includes(toFailure(error).code))
        log.error(`Updating the tab of "${path}" failed`, error)
      return undefined
    }
  }

  /** @param known what is known about the file if no tab is mirrored yet */
  function syncMirror(path: string, text: string, known: Pick<BufferState, 'stamp' | 'format'>): void {
    buffers.sync({ ...known, ...buffers.get(path), path, open: true, dirty: true, text })
  }

  async function edit(
    base: TextDocument,
    tab: { text: string },
    text: string,
    signal?: AbortSignal,
  ): Promise<WriteOutcome> {
    const { path } = base
    if (!editor.attached) {
      const after = mergeAgentEdit({ path, base: base.text, mine: text, other: tab.text }, 'conflict')
      syncMirror(path, after, base)
      return { path, created: false, before: tab.text, after, unsaved: true }
    }
    const { applied, merged } = await editor.ask(
      'editor.applyText',
      { path, expected: base.text, text, saved: false },
      signal,
    )
    if (!applied) throw closedTab(path)
    const { before, after } = merged ?? { before: base.text, after: text }
    if (buffers.get(path)) syncMirror(path, after, base)
    return { path, created: false, before, after, unsaved: true }
  }

  return { tabOf, listOpenPaths, refresh, edit }
}

function closedTab(path: string): ToolError {
  return new ToolError(
    'conflict',
    `The tab of "${path}" was closed since it was read, so nothing was written.`,
    'Read it again and repeat the edit on the new text.',
  )
}
