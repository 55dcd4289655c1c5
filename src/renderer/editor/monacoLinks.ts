import { request } from '../platform/bridge/bridge.ts'
import { attempt } from '../platform/notices.ts'
import { monaco } from '../platform/editor/monaco.ts'

let registered = false

/** Opens links in the user's browser. Monaco would open a window, which the desktop host denies. */
export function registerLinkOpener(): void {
  if (registered) return
  registered = true
  monaco.editor.registerLinkOpener({
    open(resource) {
      if (resource.scheme !== 'http' && resource.scheme !== 'https') return false
      attempt(() => request('app.openExternal', { url: resource.toString(true) }), 'The link was not opened')
      return true
    },
  })
}
