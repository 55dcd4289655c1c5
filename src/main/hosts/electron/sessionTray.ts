import type { Menu as ElectronMenu, NativeImage, Tray as ElectronTray } from 'electron'
import { plural } from '../../../shared/text/plural.ts'

interface TrayModules {
  Tray: new (image: NativeImage) => Pick<ElectronTray, 'setToolTip' | 'setContextMenu' | 'on' | 'destroy'>
  Menu: Pick<typeof ElectronMenu, 'buildFromTemplate'>
  nativeImage: { createFromPath(path: string): NativeImage }
}

/** Size of the icon in pixels. macOS shows larger ones in full size. */
const iconSize = 18

/** An icon in the system's tray while sessions go on without a window. @param icon path of a PNG file */
export function createSessionTray(
  { Tray, Menu, nativeImage }: TrayModules,
  icon: string,
  actions: { show(): void; quit(): void },
): { update(count: number): void } {
  let tray: InstanceType<typeof Tray> | null = null
  return {
    update(count) {
      if (count === 0) {
        tray?.destroy()
        tray = null
        return
      }
      if (tray === null) {
        tray = new Tray(nativeImage.createFromPath(icon).resize({ width: iconSize, height: iconSize }))
        tray.on('click', actions.show)
        tray.setContextMenu(
          Menu.buildFromTemplate([
            { label: 'Show windows', click: actions.show },
            { label: 'Quit Tizona', click: actions.quit },
          ]),
        )
      }
      tray.setToolTip(`Tizona: sessions of ${plural(count, 'closed window')} are running`)
    },
  }
}
