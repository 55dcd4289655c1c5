import { join, resolve } from 'node:path'
import { app, BrowserWindow, dialog, Menu, protocol, session, shell } from 'electron'
import { z } from 'zod'
import { toFailure } from '../../../shared/errors.ts'
import type { Core, CreateCore } from '../../core.ts'
import { userDataFolder, type Installation } from '../installation.ts'
import { appScheme, createAppHandler, registerAppScheme } from './appProtocol.ts'
import { guardContents, guardPermissions, openExternally } from './guards.ts'
import { menuTemplate } from './menu.ts'
import { createDesktopWindow, type DesktopWindow } from './window.ts'

export interface DesktopOptions {
  createCore: CreateCore
  installation: Installation
  /** The folder to open, absolute. */
  folder?: string
}

const secondInstance = z.object({ folder: z.string().optional() })

/**
 * Runs the desktop application; returns at once. A second start hands its folder to the first and ends. Nothing here may
 * wait for the application at the top level of a module: Electron becomes ready only after the entry has been evaluated.
 */
export function startDesktop({ createCore, installation, folder }: DesktopOptions): void {
  const userData = userDataFolder()
  app.setPath('userData', userData)
  // Chromium's own files stay apart from ours.
  app.setPath('sessionData', join(userData, 'chromium'))
  if (!app.requestSingleInstanceLock({ folder })) {
    app.quit()
    return
  }
  registerAppScheme(protocol)
  guardContents(app)

  let core: Core | null = null
  let window: DesktopWindow | null = null
  let opening: Promise<void> | null = null

  /** Makes the window, or waits for the one that is being made or stands already. */
  async function openWindow(current: Core): Promise<void> {
    if (window !== null) return
    opening ??= createDesktopWindow(current, installation, userData)
      .then((created) => {
        window = created
        created.browserWindow.once('closed', () => { window = null })
      })
      .finally(() => { opening = null })
    await opening
  }

  /** Opens a folder, and on failure says why in the window as soon as there is one. */
  async function openFolder(current: Core, path: string): Promise<void> {
    try {
      await current.openWorkspace(path)
    } catch (error) {
      const { message, next } = toFailure(error)
      await openWindow(current)
      window?.whenConnected((link) => link.emit('notice', { level: 'error', message, detail: next }))
    }
  }

  async function start(): Promise<void> {
    guardPermissions(session.defaultSession)
    protocol.handle(appScheme, createAppHandler(installation.renderer))
    core = await createCore({
      platform: {
        shell: 'electron',
        version: installation.version,
        userData,
        resources: installation.resources,
        openExternal: (url) => openExternally(shell, url),
        pickFolder: async () => {
          const options = { properties: ['openDirectory' as const, 'createDirectory' as const] }
          const chosen = await (window === null ? dialog.showOpenDialog(options) : dialog.showOpenDialog(window.browserWindow, options))
          return chosen.canceled ? null : (chosen.filePaths[0] ?? null)
        },
      },
    })
    Menu.setApplicationMenu(Menu.buildFromTemplate(menuTemplate(process.platform, (id) => window?.whenConnected((link) => link.emit('command', { id })))))
    if (folder !== undefined) await openFolder(core, folder)
    await openWindow(core)
  }

  app.on('second-instance', (_event, _argv, _cwd, data) => {
    window?.focus()
    const other = secondInstance.safeParse(data)
    if (core !== null && other.success && other.data.folder !== undefined) openFolder(core, other.data.folder).catch(fail)
  })
  app.on('open-file', (event, path) => {
    event.preventDefault()
    if (core !== null) openFolder(core, resolve(path)).catch(fail)
  })
  app.on('activate', () => {
    if (core !== null && BrowserWindow.getAllWindows().length === 0) openWindow(core).catch(fail)
  })
  app.on('window-all-closed', () => {
    if (process.platform !== 'darwin') app.quit()
  })
  // Turns, commands and the store end before the process does.
  app.on('will-quit', (event) => {
    if (core === null) return
    event.preventDefault()
    const ending = core
    core = null
    ending.dispose().then(() => app.exit(0), fail)
  })
  app.whenReady().then(start).catch(fail)
}

function fail(error: unknown): void {
  console.error('Tizona has to stop:', error)
  app.exit(1)
}
