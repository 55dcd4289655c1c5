import type { Settings } from '../../shared/settings/settings.ts'
import type { SettingRow } from '../../shared/settings/settingsTable.ts'

/** Props of a setting's custom control. */
export interface SettingEditorProps {
  settings: Settings
  row: SettingRow
  /** Saves the setting's value, for the user or the folder. */
  save: (value: unknown) => void
}

/** Pure: returns the value of a setting. */
export function valueOf(settings: Settings, { section, name }: SettingRow): unknown {
  // The rows and the type of Settings derive from the same table.
  const all = settings as unknown as Readonly<Record<string, unknown>>
  const holder = section === null ? all : (all[section] as Readonly<Record<string, unknown>>)
  return holder[name]
}

/**
 * Pure: returns the change that sets one setting. Includes its whole section, because `settings.set` replaces sections.
 */
export function changeOf(settings: Settings, { section, name }: SettingRow, value: unknown): Partial<Settings> {
  if (section === null) return { [name]: value }
  const all = settings as unknown as Readonly<Record<string, object>>
  return { [section]: { ...all[section], [name]: value } }
}
