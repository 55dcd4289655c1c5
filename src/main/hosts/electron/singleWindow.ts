import { toFailure } from '../../../shared/errors.ts'
import type { Core } from '../../core.ts'
import type { DesktopWindow } from './desktopWindow.ts'

/** The application's only window. */
export interface SingleWindow {
  /** Returns the window, or null while there is none. */
  current(): DesktopWindow | null
  /** Creates the window unless it exists or is being created. */
  open(core: Core): Promise<void>
  /** Runs a command of the command table in the window, if there is one. */
  runCommand(id: string, argument?: string): void
  /** Shows an error as a notice, if there is a window. */
  showError(error: unknown): void
}

export function createSingleWindow(create: (core: Core) => Promise<DesktopWindow>): SingleWindow {
  let window: DesktopWindow | null = null
  let opening: Promise<void> | null = null

  return {
    current: () => window,
    async open(core) {
      if (window !== null) return
      opening ??= create(core)
        .then((created) => {
          window = created
          created.browserWindow.once('closed', () => {
            window = null
          })
        })
        .finally(() => {
          opening = null
        })
      await opening
    },
    runCommand: (id, argument) =>
      window?.whenConnected((link) => link.emit('command', argument === undefined ? { id } : { id, argument })),
    showError(error) {
      const { message, next } = toFailure(error)
      window?.whenConnected((link) => link.emit('notice', { level: 'error', message, detail: next }))
    },
  }
}
