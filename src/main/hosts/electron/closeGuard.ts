import { plural } from '../../../shared/text/plural.ts'
import type { BrowserWindow, Dialog } from 'electron'
import type { WindowLink } from '../../core.ts'
import { log } from '../../base/log/log.ts'

interface CloseGuardOptions {
  window: BrowserWindow
  dialog: Pick<Dialog, 'showMessageBox'>
  /** Whether closing the window ends a running turn or command. */
  endsWork(): boolean
  /** Returns the paths of files with unsaved changes. */
  dirty(): Promise<string[]>
  /** Deletes the unsaved text of these files from the main process's mirror. */
  discard(paths: string[]): Promise<void>
  /** Returns the link to the page, or null while none is connected. */
  link(): WindowLink | null
  /** Milliseconds between checks for saved files. */
  pollEvery?: number
  /** Milliseconds to wait for a save. After that the window stays open. */
  saveTimeout?: number
}

const choices = ['Save all', 'Discard', 'Cancel'] as const

/** Id of the command that saves every tab (shared/editor/commandsAndKeybindings.ts). */
export const saveAllCommand = 'file.saveAll'

/**
 * Asks the user before closing a window ends a running turn or command, and before it loses unsaved changes. Works even
 * if the page hangs, because the main process mirrors the tabs.
 */
export function guardClose({
  window,
  dialog,
  endsWork,
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
        // The window stays open because its unsaved files are unknown. The user can try again.
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
  // Suppresses the page's own prompt. A reload loses nothing, because the main process mirrors unsaved text.
  window.webContents.on('will-prevent-unload', (event) => event.preventDefault())

  async function mayEnd(): Promise<boolean> {
    if (!endsWork()) return true
    const { response } = await dialog.showMessageBox(window, {
      type: 'warning',
      message: 'A turn or a command is running in this window.',
      detail: 'It ends when the window closes. The setting "Keep sessions running" lets them go on without a window.',
      buttons: ['Stop and close', 'Cancel'],
      defaultId: 1,
      cancelId: 1,
      noLink: true,
    })
    return response === 0
  }

  async function mayClose(): Promise<boolean> {
    if (!(await mayEnd())) return false
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
      // The page sends its unsaved text once more while it closes.
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
