import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { app, BrowserWindow, ipcMain, Menu, nativeImage, protocol, safeStorage, session, shell, Tray } from 'electron'
import { z } from 'zod'
import { makeFolderSync } from '../../base/makeFolder.ts'
import type { CreateCore } from '../../core.ts'
import { createOpenCores } from '../../core/openCores.ts'
import { isAbort, ToolError } from '../../../shared/errors.ts'
import type { Keymap } from '../../../shared/editor/keymap.ts'
import { findTarget } from '../fileTarget.ts'
import { userDataFolder, type Installation } from '../installation.ts'
import { shutDown } from '../shutdown.ts'
import { appScheme, createAppHandler, registerAppScheme } from './appProtocol.ts'
import { guardContents, guardNetwork, guardPermissions, openExternally } from './contentGuards.ts'
import { menuTemplate, windowShortcuts, type RecentsMenu } from './applicationMenu.ts'
import { untitledAmong } from '../../handlers/untitledWorkspaces.ts'
import type { OpenedFileTarget } from '../../core/openedFiles.ts'
import { acceptOpenRequests } from '../openRequests.ts'
import { createAppWindows, type AppWindows } from './appWindows.ts'
import { desktopPlatform } from './desktopPlatform.ts'
import { systemKeyring } from './keyring.ts'
import { createOpenFolders } from './reopenedFolders.ts'
import { createSessionTray } from './sessionTray.ts'
import { createRemoteWindows } from './remoteWindows.ts'
import { createDesktopWindow } from './desktopWindow.ts'
import { followRecents } from './recentDocuments.ts'
import { returnIdleMemory } from '../../base/idleMemory.ts'
import { log } from '../../base/log/log.ts'
import { currentLogFile, openLogFile } from '../../base/log/logFile.ts'

export interface DesktopOptions {
  createCore: CreateCore
  installation: Installation
  /** Absolute path of the folder to open. */
  folder?: string
  /** Whether a running application adds the folder to its window. */
  add?: boolean
  /** Whether the folder replaces that of the window that was used last. */
  reuse?: boolean
  /** File to show in that folder. */
  file?: OpenedFileTarget
  /** Further files. */
  others?: readonly OpenedFileTarget[]
  /** Whether to quit when the tab of the file is closed. */
  wait?: boolean
}

export interface Desktop {
  /** Logs an unhandled error and shows it in the window. */
  report(error: unknown): void
}

const openedFile = z.object({
  path: z.string(),
  line: z.number().optional(),
  column: z.number().optional(),
  compareWith: z.string().optional(),
  newWindow: z.boolean().optional(),
})
const secondInstance = z.object({
  folder: z.string().optional(),
  add: z.boolean().optional(),
  reuse: z.boolean().optional(),
  file: openedFile.optional(),
  others: z.array(openedFile).optional(),
})

/**
 * Runs the desktop application. Returns immediately, because Electron becomes ready only after the entry has been
 * evaluated. A second instance passes its folder to the first one and exits.
 */
export function startDesktop(options: DesktopOptions): Desktop {
  const userData = prepareUserData()
  const { folder, add, reuse, file, others } = options
  if (!app.requestSingleInstanceLock({ folder, add, reuse, file, others })) {
    if (options.wait === true) {
      process.stderr.write('The file was opened in the Tizona that runs, which cannot report when its tab is closed.\n')
      app.exit(1)
    } else app.quit()
    return { report: logUnhandled }
  }
  openLogFile(userData)
  log.info(
    `Tizona ${options.installation.version}, desktop host, Electron ${process.versions['electron']}, ${process.platform} ${process.arch}`,
  )
  returnIdleMemory()
  registerAppScheme(protocol)
  guardContents(app)
  guardNetwork(app)
  const application = createApplication(options, userData)
  listenToSystem(application)
  return { report: application.report }
}

/** Creates the user data folder and sets it in Electron, which must happen first. Returns its path. */
function prepareUserData(): string {
  const userData = userDataFolder()
  // A separate folder keeps Chromium's files apart from ours.
  const sessionData = join(userData, 'chromium')
  // `setPath` throws if the folder does not exist.
  makeFolderSync(sessionData)
  app.setPath('userData', userData)
  app.setPath('sessionData', sessionData)
  return userData
}

type Application = ReturnType<typeof createApplication>

