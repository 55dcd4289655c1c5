import type { App, Session, Shell } from 'electron'
import { isAppUrl } from './appProtocol.ts'

/** The only permission granted to pages. The copy buttons need it. */
const grantedPermission = 'clipboard-sanitized-write'

/**
 * Prevents pages from leaving the application's origin, opening windows and embedding other pages. Call this before the
 * first window is created.
 */
export function guardContents(app: Pick<App, 'on'>): void {
  app.on('web-contents-created', (_created, contents) => {
    const stay = (event: { preventDefault(): void; url: string }): void => {
      if (!isAppUrl(event.url)) event.preventDefault()
    }
    contents.on('will-navigate', stay)
    contents.on('will-frame-navigate', stay)
    contents.on('will-redirect', stay)
    contents.on('will-attach-webview', (event) => event.preventDefault())
    // The page has no WebRTC (renderer/platform/webrtc.ts). If it did, WebRTC could not bypass a proxy.
    contents.setWebRTCIPHandlingPolicy('disable_non_proxied_udp')
    contents.setWindowOpenHandler(() => ({ action: 'deny' }))
  })
}

/** Denies every permission except writing to the clipboard. */
export function guardPermissions(
  session: Pick<Session, 'setPermissionRequestHandler' | 'setPermissionCheckHandler' | 'setDevicePermissionHandler'>,
): void {
  session.setPermissionRequestHandler((contents, permission, callback) =>
    callback(permission === grantedPermission && isAppUrl(contents.getURL())),
  )
  session.setPermissionCheckHandler(
    (_contents, permission, origin) => permission === grantedPermission && isAppUrl(origin),
  )
  session.setDevicePermissionHandler(() => false)
}

/**
 * Opens an http(s) URL in the user's browser.
 * @throws TypeError for any other scheme, such as `file:` or `javascript:`
 */
export async function openExternally(shell: Pick<Shell, 'openExternal'>, url: string): Promise<void> {
  const parsed = URL.parse(url)
  if (parsed?.protocol !== 'http:' && parsed?.protocol !== 'https:')
    throw new TypeError(`Only http and https URLs can be opened, not ${url}`)
  await shell.openExternal(parsed.href)
}
