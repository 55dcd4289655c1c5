import type { App, Session, Shell } from 'electron'
import { hostResolverRules } from '../../base/findChromium.ts'
import { isAppUrl } from './appProtocol.ts'

/** Options of the window and of the pages that it shows: no page has Node, or leaves its process. */
export const isolatedContents = {
  contextIsolation: true,
  sandbox: true,
  nodeIntegration: false,
  nodeIntegrationInWorker: false,
  nodeIntegrationInSubFrames: false,
  webviewTag: false,
  webSecurity: true,
  spellcheck: false,
} as const

/** The only permission granted to pages. The copy buttons need it. */
const grantedPermission = 'clipboard-sanitized-write'

/** Sessions of pages that are not the application's, which the preview shows. */
const pageSessions = new WeakSet<Session>()

/** Lets the pages of a session go where its proxy allows, and denies them every permission and download. */
export function guardPageSession(session: Session): void {
  if (pageSessions.has(session)) return
  pageSessions.add(session)
  session.setPermissionRequestHandler((_contents, _permission, callback) => callback(false))
  session.setPermissionCheckHandler(() => false)
  session.setDevicePermissionHandler(() => false)
  session.on('will-download', (event) => event.preventDefault())
}

/**
 * Prevents pages from leaving the application's origin, opening windows and embedding other pages. Call this before the
 * first window is created.
 */
export function guardContents(app: Pick<App, 'on'>): void {
  app.on('web-contents-created', (_created, contents) => {
    const isAllowed = pageSessions.has(contents.session) ? isWebUrl : isAppUrl
    const stay = (event: { preventDefault(): void; url: string }): void => {
      if (!isAllowed(event.url)) event.preventDefault()
    }
    contents.on('will-navigate', stay)
    contents.on('will-frame-navigate', stay)
    contents.on('will-redirect', stay)
    contents.on('will-attach-webview', (event) => event.preventDefault())
    // The page has no WebRTC (renderer/platform/webrtc.ts). If it did, WebRTC could not bypass a proxy.
    contents.setWebRTCIPHandlingPolicy('disable_non_proxied_udp')
    contents.setWindowOpenHandler(() => ({ action: 'deny' }))
  })
  // Otherwise Electron sends the first certificate of the user to a server that asks for one.
  app.on('select-client-certificate', (event, _contents, _url, _certificates, callback) => {
    event.preventDefault()
    callback()
  })
}

/**
 * Prevents pages from passing a proxy by DNS (`<link rel=dns-prefetch>`) and QUIC. The application itself resolves names
 * with Node only. Call this before Electron is ready.
 */
export function guardNetwork({ commandLine }: Pick<App, 'commandLine'>): void {
  commandLine.appendSwitch('host-resolver-rules', hostResolverRules)
  commandLine.appendSwitch('disable-quic')
}

/** Whether a page of the preview may go to an address. Its proxy decides about the host. */
const isWebUrl = (url: string): boolean => /^(?:https?|about|blob|data):/i.test(url)

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