/** The windows and the system functions available to them. */
// oxlint-disable-next-line eslint/max-lines-per-function -- A split would hide the state that windows, menu and tray share.
function createApplication({ createCore, installation, folder, ...opening }: DesktopOptions, userData: string) {
  const updateSystemRecents = followRecents(app)
  const openFolders = createOpenFolders(join(userData, 'open-windows.json'))
  const openCores = createOpenCores()
  /** What the focused window has open. */
  const menuFor = { isWorkspace: false }
  /** The setting, which each core reports at its start. */
  let keepRunning = false
  const tray = createSessionTray({ Tray, Menu, nativeImage }, join(installation.resources, 'icons', 'icon.png'), {
    show: () => void windows.showKept().catch(report),
    quit: () => app.quit(),
  })
  const remoteHosts = createRemoteWindows({
    userData,
    bundles: process.env['TIZONA_SERVER_BUNDLES'] || join(dirname(installation.renderer), 'server'),
    windows: () => windows,
    openExternal: (url) => openExternally(shell, url),
    keyring: () => systemKeyring(safeStorage),
    version: installation.version,
  })
  const windows = createAppWindows({
    onFolders(folders) {
      openFolders.changed(folders)
      const isWorkspace = windows.shown()?.multiRoot !== undefined
      if (isWorkspace === menuFor.isWorkspace) return
      menuFor.isWorkspace = isWorkspace
      showMenu()
    },
    keepsRunning: () => keepRunning,
    outlivesWindows: () => process.platform === 'darwin' && !isQuitting,
    onKept(count) {
      tray.update(count)
      // The sessions of the last closed window have ended.
      if (count === 0 && !windows.hasWindow() && process.platform !== 'darwin') app.quit()
    },
    createCore: (window) =>
      createCore({
        openCores,
        platform: desktopPlatform({
          installation,
          userData,
          window,
          shortcuts: () => windowShortcuts(keymap, process.platform),
          openWindow: (path) => windows.open(path),
          focusFolder: async (path) =>
            (path !== undefined && (await windows.focus(path))) || (await windows.leave(window.current(), path)),
          remoteHosts,
          openHidden: (path) => windows.openHidden(path),
          closeHidden: (path) => windows.closeHidden(path),
          recentsChanged: showRecents,
          restoreWindowsChanged: openFolders.setRestore,
          keymapChanged(changed) {
            keymap = changed
            showMenu()
          },
          keepRunningChanged(keep) {
            keepRunning = keep
          },
        }),
      }),
    createWindow: (core, root, others, endsWork) =>
      createDesktopWindow({ core, installation, userData, folder: root, endsWork, others }),
  })
  /** The folder to open once Electron is ready. macOS can send one earlier. */
  let initialFolder = folder
  let isReady = false
  let isExiting = false
  let isQuitting = false
  app.on('before-quit', () => (isQuitting = true))
  // The user kept a window open.
  app.on('browser-window-focus', () => (isQuitting = false))

  function open(path: string): void {
    if (isReady) windows.show(path).catch(report)
    else initialFolder = path
  }

  let keymap: Keymap = { choice: 'vscode', user: [] }
  let recentFolders: readonly string[] = []
  let untitledRecents: RecentsMenu['untitled'] = {}

  /** Shows the recent folders in the menu bar and in the system's own list. */
  function showRecents(folders: readonly string[]): void {
    updateSystemRecents(folders)
    recentFolders = folders
    showMenu()
    untitledAmong(folders, userData)
      .then((found) => {
        untitledRecents = found
        if (Object.keys(found).length > 0) showMenu()
      })
      .catch(report)
  }

  function showMenu(): void {
    const recents = {
      folders: recentFolders,
      untitled: untitledRecents,
      home: homedir(),
      open(recent: string) {
        // The command asks about unsaved files first.
        if (windows.hasWindow()) windows.runCommand('workspace.openRecent', recent)
        else open(recent)
      },
      clear() {
        Promise.resolve(windows.core()?.handlers['workspace.clearRecents']({}, AbortSignal.timeout(5000))).catch(report)
      },
    }
    const template = menuTemplate(process.platform, windows.runCommand, recents, keymap, menuFor.isWorkspace)
    Menu.setApplicationMenu(Menu.buildFromTemplate(template))
  }

  function report(error: unknown): void {
    logUnhandled(error)
    windows.showError(error)
  }

  const files = createFileOpening(windows, userData, opening, report)

  return {
    open,
    add: (path: string) => void windows.add(path).catch(report),
    reuse: (path: string) => (windows.hasWindow() ? windows.runCommand('workspace.openRecent', path) : open(path)),
    openFiles: files.show,
    /** Opens a folder, a workspace file, or a file in the window that has its folder open. */
    openPath: (path: string) =>
      findTarget(path)
        .then(({ folder, file }) => (file ? files.show([file]) : open(folder)))
        .catch(report),
    report,
    async start(): Promise<void> {
      guardPermissions(session.defaultSession)
      protocol.handle(appScheme, createAppHandler(installation.renderer))
      // Each window adds listeners.
      ipcMain.setMaxListeners(0)
      const { folders, failed } = await openFolders.begin()
      // macOS can have sent a folder in the meantime.
      const wanted = initialFolder === undefined ? folders : [initialFolder]
      isReady = true
      // Those of hosts connect in their windows, so that none waits for a host.
      for (const place of wanted)
        await (typeof place === 'string' ? windows.show(place) : remoteHosts.reopen(place).catch(report))
      if (wanted.length === 0) await windows.open()
      if (failed)
        windows.showError(
          new ToolError(
            'cancelled',
            'The windows of the last session were not reopened, because Tizona stopped while opening them.',
            'Open the folders from the list of recent folders.',
          ),
        )
      openFolders.opened()
      await files.start()
    },
    isKept: () => windows.isKept(),
    focus: () => (windows.hasWindow() ? windows.focusFront() : void windows.showKept().catch(report)),
    quitting: () => openFolders.quitting(),
    /** Opens a window if the running application has none, as macOS requests on a click in the Dock. */
    reopen(): void {
      if (isReady && BrowserWindow.getAllWindows().length === 0) windows.reopen().catch(report)
    },
    /** Whether `exit` has work to do before the process ends. */
    needsExit: () => windows.isActive() || isExiting,
    /** Disposes of the cores, then exits. Runs once, because a system that shuts down can send several signals. */
    exit(code: number): void {
      if (isExiting) return
      isExiting = true
      openFolders.quitting()
      tray.update(0)
      const end = async (): Promise<void> => {
        await openFolders.close()
        await windows.dispose()
        await files.close()
        await currentLogFile()?.close()
      }
      shutDown(end, files.exitCode(code), (exitCode) => app.exit(exitCode))
    },
  }
}

