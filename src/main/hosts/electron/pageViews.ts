import type {
  BrowserWindow,
  Session,
  WebContents,
  WebContentsView as ElectronWebContentsView,
  WebContentsViewConstructorOptions,
} from 'electron'
import { once } from '../../../shared/async/once.ts'
import { keysOf, type KeyPress } from '../../../shared/editor/keyPress.ts'
import type { PreviewBox } from '../../../shared/preview/preview.ts'
import { log } from '../../base/log/log.ts'
import type { NativeView, PageHost, PageHostEvents, PageViews } from '../../appServices/platform.ts'
import { guardPageSession, isolatedContents } from './contentGuards.ts'
import { createDebuggerTransport } from './debuggerTransport.ts'
import type { DesktopWindow } from './desktopWindow.ts'

interface ViewModules {
  WebContentsView: new (options: WebContentsViewConstructorOptions) => ElectronWebContentsView
  session: { fromPartition(partition: string): Session }
}

interface PageViewsOptions {
  /** The window that shows the pages, which must not be closed to open one. */
  window: { current(): DesktopWindow | null }
  /** First presses of the window's shortcuts. */
  shortcuts(): ReadonlySet<string>
}

/** Numbers of empty partitions that no view uses. Electron keeps the partitions that it has opened. */
const freePartitions: number[] = []
let partitions = 0

/** Size of a view that was never shown, in pixels. */
const firstBounds = { x: 0, y: 0, width: 1280, height: 800 }

/**
 * Shows pages in a view of a window. Each view has an empty partition in memory and no Node, and Playwright drives it
 * through the debugger of its contents, so there is no debugging port.
 */
export function createPageViews(
  { WebContentsView, session }: ViewModules,
  { window, shortcuts }: PageViewsOptions,
): PageViews {
  /** Opens a view in a window, with which it ends. */
  async function open(parent: DesktopWindow, proxyPort: number, events: PageHostEvents): Promise<PageHost> {
    const partition = freePartitions.pop() ?? ++partitions
    // In memory, because its name does not begin with `persist:`.
    const own = session.fromPartition(`preview-${partition}`)
    guardPageSession(own)
    // Otherwise requests to loopback addresses would not use the proxy.
    await own.setProxy({ proxyRules: `127.0.0.1:${proxyPort}`, proxyBypassRules: '<-loopback>' })
    if (parent.browserWindow.isDestroyed()) {
      freePartitions.push(partition)
      throw new Error('The window was closed.')
    }
    const view = new WebContentsView({
      webPreferences: {
        session: own,
        ...isolatedContents,
        devTools: false,
        // A page that a model opens must not take the focus from the text that the user writes.
        focusOnNavigation: false,
        // The window shows the dialogs of the page. If Electron has them anyway, they are dismissed.
        disableDialogs: true,
      },
    })
    const { webContents } = view
    const frame = createFrame(view, parent.browserWindow, () => void end())
    let driven: DrivenView | undefined
    const end = once(async (): Promise<void> => {
      driven?.close()
      frame.remove()
      if (!webContents.isDestroyed()) webContents.close()
      if (await clearSession(own)) freePartitions.push(partition)
    })
    try {
      driven = await driveView(webContents, events, () => void end())
    } catch (error) {
      await end()
      throw error
    }
    listenToKeys(webContents, parent, shortcuts)
    return { transport: driven.transport, ended: driven.ended, lastLine: () => '', end, view: frame }
  }

  return {
    isAvailable: () => window.current() !== null,
    async open(proxyPort, events) {
      const parent = window.current()
      if (!parent) throw new Error('There is no window for the page.')
      return open(parent, proxyPort, events)
    },
  }
}

interface DrivenView extends Pick<PageHost, 'transport' | 'ended'> {
  close(): void
}

/** Lets Playwright drive the page. */
async function driveView(
  contents: WebContents,
  { onUsed, onWindow }: PageHostEvents,
  onClose: () => void,
): Promise<DrivenView> {
  contents.setAudioMuted(true)
  // Pages that look for Electron would expect its functions.
  contents.setUserAgent(contents.getUserAgent().replaceAll(/ (?:Electron|Tizona)\/\S+/gi, ''))
  contents.setWindowOpenHandler(({ url }) => {
    onWindow(url === '' ? 'about:blank' : url)
    return { action: 'deny' }
  })
  // Electron's own listener opens a message box, which neither a model nor the window could answer.
  contents.removeAllListeners('-run-dialog')
  // Without it a page could not be left. Electron requires the answer at once, so nobody can be asked.
  contents.on('will-prevent-unload', (event) => event.preventDefault())
  contents.on('input-event', (_event, { type }) => {
    if (type === 'mouseDown' || type === 'rawKeyDown' || type === 'keyDown') onUsed()
  })
  await contents.loadURL('about:blank')
  contents.debugger.attach('1.3')
  const { promise: ended, resolve } = Promise.withResolvers<void>()
  const connection = createDebuggerTransport({
    debugger: contents.debugger,
    product: /Chrome\/\S+/.exec(contents.getUserAgent())?.[0] ?? 'Chrome/0',
    userAgent: contents.getUserAgent(),
    onClose,
  })
  const closed = once((): void => {
    connection.close('The view has ended.')
    resolve()
  })
  contents.debugger.on('detach', closed)
  contents.once('destroyed', closed)
  contents.on('render-process-gone', () => connection.emit('Inspector.targetCrashed', {}))
  return {
    transport: connection.transport,
    ended,
    close() {
      closed()
      if (!contents.isDestroyed() && contents.debugger.isAttached()) contents.debugger.detach()
    },
  }
}

