import { reservedKeys } from '../../shared/commandsAndKeybindings.ts'
import { currentHost } from './appState.ts'
import { runCommand } from './commands.ts'
import { canonicalKeys, isMac, keyMap, keysOf } from './keyNotation.ts'

/**
 * Whether a running terminal receives a key instead of the shortcuts: one modifier with a letter, or with the left or
 * right arrow. Other shortcuts run commands, and so do all shortcuts in the output of a finished command.
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

/** Whether a key moves the cursor by words in a text field, as Option with an arrow does on macOS. */
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

function consume(event: KeyboardEvent): void {
  event.preventDefault()
  event.stopPropagation()
}

/**
 * Runs commands for shortcuts before any component, including Monaco, receives the key. A modal dialog receives all
 * keys. Monaco handles the second press of chords itself, because its own chords start with the same key;
 * editor/monacoKeys.ts registers the chords of the command table in Monaco.
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
      consume(event)
      const id = map.get(`${before} ${keys}`)
      if (id) runCommand(id)
      return
    }
    if (firstPresses.has(keys)) {
      pending = { keys, at: event.timeStamp }
      if (!inMonaco) consume(event)
      return
    }
    if (reserved.has(keys)) return consume(event)
    const id = map.get(keys)
    // Consume the key even if the command is disabled: Ctrl+S must not open the browser's save dialog.
    if (id && (runCommand(id) || event.ctrlKey || event.metaKey)) consume(event)
  }
  addEventListener('keydown', listener, true)
  return () => removeEventListener('keydown', listener, true)
}
