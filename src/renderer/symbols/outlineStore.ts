import { create } from 'zustand'
import type { CodeOutline } from '../../shared/language/codeNavigation.ts'
import { toFailure, type Failure } from '../../shared/errors.ts'
import { Throttler } from '../../shared/async/throttler.ts'
import { Delayer } from '../../shared/async/delayer.ts'
import { on, onConnected } from '../platform/bridge/bridge.ts'
import { documents } from '../platform/editor/documents/windowDocuments.ts'
import { visibleFile, useTabs } from '../platform/editor/tabsStore.ts'
import { runningServerKey, useLanguages } from '../platform/languages/languageStore.ts'
import { outlineOf } from './codeRequests.ts'

export interface OutlineState {
  /** Path of the file; null if no file is shown. */
  path: string | null
  /** The outline, or the previous one while a new one loads; null before the first. */
  outline: CodeOutline | null
  /** Why the last request failed; null if it succeeded. */
  failure: Failure | null
  filter: string
  /** Ids of collapsed symbols. */
  folded: ReadonlySet<string>
}

export const emptyOutline: OutlineState = { path: null, outline: null, failure: null, filter: '', folded: new Set() }

export const useOutline = create<OutlineState>(() => emptyOutline)

const typingDelayMs = 300

export type OutlineView = ReturnType<typeof createOutlineView>

/** Actions on `useOutline`. Runs one request at a time, so that an older response never replaces a newer one. */
export function createOutlineView(ask: (path: string) => Promise<CodeOutline>, delay = typingDelayMs) {
  const loads = new Throttler()
  const reload = new Delayer(refresh, delay)

  async function load(): Promise<void> {
    const { path } = useOutline.getState()
    if (path === null) return
    const answer = await ask(path).then(
      (outline) => ({ outline, failure: null }),
      (error: unknown) => ({ outline: null, failure: toFailure(error) }),
    )
    if (useOutline.getState().path === path) useOutline.setState(answer)
  }
  function refresh(): Promise<void> {
    reload.cancel()
    return loads.queue(load)
  }

  return {
    /** Switches to another file, or none. */
    show(path: string | null): void {
      if (path === useOutline.getState().path) return
      useOutline.setState({ path, outline: null, failure: null, filter: '' })
      void refresh()
    },
    /** Reloads the outline when the user stops typing. */
    changed: (): void => reload.restart(),
    /** Reloads the outline immediately. */
    refresh,
    toggleFolded(id: string): void {
      useOutline.setState(({ folded }) => {
        const next = new Set(folded)
        if (!next.delete(id)) next.add(id)
        return { folded: next }
      })
    },
    /** Cancels a reload that waits. */
    stop: (): void => reload.cancel(),
  }
}

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