/** The view in its window, hidden until it is placed. @param onClosed called when the window is closed */
function createFrame(
  view: ElectronWebContentsView,
  parent: BrowserWindow,
  onClosed: () => void,
): NativeView & { remove(): void } {
  // The view has none any more when they are destroyed.
  const contents = view.webContents
  view.setVisible(false)
  view.setBounds(firstBounds)
  view.setBackgroundColor('#ffffff')
  parent.contentView.addChildView(view)
  // The next document of the window places it again.
  parent.webContents.on('did-navigate', hide)
  parent.webContents.on('render-process-gone', hide)
  parent.once('closed', onClosed)

  function hide(): void {
    if (contents.isDestroyed()) return
    // Otherwise keys would go nowhere.
    if (contents.isFocused()) parent.webContents.focus()
    view.setVisible(false)
  }

  return {
    place(bounds) {
      if (contents.isDestroyed() || parent.isDestroyed()) return
      if (bounds === null) return hide()
      view.setBounds(inWindow(bounds, parent.webContents.getZoomFactor()))
      view.setVisible(true)
    },
    focus() {
      if (!contents.isDestroyed() && view.getVisible()) contents.focus()
    },
    remove() {
      if (parent.isDestroyed()) return
      parent.webContents.off('did-navigate', hide)
      parent.webContents.off('render-process-gone', hide)
      parent.off('closed', onClosed)
      parent.contentView.removeChildView(view)
    },
  }
}

/** Converts CSS pixels of a page to whole pixels of its window. Electron refuses fractions. */
function inWindow({ x, y, width, height }: PreviewBox, zoom: number): PreviewBox {
  const [left, top] = [Math.round(x * zoom), Math.round(y * zoom)]
  return {
    x: left,
    y: top,
    width: Math.round((x + width) * zoom) - left,
    height: Math.round((y + height) * zoom) - top,
  }
}

/** The key that leaves the page, beside the shortcuts of the window. */
const leavingKey = 'Shift+Escape'

/** Gives the window its shortcuts and the focus with them. The window learns when the page gets the focus. */
function listenToKeys(contents: WebContents, parent: DesktopWindow, shortcuts: () => ReadonlySet<string>): void {
  contents.on('before-input-event', (event, input) => {
    const { type, key, code, isComposing } = input
    const press: KeyPress = {
      key,
      code,
      ctrlKey: input.control,
      altKey: input.alt,
      shiftKey: input.shift,
      metaKey: input.meta,
    }
    if (type !== 'keyDown' || isComposing || isCharacter(press) || parent.browserWindow.isDestroyed()) return
    const keys = keysOf(press)
    if (keys !== leavingKey && !shortcuts().has(keys)) return
    event.preventDefault()
    parent.browserWindow.webContents.focus()
    // A key of a window that is being loaded is dropped: later it would act on something else.
    parent.link()?.emit('preview.key', press)
  })
  const report = (inPage: boolean) => () => parent.link()?.emit('preview.focused', { inPage })
  contents.on('focus', report(true))
  contents.on('blur', report(false))
}

/** Whether a key types a character with AltGr, which Windows reports as Ctrl+Alt. */
const isCharacter = ({ key, ctrlKey, altKey }: KeyPress): boolean =>
  ctrlKey && altKey && key.length === 1 && !/^[a-z0-9]$/i.test(key)

/** Deletes what the pages of a partition left. @returns whether nothing is left, so that other pages may use it */
async function clearSession(session: Session): Promise<boolean> {
  try {
    await session.closeAllConnections()
    await Promise.all([
      session.clearStorageData(),
      session.clearCache(),
      session.clearCodeCaches({}),
      session.clearAuthCache(),
      session.clearHostResolverCache(),
    ])
    return true
  } catch (error) {
    log.error('The data of the preview could not be deleted', error)
    return false
  }
}
