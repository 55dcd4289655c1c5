import { EventEmitter } from 'node:events'
import type { ViewState } from '../operations.ts'
import { toChromium } from './addresses.ts'
import { guarded, notModelled, preventable } from './guarded.ts'
import { needsReady, test } from './host.ts'
import { viewBrowser } from './viewBrowser.ts'

/** The members of a page that permission handlers read. */
interface AskingContents {
  readonly id: number
  getURL(): string
}

type RequestHandler = (
  contents: AskingContents | null,
  permission: string,
  callback: (granted: boolean) => void,
  details: object,
) => void
type CheckHandler = (contents: AskingContents | null, permission: string, origin: string, details: object) => boolean

/** Playwright's names of permissions by Electron's names. */
const permissions = new Map([
  ['clipboard-read', 'clipboard-read'],
  ['clipboard-sanitized-write', 'clipboard-write'],
  ['geolocation', 'geolocation'],
  ['notifications', 'notifications'],
  ['midi', 'midi'],
  ['media', 'camera'],
  ['storage-access', 'storage-access'],
])

/**
 * Evaluates the application's permission handlers before a page is loaded and configures Chromium accordingly, because
 * Chromium cannot call them later. Without handlers everything is granted, as in Electron.
 */
export async function grantPermissions(contents: AskingContents, url: string): Promise<void> {
  const { requestHandler, checkHandler } = defaultSession
  const { origin } = new URL(toChromium(url))
  const granted: string[] = []
  // For the handlers, the page is already loaded.
  const asking = Object.create(contents, { getURL: { value: () => url } }) as AskingContents
  for (const [permission, name] of permissions) {
    const checked =
      checkHandler?.(
        asking,
        permission,
        new URL(url).protocol === 'app:' ? `${new URL(url).protocol}//${new URL(url).host}/` : origin,
        {},
      ) ?? true
    const requested =
      requestHandler === null ||
      (await new Promise<boolean>((resolve) =>
        requestHandler?.(asking, permission, resolve, { requestingUrl: url, isMainFrame: true }),
      ))
    if (checked && requested) granted.push(name)
  }
  await test.call('grant', { window: contents.id, origin, granted })
}

/** Storage, proxy and handlers of pages. Those of a partition are in a browser context of the views' Chromium. */
export class Session extends EventEmitter {
  readonly #partition: string
  requestHandler: RequestHandler | null = null
  checkHandler: CheckHandler | null = null
  #hasDeviceHandler = false
  #proxy: { proxyRules?: string; proxyBypassRules?: string } = {}
  #context: Promise<string> | null = null

  constructor(partition: string) {
    super()
    this.#partition = partition
  }

  setPermissionRequestHandler = (handler: RequestHandler | null): void => void (this.requestHandler = handler)
  setPermissionCheckHandler = (handler: CheckHandler | null): void => void (this.checkHandler = handler)
  setDevicePermissionHandler = (handler: object | null): void => void (this.#hasDeviceHandler = handler !== null)

  async setProxy(proxy: { proxyRules?: string; proxyBypassRules?: string }): Promise<void> {
    this.#proxy = proxy
  }

  /** Ends the connections and what is stored. The next view gets another browser context. */
  closeAllConnections = (): Promise<void> => this.#dispose()
  clearStorageData = (): Promise<void> => this.#dispose()
  clearCache = (): Promise<void> => this.#dispose()
  clearCodeCaches = (_options: object): Promise<void> => this.#dispose()
  clearHostResolverCache = (): Promise<void> => this.#dispose()
  clearAuthCache = (): Promise<void> => this.#dispose()

  async #dispose(): Promise<void> {
    const context = this.#context
    this.#context = null
    if (!context) return
    const browser = await viewBrowser()
    await browser.send('Target.disposeBrowserContext', { browserContextId: await context })
  }

  /** Returns the id of its browser context. */
  context = (): Promise<string> => (this.#context ??= this.#createContext())

  async #createContext(): Promise<string> {
    if (this.#partition === '') throw notModelled('views of the default session')
    const browser = await viewBrowser()
    const { proxyRules, proxyBypassRules } = this.#proxy
    const { browserContextId } = await browser.send('Target.createBrowserContext', {
      ...(proxyRules !== undefined && { proxyServer: proxyRules, proxyBypassList: proxyBypassRules ?? '' }),
    })
    await browser.send('Browser.setDownloadBehavior', { behavior: 'deny', browserContextId, eventsEnabled: true })
    // Chromium denies what is not granted.
    await browser.send('Browser.grantPermissions', { permissions: await this.#granted(), browserContextId })
    browser.onEvent(({ method, sessionId }) => {
      if (method !== 'Browser.downloadWillBegin' || sessionId !== '') return
      const event = preventable({})
      this.emit('will-download', event, {})
      if (!event.defaultPrevented) throw notModelled('downloads of views')
    })
    return String(browserContextId)
  }

  async #granted(): Promise<string[]> {
    const asking: AskingContents = { id: 0, getURL: () => 'http://localhost/' }
    const granted: string[] = []
    for (const [permission, name] of viewPermissions) {
      const isRequested = await new Promise<boolean>((resolve) => {
        if (this.requestHandler === null) resolve(true)
        else this.requestHandler(asking, permission, resolve, { requestingUrl: asking.getURL(), isMainFrame: true })
      })
      if (isRequested && (this.checkHandler?.(asking, permission, 'http://localhost', {}) ?? true)) granted.push(name)
    }
    return granted
  }

  /** Returns the state for the test. */
  state = (): Pick<ViewState, 'partition' | 'proxy' | 'hasDeviceHandler'> => ({
    partition: this.#partition,
    proxy: this.#proxy,
    hasDeviceHandler: this.#hasDeviceHandler,
  })
}

/** The protocol's names of permissions by Electron's names. */
const viewPermissions = new Map([
  ['geolocation', 'geolocation'],
  ['notifications', 'notifications'],
  ['midi', 'midi'],
  ['media', 'videoCapture'],
  ['clipboard-read', 'clipboardReadWrite'],
  ['clipboard-sanitized-write', 'clipboardSanitizedWrite'],
])

const defaultSession = new Session('')
const partitions = new Map<string, Session>()
const exposed = new Map<object, Session>()
const outers = new Map<Session, Session>()

function expose(own: Session): Session {
  const outer = guarded('session', own)
  exposed.set(outer, own)
  outers.set(own, outer)
  return outer
}
const exposedDefault = expose(defaultSession)

/** Returns the session of a view's preferences. */
export function sessionOf(given: object | undefined, partition: string | undefined): Session {
  if (given === undefined) return exposed.get(fromPartition(partition ?? '')) ?? defaultSession
  const own = exposed.get(given)
  if (own === undefined) throw new TypeError('Invalid session')
  return own
}

/** Returns the object that the application has of a session. */
export const exposedSession = (own: Session): Session => outers.get(own) ?? own

function fromPartition(partition: string): Session {
  needsReady('Session can only be received when app is ready')
  if (partition === '') return exposedDefault
  const known = partitions.get(partition) ?? expose(new Session(partition))
  partitions.set(partition, known)
  return known
}

export const session = guarded('session', {
  get defaultSession() {
    needsReady('Session can only be received when app is ready')
    return exposedDefault
  },
  fromPartition,
})
