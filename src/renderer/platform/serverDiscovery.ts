import { request } from './bridge/bridge.ts'
import { useQuickPick } from './quickPick.ts'
import { isUsable, useEndpoints } from './endpointsStore.ts'

/** Time between two searches in milliseconds. */
const searchIntervalMs = 4000

/** Title of the model picker. Servers are searched for while it is open. */
export const modelPickerTitle = 'Model'

/**
 * Whether to search for servers: no model is usable, the chosen model's server does not answer, or the picker is open.
 * @param chosen endpoint id of the chosen model
 */
export function needsSearch(chosen: string | undefined): boolean {
  if (document.visibilityState === 'hidden') return false
  if (useQuickPick.getState().open?.options.title === modelPickerTitle) return true
  const usable = useEndpoints
    .getState()
    .endpoints.filter((status) => isUsable(status) && status.endpoint.kind !== 'tour')
  return (
    usable.length === 0 ||
    (chosen !== undefined && chosen !== 'tour' && !usable.some(({ endpoint }) => endpoint.id === chosen))
  )
}

/**
 * Searches for model servers that start after Tizona. Results arrive as `endpoints.changed`.
 * @param chosen endpoint id of the chosen model, if any
 * @returns stop
 */
export function searchForServers(chosen: () => string | undefined): () => void {
  let stopped = false
  let timer: ReturnType<typeof setTimeout> | undefined
  const next = () => {
    if (!stopped) timer = setTimeout(() => void look(), searchIntervalMs)
  }
  const look = async () => {
    try {
      if (needsSearch(chosen())) await request('endpoints.look', {})
    } catch {
      // The next search follows anyway. The lists of endpoints show their problems.
    } finally {
      next()
    }
  }
  next()
  return () => {
    stopped = true
    clearTimeout(timer)
  }
}
