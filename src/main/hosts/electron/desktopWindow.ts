import { join } from 'node:path'
import { BrowserWindow, dialog, ipcMain, screen } from 'electron'
import type { Core, WindowLink } from '../../core.ts'
import { connectWindow } from '../windowConnection.ts'
import type { Installation } from '../installation.ts'
import { appUrl } from './appProtocol.ts'
import { guardClose } from './closeGuard.ts'
import { connectContents } from './ipcTransport.ts'
import { fitToDisplays, readWindowState, smallestWindow, writeWindowState } from './windowState.ts'
import { log } from '../../base/log/log.ts'

export interface DesktopWindow {
  readonly browserWindow: BrowserWindow
  /** Emits to the page once it is connected; before that the message waits. */
  whenConnected(act: (link: WindowLink) => void): void
  /** To the front, restored when minimised. */
  focus(): void
}

/** The one window: a page without Node, in a sandbox, that can reach main through the preload's channel only. */
export async function createDesktopWindow(
  core: Core,
  installation: Installation,
  userData: string,
): Promise<DesktopWindow> {
  const stateFile = join(userData, 'window.json')
  const displays = [screen.getPrimaryDisplay(), ...screen.getAllDisplays()].map((display) => display.workArea)
  const state = fitToDisplays(await readWindowState(stateFile), displays)
  const window = new BrowserWindow({
    ...state.bounds,
    minWidth: smallestWindow.width,
    minHeight: smallestWindow.height,
    show: false,
    title: 'Tizona',
    backgroundColor: '#16181d',
    webPreferences: {
      preload: installation.preload,
      contextIsolation: true,
      sandbox: true,
      nodeIntegration: false,
      nodeIntegrationInWorker: false,
      nodeIntegrationInSubFrames: false,
      webviewTag: false,
      webSecurity: true,
      spellcheck: false,
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
    link: () => link,
    discard: async (paths) => core.handlers['buffers.discard']({ paths }, AbortSignal.timeout(5000)),
    dirty: async () =>
      (await core.handlers['buffers.list']({}, AbortSignal.timeout(5000)))
        .filter((buffer) => buffer.dirty)
        .map((buffer) => buffer.path),
  })
  // Fires only once the close is certain, while the bounds can still be read.
  window.on('close', (event) => {
    if (event.defaultPrevented) return
    writeWindowState(stateFile, { bounds: window.getNormalBounds(), maximized: window.isMaximized() }).catch(
      (error: unknown) => log.error('The window position could not be saved', error),
    )
  })
  window.webContents.on('render-process-gone', (_event, { reason }) => {
    if (reason === 'clean-exit') return
    log.error(`The window process ended: ${reason}`)
    recover(window, reason).catch((error: unknown) => log.error('The window could not be reloaded', error))
  })
  await window.loadURL(appUrl)

  return {
    browserWindow: window,
    whenConnected(act) {
      if (link === null) waiting.push(act)
      else act(link)
    },
    focus() {
      if (window.isMinimized()) window.restore()
      window.focus()
    },
  }
}

/** The page crashed; main, its turns and its commands did not. There is no page left that could ask this. */
async function recover(window: BrowserWindow, reason: string): Promise<void> {
  const { response } = await dialog.showMessageBox(window, {
    type: 'error',
    message: 'The window stopped working.',
    detail: `Reason: ${reason}. Turns, commands and unsaved text are kept; the window can be loaded again.`,
    buttons: ['Load Again', 'Close'],
    defaultId: 0,
    cancelId: 1,
  })
  if (window.isDestroyed()) return
  if (response === 0) await window.loadURL(appUrl)
  else window.destroy()
}
