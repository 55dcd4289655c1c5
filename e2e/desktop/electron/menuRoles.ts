import type { BrowserWindow } from './browserWindow.ts'
import { notModelled } from './guarded.ts'

interface Role {
  label: string
  accelerator?: string
  /** Whether Chromium handles the keys itself, so that the menu does not receive them. */
  native?: boolean
  submenu?: string[]
  run?(window: BrowserWindow | null): void
}

const gap = (name: string) => (): never => {
  throw notModelled(`the menu role ${name}`)
}

/** Electron's roles in lower case (lib/browser/api/menu-item-roles.ts), with their actions in the harness. */
export const roles: Readonly<Record<string, Role>> = {
  about: { label: 'About', run: gap('about') },
  close: { label: 'Close Window', accelerator: 'CommandOrControl+W', run: (window) => window?.close() },
  copy: { label: 'Copy', accelerator: 'CommandOrControl+C', native: true, run: (window) => window?.webContents.copy() },
  cut: { label: 'Cut', accelerator: 'CommandOrControl+X', native: true, run: (window) => window?.webContents.cut() },
  paste: {
    label: 'Paste',
    accelerator: 'CommandOrControl+V',
    native: true,
    run: (window) => window?.webContents.paste(),
  },
  selectall: {
    label: 'Select All',
    accelerator: 'CommandOrControl+A',
    native: true,
    run: (window) => window?.webContents.selectAll(),
  },
  undo: { label: 'Undo', accelerator: 'CommandOrControl+Z', native: true, run: (window) => window?.webContents.undo() },
  redo: {
    label: 'Redo',
    accelerator: 'Shift+CommandOrControl+Z',
    native: true,
    run: (window) => window?.webContents.redo(),
  },
  delete: { label: 'Delete', run: gap('delete') },
  pasteandmatchstyle: { label: 'Paste and Match Style', run: gap('pasteAndMatchStyle') },
  forcereload: {
    label: 'Force Reload',
    accelerator: 'Shift+CommandOrControl+R',
    run: (window) => window?.webContents.reload(),
  },
  reload: { label: 'Reload', accelerator: 'CmdOrCtrl+R', run: (window) => window?.webContents.reload() },
  minimize: { label: 'Minimize', accelerator: 'CommandOrControl+M', run: (window) => window?.minimize() },
  togglefullscreen: {
    label: 'Toggle Full Screen',
    accelerator: process.platform === 'darwin' ? 'Control+Command+F' : 'F11',
    run: (window) => window?.setFullScreen(!window.isFullScreen()),
  },
  toggledevtools: {
    label: 'Toggle Developer Tools',
    accelerator: process.platform === 'darwin' ? 'Alt+Command+I' : 'Ctrl+Shift+I',
    run: gap('toggleDevTools'),
  },
  resetzoom: { label: 'Actual Size', accelerator: 'CommandOrControl+0', run: gap('resetZoom') },
  zoomin: { label: 'Zoom In', accelerator: 'CommandOrControl+Plus', run: gap('zoomIn') },
  zoomout: { label: 'Zoom Out', accelerator: 'CommandOrControl+-', run: gap('zoomOut') },
  quit: {
    label: process.platform === 'darwin' ? 'Quit' : 'Quit',
    accelerator: process.platform === 'win32' ? undefined : 'CommandOrControl+Q',
  },
  front: { label: 'Bring All to Front' },
  zoom: { label: 'Zoom' },
  hide: { label: 'Hide', accelerator: 'Command+H' },
  hideothers: { label: 'Hide Others', accelerator: 'Command+Alt+H' },
  unhide: { label: 'Show All' },
  services: { label: 'Services', submenu: [] },
  recentdocuments: { label: 'Open Recent', submenu: [] },
  clearrecentdocuments: { label: 'Clear Menu' },
  appmenu: { label: 'Tizona', submenu: ['about', 'services', 'hide', 'hideothers', 'unhide', 'quit'] },
  filemenu: { label: 'File', submenu: [process.platform === 'darwin' ? 'close' : 'quit'] },
  editmenu: { label: 'Edit', submenu: ['undo', 'redo', 'cut', 'copy', 'paste', 'delete', 'selectall'] },
  viewmenu: {
    label: 'View',
    submenu: ['reload', 'forcereload', 'toggledevtools', 'resetzoom', 'zoomin', 'zoomout', 'togglefullscreen'],
  },
  windowmenu: { label: 'Window', submenu: ['minimize', 'zoom', 'close'] },
}
