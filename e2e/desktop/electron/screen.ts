import type { Rectangle } from 'electron'
import { guarded } from './guarded.ts'
import { config, needsReady } from './host.ts'

const early = "The 'screen' module can't be used before the app 'ready' event"
const displays = config.displays.map((workArea, index) => ({
  id: index + 1,
  label: `Display ${index + 1}`,
  workArea,
  workAreaSize: { width: workArea.width, height: workArea.height },
  bounds: workArea,
  size: { width: workArea.width, height: workArea.height },
  scaleFactor: 1,
  rotation: 0,
  internal: index === 0,
}))

const overlap = (a: Rectangle, b: Rectangle): number =>
  Math.max(0, Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x)) *
  Math.max(0, Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y))

export const screen = guarded('screen', {
  getPrimaryDisplay() {
    needsReady(early)
    return displays[0]
  },
  getAllDisplays() {
    needsReady(early)
    return [...displays]
  },
  getDisplayMatching(bounds: Rectangle) {
    needsReady(early)
    return displays.toSorted((a, b) => overlap(b.workArea, bounds) - overlap(a.workArea, bounds))[0]
  },
})

/** Returns the work area that a maximized window fills. */
export const workAreaOf = (bounds: Rectangle): Rectangle => screen.getDisplayMatching(bounds)?.workArea ?? bounds
