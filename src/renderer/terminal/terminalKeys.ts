import type { Terminal } from '@xterm/xterm'
import { runCommand } from '../platform/commands.ts'
import { useJobs } from '../platform/jobs/jobsStore.ts'
import { isRecentCommandKey } from '../platform/keymap/keyboardListener.ts'
import { isMac } from '../platform/keymap/keyNotation.ts'
import { useLayout } from '../platform/layout/layoutStore.ts'
import { attempt } from '../platform/notices.ts'
import { groupOf, withoutUnknown } from './splits.ts'

export function copySelection(text: string): void {
  attempt(() => navigator.clipboard.writeText(text), 'The text could not be copied')
}

function isSplit(jobId: string): boolean {
  const { jobs } = useJobs.getState()
  return (
    groupOf(
      withoutUnknown(useLayout.getState().terminals.splits, (id) => id in jobs),
      jobId,
    ).length > 1
  )
}

/** Returns what a key does in the panel's terminal; undefined if its program or the window receives the key. */
function actionOf(event: KeyboardEvent, terminal: Terminal, jobId: string): (() => void) | undefined {
  if (isRecentCommandKey(event)) return () => void runCommand('terminal.runRecent')
  const command = isMac ? event.metaKey : event.ctrlKey
  const key = event.key.toLowerCase()
  if (command && !event.altKey && !event.shiftKey) {
    // Full-screen programs have their own meanings, such as the next page.
    if (terminal.buffer.active.type === 'normal') {
      if (key === 'f') return () => void runCommand('terminal.find')
      if (event.key === 'ArrowUp') return () => void runCommand('terminal.previousCommand')
      if (event.key === 'ArrowDown') return () => void runCommand('terminal.nextCommand')
    }
    if (key === 'l' && terminal.hasSelection()) return () => void runCommand('terminal.addSelectionToChat')
  }
  if (event.ctrlKey && event.shiftKey && !event.altKey && key === 'c' && terminal.hasSelection())
    return () => copySelection(terminal.getSelection())
  if (event.altKey && !event.ctrlKey && !event.shiftKey && !event.metaKey && isSplit(jobId)) {
    if (event.key === 'ArrowLeft') return () => void runCommand('terminal.focusPrevious')
    if (event.key === 'ArrowRight') return () => void runCommand('terminal.focusNext')
  }
  return undefined
}

/** Handles keys of the panel's terminals, as in VS Code. @returns whether it handled the key */
export function ownTerminalKey(event: KeyboardEvent, terminal: Terminal, jobId: string): boolean {
  if (event.type !== 'keydown') return false
  const action = actionOf(event, terminal, jobId)
  if (!action) return false
  event.preventDefault()
  action()
  return true
}
