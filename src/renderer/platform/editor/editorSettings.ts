import { create } from 'zustand'
import type { Settings } from '../../../shared/settings/settings.ts'
import { onAppState, useApp } from '../appState.ts'
import { on, request } from '../bridge/bridge.ts'
import { notify } from '../notices.ts'

type EditorSettings = Settings['editor']

/** Path of the settings of a folder, relative to it. */
export const folderSettingsPath = '.tizona/settings.json'

/** Settings of the open folder, which override those of the user. */
export const useFolderSettings = create<{ editor: Partial<EditorSettings> }>(() => ({ editor: {} }))

let merged: { user: EditorSettings; folder: Partial<EditorSettings>; result: EditorSettings } | undefined

/** Returns the same object until one of the inputs changes, so that components do not render again. */
function merge(user: EditorSettings, folder: Partial<EditorSettings>): EditorSettings {
  if (merged?.user !== user || merged.folder !== folder) merged = { user, folder, result: { ...user, ...folder } }
  return merged.result
}

/** The editor settings that apply in the open folder; undefined before main has answered. */
export function editorSettings(): EditorSettings | undefined {
  const user = useApp.getState().state?.settings?.editor
  return user && merge(user, useFolderSettings.getState().editor)
}

/** Like `editorSettings`, for components. */
export function useEditorSettings(): EditorSettings | undefined {
  const user = useApp((store) => store.state?.settings.editor)
  const folder = useFolderSettings((state) => state.editor)
  return user && merge(user, folder)
}

let reported = ''

async function load(): Promise<void> {
  const { settings, problem } = await request('settings.folder', {})
  useFolderSettings.setState({ editor: settings.editor ?? {} })
  if (problem !== '' && problem !== reported)
    notify('warning', `${folderSettingsPath} of the folder is not used completely.`, { detail: problem })
  reported = problem
}

/** Keeps the settings of the folder current. @returns a function that stops it */
export function followFolderSettings(): () => void {
  const reload = () =>
    void load().catch(() => {
      // While disconnected; the next connection loads them.
    })
  const stops = [
    onAppState(reload),
    on('workspace.changed', reload),
    on('files.changed', ({ changes, overflow }) => {
      if (overflow || changes.some(({ path }) => path === folderSettingsPath || path === '.tizona')) reload()
    }),
  ]
  return () => stops.forEach((stop) => stop())
}
