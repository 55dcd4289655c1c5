import { EventEmitter } from 'node:events'
import { existsSync } from 'node:fs'
import { guarded, notModelled } from './guarded.ts'
import { needsReady } from './host.ts'
import { Menu } from './menu.ts'
import { effects } from './shell.ts'

/** An image from a file. Only its size changes. */
class NativeImage {
  readonly path: string
  constructor(path: string) {
    this.path = path
  }
  isEmpty = (): boolean => !existsSync(this.path)
  resize = (_size: { width?: number; height?: number }): NativeImage => this
}

export const nativeImage = guarded('nativeImage', {
  createFromPath: (path: string) => guarded('NativeImage', new NativeImage(path)),
})

let current: Tray | null = null

/** The application's icon in the system tray. The test clicks it. */
export class Tray extends EventEmitter {
  #destroyed = false

  constructor(image: NativeImage) {
    super()
    needsReady('Cannot create Tray before app is ready')
    if (image.isEmpty()) throw new Error('Failed to load the image of the tray icon')
    if (current !== null) throw notModelled('a second Tray')
    current = this as Tray
    return guarded('Tray', this as Tray, () => this.#destroyed)
  }

  setToolTip(text: string): void {
    effects.push({ kind: 'tray', toolTip: text })
  }
  setContextMenu(menu: Menu | null): void {
    if (menu !== null && !(menu instanceof Menu)) throw new TypeError('Invalid menu')
  }
  destroy(): void {
    this.#destroyed = true
    current = null
    effects.push({ kind: 'trayRemoved' })
  }
}

/** Clicks the tray icon like the user. */
export function clickTray(): void {
  if (current === null) throw new Error('There is no tray icon.')
  current.emit('click', {})
}
