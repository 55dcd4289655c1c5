import type { ModelChoice } from '../../shared/conversation.ts'
import type { Settings } from '../../shared/settings.ts'
import { Select, type SelectOption } from '../ui/index.ts'
import { useEndpoints } from '../platform/endpointsStore.ts'

interface SmallModelProps {
  settings: Settings
  onSave: (change: Pick<Settings, 'smallModel'>) => void
}

const none = ''
const idOf = ({ endpointId, model }: ModelChoice) => JSON.stringify([endpointId, model])

/** A second, small model for what needs no large one. One that is chosen stays in the list while its server does not answer. */
export function SmallModel({ settings: { smallModel }, onSave }: SmallModelProps) {
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
    ...(missing ? [{ value: idOf(smallModel), label: `${smallModel.model} (does not answer now)` }] : []),
  ]
  return (
    <Select
      label="Small model"
      hint="Writes titles and summaries, so that the large one need not. A model of 1B to 4B does."
      value={smallModel ? idOf(smallModel) : none}
      options={options}
      onChange={(event) => {
        const { value } = event.target
        if (value === none) onSave({ smallModel: null })
        const chosen = choices.find(({ choice }) => idOf(choice) === value)
        if (chosen) onSave({ smallModel: chosen.choice })
      }}
    />
  )
}
