import { EventEmitter } from 'node:events'
import type { Rectangle, WebPreferences } from 'electron'
import type { ViewState } from '../operations.ts'
import { conversionFailure, guarded } from './guarded.ts'
import { needsReady, switches } from './host.ts'
import { appEvents } from './lifecycle.ts'
import { sessionOf, type Session } from './session.ts'
import { ViewContents } from './viewContents.ts'
import { checkWebPreferences } from './webPreferences.ts'

/** A view that contains views. The last one is on top. */
export class View extends EventEmitter {
  #parent: View | null = null
  readonly #children: View[] = []

  get children(): readonly View[] {
    return [...this.#children]
  }
  addChildView(view: View, index?: number): void {
    const child = inner(view)
    if (!(child instanceof View)) throw conversionFailure(0)
    child.#parent?.removeChildView(child)
    this.#children.splice(index ?? this.#children.length, 0, child)
    child.#parent = this
  }
  removeChildView(view: View): void {
    const child = inner(view)
    const index = this.#children.indexOf(child)
    if (index === -1) return
    this.#children.splice(index, 1)
    child.#parent = null
  }
}

const targets = new WeakMap<object, View>()
const inner = (view: View): View => targets.get(view) ?? view

/** Views of all windows, which tests find by their ids. */
const views = new Map<number, WebContentsView>()

/** A view with a page of a Chromium. */
export class WebContentsView extends View {
  readonly #contents: ViewContents
  readonly #preferences: WebPreferences
  #bounds: Rectangle = { x: 0, y: 0, width: 0, height: 0 }
  #visible = true

  constructor(options: { webPreferences?: WebPreferences & { session?: Session } } = {}) {
    super()
    needsReady('Cannot create WebContentsView before app is ready')
    this.#preferences = options.webPreferences ?? {}
    checkWebPreferences(this.#preferences)
    const session = sessionOf(options.webPreferences?.session, this.#preferences.partition)
    this.#contents = new ViewContents(session, this.#preferences.disableDialogs === true)
    const self = guarded('WebContentsView', this as WebContentsView)
    targets.set(self, this)
    views.set(this.#contents.id, this)
    this.#contents.once('destroyed', () => views.delete(this.#contents.id))
    appEvents.emit('web-contents-created', {}, this.#contents.self)
    return self
  }

  /** Undefined once they are destroyed. */
  get webContents(): ViewContents | undefined {
    return this.#contents.isDestroyed() ? undefined : this.#contents.self
  }
  setBounds(bounds: Rectangle): void {
    this.#check()
    if (![bounds.x, bounds.y, bounds.width, bounds.height].every(Number.isInteger)) throw conversionFailure(0)
    this.#bounds = { ...bounds }
    this.emit('bounds-changed')
  }
  getBounds = (): Rectangle => ({ ...this.#bounds })
  setVisible(visible: boolean): void {
    this.#check()
    this.#visible = visible
  }
  getVisible = (): boolean => this.#visible
  setBackgroundColor = (_color: string): void => this.#check()
  /** Stricter than Electron, where the system's view is gone with the contents. */
  #check(): void {
    if (this.#contents.isDestroyed()) throw new TypeError('Object has been destroyed')
  }

  /** Returns the state for the test. */
  state(): ViewState {
    const { session: _session, ...preferences } = this.#preferences
    return {
      id: this.#contents.id,
      bounds: this.getBounds(),
      visible: this.#visible,
      focused: this.#contents.isFocused(),
      url: this.#contents.getURL(),
      webPreferences: preferences,
      ...this.#contents.sessionState(),
      debugged: this.#contents.debugger.isAttached(),
      webRtcPolicy: this.#contents.webRtcPolicy,
      muted: this.#contents.isAudioMuted(),
      switches: Object.fromEntries(switches),
    }
  }
}

/** @throws Error if there is no such view */
export function viewContents(id: number): ViewContents {
  const contents = views.get(id)?.webContents
  if (contents === undefined) throw new Error(`There is no view ${id}.`)
  return contents
}

/** Returns the states of the views in a window, the topmost last. */
export const viewStates = (content: View): ViewState[] =>
  content.children.flatMap((view) => (view instanceof WebContentsView ? [view.state()] : []))
