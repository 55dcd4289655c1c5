import { create } from 'zustand'
import type { Settings } from '../../../shared/settings/settings.ts'
import { mergeEditorSettings, settingsForLanguage } from '../../../shared/settings/languageBlocks.ts'
import { pathInFolder } from '../../../shared/files/workspaceFolders.ts'
import { currentWorkspace, onAppState, useApp } from '../appState.ts'
import { on, request } from '../bridge/bridge.ts'
import { notify } from '../notices.ts'

type EditorSettings = Settings['editor']

/** Path of a folder's settings file, relative to the folder. */
export const folderSettingsPath = '.tizona/settings.json'

/** Path of VS Code's settings of a folder. */
const vsCodeSettingsPath = '.vscode/settings.json'

interface FolderEditorSettings {
  /** Those of `.tizona/settings.json`. */
  editor: Partial<EditorSettings>
  /** Those of VS Code, which `editor` overrides. */
  vsCode: Partial<EditorSettings>
  problem: string
}

/** The open folder's settings, which override the user's. */
export const useFolderSettings = create<FolderEditorSettings>(() => ({ editor: {}, vsCode: {}, problem: '' }))

interface MergedSettings {
  user: EditorSettings
  folder: FolderEditorSettings
  result: EditorSettings
  byLanguage: Map<string, EditorSettings>
}

let merged: MergedSettings | undefined

/** Returns the same object until an input changes, so that components do not render again. */
function merge(user: EditorSettings, folder: FolderEditorSettings, language?: string): EditorSettings {
  if (merged?.user !== user || merged.folder !== folder)
    merged = { user, folder, result: mergeEditorSettings(user, folder.vsCode, folder.editor), byLanguage: new Map() }
  const { result, byLanguage } = merged
  if (language === undefined) return result
  const known = byLanguage.get(language) ?? settingsForLanguage(result, language)
  byLanguage.set(language, known)
  return known
}

/**
 * The editor settings in effect; undefined until main has responded.
 * @param language id of VS Code, see `vsCodeLanguage`
 */
export function editorSettings(language?: string): EditorSettings | undefined {
  const user = useApp.getState().state?.settings?.editor
  return user && merge(user, useFolderSettings.getState(), language)
}

/** Like `editorSettings`. */
export function useEditorSettings(language?: string): EditorSettings | undefined {
  const user = useApp((store) => store.state?.settings.editor)
  const folder = useFolderSettings()
  return user && merge(user, folder, language)
}

/** The folder whose settings are in the store. */
let loadedRoot: string | undefined

async function load(): Promise<void> {
  const root = currentWorkspace()?.root
  const { settings, vsCode, problem } = await request('settings.folder', {})
  if (problem !== '' && problem !== useFolderSettings.getState().problem)
    notify('warning', 'Some settings of the folder are not used.', { detail: problem })
  const loaded = { editor: settings.editor ?? {}, vsCode, problem }
  // An equal state would render every editor again.
  if (JSON.stringify(loaded) !== JSON.stringify(useFolderSettings.getState())) useFolderSettings.setState(loaded, true)
  loadedRoot = root
}

/** Removes the settings of another folder. */
function resetForNewRoot(): void {
  if (currentWorkspace()?.root === loadedRoot) return
  useFolderSettings.setState({ editor: {}, vsCode: {}, problem: '' }, true)
}

/** Keeps the folder's settings current. @returns a function that stops it */
export function followFolderSettings(): () => void {
  const reload = () =>
    // It fails while disconnected. The next connection loads the settings.
    void load().catch(resetForNewRoot)
  const stops = [
    onAppState(reload),
    on('workspace.changed', reload),
    on('files.changed', ({ changes, overflow }) => {
      const own = [folderSettingsPath, '.tizona', vsCodeSettingsPath, '.vscode']
      if (overflow || changes.some(({ path }) => own.includes(pathInFolder(currentWorkspace(), path)))) reload()
    }),
  ]
  return () => stops.forEach((stop) => stop())
}
