import { reservedKeys } from '../../shared/commandsAndKeybindings.ts'
import { currentHost } from './appState.ts'
import { runCommand } from './commands.ts'
import { canonicalKeys, isMac, keyMap, keysOf } from './keyNotation.ts'

/**
 * In a running terminal, Ctrl or Alt with a letter or an arrow goes to the program. Shortcuts with two modifiers and
 * function keys still run commands, as do all shortcuts over the output of a finished command.
 */
export function belongsToTerminal(event: KeyboardEvent): boolean {
  if (
    !(event.target instanceof Element) ||
    !event.target.closest('.xterm') ||
    !event.target.closest('[data-live="true"]')
  )
    return false
  const modifiers = Number(event.ctrlKey) + Number(event.metaKey) + Number(event.altKey) + Number(event.shiftKey)
  return modifiers === 1 && !event.metaKey && /^([a-z]|Arrow(Left|Right))$/i.test(event.key)
}

/** On macOS, Option with an arrow key moves by words in text fields. */
function movesByWord({ altKey, key, target }: KeyboardEvent): boolean {
  return (
    isMac &&
    altKey &&
    key.startsWith('Arrow') &&
    target instanceof Element &&
    target.matches('input, textarea, [contenteditable]')
  )
}

/** Maximum time between the two presses of a chord in milliseconds. Monaco uses the same time. */
const chordMs = 5000

function take(event: KeyboardEvent): void {
  event.preventDefault()
  event.stopPropagation()
}

/**
 * Handles shortcuts of the command table before any component, including Monaco. While a modal dialog is open, it
 * receives all keys. Monaco handles the second press of a chord itself, because its own chords start with the same key;
 * editor/monacoKeys.ts adds our chords to it.
 * @returns stop
 */
export function listenToKeys(): () => void {
  const maps = { electron: keyMap('electron'), browser: keyMap('browser') }
  const firstPresses = new Set(
    [...maps.electron.keys(), ...maps.browser.keys()]
      .filter((keys) => keys.includes(' '))
      .map((keys) => keys.split(' ')[0]),
  )
  const reserved = new Set(reservedKeys.map((keys) => canonicalKeys(keys)))
  let pending: { keys: string; at: number } | null = null

  const listener = (event: KeyboardEvent) => {
    if (event.isComposing || ['Control', 'Shift', 'Alt', 'Meta'].includes(event.key)) return
    const before = pending && event.timeStamp - pending.at < chordMs ? pending.keys : null
    pending = null
    if (belongsToTerminal(event) || movesByWord(event) || document.querySelector('dialog:modal')) return
    const inMonaco = event.target instanceof Element && event.target.closest('.monaco-editor') !== null
    const keys = keysOf(event)
    const map = maps[currentHost()]
    if (before !== null) {
      if (inMonaco) return
      take(event)
      const id = map.get(`${before} ${keys}`)
      if (id) runCommand(id)
      return
    }
    if (firstPresses.has(keys)) {
      pending = { keys, at: event.timeStamp }
      if (!inMonaco) take(event)
      return
    }
    if (reserved.has(keys)) return take(event)
    const id = map.get(keys)
    // Ctrl+S must not open the browser's save dialog, even if the command does not apply.
    if (id && (runCommand(id) || event.ctrlKey || event.metaKey)) take(event)
  }
  addEventListener('keydown', listener, true)
  return () => removeEventListener('keydown', listener, true)
}
