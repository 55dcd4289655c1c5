import { plural } from '../../../shared/plural.ts'
import type { BrowserWindow, Dialog } from 'electron'
import type { WindowLink } from '../../core.ts'
import { log } from '../../base/log/log.ts'

interface CloseGuardOptions {
  window: BrowserWindow
  dialog: Pick<Dialog, 'showMessageBox'>
  /** Paths with unsaved changes, as main knows them. */
  dirty(): Promise<string[]>
  /** Forgets the unsaved text of files: the user gave it up. */
  discard(paths: string[]): Promise<void>
  /** The connected window, if any. */
  link(): WindowLink | null
  /** Milliseconds between looks at whether the window has saved. */
  pollEvery?: number
  /** Milliseconds until a save that did not succeed keeps the window open. */
  saveTimeout?: number
}

const choices = ['Save All', 'Discard', 'Cancel'] as const

/** The command that makes the window save every tab (shared/commands.ts). */
export const saveAllCommand = 'file.saveAll'

/** Asks before a window with unsaved changes closes. Main knows what is unsaved, so a stuck page cannot hold the window. */
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
        // Without knowing what is unsaved the window stays; closing it again asks again.
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
  // The page's own "leave?" question is answered here already; a reload loses nothing, because main mirrors the buffers.
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
      // The page tells of its tabs once more while it closes.
      window.once('closed', () => {
        discard(unsaved).catch((error: unknown) => log.error('Unsaved text could not be discarded', error))
      })
      return true
    }
    if (choices[response] !== 'Save All') return false
    link()?.emit('command', { id: saveAllCommand })
    return saved()
  }

  /** Waits until the window has saved everything; a save that fails shows its reason in the window, which then stays. */
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
