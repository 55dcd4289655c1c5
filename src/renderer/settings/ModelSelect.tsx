import type { ModelChoice } from '../../shared/agent/conversation.ts'
import type { EndpointStatus } from '../../shared/settings/settings.ts'
import { Select, type SelectOption } from '../ui/index.ts'
import { useEndpoints } from '../platform/models/endpointsStore.ts'

const none = ''
const chatModelsOf = ({ models }: EndpointStatus) => models.map(({ id }) => id)
const idOf = ({ endpointId, model }: ModelChoice) => JSON.stringify([endpointId, model])

interface ModelSelectProps {
  label: string
  hint: string
  value: ModelChoice | null
  /** Returns the ids of the models to offer. Default: chat models. */
  modelsOf?: (status: EndpointStatus) => string[]
  onChange: (choice: ModelChoice | null) => void
}

/** Select for an optional model. Keeps the selected model in the list while its server does not respond. */
export function ModelSelect({ label, hint, value, modelsOf = chatModelsOf, onChange }: ModelSelectProps) {
  const endpoints = useEndpoints((state) => state.endpoints)
  const choices = endpoints.flatMap((status) =>
    status.endpoint.kind === 'tour'
      ? []
      : modelsOf(status).map((model) => ({
          choice: { endpointId: status.endpoint.id, model },
          label: `${model} · ${status.endpoint.name}`,
        })),
  )
  const missing = value && !choices.some(({ choice }) => idOf(choice) === idOf(value))
  const options: SelectOption[] = [
    { value: none, label: 'None' },
    ...choices.map(({ choice, label: text }) => ({ value: idOf(choice), label: text })),
    ...(missing ? [{ value: idOf(value), label: `${value.model} (not available)` }] : []),
  ]
  return (
    <Select
      label={label}
      hint={hint}
      value={value ? idOf(value) : none}
      options={options}
      onChange={(event) => {
        const chosen = choices.find(({ choice }) => idOf(choice) === event.target.value)
        if (chosen) onChange(chosen.choice)
        else if (event.target.value === none) onChange(null)
      }}
    />
  )
}
