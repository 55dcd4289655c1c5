import { EventEmitter } from 'node:events'
import type { BrowserWindowConstructorOptions, Rectangle, WebPreferences } from 'electron'
import type { WindowState } from '../operations.ts'
import { guarded, notModelled, preventable } from './guarded.ts'
import { needsReady, test } from './host.ts'
import { appEvents, openWindows, quitCancelled, windowClosed } from './lifecycle.ts'
import { workAreaOf } from './screen.ts'
import { View, viewStates } from './view.ts'
import { WebContents } from './webContents.ts'
import { checkWebPreferences } from './webPreferences.ts'

const windows = new Map<number, BrowserWindow>()
let nextId = 1
let focused: number | null = null

/** A window of the application, with a page of a real Chromium. */
export class BrowserWindow extends EventEmitter {
  readonly id: number
  readonly #contents: WebContents
  readonly contentView = guarded('View', new View())
  readonly #self: BrowserWindow
  #bounds: Rectangle
  #title: string
  #visible: boolean
  #minimized = false
  #maximized = false
  #fullScreen = false
  #destroyed = false
  readonly #webPreferences: WebPreferences
  readonly #smallest: { width: number; height: number }

  constructor(options: BrowserWindowConstructorOptions = {}) {
    super()
    needsReady('Cannot create BrowserWindow before app is ready')
    this.#webPreferences = options.webPreferences ?? {}
    checkWebPreferences(this.#webPreferences)
    this.id = nextId++
    this.#smallest = { width: options.minWidth ?? 0, height: options.minHeight ?? 0 }
    const { width = 800, height = 600, x, y, title = 'Electron', show = true } = options
    const area = workAreaOf({ x: x ?? 0, y: y ?? 0, width, height })
    this.#bounds = this.#sized({
      x: x ?? area.x + Math.round((area.width - width) / 2),
      y: y ?? area.y + Math.round((area.height - height) / 2),
      width,
      height,
    })
    this.#title = title
    this.#visible = show
    if (show) focused = this.id
    this.#contents = new WebContents(this.id, options.webPreferences?.preload)
    this.#self = guarded('BrowserWindow', this as BrowserWindow, () => this.#destroyed)
    windows.set(this.id, this.#self)
    openWindows.add(this)
    appEvents.emit('web-contents-created', {}, this.#contents.self)
    this.#contents.opened = test.call('openWindow', {
      id: this.id,
      scripts: this.#contents.scripts,
      width: this.#bounds.width,
      height: this.#bounds.height,
    })
    appEvents.emit('browser-window-created', {}, this.#self)
    return this.#self
  }

  static getAllWindows = (): BrowserWindow[] => [...windows.values()]
  static getFocusedWindow = (): BrowserWindow | null => (focused === null ? null : (windows.get(focused) ?? null))
  static fromId = (id: number): BrowserWindow | null => windows.get(id) ?? null
  static fromWebContents = (contents: WebContents): BrowserWindow | null => windows.get(contents.id) ?? null

  /** Returns the contents of a window, to which the harness reports the events of its page. */
  static contentsOf(id: number): WebContents | null {
    return windows.get(id)?.webContents ?? null
  }

  get webContents(): WebContents {
    return this.#contents.self
  }
  loadURL = (url: string): Promise<void> => this.#contents.loadURL(url)
  loadFile(): never {
    throw notModelled('BrowserWindow.loadFile')
  }

  show(): void {
    this.#visible = true
    this.emit('show')
    this.focus()
  }
  showInactive(): void {
    this.#visible = true
    this.emit('show')
  }
  hide(): void {
    this.#visible = false
    this.emit('hide')
  }
  focus(): void {
    focused = this.id
    this.#contents.focus()
    this.emit('focus', {})
    appEvents.emit('browser-window-focus', {}, this.#self)
  }
  isVisible = (): boolean => this.#visible
  isFocused = (): boolean => focused === this.id
  isDestroyed = (): boolean => this.#destroyed
  setTitle = (title: string): void => void (this.#title = title)
  getTitle = (): string => this.#title

  minimize(): void {
    this.#minimized = true
    if (focused === this.id) {
      focused = null
      this.emit('blur', {})
    }
    this.emit('minimize', {})
  }
  restore(): void {
    if (this.#minimized) this.#minimized = false
    else this.unmaximize()
    this.emit('restore', {})
  }
  maximize(): void {
    this.#visible = true
    this.#maximized = true
    this.emit('maximize', {})
    this.#resize()
  }
  unmaximize(): void {
    if (!this.#maximized) return
    this.#maximized = false
    this.emit('unmaximize', {})
    this.#resize()
  }
  setFullScreen(full: boolean): void {
    this.#fullScreen = full
    this.emit(full ? 'enter-full-screen' : 'leave-full-screen', {})
    this.#resize()
  }
  isMinimized = (): boolean => this.#minimized
  isMaximized = (): boolean => this.#maximized
  isFullScreen = (): boolean => this.#fullScreen
  getNormalBounds = (): Rectangle => ({ ...this.#bounds })
  getBounds = (): Rectangle => (this.#maximized || this.#fullScreen ? workAreaOf(this.#bounds) : { ...this.#bounds })
  setBounds(bounds: Partial<Rectangle>): void {
    this.#bounds = this.#sized({ ...this.#bounds, ...bounds })
    this.#resize()
    this.emit('resize', {})
    this.emit('move', {})
  }
  #sized(bounds: Rectangle): Rectangle {
    return {
      ...bounds,
      width: Math.max(bounds.width, this.#smallest.width),
      height: Math.max(bounds.height, this.#smallest.height),
    }
  }
  #resize(): void {
    const { width, height } = this.getBounds()
    test.tell('resize', { window: this.id, width, height })
  }

  /** Closes the window unless the application or the page prevents it. */
  close(): void {
    const event = preventable({})
    this.emit('close', event)
    if (event.defaultPrevented) return quitCancelled()
    test.call('closePage', { window: this.id }).then(
      (closed) => (closed ? this.#gone() : quitCancelled()),
      (error: unknown) => console.error('A window could not be closed:', error),
    )
  }
  /** Closes the window without events that could prevent it. */
  destroy(): void {
    if (this.#destroyed) return
    test.tell('destroyPage', { window: this.id })
    this.#gone()
  }
  /** Called when the page is closed. */
  #gone(): void {
    if (this.#destroyed) return
    this.#destroyed = true
    windows.delete(this.id)
    openWindows.delete(this)
    if (focused === this.id) focused = [...windows.keys()].at(-1) ?? null
    this.#contents.destroy()
    this.emit('closed')
    windowClosed()
  }
  /** Called by the harness when the page was closed in the test's process. */
  pageClosed(): void {
    this.#gone()
  }

  /** Returns the state for the test. */
  state(): WindowState {
    return {
      id: this.id,
      title: this.#title,
      bounds: this.getBounds(),
      visible: this.#visible,
      focused: this.isFocused(),
      minimized: this.#minimized,
      maximized: this.#maximized,
      fullScreen: this.#fullScreen,
      url: this.#contents.getURL(),
      webPreferences: this.#webPreferences,
      webRtcPolicy: this.#contents.webRtcPolicy,
      views: viewStates(this.contentView),
    }
  }
}
