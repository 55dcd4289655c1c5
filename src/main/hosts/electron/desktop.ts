import { mkdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { app, BrowserWindow, Menu, protocol, session } from 'electron'
import { z } from 'zod'
import type { Core, CreateCore } from '../../core.ts'
import type { Keymap } from '../../../shared/keymap.ts'
import { userDataFolder, type Installation } from '../installation.ts'
import { shutDown } from '../shutdown.ts'
import { appScheme, createAppHandler, registerAppScheme } from './appProtocol.ts'
import { guardContents, guardPermissions } from './contentGuards.ts'
import { menuTemplate } from './applicationMenu.ts'
import { desktopPlatform } from './desktopPlatform.ts'
import { createDesktopWindow } from './desktopWindow.ts'
import { followRecents } from './recentDocuments.ts'
import { createSingleWindow } from './singleWindow.ts'
import { log } from '../../base/log/log.ts'
import { currentLogFile, openLogFile } from '../../base/log/logFile.ts'

export interface DesktopOptions {
  createCore: CreateCore
  installation: Installation
  /** Absolute path of the folder to open. */
  folder?: string
}

export interface Desktop {
  /** Logs an unhandled error and shows it in the window. */
  report(error: unknown): void
}

const secondInstance = z.object({ folder: z.string().optional() })

/**
 * Runs the desktop application. Returns immediately, because Electron becomes ready only after the entry has been
 * evaluated. A second instance passes its folder to the first one and exits.
 */
export function startDesktop(options: DesktopOptions): Desktop {
  const userData = prepareUserData()
  if (!app.requestSingleInstanceLock({ folder: options.folder })) {
    app.quit()
    return { report: logUnhandled }
  }
  openLogFile(userData)
  log.info(
    `Tizona ${options.installation.version}, desktop host, Electron ${process.versions['electron']}, ${process.platform} ${process.arch}`,
  )
  registerAppScheme(protocol)
  guardContents(app)
  const application = createApplication(options, userData)
  listenToSystem(application)
  return { report: application.report }
}

/** Creates the user data folder and sets it in Electron, which must happen first. Returns its path. */
function prepareUserData(): string {
  const userData = userDataFolder()
  // A folder of its own separates Chromium's files from ours.
  const sessionData = join(userData, 'chromium')
  // `setPath` throws if the folder does not exist.
  mkdirSync(sessionData, { recursive: true, mode: 0o700 })
  app.setPath('userData', userData)
  app.setPath('sessionData', sessionData)
  return userData
}

type Application = ReturnType<typeof createApplication>

/** The core, the window and what the system can do with them. */
function createApplication({ createCore, installation, folder }: DesktopOptions, userData: string) {
  const window = createSingleWindow((core) => createDesktopWindow(core, installation, userData))
  const updateSystemRecents = followRecents(app)
  let core: Core | null = null
  /** The folder to open once the core exists. macOS can send one before the application is ready. */
  let initialFolder = folder
  let isExiting = false

  /** Opens a folder. A failure is shown in the window. */
  async function openFolder(current: Core, path: string): Promise<void> {
    try {
      await current.openWorkspace(path)
    } catch (error) {
      await window.open(current)
      window.showError(error)
    }
  }

  function open(path: string): void {
    if (core === null) initialFolder = path
    else openFolder(core, path).catch(report)
  }

  let keymap: Keymap = { choice: 'vscode', user: [] }
  let recentFolders: readonly string[] = []

  /** Shows the recent folders in the menu bar and in the system's own list. */
  function showRecents(folders: readonly string[]): void {
    updateSystemRecents(folders)
    recentFolders = folders
    showMenu()
  }

  function showKeymap(changed: Keymap): void {
    keymap = changed
    showMenu()
  }

  function showMenu(): void {
    const folders = recentFolders
    const recents = {
      folders,
      home: homedir(),
      open(recent: string) {
        // The command asks about unsaved files first.
        if (window.current() === null) open(recent)
        else window.runCommand('workspace.openRecent', recent)
      },
      clear() {
        Promise.resolve(core?.handlers['workspace.clearRecents']({}, AbortSignal.timeout(5000))).catch(report)
      },
    }
    Menu.setApplicationMenu(Menu.buildFromTemplate(menuTemplate(process.platform, window.runCommand, recents, keymap)))
  }

  function report(error: unknown): void {
    logUnhandled(error)
    window.showError(error)
  }

  return {
    open,
    report,
    async start(): Promise<void> {
      guardPermissions(session.defaultSession)
      protocol.handle(appScheme, createAppHandler(installation.renderer))
      core = await createCore({
        platform: desktopPlatform({
          installation,
          userData,
          window,
          recentsChanged: showRecents,
          keymapChanged: showKeymap,
        }),
      })
      if (initialFolder !== undefined) await openFolder(core, initialFolder)
      await window.open(core)
    },
    focus: () => window.current()?.focus(),
    /** Opens a window for a running application that has none, as macOS requests on a click in the Dock. */
    reopen(): void {
      if (core !== null && BrowserWindow.getAllWindows().length === 0) window.open(core).catch(report)
    },
    /** Whether `exit` has work to do before the process ends. */
    needsExit: () => core !== null || isExiting,
    /** Disposes of the core, then exits. Runs once, because a system that shuts down can send several signals. */
    exit(code: number): void {
      if (isExiting) return
      isExiting = true
      const ending = core
      core = null
      const end = async (): Promise<void> => {
        await ending?.dispose()
        await currentLogFile()?.close()
      }
      shutDown(end, code, (exitCode) => app.exit(exitCode))
    },
  }
}

function listenToSystem({ open, start, focus, reopen, needsExit, exit }: Application): void {
  app.on('second-instance', (_event, _argv, _cwd, data) => {
    focus()
    const other = secondInstance.safeParse(data)
    if (other.success && other.data.folder !== undefined) open(other.data.folder)
  })
  app.on('open-file', (event, path) => {
    event.preventDefault()
    open(resolve(path))
  })
  app.on('activate', reopen)
  app.on('window-all-closed', () => {
    if (process.platform !== 'darwin') app.quit()
  })
  app.on('will-quit', (event) => {
    if (!needsExit()) return
    event.preventDefault()
    exit(0)
  })
  app
    .whenReady()
    .then(() => {
      // Electron installs its own signal handlers before `ready`, so ours are registered afterwards. They do not ask
      // about unsaved text, which is stored and restored at the next start.
      for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => exit(0))
      return start()
    })
    .catch((error: unknown) => {
      log.error('Tizona could not start', error)
      exit(1)
    })
}

function logUnhandled(error: unknown): void {
  log.error('Unhandled error', error)
}
