import { request } from './bridge/bridge.ts'
import { attempt } from './notices.ts'

/** Opens a web address in the user's browser. Shows a notice if that fails. */
export function openExternal(url: string): void {
  attempt(() => request('app.openExternal', { url }), 'The link could not be opened')
}
