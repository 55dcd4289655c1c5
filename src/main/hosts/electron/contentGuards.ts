import type { App, Session, Shell } from 'electron'
import { isAppUrl } from './appProtocol.ts'

/** The only thing a page may be granted: the copy buttons write to the clipboard. */
const grantedPermission = 'clipboard-sanitized-write'

/**
 * What no page in the application may do, whatever it contains: leave the application's own address, open windows, embed
 * foreign pages. Must run before the first window is made.
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
    contents.setWindowOpenHandler(() => ({ action: 'deny' }))
  })
}

/** Denies camera, location, devices and every other permission. */
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
 * Hands an http(s) address to the user's browser; `file:`, `javascript:` and the schemes of other programs are not opened.
 * @throws TypeError for an address of another kind.
 */
export async function openExternally(shell: Pick<Shell, 'openExternal'>, url: string): Promise<void> {
  const parsed = URL.parse(url)
  if (parsed?.protocol !== 'http:' && parsed?.protocol !== 'https:')
    throw new TypeError(`Only http and https addresses are opened, and not ${url}`)
  await shell.openExternal(parsed.href)
}
