import { isSameModel, modelDisplayName } from '../../shared/models/modelName.ts'
import { formatTokens } from '../../shared/text/formatTokens.ts'
import { plural } from '../../shared/text/plural.ts'
import { profileFor } from '../../shared/agent/contextAllocation.ts'
import { profileChoices } from '../../shared/agent/promptProfile.ts'
import { modes, toolsetNames } from '../../shared/tools/risk.ts'
import type { EndpointStatus, ModelInfo } from '../../shared/settings/settings.ts'
import { defaultToolset, suggestToolset } from '../../shared/tools/toolsetSuggestion.ts'
import { request } from '../platform/bridge/bridge.ts'
import {
  hasOnlyEmbeddingModels,
  isUsable,
  loadEndpoints,
  namesOfModel,
  useEndpoints,
} from '../platform/models/endpointsStore.ts'
import { currentModel } from '../platform/conversation/currentModel.ts'
import { modelPickerTitle } from '../platform/models/serverDiscovery.ts'
import { useApp } from '../platform/appState.ts'
import { runCommand } from '../platform/commands.ts'
import { quickPick, updateQuickPick, type QuickPickItem } from '../platform/quickPick/quickPick.ts'
import { setAgent, setMode, setModel, setProfile, setToolset } from './chatActions.ts'
import { contextFill } from './context/contextFill.ts'
import { modeTexts } from '../../shared/tools/modeTexts.ts'
import { profileTexts } from '../../shared/agent/profileTexts.ts'
import { useChat } from '../platform/conversation/chatStore.ts'
import { toolsetLabels } from '../../shared/tools/toolsetTexts.ts'

const refreshId = 'refresh'
const settingsId = 'settings'
const tourId = 'tour'
/** Prefix of the rows that let the host use a model server of this computer. */
const allowId = 'allow:'

function modelDetail(model: ModelInfo): string {
  return [
    model.loaded && 'Loaded',
    model.contextWindow && `${formatTokens(model.contextWindow)} context`,
    model.tools === false && 'calls as text',
    model.vision && 'supports images',
  ]
    .filter(Boolean)
    .join(' · ')
}

/** Builds one picker row per model. An endpoint without usable models gets a disabled row with the reason. */
export function modelItems(
  endpoints: readonly EndpointStatus[],
  current: { endpointId: string; model: string } | undefined,
): QuickPickItem[] {
  return endpoints.flatMap((status): QuickPickItem[] => {
    const { endpoint } = status
    const heading = `${endpoint.name} · ${endpoint.baseUrl}`
    if (status.offered)
      return [
        {
          id: `${allowId}${endpoint.id}`,
          label: `Use ${endpoint.name}`,
          description: status.problem,
          icon: 'plug',
          heading,
        },
      ]
    if (!isUsable(status)) {
      const problem =
        status.problem ??
        (hasOnlyEmbeddingModels(status)
          ? 'The server has only embedding models.'
          : status.reachable
            ? 'The server has no models.'
            : 'The server does not respond.')
      return [
        {
          id: `problem:${endpoint.id}`,
          label: status.reachable ? 'No model' : 'Not reachable',
          description: problem,
          icon: 'warning',
          disabled: true,
          heading,
        },
      ]
    }
    return status.models.map((model, index) => ({
      id: JSON.stringify([endpoint.id, model.id]),
      label: modelDisplayName(model.id),
      detail: modelDetail(model),
      icon: endpoint.kind === 'tour' ? 'compass' : 'hubot',
      current: current?.endpointId === endpoint.id && isSameModel(current.model, model.id),
      ...(index === 0 && { heading }),
    }))
  })
}

/** Opens the model picker and applies the choice. */
export async function chooseModel(): Promise<void> {
  if (useEndpoints.getState().loadedAt === null) await loadEndpoints(false)
  const items = (): QuickPickItem[] => [
    ...modelItems(useEndpoints.getState().endpoints, currentModel()),
    {
      id: refreshId,
      label: 'Search again',
      description: 'Query every endpoint and look for servers on this computer',
      icon: 'refresh',
      heading: 'Endpoints',
    },
    { id: settingsId, label: 'Add or change endpoints…', icon: 'settings-gear' },
    { id: tourId, label: 'Take the scripted tour', description: 'Needs no model', icon: 'compass' },
  ]
  // Add servers that start while the picker is open.
  const stop = useEndpoints.subscribe(() => updateQuickPick(modelPickerTitle, items()))
  try {
    for (;;) {
      const picked = await quickPick({ title: modelPickerTitle, placeholder: 'Choose a model', items: items() })
      if (picked === null) return
      if (picked.id === refreshId) {
        await loadEndpoints(true)
        continue
      }
      if (picked.id.startsWith(allowId)) {
        await request('endpoints.allow', { id: picked.id.slice(allowId.length) })
        await loadEndpoints(false)
        continue
      }
      if (picked.id === settingsId) runCommand('settings.open')
      else if (picked.id === tourId) runCommand('tour.start')
      else await setModel(choiceOf(useEndpoints.getState().endpoints, picked.id))
      return
    }
  } finally {
    stop()
  }
}

