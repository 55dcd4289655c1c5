import type { editor } from 'monaco-editor'
import { runCommand } from '../platform/commands.ts'
import { notifyFailure } from '../platform/notices.ts'

/** Part of the Vim implementation of monaco-vim. */
interface VimApi {
  defineEx(name: string, prefix: string, run: () => void): void
}

let exCommandsDefined = false

/**
 * Turns Vim keys on in an editor.
 * @param status element that shows the mode and has the command line
 * @returns a function that turns it off
 */
export function startVim(codeEditor: editor.IStandaloneCodeEditor, status: HTMLElement): () => void {
  let stopped = false
  let stop = (): void => undefined
  import('monaco-vim').then(
    ({ initVimMode, VimMode }) => {
      if (stopped) return
      if (!exCommandsDefined) {
        exCommandsDefined = true
        // The typings of monaco-vim omit it.
        const { Vim } = VimMode as unknown as { Vim: VimApi }
        Vim.defineEx('write', 'w', () => void runCommand('file.save'))
        Vim.defineEx('wall', 'wa', () => void runCommand('file.saveAll'))
        Vim.defineEx('quit', 'q', () => void runCommand('tab.close'))
        Vim.defineEx('split', 'sp', () => void runCommand('editor.split'))
        Vim.defineEx('vsplit', 'vs', () => void runCommand('editor.split'))
      }
      const mode = initVimMode(codeEditor, status)
      stop = () => mode.dispose()
    },
    (error: unknown) => notifyFailure(error, 'Vim keys could not be loaded'),
  )
  return () => {
    stopped = true
    stop()
  }
}
