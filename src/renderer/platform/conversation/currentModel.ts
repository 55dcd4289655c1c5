import type { ModelChoice } from '../../../shared/agent/conversation.ts'
import { firstUsableModel } from '../../../shared/models/firstUsableModel.ts'
import { useApp, useSettings } from '../appState.ts'
import { useEndpoints } from '../models/endpointsStore.ts'
import { useChat } from './chatStore.ts'

/**
 * Returns the model that will receive the next message: the open conversation's, the settings', or the first usable
 * one.
 */
export function currentModel(): ModelChoice | undefined {
  return (
    useChat.getState().info?.model ??
    useApp.getState().state?.settings.model ??
    firstUsableModel(useEndpoints.getState().endpoints)
  )
}

export function useCurrentModel(): ModelChoice | undefined {
  const own = useChat((state) => state.info?.model)
  const chosen = useSettings()?.model
  const endpoints = useEndpoints((state) => state.endpoints)
  return own ?? chosen ?? firstUsableModel(endpoints)
}
