import type { Settings } from '../../shared/settings.ts'
import type { SettingRow } from '../../shared/settingsTable.ts'

/** Props of a component that edits one setting in place of a simple control. */
export interface SettingEditorProps {
  settings: Settings
  row: SettingRow
}

/** Pure: the value of a setting. */
export function valueOf(settings: Settings, { section, name }: SettingRow): unknown {
  // The rows and the type of the settings derive from one table.
  const all = settings as unknown as Readonly<Record<string, unknown>>
  const holder = section === null ? all : (all[section] as Readonly<Record<string, unknown>>)
  return holder[name]
}

/** Pure: the change that sets one setting. A section is sent as a whole, because `settings.set` replaces it. */
export function changeOf(settings: Settings, { section, name }: SettingRow, value: unknown): Partial<Settings> {
  if (section === null) return { [name]: value }
  const all = settings as unknown as Readonly<Record<string, object>>
  return { [section]: { ...all[section], [name]: value } }
}
