import type { ModelChoice } from '../../../shared/agent/conversation.ts'
import { firstUsableModel } from '../../../shared/models/firstUsableModel.ts'
import { useApp, useSettings } from '../appState.ts'
import { useEndpoints } from '../models/endpointsStore.ts'
import { useChat } from './chatStore.ts'

/** Returns the model that the next message goes to: of the open conversation, of the settings, or the first usable. */
export function currentModel(): ModelChoice | undefined {
  return (
    useChat.getState().info?.model ??
    useApp.getState().state?.settings.model ??
    firstUsableModel(useEndpoints.getState().endpoints)
  )
}

/** Like `currentModel`, for components. */
export function useCurrentModel(): ModelChoice | undefined {
  const own = useChat((state) => state.info?.model)
  const chosen = useSettings()?.model
  const endpoints = useEndpoints((state) => state.endpoints)
  return own ?? chosen ?? firstUsableModel(endpoints)
}
