import { on, onConnected } from '../platform/bridge/bridge.ts'
import { documents } from '../platform/editor/documents/windowDocuments.ts'
import { visibleFile, useTabs } from '../platform/editor/tabsStore.ts'
import { runningServerKey, useLanguages } from '../platform/languages/languageStore.ts'
import { outlineOf } from './codeRequests.ts'
import { createOutlineView, useOutline } from './outlineStore.ts'

export const outline = createOutlineView(outlineOf)

/**
 * Updates the outline when the most recently used file or its text changes. Runs while the outline is visible.
 * @returns a function that stops it
 */
export function followEditor(): () => void {
  let buffer: ReturnType<typeof documents.buffer>
  let stopListening = () => {}

  function follow(): void {
    const path = visibleFile()?.path ?? null
    const ready = path !== null && documents.get(path)?.status === 'ready'
    outline.show(ready ? path : null)
    const next = ready ? documents.buffer(path) : undefined
    if (next === buffer) return
    stopListening()
    buffer = next
    stopListening = next?.onChange(outline.changed) ?? (() => {})
  }

  const stops = [
    useTabs.subscribe(follow),
    documents.store.subscribe(follow),
    on('files.changed', ({ changes, overflow }) => {
      const { path } = useOutline.getState()
      if (overflow || changes.some((change) => change.path === path)) outline.changed()
    }),
    onConnected(outline.changed),
    useLanguages.subscribe((state, before) => {
      if (runningServerKey(state) !== runningServerKey(before)) outline.changed()
    }),
  ]
  follow()
  outline.changed()
  return () => {
    stopListening()
    outline.stop()
    stops.forEach((stop) => stop())
  }
}
