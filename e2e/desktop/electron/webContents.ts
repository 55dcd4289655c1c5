import { EventEmitter } from 'node:events'
import type { PageDelivery, PageMessage } from '../page/preloadWorld.ts'
import { pageScripts, type PageScripts } from '../page/scripts.ts'
import { toApplication, toChromium } from './addresses.ts'
import { guarded, preventable } from './guarded.ts'
import { test } from './host.ts'
import { decodeArguments, emitMessage, encodeArguments, runHandler } from './ipc.ts'
import { focusContents, isFocusedContents, leaveFocus } from './focusedContents.ts'
import { pressedKey } from './menuKeys.ts'
import { schemeProblem } from './protocol.ts'
import { exposedSession, grantPermissions, sessionOf } from './session.ts'

type OpenHandler = (details: { url: string; frameName: string; disposition: string }) => { action: 'allow' | 'deny' }

/** A frame of one document. The next document in the same place has another frame object. */
interface Frame {
  url: string
  readonly parent: Frame | null
}

/** The page of a window for the application. */
export class WebContents extends EventEmitter {
  readonly id: number
  readonly scripts: PageScripts
  readonly #preload: string | undefined
  /** The wrapped object that the application receives in events. */
  readonly self: WebContents
  #opened: Promise<void> | null = null
  #frame: Frame = { url: '', parent: null }
  #openHandler: OpenHandler = () => ({ action: 'allow' })
  #destroyed = false
  #webRtcPolicy = 'default'
  #zoom = 1
  #crashed = false
  #title = ''
  /** Whether the window has loaded a document. */
  #shown = false

  readonly session = exposedSession(sessionOf(undefined, ''))

