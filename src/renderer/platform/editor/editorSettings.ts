import { create } from 'zustand'
import type { Settings } from '../../../shared/settings/settings.ts'
import { pathInFolder } from '../../../shared/files/workspaceFolders.ts'
import { currentWorkspace, onAppState, useApp } from '../appState.ts'
import { on, request } from '../bridge/bridge.ts'
import { notify } from '../notices.ts'

type EditorSettings = Settings['editor']

/** Path of a folder's settings file, relative to the folder. */
export const folderSettingsPath = '.tizona/settings.json'

/** The open folder's settings, which override the user's. */
export const useFolderSettings = create<{ editor: Partial<EditorSettings>; problem: string }>(() => ({
  editor: {},
  problem: '',
}))

let merged: { user: EditorSettings; folder: Partial<EditorSettings>; result: EditorSettings } | undefined

/** Returns the same object until an input changes, so that components do not render again. */
function merge(user: EditorSettings, folder: Partial<EditorSettings>): EditorSettings {
  if (merged?.user !== user || merged.folder !== folder) merged = { user, folder, result: { ...user, ...folder } }
  return merged.result
}

/** The editor settings in effect; undefined until main has responded. */
export function editorSettings(): EditorSettings | undefined {
  const user = useApp.getState().state?.settings?.editor
  return user && merge(user, useFolderSettings.getState().editor)
}

export function useEditorSettings(): EditorSettings | undefined {
  const user = useApp((store) => store.state?.settings.editor)
  const folder = useFolderSettings((state) => state.editor)
  return user && merge(user, folder)
}

async function load(): Promise<void> {
  const { settings, problem } = await request('settings.folder', {})
  if (problem !== '' && problem !== useFolderSettings.getState().problem)
    notify('warning', `Some settings in ${folderSettingsPath} are not used.`, { detail: problem })
  useFolderSettings.setState({ editor: settings.editor ?? {}, problem })
}

/** Keeps the folder's settings current. @returns a function that stops it */
export function followFolderSettings(): () => void {
  const reload = () =>
    void load().catch(() => {
      // It fails while disconnected. The next connection loads the settings.
    })
  const stops = [
    onAppState(reload),
    on('workspace.changed', reload),
    on('files.changed', ({ changes, overflow }) => {
      const own = [folderSettingsPath, '.tizona']
      if (overflow || changes.some(({ path }) => own.includes(pathInFolder(currentWorkspace(), path)))) reload()
    }),
  ]
  return () => stops.forEach((stop) => stop())
}
