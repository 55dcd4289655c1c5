import { ModelSelect } from './ModelSelect.tsx'
import { saveSetting } from './saveSetting.ts'
import type { SettingEditorProps } from './settingValues.ts'

/** Select for the small model. */
export function SmallModel({ settings: { smallModel }, row: { declaration } }: SettingEditorProps) {
  return (
    <ModelSelect
      label={declaration.title}
      hint={declaration.description}
      value={smallModel}
      onChange={(choice) => saveSetting({ smallModel: choice })}
    />
  )
}