  constructor(id: number, preload: string | undefined) {
    super()
    this.id = id
    this.#preload = preload
    this.scripts = pageScripts(preload)
    this.self = guarded('webContents', this as WebContents, () => this.#destroyed)
  }

  /** Resolves when Chromium has a page for the window. */
  set opened(opened: Promise<void>) {
    this.#opened = opened
    opened.catch((error: unknown) => console.error('A window could not be made:', error))
  }

  get mainFrame(): Frame {
    return this.#frame
  }
  getURL = (): string => this.#frame.url
  getTitle = (): string => this.#title
  isDestroyed = (): boolean => this.#destroyed
  focus = (): void => focusContents(this)
  isFocused = (): boolean => isFocusedContents(this)
  getZoomFactor = (): number => this.#zoom
  setZoomFactor = (factor: number): void => void (this.#zoom = factor)
  getZoomLevel = (): number => Math.log(this.#zoom) / Math.log(1.2)
  setZoomLevel = (level: number): void => void (this.#zoom = 1.2 ** level)
  isCrashed = (): boolean => this.#crashed
  get webRtcPolicy(): string {
    return this.#webRtcPolicy
  }
  setWebRTCIPHandlingPolicy(policy: string): void {
    this.#webRtcPolicy = policy
  }
  setWindowOpenHandler(handler: OpenHandler): void {
    this.#openHandler = handler
  }

  async loadURL(url: string): Promise<void> {
    const problem = schemeProblem(url)
    if (problem !== null) throw new Error(`${problem} loading '${url}'`)
    await this.#opened
    await grantPermissions(this.self, url)
    this.#crashed = false
    try {
      await test.call('load', { window: this.id, url: toChromium(url) })
    } catch (error) {
      throw new Error(`${error instanceof Error ? error.message : String(error)} loading '${url}'`, { cause: error })
    }
  }
  reload(): void {
    test
      .call('reload', { window: this.id })
      .catch((error: unknown) => console.error('The page could not be loaded again:', error))
  }

  send(channel: string, ...args: unknown[]): void {
    if (typeof channel !== 'string') throw new TypeError('Missing required channel argument')
    this.#deliver({ kind: 'message', channel, args: encodeArguments(args) })
  }
  #deliver(delivery: PageDelivery): void {
    test.tell('deliver', { window: this.id, text: JSON.stringify(delivery) })
  }

  cut = (): void => this.#edit('Cut')
  copy = (): void => this.#edit('Copy')
  paste = (): void => this.#edit('Paste')
  selectAll = (): void => this.#edit('SelectAll')
  undo = (): void => this.#edit('Undo')
  redo = (): void => this.#edit('Redo')
  #edit(name: string): void {
    test.tell('edit', { window: this.id, name })
  }

  /** Handles a message of the isolated world. @param url address of the document in Chromium */
  received(url: string, text: string): void {
    if (this.#destroyed) return
    const message = JSON.parse(text) as PageMessage
    const event = {
      sender: this.self,
      senderFrame: this.#frame,
      processId: 1,
      frameId: 1,
      ports: [],
      reply: (channel: string, ...args: unknown[]) => this.send(channel, ...args),
    }
    // The document was replaced after it had sent the message.
    if (toApplication(url) !== this.#frame.url) event.senderFrame = { url: toApplication(url), parent: null }
    switch (message.kind) {
      case 'send': {
        const args = decodeArguments(message.args)
        this.emit('ipc-message', event, message.channel, ...args)
        return emitMessage(message.channel, event, args)
      }
      case 'invoke': {
        const { call } = message
        runHandler(message.channel, event, decodeArguments(message.args))
          .then(
            (value) => this.#deliver({ kind: 'reply', call, ok: true, value: encodeArguments([value]) }),
            (error: unknown) => this.#deliver({ kind: 'reply', call, ok: false, value: encodeArguments([error]) }),
          )
          .catch((error: unknown) => this.#deliver({ kind: 'reply', call, ok: false, value: encodeArguments([error]) }))
        return
      }
      case 'preload-error':
        return void this.emit(
          'preload-error',
          { sender: this.self },
          this.#preload,
          Object.assign(new Error(message.message), { stack: message.stack }),
        )
      case 'unhandled-key':
        return pressedKey(message)
      default:
        message satisfies never
    }
  }

  /** Asks the application. @returns whether the page may leave */
  navigating({
    url,
    mainFrame,
    redirect,
    frameUrl,
  }: {
    url: string
    mainFrame: boolean
    redirect: boolean
    frameUrl: string
  }): boolean {
    const frame = mainFrame ? this.#frame : { url: toApplication(frameUrl), parent: this.#frame }
    const event = preventable({
      url: toApplication(url),
      isSameDocument: false,
      isMainFrame: mainFrame,
      frame,
      initiator: frame,
    })
    if (redirect) this.emit('will-redirect', event, event.url, false, mainFrame)
    else {
      this.emit('will-frame-navigate', event)
      if (mainFrame && !event.defaultPrevented) this.emit('will-navigate', event, event.url)
    }
    return !event.defaultPrevented
  }

  navigated(url: string, inPage: boolean): void {
    const address = toApplication(url)
    if (inPage) {
      this.#frame.url = address
      return void this.emit('did-navigate-in-page', { url: address }, address, true)
    }
    this.#frame = { url: address, parent: null }
    this.emit('did-navigate', { url: address }, address, 200, 'OK')
    if (this.scripts.syntaxError !== null)
      this.emit('preload-error', { sender: this.self }, this.#preload, this.scripts.syntaxError)
  }

  loaded(stage: 'dom' | 'all', readyToShow: () => void): void {
    if (this.#destroyed) return
    if (stage === 'all') return void this.emit('did-finish-load', {})
    this.emit('dom-ready', {})
    if (!this.#shown) readyToShow()
    this.#shown = true
  }

  titled(title: string): boolean {
    this.#title = title
    const event = preventable({})
    this.emit('page-title-updated', event, title, true)
    return !event.defaultPrevented
  }

  opening(url: string): boolean {
    return (
      this.#openHandler({ url: toApplication(url), frameName: '', disposition: 'foreground-tab' }).action === 'allow'
    )
  }

  preventingUnload(): boolean {
    const event = preventable({})
    this.emit('will-prevent-unload', event)
    // Preventing this event lets the page leave.
    return event.defaultPrevented
  }

  gone(reason: 'crashed' | 'killed'): void {
    this.#crashed = true
    this.emit('render-process-gone', {}, { reason, exitCode: 139 })
  }

  destroy(): void {
    if (this.#destroyed) return
    this.#destroyed = true
    leaveFocus(this)
    this.emit('destroyed')
  }
}
