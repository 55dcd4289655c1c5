import type { SettingGroup } from './settingGroups.ts'

/** Custom controls of the settings page. `none`: another setting's control edits it. */
export type SettingEditor =
  | 'endpoints'
  | 'toolset'
  | 'smallModel'
  | 'subAgentModel'
  | 'embeddingModel'
  | 'completionModel'
  | 'nextEditModel'
  | 'searxngUrl'
  | 'braveKey'
  | 'localOrigins'
  | 'mcpServers'
  | 'agents'
  | 'disabledTools'
  | 'approvalRules'
  | 'approvalNotifications'
  | 'rulers'
  | 'theme'
  | 'none'

interface SettingBase {
  group: SettingGroup
  title: string
  description: string
  /** Replaces the default control for the type. */
  editor?: SettingEditor
  /** Whether the control takes the full width of the page. */
  wide?: boolean
}

export interface BooleanSetting extends SettingBase {
  type: 'boolean'
  default: boolean
}

export interface ChoiceSetting extends SettingBase {
  type: 'choice'
  options: readonly string[]
  /** `detail` replaces the description while the option is selected. */
  texts: Readonly<Record<string, { label: string; detail?: string }>>
  default: string
  /** Converts the value in `settings.json` before validation. */
  normalize?: (stored: unknown) => unknown
}

export interface NumberSetting extends SettingBase {
  type: 'number'
  min: number
  max: number
  /** Step of the number field. 1 allows whole numbers only. */
  step: number
  default: number | null
  /** Whether the value can be `null`, which the user enters as an empty field. */
  nullable?: boolean
  /** Shown in an empty field. */
  placeholder?: string
  /** Whether the page shows the stored fraction in percent. */
  percent?: boolean
}

export interface TextSetting extends SettingBase {
  type: 'text'
  maxLength: number
  /** Whether the control is a field of one line. Default: a text area. */
  singleLine?: boolean
  default: string
}

/** A setting with its own schema in settings.ts and a custom control. */
export interface StructuredSetting extends SettingBase {
  type: 'structured'
  /** Type of the value, for docs/settings.md. */
  valueText: string
  editor: SettingEditor
  /** Absent if the setting can be missing. */
  default?: unknown
}

export type SettingDeclaration = BooleanSetting | ChoiceSetting | NumberSetting | TextSetting | StructuredSetting

/** Settings that are stored together as one object. */
export interface SettingSection {
  fields: Readonly<Record<string, SettingDeclaration>>
}

/** Maps the options of a choice to their texts. */
export function optionTexts<T extends string>(
  options: readonly T[],
  textOf: (option: T) => { label: string; detail?: string },
): Record<string, { label: string; detail?: string }> {
  return Object.fromEntries(options.map((option) => [option, textOf(option)]))
}
