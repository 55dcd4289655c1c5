import type { ModelChoice } from '../../shared/conversation.ts'
import { Select, type SelectOption } from '../ui/index.ts'
import { useEndpoints } from '../platform/endpointsStore.ts'
import { saveSetting } from './saveSetting.ts'
import type { SettingEditorProps } from './settingValues.ts'

const none = ''
const idOf = ({ endpointId, model }: ModelChoice) => JSON.stringify([endpointId, model])

/** Select for the small model. The selected model stays in the list while its server does not respond. */
export function SmallModel({ settings: { smallModel }, row: { declaration } }: SettingEditorProps) {
  const endpoints = useEndpoints((state) => state.endpoints)
  const choices = endpoints.flatMap(({ endpoint, models }) =>
    endpoint.kind === 'tour'
      ? []
      : models.map((model) => ({
          choice: { endpointId: endpoint.id, model: model.id },
          label: `${model.id} · ${endpoint.name}`,
        })),
  )
  const missing = smallModel && !choices.some(({ choice }) => idOf(choice) === idOf(smallModel))
  const options: SelectOption[] = [
    { value: none, label: 'None' },
    ...choices.map(({ choice, label }) => ({ value: idOf(choice), label })),
    ...(missing ? [{ value: idOf(smallModel), label: `${smallModel.model} (not available)` }] : []),
  ]
  return (
    <Select
      label={declaration.title}
      hint={declaration.description}
      value={smallModel ? idOf(smallModel) : none}
      options={options}
      onChange={(event) => {
        const { value } = event.target
        if (value === none) saveSetting({ smallModel: null })
        const chosen = choices.find(({ choice }) => idOf(choice) === value)
        if (chosen) saveSetting({ smallModel: chosen.choice })
      }}
    />
  )
}
