import { currentShell } from './app.ts'
import { runCommand } from './commands.ts'
import { isMac, keyMap, keysOf } from './keys.ts'

/**
 * A live terminal needs Ctrl or Alt with a letter or an arrow for the program in it; keys with two modifiers and F keys stay ours, and
 * so do all keys over the output of a finished command.
 */
export function belongsToTerminal(event: KeyboardEvent): boolean {
  if (!(event.target instanceof Element) || !event.target.closest('.xterm') || !event.target.closest('[data-live="true"]')) return false
  const modifiers = Number(event.ctrlKey) + Number(event.metaKey) + Number(event.altKey) + Number(event.shiftKey)
  return modifiers === 1 && !event.metaKey && /^([a-z]|Arrow(Left|Right))$/i.test(event.key)
}

/** On macOS Option with an arrow moves by words, wherever text is typed. */
function movesByWord({ altKey, key, target }: KeyboardEvent): boolean {
  return isMac && altKey && key.startsWith('Arrow') && target instanceof Element && target.matches('input, textarea, [contenteditable]')
}

/**
 * Listens for the table's keys before any component does, Monaco included. While a modal dialog is open the keys belong
 * to it.
 * @returns stop
 */
export function listenToKeys(): () => void {
  const maps = { electron: keyMap('electron'), browser: keyMap('browser') }
  const listener = (event: KeyboardEvent) => {
    if (event.isComposing || belongsToTerminal(event) || movesByWord(event)) return
    const id = maps[currentShell()].get(keysOf(event))
    if (!id || document.querySelector('dialog:modal')) return
    if (runCommand(id) || event.ctrlKey || event.metaKey) {
      // Even where the command does not apply, Ctrl+S must not open the browser's save dialog.
      event.preventDefault()
      event.stopPropagation()
    }
  }
  addEventListener('keydown', listener, true)
  return () => removeEventListener('keydown', listener, true)
}
