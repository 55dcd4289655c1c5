import { registerHooks } from 'node:module'
import { createApp, type ApplicationPackage } from './app.ts'
import { BrowserWindow } from './browserWindow.ts'
import { dialog } from './dialog.ts'
import { guarded, notModelled } from './guarded.ts'
import { ipcMain } from './ipc.ts'
import { Menu, MenuItem } from './menu.ts'
import { Notification } from './notification.ts'
import { protocol } from './protocol.ts'
import { safeStorage } from './safeStorage.ts'
import { screen } from './screen.ts'
import { session } from './session.ts'
import { shell } from './shell.ts'
import { nativeImage, Tray } from './tray.ts'
import { utilityProcess } from './utilityProcess.ts'
import { View, WebContentsView } from './view.ts'

/**
 * Exports of Electron's main process module that the harness does not model. They can be imported and throw when used.
 */
const others = [
  'BaseWindow',
  'BrowserView',
  'ImageView',
  'MessageChannelMain',
  'ServiceWorkerMain',
  'ShareMenu',
  'TouchBar',
  'autoUpdater',
  'clipboard',
  'contentTracing',
  'crashReporter',
  'desktopCapturer',
  'globalShortcut',
  'inAppPurchase',
  'nativeTheme',
  'net',
  'netLog',
  'parentPort',
  'powerMonitor',
  'powerSaveBlocker',
  'pushNotifications',
  'sharedTexture',
  'systemPreferences',
  'webContents',
  'webFrameMain',
]

const specifiers = ['electron', 'electron/main', 'electron/common']

/**
 * Makes `import … from 'electron'` in this process load the stand-in. It exports exactly the names of Electron's main
 * process, so importing another name fails as in Electron.
 */
export function provideElectron(application: ApplicationPackage) {
  const electron = {
    app: createApp(application),
    BrowserWindow,
    dialog,
    ipcMain,
    Menu,
    MenuItem,
    nativeImage,
    Notification,
    protocol,
    safeStorage,
    screen,
    session,
    shell,
    Tray,
    utilityProcess,
    View,
    WebContentsView,
  }
  const gaps = Object.fromEntries(others.map((name) => [name, gap(name)]))
  const all: Record<string, unknown> = { ...electron, ...gaps }
  const store = `desktop-harness-${process.pid}`
  Object.defineProperty(globalThis, store, { value: all })
  const from = `globalThis[${JSON.stringify(store)}]`
  const source = `${Object.keys(all)
    .map((name) => `export const ${name} = ${from}.${name};`)
    .join('\n')}\nexport default ${from};`
  registerHooks({
    resolve: (specifier, context, next) =>
      specifiers.includes(specifier)
        ? { url: 'desktop-harness:electron', shortCircuit: true }
        : next(specifier, context),
    load: (url, context, next) =>
      url === 'desktop-harness:electron' ? { format: 'module', source, shortCircuit: true } : next(url, context),
  })
  return electron
}

/** Returns a class or object that throws on every use, because the harness does not model it. */
function gap(name: string): unknown {
  if (!/^[A-Z]/.test(name)) return guarded(name, {})
  return class {
    constructor() {
      throw notModelled(name)
    }
  }
}
