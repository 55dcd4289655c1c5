import { readFile, rename, writeFile } from 'node:fs/promises'
import type { Rectangle } from 'electron'
import { z } from 'zod'
import { Sequencer } from '../../../shared/async/sequencer.ts'

const stateSchema = z.object({
  bounds: z.object({ x: z.number().int(), y: z.number().int(), width: z.number().int(), height: z.number().int() }),
  maximized: z.boolean(),
})
export type WindowState = z.infer<typeof stateSchema>

/** State of the most recently closed window, and window states by folder root, latest last. */
const fileSchema = stateSchema.extend({ folders: z.record(z.string(), stateSchema).default({}) })

/** Maximum number of folders whose window state is kept. */
const maxFolders = 100
/** Offset in pixels between windows that would otherwise coincide. */
const cascade = 32

/** Minimum size of the window, in pixels. */
export const minWindowSize = { width: 640, height: 400 }
const defaultWindowSize = { width: 1440, height: 900 }
/** Width in pixels of the title bar that must be visible. */
const minVisibleWidth = 80

/**
 * Fits a stored window state to the current displays: the window is not larger than its display, and its title bar is
 * visible. Without a stored state, centers the window on the first display.
 * @param displays work areas, the primary display first
 */
export function fitToDisplays(state: WindowState | null, displays: readonly Rectangle[]): WindowState {
  const home = state === null ? displays[0] : (displays.find((display) => shows(display, state.bounds)) ?? displays[0])
  const wanted = state?.bounds ?? defaultWindowSize
  if (home === undefined) return { bounds: { x: 0, y: 0, ...defaultWindowSize }, maximized: state?.maximized ?? false }
  const width = Math.max(minWindowSize.width, Math.min(wanted.width, home.width))
  const height = Math.max(minWindowSize.height, Math.min(wanted.height, home.height))
  const isVisible = state !== null && shows(home, state.bounds)
  return {
    bounds: {
      x: isVisible ? state.bounds.x : home.x + Math.round((home.width - width) / 2),
      y: isVisible ? state.bounds.y : home.y + Math.max(0, Math.round((home.height - height) / 2)),
      width,
      height,
    },
    maximized: state?.maximized ?? false,
  }
}

/** Whether enough of the title bar is on the display to drag the window. */
function shows(display: Rectangle, bounds: Rectangle): boolean {
  const visibleWidth = Math.min(display.x + display.width, bounds.x + bounds.width) - Math.max(display.x, bounds.x)
  const lowest = display.y + display.height - minVisibleWidth / 2
  return visibleWidth >= minVisibleWidth && bounds.y >= display.y && bounds.y <= lowest
}

/** Moves a window down and to the right until it does not exactly cover another one. */
export function offsetFromOthers(state: WindowState | null, others: readonly Rectangle[]): WindowState | null {
  if (state === null) return null
  const { bounds } = state
  if (!others.some(({ x, y }) => x === bounds.x && y === bounds.y)) return state
  return offsetFromOthers({ ...state, bounds: { ...bounds, x: bounds.x + cascade, y: bounds.y + cascade } }, others)
}

async function readFileOf(file: string): Promise<z.infer<typeof fileSchema> | null> {
  try {
    const parsed = fileSchema.safeParse(JSON.parse(await readFile(file, 'utf8')))
    return parsed.success ? parsed.data : null
  } catch {
    return null
  }
}

/**
 * Reads the stored state of a folder's window, or else of the most recently closed window. Returns null if there is
 * none or it is invalid.
 */
export async function readWindowState(file: string, folder: string | undefined): Promise<WindowState | null> {
  const stored = await readFileOf(file)
  if (stored === null) return null
  const { folders, ...last } = stored
  return (folder === undefined ? undefined : folders[folder]) ?? last
}

const writes = new Sequencer()

/** Atomically writes the state of a closing window, also as its folder's state. */
export function writeWindowState(file: string, folder: string | undefined, state: WindowState): Promise<void> {
  return writes.queue(async () => {
    const { [folder ?? '']: _replaced, ...others } = (await readFileOf(file))?.folders ?? {}
    const entries = [...Object.entries(others), ...(folder === undefined ? [] : [[folder, state] as const])]
    const stored = { ...state, folders: Object.fromEntries(entries.slice(-maxFolders)) }
    await writeFile(`${file}.new`, JSON.stringify(stored), { mode: 0o600 })
    await rename(`${file}.new`, file)
  })
}
