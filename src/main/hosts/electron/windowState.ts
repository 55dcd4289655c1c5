import { readFile, rename, writeFile } from 'node:fs/promises'
import type { Rectangle } from 'electron'
import { z } from 'zod'

const stateSchema = z.object({
  bounds: z.object({ x: z.number().int(), y: z.number().int(), width: z.number().int(), height: z.number().int() }),
  maximized: z.boolean(),
})
export type WindowState = z.infer<typeof stateSchema>

export const smallestWindow = { width: 640, height: 400 }
const firstWindow = { width: 1440, height: 900 }
/** Minimum visible part of the title bar, in pixels. */
const reachable = 80

/**
 * Fits a stored state to the current displays: never larger than its display, and always reachable. Without a stored state the
 * window is centred on the first display. `displays` are work areas, the primary one first.
 */
export function fitToDisplays(state: WindowState | null, displays: readonly Rectangle[]): WindowState {
  const home = state === null ? displays[0] : (displays.find((display) => shows(display, state.bounds)) ?? displays[0])
  const wanted = state?.bounds ?? firstWindow
  if (home === undefined) return { bounds: { x: 0, y: 0, ...firstWindow }, maximized: state?.maximized ?? false }
  const width = Math.max(smallestWindow.width, Math.min(wanted.width, home.width))
  const height = Math.max(smallestWindow.height, Math.min(wanted.height, home.height))
  const kept = state !== null && shows(home, state.bounds)
  return {
    bounds: {
      x: kept ? state.bounds.x : home.x + Math.round((home.width - width) / 2),
      y: kept ? state.bounds.y : home.y + Math.max(0, Math.round((home.height - height) / 2)),
      width,
      height,
    },
    maximized: state?.maximized ?? false,
  }
}

/** Whether enough of the title bar is on the display to drag it. */
function shows(display: Rectangle, bounds: Rectangle): boolean {
  const across = Math.min(display.x + display.width, bounds.x + bounds.width) - Math.max(display.x, bounds.x)
  return across >= reachable && bounds.y >= display.y && bounds.y <= display.y + display.height - reachable / 2
}

/** Reads the stored state. Returns null if there is none or it is invalid. */
export async function readWindowState(file: string): Promise<WindowState | null> {
  try {
    const parsed = stateSchema.safeParse(JSON.parse(await readFile(file, 'utf8')))
    return parsed.success ? parsed.data : null
  } catch {
    return null
  }
}

/** Writes the state atomically. */
export async function writeWindowState(file: string, state: WindowState): Promise<void> {
  await writeFile(`${file}.new`, JSON.stringify(state), { mode: 0o600 })
  await rename(`${file}.new`, file)
}
