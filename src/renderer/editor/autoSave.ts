import type { StoreApi } from 'zustand/vanilla'
import type { Settings } from '../../shared/settings/settings.ts'
import type { DocumentState, Documents } from '../platform/editor/documents/tabDocuments.ts'
import type { SaveReason } from './savePreparation.ts'
import { Delayer } from '../../shared/async/delayer.ts'
import { documentSettings } from '../platform/editor/documents/documentSettings.ts'
import type { TabsState } from '../platform/editor/tabsState.ts'
import { useTabs } from '../platform/editor/tabsStore.ts'
import { viewOf } from '../platform/editor/editorViews.ts'
import { documents as windowDocuments } from '../platform/editor/documents/windowDocuments.ts'
import { saveFiles } from './unsavedChanges.ts'

export interface AutoSaveDeps {
  documents: Pick<Documents, 'get' | 'buffer' | 'dirtyPaths'> & {
    store: Pick<StoreApi<Record<string, DocumentState>>, 'subscribe'>
  }
  settings(path: string): Pick<Settings['editor'], 'autoSave' | 'autoSaveDelay'> | undefined
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
    if (settings(path)?.autoSave !== 'afterDelay') return
    let entry = waiting.get(path)
    if (!entry) {
      const saving = new Delayer(() => {
        cancel(path)
        saveNow([path], 'delay')
      })
      const stopListening = documents.buffer(path)?.onChange(() => saveLater(path)) ?? (() => undefined)
      waiting.set(path, (entry = { saving, stopListening }))
    }
    entry.saving.restart(settings(path)?.autoSaveDelay)
  }

  const stop = documents.store.subscribe((all, before) => {
    for (const path of waiting.keys()) if (!all[path]?.dirty) cancel(path)
    for (const [path, { dirty }] of Object.entries(all)) if (dirty && !before[path]?.dirty) saveLater(path)
  })

  return {
    /** Called when a file's editor loses the focus or another tab covers it. */
    editorLeft(path: string): void {
      if (settings(path)?.autoSave === 'onFocusChange') saveNow([path], 'focus')
    },
    windowLeft(): void {
      const saves = (path: string) => ['onWindowChange', 'onFocusChange'].includes(settings(path)?.autoSave ?? 'off')
      saveNow(documents.dirtyPaths().filter(saves), 'focus')
    },
    stop(): void {
      stop()
      for (const path of waiting.keys()) cancel(path)
    },
  }
}

/** Each group's visible file. */
function visiblePaths({ groups }: TabsState): Map<number, string> {
  return new Map(
    groups.flatMap(({ id, tabs, active }) => {
      const tab = tabs.find((each) => each.id === active)
      return tab?.kind === 'file' ? [[id, tab.path] as const] : []
    }),
  )
}

/** Saves this window's files automatically. @returns a function that stops it */
export function followAutoSave(): () => void {
  const autoSave = createAutoSave({
    documents: windowDocuments,
    settings: documentSettings,
    save: (paths, reason) => saveFiles(paths, { reason }),
  })
  const stopTabs = useTabs.subscribe((state, before) => {
    const now = visiblePaths(state)
    for (const [group, path] of visiblePaths(before)) if (now.get(group) !== path) autoSave.editorLeft(path)
  })
  const onFocusOut = ({ target, relatedTarget }: FocusEvent) => {
    if (!(target instanceof Element)) return
    const group = target.closest('.monaco-editor') && target.closest<HTMLElement>('[data-group-id]')
    // The editor's widgets, such as its find field, are in the same group.
    if (!group || (relatedTarget instanceof Node && group.contains(relatedTarget))) return
    const path = viewOf(Number(group.dataset.groupId))?.path()
    if (path) autoSave.editorLeft(path)
  }
  const onBlur = () => autoSave.windowLeft()
  document.addEventListener('focusout', onFocusOut)
  addEventListener('blur', onBlur)
  return () => {
    document.removeEventListener('focusout', onFocusOut)
    removeEventListener('blur', onBlur)
    stopTabs()
    autoSave.stop()
  }
}
