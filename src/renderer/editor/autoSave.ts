import type { StoreApi } from 'zustand/vanilla'
import type { Settings } from '../../shared/settings/settings.ts'
import type { DocumentState, Documents } from '../platform/editor/documents/tabDocuments.ts'
import type { SaveReason } from './savePreparation.ts'
import { Delayer } from '../../shared/async/delayer.ts'

export interface AutoSaveDeps {
  documents: Pick<Documents, 'get' | 'buffer' | 'dirtyPaths'> & {
    store: Pick<StoreApi<Record<string, DocumentState>>, 'subscribe'>
  }
  settings(): Pick<Settings['editor'], 'autoSave' | 'autoSaveDelay'> | undefined
  save(paths: readonly string[], reason: SaveReason): Promise<unknown>
}

/** Saves files automatically, as the setting `editor.autoSave` specifies. */
export function createAutoSave({ documents, settings, save }: AutoSaveDeps) {
  /** Files that are saved after a delay, and the listeners on their text. */
  const waiting = new Map<string, { saving: Delayer; stopListening: () => void }>()

  /** Whether saving cannot run into a conflict, which the user must resolve first. */
  function canSave(path: string): boolean {
    const state = documents.get(path)
    return state?.status === 'ready' && state.dirty && state.disk === 'same' && !state.readonly
  }

  function saveNow(paths: readonly string[], reason: SaveReason): void {
    const ready = paths.filter(canSave)
    if (ready.length > 0) void save(ready, reason)
  }

  function cancel(path: string): void {
    const entry = waiting.get(path)
    if (!entry) return
    entry.saving.cancel()
    entry.stopListening()
    waiting.delete(path)
  }

  function saveLater(path: string): void {
    if (settings()?.autoSave !== 'afterDelay') return
    let entry = waiting.get(path)
    if (!entry) {
      const saving = new Delayer(() => {
        cancel(path)
        saveNow([path], 'delay')
      })
      const stopListening = documents.buffer(path)?.onChange(() => saveLater(path)) ?? (() => undefined)
      waiting.set(path, (entry = { saving, stopListening }))
    }
    entry.saving.restart(settings()?.autoSaveDelay)
  }

  const stop = documents.store.subscribe((all, before) => {
    for (const path of waiting.keys()) if (!all[path]?.dirty) cancel(path)
    for (const [path, { dirty }] of Object.entries(all)) if (dirty && !before[path]?.dirty) saveLater(path)
  })

  return {
    /** Called when a file's editor loses the focus or another tab covers it. */
    editorLeft(path: string): void {
      if (settings()?.autoSave === 'onFocusChange') saveNow([path], 'focus')
    },
    windowLeft(): void {
      const mode = settings()?.autoSave
      if (mode === 'onWindowChange' || mode === 'onFocusChange') saveNow(documents.dirtyPaths(), 'focus')
    },
    stop(): void {
      stop()
      for (const path of waiting.keys()) cancel(path)
    },
  }
}
