import { isSameModel, modelDisplayName } from '../../../shared/models/modelName.ts'
import { useCurrentModel } from '../../platform/conversation/currentModel.ts'
import { modeTexts } from '../../../shared/tools/modeTexts.ts'
import { suggestToolset } from '../../../shared/tools/toolsetSuggestion.ts'
import { toolsetLabels } from '../../../shared/tools/toolsetTexts.ts'
import { useSettings } from '../../platform/appState.ts'
import { useChat } from '../../platform/conversation/chatStore.ts'
import { useToolset } from '../../platform/conversation/toolsStore.ts'
import { namesOfModel, useEndpoints } from '../../platform/models/endpointsStore.ts'
import { attempt } from '../../platform/notices.ts'
import { Icon } from '../../ui/index.ts'

/** Loads with the first picker. */
const pickers = () => import('../pickers.ts')

/** Buttons below the message field that show mode, model and toolset, and open their pickers. */
export function ComposerPickers() {
  const other = useChat((state) => state.info?.agent !== undefined)
  return (
    <>
      <ModeButton />
      <AgentButton />
      {!other && <ModelButton />}
      {!other && <ToolsetButton />}
    </>
  )
}

/** Shows the current agent. Hidden until the user has added an external agent. */
function AgentButton() {
  const agents = useSettings()?.agents ?? []
  const chosen = useChat((state) => state.info?.agent)
  if (agents.length === 0 && chosen === undefined) return null
  const name = chosen === undefined ? 'Tizona' : (agents.find(({ id }) => id === chosen)?.name ?? 'Removed agent')
  return (
    <button
      type="button"
      className={`ui-picker-button composer-picker composer-model ${chosen === undefined ? 'composer-agent-own' : ''}`}
      aria-label={`Agent: ${name}`}
      title={`Agent: ${name}`}
      onClick={() => attempt(async () => (await pickers()).chooseAgent())}
    >
      <Icon name="person" />
      <span className="composer-model-name">{name}</span>
    </button>
  )
}

function ModeButton() {
  const settings = useSettings()
  const own = useChat((state) => state.info?.mode)
  const mode = own ?? settings?.mode ?? 'safe'
  const { label, detail, icon } = modeTexts[mode]
  return (
    <button
      type="button"
      className={`ui-picker-button composer-picker composer-mode-${mode}`}
      aria-label={`Mode: ${label}`}
      title={`${label}: ${detail}`}
      onClick={() => attempt(async () => (await pickers()).chooseMode())}
    >
      <Icon name={icon} />
      {label}
    </button>
  )
}

function ModelButton() {
  const endpoints = useEndpoints((state) => state.endpoints)
  const loaded = useEndpoints((state) => state.loadedAt !== null)
  const choice = useCurrentModel()
  const status = endpoints.find(({ endpoint }) => endpoint.id === choice?.endpointId)
  const problem = loaded && choice ? problemOf(status, choice.model) : undefined
  return (
    <button
      type="button"
      className="ui-picker-button composer-picker composer-model"
      aria-label={choice ? `Model: ${modelDisplayName(choice.model)}` : 'Choose a model'}
      title={problem ?? (choice ? `${choice.model} · ${status?.endpoint.name ?? choice.endpointId}` : 'Choose a model')}
      onClick={() => attempt(async () => (await pickers()).chooseModel())}
    >
      <Icon name={problem ? 'warning' : 'hubot'} className={problem ? 'composer-problem' : ''} />
      <span className="composer-model-name">{choice ? modelDisplayName(choice.model) : 'Choose a model'}</span>
    </button>
  )
}

function ToolsetButton() {
  const toolset = useToolset()
  const choice = useChat((state) => state.info?.model)
  const model = useEndpoints(({ endpoints }) => choice && namesOfModel(endpoints, choice))
  if (!toolset) return null
  const suggestion = model === undefined ? undefined : suggestToolset(model)
  return (
    <button
      type="button"
      className="ui-picker-button composer-picker composer-toolset"
      aria-label={`Toolset: ${toolsetLabels[toolset]}`}
      title={
        suggestion?.toolset === toolset
          ? `Toolset: ${toolsetLabels[toolset]} (suggested for ${suggestion.family}). ${suggestion.why}`
          : `Toolset: ${toolsetLabels[toolset]}`
      }
      onClick={() => attempt(async () => (await pickers()).chooseToolset())}
    >
      <Icon name="tools" />
    </button>
  )
}

function problemOf(
  status: { reachable: boolean; problem?: string; models: readonly { id: string }[] } | undefined,
  model: string,
): string | undefined {
  if (!status) return 'The endpoint of this model was removed. Choose another model.'
  if (!status.reachable) return status.problem ?? 'The endpoint does not respond.'
  return status.models.some(({ id }) => isSameModel(id, model))
    ? undefined
    : `The endpoint no longer has the model ${model}. Choose another model.`
}
