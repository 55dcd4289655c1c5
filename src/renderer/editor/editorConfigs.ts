import type { EditorConfig } from '../../shared/files/formatting.ts'
import { on, request } from '../platform/bridge/bridge.ts'
import { onAppState } from '../platform/appState.ts'

/** `.editorconfig` settings by path. */
const known = new Map<string, Promise<EditorConfig>>()
const listeners = new Set<() => void>()

/** Returns the `.editorconfig` settings of a file; none if they cannot be read. */
export function editorConfigOf(path: string): Promise<EditorConfig> {
  const found =
    known.get(path) ??
    request('files.editorConfig', { path }).catch((): EditorConfig => {
      known.delete(path)
      return {}
    })
  known.set(path, found)
  return found
}

/** Calls the listener when files' settings may have changed. @returns a function that unsubscribes */
export function onEditorConfigChanged(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Forgets settings when an `.editorconfig` changes or another folder is opened. @returns a function that stops it */
export function followEditorConfigs(): () => void {
  const forget = () => {
    known.clear()
    for (const listener of listeners) listener()
  }
  const stops = [
    on('files.changed', ({ changes, overflow }) => {
      if (overflow || changes.some(({ path }) => path.split('/').at(-1) === '.editorconfig')) forget()
    }),
    onAppState(forget),
  ]
  return () => stops.forEach((stop) => stop())
}
