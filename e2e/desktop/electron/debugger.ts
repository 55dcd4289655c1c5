import { EventEmitter } from 'node:events'
import type { ViewBrowser } from './viewBrowser.ts'

/** What the root session of a page's debugger does not have in Electron, or what would leave the page. */
const refused =
  /^(?:Browser\.|Target\.(?:createTarget|createBrowserContext|attachToTarget|attachToBrowserTarget|closeTarget|setDiscoverTargets))/

/** `webContents.debugger` of a view. */
export class Debugger extends EventEmitter {
  readonly #target: () => Promise<{ browser: ViewBrowser; targetId: string }>
  #session: Promise<{ browser: ViewBrowser; id: string }> | null = null
  /** Sessions of workers and frames below the page. */
  readonly #children = new Set<string>()
  #id = ''
  /** Scale of the emulated device, by which Chromium divides positions of the mouse. */
  scale = 1

  constructor(target: () => Promise<{ browser: ViewBrowser; targetId: string }>) {
    super()
    this.#target = target
  }

  isAttached = (): boolean => this.#session !== null

  attach(version?: string): void {
    if (this.#session) throw new TypeError('Debugger is already attached to the target')
    if (version !== undefined && !/^1\.[0-3]$/.test(version))
      throw new TypeError('Requested protocol version is not supported')
    this.#session = this.#attach()
    this.#session.catch((error: unknown) => console.error('A debugger could not be attached:', error))
  }

  async #attach(): Promise<{ browser: ViewBrowser; id: string }> {
    const { browser, targetId } = await this.#target()
    browser.onEvent(({ method, params, sessionId }) => {
      if (this.#id === '' || !this.isAttached()) return
      if (sessionId === this.#id) this.#received(method, params, '')
      else if (this.#children.has(sessionId)) this.#received(method, params, sessionId)
    })
    const { sessionId } = await browser.send('Target.attachToTarget', { targetId, flatten: true })
    this.#id = String(sessionId)
    return { browser, id: this.#id }
  }

  #received(method: string, params: Record<string, unknown>, sessionId: string): void {
    if (method === 'Target.attachedToTarget') this.#children.add(String(params['sessionId']))
    this.emit('message', {}, method, params, sessionId)
  }

  detach(): void {
    const session = this.#session
    if (!session) return
    this.#session = null
    session
      .then(({ browser, id }) => browser.send('Target.detachFromTarget', { sessionId: id }))
      // The page is gone.
      .catch(() => undefined)
    this.emit('detach', {}, 'target closed')
  }

  async sendCommand(method: string, params: Record<string, unknown> = {}, sessionId?: string): Promise<unknown> {
    if (!this.#session) throw new Error('No target available')
    if (typeof method !== 'string') throw new Error('Invalid method')
    if (sessionId === '') throw new Error('Empty session id is not allowed')
    if (refused.test(method)) throw new Error(`'${method}' wasn't found`)
    if (method === 'Emulation.setDeviceMetricsOverride') this.scale = Number(params['scale'] ?? 1) || 1
    const { browser, id } = await this.#session
    return browser.send(method, params, sessionId ?? id)
  }
}
