import { readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { BrowserWindow } from './browserWindow.ts'
import { answerDialog, dialog } from './dialog.ts'
import { preventable } from './guarded.ts'
import { becomeReady, config, operations } from './host.ts'
import { appEvents, exit, quit } from './lifecycle.ts'
import { clickMenu, shownMenu } from './menu.ts'
import { clickNotification } from './notification.ts'
import { provideElectron } from './module.ts'
import { startProtocolServer } from './protocol.ts'
import { effects, setTrash } from './shell.ts'
import { clickTray } from './tray.ts'
import { viewContents } from './view.ts'

// Runs an application's built entry like Electron's main process. ../desktop.ts starts this file.
const contentsOf = (id: number) => BrowserWindow.contentsOf(id)
const windowOf = (id: number): BrowserWindow => {
  const window = BrowserWindow.fromId(id)
  if (window === null) throw new Error(`There is no window ${id}.`)
  return window
}

Object.assign(operations, {
  pageMessage: ({ window, url, text }) => contentsOf(window)?.received(url, text),
  navigating: ({ window, ...navigation }) => contentsOf(window)?.navigating(navigation) ?? false,
  navigated: ({ window, url, inPage }) => contentsOf(window)?.navigated(url, inPage),
  loaded: ({ window, stage }) => contentsOf(window)?.loaded(stage, () => windowOf(window).emit('ready-to-show')),
  titled: ({ window, title }) => {
    if (contentsOf(window)?.titled(title) === true) windowOf(window).setTitle(title)
  },
  opening: ({ window, url }) => contentsOf(window)?.opening(url) ?? false,
  preventingUnload: ({ window }) => contentsOf(window)?.preventingUnload() ?? true,
  pageGone: ({ window, reason }) => contentsOf(window)?.gone(reason),
  pageClosed: ({ window }) => BrowserWindow.fromId(window)?.pageClosed(),
  closeWindow: ({ window }) => windowOf(window).close(),
  changeWindow({ window, bounds, maximized, minimized }) {
    const target = windowOf(window)
    if (bounds !== undefined) target.setBounds(bounds)
    if (maximized === true) target.maximize()
    if (maximized === false) target.unmaximize()
    if (minimized === true) target.minimize()
    if (minimized === false) target.restore()
  },
  clickView: ({ view, ...at }) => viewContents(view).click(at),
  pressInView: ({ view, ...pressed }) => viewContents(view).press(pressed),
  evaluateInView: ({ view, expression }) => viewContents(view).evaluate(expression),
  crashView: ({ view }) => viewContents(view).crash(),
  zoomWindow: ({ window, factor }) => contentsOf(window)?.setZoomFactor(factor),
  windows: () => BrowserWindow.getAllWindows().map((window) => window.state()),
  menu: shownMenu,
  clickMenu: ({ path }) => clickMenu(path),
  answerDialog: ({ id, answer }) => answerDialog(id, answer),
  effects: () => effects,
  clickTray: () => clickTray(),
  clickNotification: ({ id }) => clickNotification(id),
  setTrash: ({ works }) => setTrash(works),
  emit(event) {
    if (event.name === 'activate') appEvents.emit('activate', {}, BrowserWindow.getAllWindows().length > 0)
    else appEvents.emit('open-file', preventable({}), event.path)
  },
  finish() {
    for (const window of BrowserWindow.getAllWindows()) window.destroy()
    quit()
  },
} satisfies typeof operations)

const entry = statSync(config.app).isDirectory() ? join(config.app, mainOf(config.app)) : config.app
provideElectron(applicationPackage(dirname(entry)))
Object.defineProperty(process.versions, 'electron', { value: '45.4.1', enumerable: true })
Object.assign(process, {
  type: 'browser',
  resourcesPath: config.packaged ? dirname(config.app) : process.cwd(),
  defaultApp: config.packaged ? undefined : true,
})
process.argv = [process.execPath, ...(config.packaged ? [] : [config.app]), ...config.args]
// Electron quits on these signals unless the application listens to them.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => {
    if (process.listenerCount(signal) === 1) quit()
  })
process.on('uncaughtException', (error) => {
  if (process.listenerCount('uncaughtException') === 1)
    dialog.showErrorBox('A JavaScript error occurred in the main process', error.stack ?? error.message)
})

await startProtocolServer()
try {
  await import(pathToFileURL(entry).href)
} catch (error) {
  console.error(error)
  exit(1)
}
// Electron becomes ready only after the entry has been evaluated, so the application has registered its listeners.
setImmediate(() => {
  appEvents.emit('will-finish-launching')
  appEvents.emit('ready', {}, {})
  becomeReady()
})

function mainOf(folder: string): string {
  return (JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { main?: string }).main ?? 'index.js'
}

/** Reads the nearest package.json, where Electron looks up the name and version of an application. */
function applicationPackage(from: string): { folder: string; name: string; version: string } {
  let folder = from
  for (;;) {
    try {
      const {
        productName,
        name = 'Electron',
        version = '0',
      } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
        productName?: string
        name?: string
        version?: string
      }
      return { folder, name: productName ?? name, version }
    } catch (error) {
      const parent = dirname(folder)
      if (parent === folder) throw error
      folder = parent
    }
  }
}
