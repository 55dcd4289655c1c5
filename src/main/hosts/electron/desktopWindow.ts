import { join } from 'node:path'
import { isolatedContents } from './contentGuards.ts'
import { BrowserWindow, dialog, ipcMain, screen } from 'electron'
import type { Events } from '../../../shared/bridge/protocol.ts'
import type { Core, WindowLink } from '../../core.ts'
import { connectWindow } from '../windowConnection.ts'
import type { Installation } from '../installation.ts'
import { appUrl } from './appProtocol.ts'
import { guardClose } from './closeGuard.ts'
import { connectContents } from './ipcTransport.ts'
import { offsetFromOthers, fitToDisplays, minWindowSize, readWindowState, writeWindowState } from './windowState.ts'
import { log } from '../../base/log/log.ts'

export interface DesktopWindow {
  readonly browserWindow: BrowserWindow
  /** Calls `act` once the page is connected; immediately if it already is. */
  whenConnected(act: (link: WindowLink) => void): void
  /** The connection to the page; null while it is being loaded. */
  link(): WindowLink | null
  /** Focuses the window. */
  focus(): void
}

interface DesktopWindowOptions {
  core: Core
  installation: Installation
  userData: string
  /** Root of the core's open folder, for the window's position. */
  folder: string | undefined
  /** Whether closing the window ends a running turn or command. */
  endsWork(): boolean
  /** The other windows. A new one is not placed exactly over one of them. */
  others: readonly DesktopWindow[]
}

/**
 * Creates a window: a sandboxed page without Node that accesses the main process only through the preload script's
 * channel.
 */
export async function createDesktopWindow({
  core,
  installation,
  userData,
  folder,
  endsWork,
  others,
}: DesktopWindowOptions): Promise<DesktopWindow> {
  const stateFile = join(userData, 'window.json')
  const displays = [screen.getPrimaryDisplay(), ...screen.getAllDisplays()].map((display) => display.workArea)
  const taken = others.map(({ browserWindow }) => browserWindow.getNormalBounds())
  const stored = offsetFromOthers(await readWindowState(stateFile, folder), taken)
  const state = fitToDisplays(stored, displays)
  let openFolder = folder
  const stopFollowing = core.subscribe((name, payload) => {
    // The name ties the payload to the event; TypeScript does not relate the two.
    if (name === 'workspace.changed') openFolder = (payload as Events['workspace.changed'])?.root
  })
  const window = new BrowserWindow({
    ...state.bounds,
    minWidth: minWindowSize.width,
    minHeight: minWindowSize.height,
    show: false,
    title: 'Tizona',
    backgroundColor: '#16181d',
    webPreferences: {
      preload: installation.preload,
      ...isolatedContents,
    },
  })
  if (state.maximized) window.maximize()
  window.once('ready-to-show', () => window.show())

  let link: WindowLink | null = null
  const waiting: ((link: WindowLink) => void)[] = []
  connectContents(ipcMain, window.webContents, (transport) => {
    const connected = connectWindow(core, transport)
    link = connected
    transport.onClose(() => {
      if (link === connected) link = null
    })
    for (const act of waiting.splice(0)) act(connected)
  })

  guardClose({
    window,
    dialog,
    endsWork,
    link: () => link,
    discard: async (paths) => core.handlers['buffers.discard']({ paths }, AbortSignal.timeout(5000)),
    dirty: async () =>
      (await core.handlers['buffers.list']({}, AbortSignal.timeout(5000)))
        .filter((buffer) => buffer.dirty)
        .map((buffer) => buffer.path),
  })
  // Registered after the close guard, so that a prevented close is recognized. The bounds are still available.
  window.on('close', (event) => {
    if (event.defaultPrevented) return
    writeWindowState(stateFile, openFolder, {
      bounds: window.getNormalBounds(),
      maximized: window.isMaximized(),
    }).catch((error: unknown) => log.error('The window position could not be saved', error))
  })
  window.once('closed', stopFollowing)
  window.webContents.on('render-process-gone', (_event, { reason }) => {
    if (reason === 'clean-exit') return
    log.error(`The window process exited: ${reason}`)
    recover(window, reason).catch((error: unknown) => log.error('The window could not be reloaded', error))
  })
  await window.loadURL(appUrl)

  return {
    browserWindow: window,
    whenConnected(act) {
      if (link === null) waiting.push(act)
      else act(link)
    },
    link: () => link,
    focus() {
      if (window.isMinimized()) window.restore()
      window.focus()
    },
  }
}

/** Asks the user whether to reload the page after a crash, in a system dialog because the page cannot show one. */
async function recover(window: BrowserWindow, reason: string): Promise<void> {
  const { response } = await dialog.showMessageBox(window, {
    type: 'error',
    message: 'The window stopped working.',
    detail: `Reason: ${reason}. Turns and commands keep running, and unsaved text is kept.`,
    buttons: ['Reload', 'Close'],
    defaultId: 0,
    cancelId: 1,
  })
  if (window.isDestroyed()) return
  if (response === 0) await window.loadURL(appUrl)
  else window.destroy()
}
