import type { SettingDeclaration, SettingSection } from './table/settingDeclaration.ts'
import { agentSettings } from './table/agentSettings.ts'
import { commandSettings } from './table/commandSettings.ts'
import { completionSettings } from './table/completionSettings.ts'
import { debugSettings } from './table/debugSettings.ts'
import { editorSettings } from './table/editorSettings.ts'
import { languageSettings } from './table/languageSettings.ts'
import { modelSettings } from './table/modelSettings.ts'
import { outsideSettings } from './table/outsideSettings.ts'
import { windowSettings } from './table/windowSettings.ts'

/*
 * One declaration per setting, from which the schemas in settings.ts, the settings page (renderer/settings) and
 * docs/settings.md are derived. Does not import zod, which the window does not load.
 */

export const settingsTable = {
  ...windowSettings,
  ...agentSettings,
  ...modelSettings,
  ...completionSettings,
  ...commandSettings,
  ...editorSettings,
  ...languageSettings,
  ...debugSettings,
  ...outsideSettings,
} as const

export type SettingsTable = typeof settingsTable

/** A declaration and its key in `settings.json`. */
export interface SettingRow {
  /** For example `theme`, or `editor.fontSize` in a section. */
  path: string
  section: string | null
  name: string
  declaration: SettingDeclaration
}

/** All settings, in the order of the table. */
export const settingRows: readonly SettingRow[] = Object.entries(settingsTable).flatMap(
  ([key, entry]: [string, SettingDeclaration | SettingSection]): SettingRow[] =>
    'fields' in entry
      ? Object.entries(entry.fields).map(([name, declaration]) => ({
          path: `${key}.${name}`,
          section: key,
          name,
          declaration,
        }))
      : [{ path: key, section: null, name: key, declaration: entry }],
)
