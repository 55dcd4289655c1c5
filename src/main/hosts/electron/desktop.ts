import { mkdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { app, BrowserWindow, dialog, Menu, protocol, safeStorage, session, shell, utilityProcess } from 'electron'
import { z } from 'zod'
import { toFailure } from '../../../shared/errors.ts'
import type { Core, CreateCore } from '../../core.ts'
import { userDataFolder, type Installation } from '../installation.ts'
import { appScheme, createAppHandler, registerAppScheme } from './appProtocol.ts'
import { guardContents, guardPermissions, openExternally } from './contentGuards.ts'
import { systemKeyring } from './keyring.ts'
import { menuTemplate } from './applicationMenu.ts'
import { followRecents } from './recentDocuments.ts'
import { forkUtility } from './utilityFork.ts'
import { createDesktopWindow, type DesktopWindow } from './desktopWindow.ts'
import { log } from '../../base/log/log.ts'
import { currentLogFile, openLogFile } from '../../base/log/logFile.ts'

export interface DesktopOptions {
  createCore: CreateCore
  installation: Installation
  /** The folder to open, absolute. */
  folder?: string
}

/** How long shutdown may take before the process exits anyway, in milliseconds. */
const shutdownTimeout = 10_000

export interface Desktop {
  /** Logs an unhandled error and shows it in the window. */
  report(error: unknown): void
}

const secondInstance = z.object({ folder: z.string().optional() })

/**
 * Runs the desktop application; returns at once. A second instance passes its folder to the first one and exits. Nothing may
 * await `app.whenReady()` at the top level of a module: Electron becomes ready only after the entry has been evaluated.
 * The function is long because its event handlers share the core and the window.
 */
export function startDesktop({ createCore, installation, folder }: DesktopOptions): Desktop {
  const userData = userDataFolder()
  // Chromium's own files stay apart from ours.
  const sessionData = join(userData, 'chromium')
  // `setPath` throws if the folder does not exist, and must run before anything else.
  mkdirSync(sessionData, { recursive: true, mode: 0o700 })
  app.setPath('userData', userData)
  app.setPath('sessionData', sessionData)
  if (!app.requestSingleInstanceLock({ folder })) {
    app.quit()
    return { report: logUnhandled }
  }
  openLogFile(userData)
  log.info(
    `Tizona ${installation.version}, desktop host, Electron ${process.versions['electron']}, ${process.platform} ${process.arch}`,
  )
  registerAppScheme(protocol)
  guardContents(app)

  let core: Core | null = null
  let window: DesktopWindow | null = null
  let opening: Promise<void> | null = null
  /** The folder to open once the core exists. macOS sends one even before the application is ready. */
  let early = folder

  /** Creates the window unless it exists or is being created. */
  async function openWindow(current: Core): Promise<void> {
    if (window !== null) return
    opening ??= createDesktopWindow(current, installation, userData)
      .then((created) => {
        window = created
        created.browserWindow.once('closed', () => {
          window = null
        })
      })
      .finally(() => {
        opening = null
      })
    await opening
  }

  const updateSystemRecents = followRecents(app)

  /** Shows the recent folders in the menu bar and in the system's own list. */
  function showRecents(folders: readonly string[]): void {
    updateSystemRecents(folders)
    const run = (id: string) => window?.whenConnected((link) => link.emit('command', { id }))
    Menu.setApplicationMenu(
      Menu.buildFromTemplate(
        menuTemplate(process.platform, run, {
          folders,
          home: homedir(),
          open(folder) {
            // The window first asks about unsaved files.
            if (window === null) open(folder)
            else window.whenConnected((link) => link.emit('command', { id: 'workspace.openRecent', argument: folder }))
          },
          clear() {
            Promise.resolve(core?.handlers['workspace.clearRecents']({}, AbortSignal.timeout(5000))).catch(report)
          },
        }),
      ),
    )
  }

  /** Opens a folder. A failure is shown in the window. */
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
        host: 'electron',
        version: installation.version,
        userData,
        resources: installation.resources,
        keyring: () => systemKeyring(safeStorage),
        fork: forkUtility(utilityProcess),
        openExternal: (url) => openExternally(shell, url),
        showInFileManager: (path) => shell.showItemInFolder(path),
        moveToTrash: (path) => shell.trashItem(path),
        recentsChanged: showRecents,
        pickFolder: async () => {
          const options = { properties: ['openDirectory' as const, 'createDirectory' as const] }
          const chosen = await (window === null
            ? dialog.showOpenDialog(options)
            : dialog.showOpenDialog(window.browserWindow, options))
          return chosen.canceled ? null : (chosen.filePaths[0] ?? null)
        },
      },
    })
    if (early !== undefined) await openFolder(core, early)
    await openWindow(core)
  }

  function open(path: string): void {
    if (core === null) early = path
    else openFolder(core, path).catch(report)
  }

  function report(error: unknown): void {
    logUnhandled(error)
    const { message, next } = toFailure(error)
    window?.whenConnected((link) => link.emit('notice', { level: 'error', message, detail: next }))
  }

  /** Shuts down after an error at start. */
  function fail(error: unknown): void {
    log.error('Tizona has to stop', error)
    leave(1)
  }

  let leaving = false
  /** Disposes of the core, then exits. Runs once: a system that shuts down may send several signals. */
  function leave(code: number): void {
    if (leaving) return
    leaving = true
    const ending = core
    core = null
    setTimeout(() => {
      log.error('Shutdown took too long; exiting anyway.')
      app.exit(1)
    }, shutdownTimeout).unref()
    Promise.resolve(ending?.dispose())
      .then(() => currentLogFile()?.close())
      .then(
        () => app.exit(code),
        (problem: unknown) => {
          log.error('Shutdown failed', problem)
          app.exit(1)
        },
      )
  }

  app.on('second-instance', (_event, _argv, _cwd, data) => {
    window?.focus()
    const other = secondInstance.safeParse(data)
    if (other.success && other.data.folder !== undefined) open(other.data.folder)
  })
  app.on('open-file', (event, path) => {
    event.preventDefault()
    open(resolve(path))
  })
  app.on('activate', () => {
    if (core !== null && BrowserWindow.getAllWindows().length === 0) openWindow(core).catch(report)
  })
  app.on('window-all-closed', () => {
    if (process.platform !== 'darwin') app.quit()
  })
  // The core is disposed of before the process exits.
  app.on('will-quit', (event) => {
    if (core === null && !leaving) return
    event.preventDefault()
    leave(0)
  })
  app
    .whenReady()
    .then(() => {
      // Signals do not ask about unsaved text, which is stored and restored at the next start. Not registered earlier,
      // because Electron installs its own handlers between the evaluation of this module and `ready`.
      for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => leave(0))
      return start()
    })
    .catch(fail)
  return { report }
}

function logUnhandled(error: unknown): void {
  log.error('Unhandled error', error)
}
