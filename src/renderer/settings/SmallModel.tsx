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

/** Select for the model of sub-agents. */
export function SubAgentModel({ settings: { subAgentModel }, row: { declaration } }: SettingEditorProps) {
  return (
    <ModelSelect
      label={declaration.title}
      hint={declaration.description}
      value={subAgentModel}
      onChange={(choice) => saveSetting({ subAgentModel: choice })}
    />
  )
}

/** Select for the model that ranks passages. */
export function EmbeddingModel({ settings: { embeddings }, row: { declaration } }: SettingEditorProps) {
  return (
    <ModelSelect
      label={declaration.title}
      hint={declaration.description}
      value={embeddings}
      modelsOf={({ embeddingModels = [] }) => embeddingModels}
      onChange={(choice) => saveSetting({ embeddings: choice })}
    />
  )
}
