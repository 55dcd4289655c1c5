import { plural } from '../../../shared/plural.ts'
import type { BrowserWindow, Dialog } from 'electron'
import type { WindowLink } from '../../core.ts'
import { log } from '../../base/log/log.ts'

interface CloseGuardOptions {
  window: BrowserWindow
  dialog: Pick<Dialog, 'showMessageBox'>
  /** Paths with unsaved changes. */
  dirty(): Promise<string[]>
  /** Discards the unsaved text of files. */
  discard(paths: string[]): Promise<void>
  /** The connected window, if any. */
  link(): WindowLink | null
  /** Interval of checks whether the window has saved, in milliseconds. */
  pollEvery?: number
  /** How long to wait for a save before the window stays open, in milliseconds. */
  saveTimeout?: number
}

const choices = ['Save all', 'Discard', 'Cancel'] as const

/** Saves every tab (shared/commandsAndKeybindings.ts). */
export const saveAllCommand = 'file.saveAll'

/** Asks the user before a window with unsaved changes closes. Works even if the page hangs, because main has the list. */
export function guardClose({
  window,
  dialog,
  dirty,
  discard,
  link,
  pollEvery = 100,
  saveTimeout = 15_000,
}: CloseGuardOptions): void {
  let asking = false
  let allowed = false

  window.on('close', (event) => {
    if (allowed) return
    event.preventDefault()
    if (asking) return
    asking = true
    mayClose()
      .then((yes) => {
        if (!yes) return
        allowed = true
        window.close()
      })
      .catch((error: unknown) => {
        // The unsaved files are unknown, so the window stays open. The user can try again.
        log.error('The window could not be closed', error)
        link()?.emit('notice', {
          level: 'error',
          message: 'The window could not be closed.',
          detail: error instanceof Error ? error.message : String(error),
        })
      })
      .finally(() => {
        asking = false
      })
  })
  // Skips the page's own prompt. A reload loses nothing, because main mirrors the buffers.
  window.webContents.on('will-prevent-unload', (event) => event.preventDefault())

  async function mayClose(): Promise<boolean> {
    const unsaved = await dirty()
    if (unsaved.length === 0) return true
    const { response } = await dialog.showMessageBox(window, {
      type: 'warning',
      message:
        unsaved.length === 1
          ? `${unsaved[0]} has unsaved changes.`
          : `${plural(unsaved.length, 'file')} have unsaved changes.`,
      detail: unsaved.slice(0, 10).join('\n') + (unsaved.length > 10 ? `\n… and ${unsaved.length - 10} more` : ''),
      buttons: [...choices],
      defaultId: 0,
      cancelId: 2,
      noLink: true,
    })
    if (choices[response] === 'Discard') {
      await discard(unsaved)
      // The page sends its buffers again while it closes.
      window.once('closed', () => {
        discard(unsaved).catch((error: unknown) => log.error('Unsaved text could not be discarded', error))
      })
      return true
    }
    if (choices[response] !== 'Save all') return false
    link()?.emit('command', { id: saveAllCommand })
    return saved()
  }

  /** Waits until everything is saved. @returns false after the timeout; the window shows why a save failed */
  async function saved(): Promise<boolean> {
    const until = Date.now() + saveTimeout
    while (Date.now() < until) {
      if ((await dirty()).length === 0) return true
      await new Promise((resolve) => {
        setTimeout(resolve, pollEvery)
      })
    }
    return false
  }
}