/** Opens the files of command lines: its own, and those of other processes. */
function createFileOpening(
  windows: AppWindows,
  userData: string,
  { file, others = [], wait }: Pick<DesktopOptions, 'file' | 'others' | 'wait'>,
  report: (error: unknown) => void,
) {
  let requests: { close(): Promise<void> } | undefined
  /** Whether another program waits for the tab of the file. */
  let isAwaited = file !== undefined && wait === true

  async function showOwn(own: OpenedFileTarget): Promise<void> {
    try {
      const closed: Promise<void>[] = []
      for (const each of [own, ...others]) {
        const opened = await windows.openFile(each, true)
        if (opened === null)
          throw new ToolError(
            'outside_workspace',
            `${each.path} could not be opened, because it is not in the open folder.`,
          )
        closed.push(opened.closed)
      }
      if (!isAwaited) return
      await Promise.all(closed)
      isAwaited = false
    } catch (error) {
      if (!isAbort(error)) report(error)
    }
    if (wait === true) app.quit()
  }

  return {
    async show(shown: readonly OpenedFileTarget[]): Promise<void> {
      for (const each of shown) await windows.openFile(each, true).catch(report)
    },
    async start(): Promise<void> {
      requests = await acceptOpenRequests(userData, windows.openFile)
      if (file !== undefined) void showOwn(file)
    },
    /** Exit code, which is an error while the tab is open, so that a program does not use an unfinished text. */
    exitCode: (code: number) => (isAwaited ? 1 : code),
    close: async () => requests?.close(),
  }
}

function listenToSystem(application: Application): void {
  const { open, openPath, add, reuse, openFiles, start, isKept, focus, reopen, quitting, needsExit, exit } = application
  app.on('second-instance', (_event, _argv, _cwd, data) => {
    const other = secondInstance.safeParse(data)
    if (other.success && other.data.file !== undefined) void openFiles([other.data.file, ...(other.data.others ?? [])])
    else if (other.success && other.data.folder !== undefined)
      (other.data.add === true ? add : other.data.reuse === true ? reuse : open)(other.data.folder)
    else focus()
  })
  app.on('open-file', (event, path) => {
    event.preventDefault()
    void openPath(resolve(path))
  })
  app.on('activate', reopen)
  app.on('before-quit', quitting)
  app.on('window-all-closed', () => {
    if (process.platform !== 'darwin' && !isKept()) app.quit()
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
