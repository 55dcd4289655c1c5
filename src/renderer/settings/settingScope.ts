import { createContext, useContext } from 'react'
import type { Settings } from '../../shared/settings/settings.ts'
import type { SettingRow } from '../../shared/settings/settingsTable.ts'
import { request } from '../platform/bridge/bridge.ts'
import { useFolderSettings } from '../platform/editor/editorSettings.ts'
import { attempt } from '../platform/notices.ts'
import { saveSetting } from './saveSetting.ts'
import { changeOf, valueOf } from './settingValues.ts'

/** Whose settings the page shows: the user's or the open folder's. */
export type SettingScope = 'user' | 'folder'

const ScopeContext = createContext<SettingScope>('user')
export const SettingScopeProvider = ScopeContext.Provider

/** Note that the page shows next to a setting. */
export interface SettingMark {
  text: string
  /** Restores the default, or for a folder the user's value. Absent if there is nothing to restore. */
  reset?: () => void
}

/** Whether a folder can override this setting: it affects how files are edited, but not the agent. */
export const isFolderSetting = ({ section }: SettingRow): boolean => section === 'editor'

function saveFolderSetting(name: string, value?: unknown): void {
  attempt(async () => {
    const { settings } = await request('settings.setFolder', { name, ...(value === undefined ? {} : { value }) })
    useFolderSettings.setState({ editor: settings.editor ?? {} })
  }, 'The folder setting could not be saved')
}

/** Pure: whether a setting differs from its default. Structured settings are edited in their own lists. */
function isChanged(settings: Settings, row: SettingRow): boolean {
  const { declaration } = row
  if (declaration.type === 'structured' && declaration.editor !== 'rulers') return false
  return (
    declaration.default !== undefined && JSON.stringify(valueOf(settings, row)) !== JSON.stringify(declaration.default)
  )
}

/** Returns how to save and mark a setting in the page's scope. */
export function useSettingScope(
  settings: Settings,
  row: SettingRow,
): { save: (value: unknown) => void; mark: SettingMark | null } {
  const scope = useContext(ScopeContext)
  const inFolder = useFolderSettings(({ editor }) => isFolderSetting(row) && Object.hasOwn(editor, row.name))
  const inVsCode = useFolderSettings(({ vsCode }) => isFolderSetting(row) && Object.hasOwn(vsCode, row.name))
  const saveUser = (value: unknown) => saveSetting(changeOf(settings, row, value))
  if (scope === 'folder')
    return {
      save: (value) => saveFolderSetting(row.name, value),
      mark: inFolder ? { text: 'Set for this folder', reset: () => saveFolderSetting(row.name) } : null,
    }
  const changed = isChanged(settings, row)
  const reset = changed ? () => saveUser(structuredClone(row.declaration.default)) : undefined
  if (inFolder) return { save: saveUser, mark: { text: 'Overridden in this folder', reset } }
  if (inVsCode) return { save: saveUser, mark: { text: 'Overridden by .vscode/settings.json', reset } }
  return { save: saveUser, mark: changed ? { text: 'Changed', reset } : null }
}
