import { EventEmitter } from 'node:events'
import type { PressedKey } from '../operations.ts'
import { Debugger } from './debugger.ts'
import { guarded, notModelled, preventable } from './guarded.ts'
import { exposedSession, type Session } from './session.ts'
import { viewBrowser, type ViewBrowser } from './viewBrowser.ts'
import { focusContents, isFocusedContents, leaveFocus, nextContentsId } from './focusedContents.ts'

type OpenHandler = (details: { url: string; frameName: string; disposition: string }) => { action: 'allow' | 'deny' }
type Answer = (accept: boolean, text: string) => void

interface ViewPage {
  browser: ViewBrowser
  targetId: string
  /** Session of the harness, which Electron's contents have inside. */
  session: string
}

/** The contents of a view: a page of a Chromium of its own. */
export class ViewContents extends EventEmitter {
  readonly id = nextContentsId()
  /** The object that the application got from `fromPartition`. */
  readonly session: Session
  readonly #own: Session
  readonly debugger: Debugger
  readonly self: ViewContents
  readonly #page: Promise<ViewPage>
  #openHandler: OpenHandler = () => ({ action: 'allow' })
  #url = ''
  #userAgent = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/156.0.0.0 Electron/45.4.1 Safari/537.36'
  #muted = false
  #destroyed = false
  #crashed = false
  #webRtcPolicy = 'default'

  constructor(session: Session, disableDialogs: boolean) {
    super()
    this.#own = session
    this.session = exposedSession(session)
    this.debugger = guarded('debugger', new Debugger(() => this.#page))
    this.self = guarded('webContents', this as ViewContents, () => this.#destroyed)
    this.#page = this.#open()
    this.#page.catch((error: unknown) => console.error('A view could not be made:', error))
    // As Electron's own listener, without the message box.
    this.on('-run-dialog', (_info: object, answer: Answer) => {
      if (!disableDialogs) throw notModelled('message boxes of pages')
      answer(false, '')
    })
  }

  async #open(): Promise<ViewPage> {
    const browser = await viewBrowser()
    const browserContextId = await this.#own.context()
    const { targetId } = await browser.send('Target.createTarget', { url: 'about:blank', browserContextId })
    const { sessionId } = await browser.send('Target.attachToTarget', { targetId, flatten: true })
    const page = { browser, targetId: String(targetId), session: String(sessionId) }
    browser.onEvent(({ method, params, sessionId: from }) => {
      if (from === page.session && !this.#destroyed) this.#received(method, params, page)
    })
    await browser.send('Page.enable', {}, page.session)
    await browser.send('Inspector.enable', {}, page.session)
    return page
  }

  #received(method: string, params: Record<string, unknown>, { browser, session }: ViewPage): void {
    switch (method) {
      case 'Page.frameNavigated': {
        const frame = params['frame'] as { url: string; parentId?: string }
        if (frame.parentId !== undefined) return
        this.#url = frame.url
        this.emit('did-navigate', { url: frame.url }, frame.url, 200, 'OK')
        return
      }
      case 'Page.windowOpen': {
        const url = String(params['url'])
        const { action } = this.#openHandler({
          url,
          frameName: String(params['windowName']),
          disposition: 'new-window',
        })
        if (action === 'allow') throw notModelled('windows of views')
        return
      }
      case 'Page.javascriptDialogOpening': {
        const answer: Answer = (accept, promptText) =>
          void browser
            .send('Page.handleJavaScriptDialog', { accept, promptText }, session)
            // Playwright was faster.
            .catch(() => undefined)
        if (params['type'] !== 'beforeunload')
          return void this.emit('-run-dialog', { dialogType: params['type'], messageText: params['message'] }, answer)
        const event = preventable({})
        this.emit('will-prevent-unload', event)
        return answer(event.defaultPrevented, '')
      }
      case 'Inspector.targetCrashed':
        this.#crashed = true
        this.emit('render-process-gone', {}, { reason: 'crashed', exitCode: 139 })
    }
  }