function choiceOf(endpoints: readonly EndpointStatus[], id: string): { endpointId: string; model: string } {
  for (const { endpoint, models } of endpoints) {
    for (const model of models)
      if (JSON.stringify([endpoint.id, model.id]) === id) return { endpointId: endpoint.id, model: model.id }
  }
  throw new Error(`Unknown model row: ${id}`)
}

/** Opens the mode picker and applies the choice. */
export async function chooseMode(): Promise<void> {
  const current = useChat.getState().info?.mode ?? useApp.getState().state?.settings.mode
  const items = modes.map((mode) => ({
    id: mode,
    label: modeTexts[mode].label,
    description: modeTexts[mode].detail,
    icon: modeTexts[mode].icon,
    current: mode === current,
  }))
  const picked = await quickPick({ title: 'Mode', placeholder: 'Choose what requires your approval', items })
  const mode = modes.find((each) => each === picked?.id)
  if (mode) await setMode(mode)
}

/** Opens the picker for the prompt profile and applies the choice. */
export async function chooseProfile(): Promise<void> {
  const chat = useChat.getState()
  const current = chat.info?.profile ?? useApp.getState().state?.settings.profile ?? 'auto'
  const window = contextFill(chat)?.window
  const items = profileChoices.map((choice) => ({
    id: choice,
    label: profileTexts[choice].label,
    description: profileTexts[choice].detail,
    ...(choice === 'auto' &&
      window !== undefined && { detail: `Currently: ${profileTexts[profileFor(window)].label}` }),
    icon: choice === 'auto' ? 'wand' : 'list-flat',
    current: choice === current,
  }))
  const picked = await quickPick({
    title: 'Prompt profile',
    placeholder: 'Select how much context instructions and tools may use',
    items,
  })
  const profile = profileChoices.find((choice) => choice === picked?.id)
  if (profile) await setProfile(profile)
}

/** Opens the toolset picker and applies the choice. */
export async function chooseToolset(): Promise<void> {
  const { settings } = useApp.getState().state ?? {}
  const choice = currentModel()
  const model = choice && namesOfModel(useEndpoints.getState().endpoints, choice)
  const current = useChat.getState().info?.toolset ?? (settings ? defaultToolset(settings, model) : undefined)
  const suggestion = model === undefined ? undefined : suggestToolset(model)
  const items = await Promise.all(
    toolsetNames.map(async (name): Promise<QuickPickItem> => {
      const tools = (await request('tools.list', { toolset: name })).filter(({ off }) => off === undefined)
      const count = tools.length === 0 ? 'No tools' : plural(tools.length, 'tool')
      const why = suggestion?.toolset === name ? suggestion.why : undefined
      return {
        id: name,
        label: toolsetLabels[name],
        description: why ? `${count} · ${why}` : count,
        ...(why && { detail: `Suggested for ${model}` }),
        icon: 'tools',
        current: name === current,
        disabled: tools.length === 0,
      }
    }),
  )
  const picked = await quickPick({
    title: 'Toolset',
    placeholder: 'Choose the toolset that the model was trained with',
    items,
  })
  const toolset = toolsetNames.find((each) => each === picked?.id)
  if (toolset) await setToolset(toolset)
}

/** Opens the agent picker and applies the choice. */
export async function chooseAgent(): Promise<void> {
  const { info, items: shown } = useChat.getState()
  const begun = Object.values(shown).some(({ kind }) => kind === 'user')
  const agents = useApp.getState().state?.settings.agents ?? []
  const row = (id: string, label: string, description: string, current: boolean): QuickPickItem => ({
    id,
    label,
    description,
    icon: 'person',
    current,
    ...(begun && !current && { detail: 'Starts a new conversation' }),
  })
  const items: QuickPickItem[] = [
    row('own', 'Tizona', "The model that you choose, with Tizona's tools", info?.agent === undefined),
    ...agents.map(({ id, name, command, args }) =>
      row(`agent:${id}`, name, [command, ...args].join(' '), info?.agent === id),
    ),
    { id: settingsId, label: 'Add or edit agents…', icon: 'settings-gear' },
  ]
  const picked = await quickPick({ title: 'Agent', placeholder: 'Choose an agent', items })
  if (picked === null || picked.current) return
  if (picked.id === settingsId) runCommand('settings.open')
  else await setAgent(picked.id === 'own' ? null : picked.id.slice('agent:'.length))
}
