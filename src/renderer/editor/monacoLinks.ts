import { request } from '../platform/bridge/bridge.ts'
import { attempt } from '../platform/notices.ts'
import { monaco } from '../platform/editor/monaco/monaco.ts'

let registered = false

/** Makes Monaco open web links in the user's browser. By default it opens a window, which the desktop host denies. */
export function registerLinkOpener(): void {
  if (registered) return
  registered = true
  monaco.editor.registerLinkOpener({
    open(resource) {
      if (resource.scheme !== 'http' && resource.scheme !== 'https') return false
      attempt(() => request('app.openExternal', { url: resource.toString(true) }), 'The link could not be opened')
      return true
    },
  })
}
