import { reservedKeys } from '../../shared/commands.ts'
import { currentShell } from './appState.ts'
import { runCommand } from './commands.ts'
import { canonicalKeys, isMac, keyMap, keysOf } from './keybindings.ts'

/**
 * A live terminal needs Ctrl or Alt with a letter or an arrow for the program in it; keys with two modifiers and F keys stay ours, and
 * so do all keys over the output of a finished command.
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

/** On macOS Option with an arrow moves by words, wherever text is typed. */
function movesByWord({ altKey, key, target }: KeyboardEvent): boolean {
  return (
    isMac &&
    altKey &&
    key.startsWith('Arrow') &&
    target instanceof Element &&
    target.matches('input, textarea, [contenteditable]')
  )
}

/** The time between the presses of a chord; Monaco ends its own after as long. */
const chordMs = 5000

function take(event: KeyboardEvent): void {
  event.preventDefault()
  event.stopPropagation()
}

/**
 * Listens for the table's keys before any component does, Monaco included. While a modal dialog is open the keys belong
 * to it. Inside Monaco the second press of a chord is Monaco's, whose own chords begin alike; it knows the table's chords
 * (editor/monacoKeys.ts).
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
    const map = maps[currentShell()]
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
    // Even where the command does not apply, Ctrl+S must not open the browser's save dialog.
    if (id && (runCommand(id) || event.ctrlKey || event.metaKey)) take(event)
  }
  addEventListener('keydown', listener, true)
  return () => removeEventListener('keydown', listener, true)
}
