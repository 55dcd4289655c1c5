import { request } from './bridge/bridge.ts'
import { useQuickPick } from './quickPick.ts'
import { isUsable, useEndpoints } from './endpointsStore.ts'

/** Between the end of one look and the next. Milliseconds. */
const pauseMs = 4000

/** The picker of models is open: what it lists should be what runs. */
export const modelPickerTitle = 'Model'

/**
 * Whether there is a reason to look: no model can be used, the chosen one's server does not answer, or the picker is open.
 * @param chosen the endpoint of the chosen model
 */
export function needsLook(chosen: string | undefined): boolean {
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
 * Finds model servers that are started later, without a click. What is found comes as `endpoints.changed`.
 * @param chosen the endpoint of the chosen model, if one is chosen
 * @returns stop
 */
export function lookForServers(chosen: () => string | undefined): () => void {
  let stopped = false
  let timer: ReturnType<typeof setTimeout> | undefined
  const next = () => {
    if (!stopped) timer = setTimeout(() => void look(), pauseMs)
  }
  const look = async () => {
    try {
      if (needsLook(chosen())) await request('endpoints.look', {})
    } catch {
      // A look that fails is followed by another one; the lists say what is wrong with an endpoint.
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
