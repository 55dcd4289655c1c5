import { editorSettings } from '../platform/editor/editorSettings.ts'
import { useTabs, type TabsState } from '../platform/editor/tabsStore.ts'
import { viewOf } from '../platform/editor/editorViews.ts'
import { documents } from '../platform/editor/documents/windowDocuments.ts'
import { createAutoSave } from './autoSave.ts'
import { saveFiles } from './unsavedChanges.ts'

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
    documents,
    settings: editorSettings,
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