  getURL = (): string => this.#url
  getUserAgent = (): string => this.#userAgent
  isDestroyed = (): boolean => this.#destroyed
  isCrashed = (): boolean => this.#crashed
  isFocused = (): boolean => isFocusedContents(this)
  isAudioMuted = (): boolean => this.#muted
  setAudioMuted = (muted: boolean): void => void (this.#muted = muted)
  sessionState = (): ReturnType<Session['state']> => this.#own.state()
  get webRtcPolicy(): string {
    return this.#webRtcPolicy
  }
  setWebRTCIPHandlingPolicy = (policy: string): void => void (this.#webRtcPolicy = policy)
  setWindowOpenHandler = (handler: OpenHandler): void => void (this.#openHandler = handler)
  setUserAgent(userAgent: string): void {
    this.#userAgent = userAgent
    void this.#send('Emulation.setUserAgentOverride', { userAgent })
  }
  focus = (): void => focusContents(this)

  async loadURL(url: string): Promise<void> {
    if (url !== 'about:blank') throw notModelled('loadURL of a view beyond about:blank')
    await this.#page
  }

  /** Destroys the contents without asking the page. */
  close(options: { waitForBeforeUnload?: boolean } = {}): void {
    if (options.waitForBeforeUnload === true) throw notModelled('closing a view that asks')
    if (this.#destroyed) return
    this.debugger.detach()
    leaveFocus(this)
    this.#destroyed = true
    this.emit('destroyed')
    this.#page
      .then(({ browser, targetId }) => browser.send('Target.closeTarget', { targetId }))
      // It has crashed.
      .catch(() => undefined)
  }

  async #send(method: string, params: object): Promise<Record<string, unknown>> {
    const { browser, session } = await this.#page
    return browser.send(method, params, session)
  }

  /** Clicks as the user does. Does not wait for the page: a dialog would block it. @param at pixels of the view */
  click(at: { x: number; y: number }): void {
    this.focus()
    const [x, y] = [at.x / this.debugger.scale, at.y / this.debugger.scale]
    for (const [type, inputType] of [
      ['mousePressed', 'mouseDown'],
      ['mouseReleased', 'mouseUp'],
    ] as const) {
      this.emit('input-event', {}, { type: inputType })
      this.#input('Input.dispatchMouseEvent', { type, x, y, button: 'left', buttons: 1, clickCount: 1 })
    }
  }

  /** Presses a key as the user does while the view has the focus. */
  press(pressed: PressedKey): void {
    const { key, code, control, shift, alt, meta } = pressed
    for (const type of ['keyDown', 'keyUp'] as const) {
      const event = preventable({})
      this.emit('before-input-event', event, { ...pressed, type, isAutoRepeat: false, isComposing: false, location: 0 })
      if (event.defaultPrevented) return
      this.emit('input-event', {}, { type: type === 'keyDown' ? 'rawKeyDown' : 'keyUp' })
      const text = key.length === 1 && !control && !alt && !meta ? key : key === 'Enter' ? '\r' : undefined
      this.#input('Input.dispatchKeyEvent', {
        type: type === 'keyUp' ? 'keyUp' : text === undefined ? 'rawKeyDown' : 'keyDown',
        key,
        code,
        windowsVirtualKeyCode: keyCodes[key] ?? key.toUpperCase().charCodeAt(0),
        modifiers: Number(alt) + 2 * Number(control) + 4 * Number(meta) + 8 * Number(shift),
        ...(type === 'keyDown' && text !== undefined && { text }),
      })
    }
  }

  #input(method: string, params: object): void {
    this.#send(method, params).catch((error: unknown) => {
      if (!this.#destroyed && !this.#crashed) console.error('An input of a view failed:', error)
    })
  }

  /** Evaluates an expression in the page. */
  async evaluate(expression: string): Promise<unknown> {
    const { result } = await this.#send('Runtime.evaluate', { expression, returnByValue: true, awaitPromise: true })
    return (result as { value?: unknown }).value
  }

  /** Crashes the process of the page. */
  async crash(): Promise<void> {
    const gone = new Promise((resolve) => this.once('render-process-gone', resolve))
    // Chromium does not answer, because the process that would answer ends.
    this.#send('Page.crash', {}).catch(() => undefined)
    await gone
  }
}

const keyCodes: Readonly<Record<string, number>> = { Enter: 13, Tab: 9, Escape: 27, Backspace: 8 }
