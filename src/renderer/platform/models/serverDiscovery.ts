import { request } from '../bridge/bridge.ts'
import { useQuickPick } from '../quickPick/quickPick.ts'
import { isUsable, useEndpoints } from './endpointsStore.ts'
import { Delayer } from '../../../shared/async/delayer.ts'

/** Delay between two searches in milliseconds. */
const searchIntervalMs = 4000

/** Title of the model picker. Tizona searches for servers while it is open. */
export const modelPickerTitle = 'Model'

/**
 * Whether to search for servers: no model is usable, the chosen model's server does not respond, or the model picker is
 * open. Never in a hidden window.
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
 * Polls for model servers that start after Tizona. Main reports changes as `endpoints.changed`.
 * @param chosen endpoint id of the chosen model, if any
 * @returns a function that stops it
 */
export function searchForServers(chosen: () => string | undefined): () => void {
  let stopped = false
  const searching = new Delayer(async () => {
    try {
      if (needsSearch(chosen())) await request('endpoints.look', {})
    } catch {
      // The endpoint lists show problems, and the next search is scheduled anyway.
    } finally {
      if (!stopped) searching.start()
    }
  }, searchIntervalMs)
  searching.start()
  return () => {
    stopped = true
    searching.cancel()
  }
}
