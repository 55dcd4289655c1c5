import { keysOf } from '../../../shared/editor/keyPress.ts'
import { isCompositionKey } from './compositionKeys.ts'
import { isTableCommand, runCommand } from '../commands.ts'
import { isMac } from './keyNotation.ts'
import { useKeymap } from './keymapStore.ts'

/**
 * Whether a key runs "Run recent command" in a terminal, as in VS Code. It is not in the table, because it has another
 * meaning elsewhere. AltGr with R writes another character.
 */
export const isRecentCommandKey = (event: KeyboardEvent): boolean =>
  keysOf(event) === 'Ctrl+Alt+R' && (isMac || /^r$/i.test(event.key))

/**
 * Whether a running terminal receives a key instead of the shortcuts: one modifier with a letter, or with the left or
 * right arrow. Other shortcuts run commands, as do all shortcuts in the output of a finished command. Quick open works
 * from the terminal, as in VS Code; shells use the up arrow for their previous command.
 */
export function belongsToTerminal(event: KeyboardEvent): boolean {
  if (
    !(event.target instanceof Element) ||
    !event.target.closest('.xterm') ||
    !event.target.closest('[data-live="true"]')
  )
    return false
  if (isRecentCommandKey(event)) return true
  const modifiers = Number(event.ctrlKey) + Number(event.metaKey) + Number(event.altKey) + Number(event.shiftKey)
  if (modifiers !== 1 || event.metaKey || !/^([a-z]|Arrow(Left|Right))$/i.test(event.key)) return false
  return !useKeymap.getState().commands.get(keysOf(event))?.includes('palette.files')
}

/**
 * Keys of the search form's options, as in VS Code. They are not in the table, because Alt+W closes a tab elsewhere.
 */
export const searchToggleKeys = { caseSensitive: 'Alt+C', wholeWord: 'Alt+W', regex: 'Alt+R' } as const

/** Returns the option that a key toggles in the search form or the find bar of notebooks; null for other keys and outside of such forms. */
export function searchOptionOf(event: KeyboardEvent): keyof typeof searchToggleKeys | null {
  if (!(event.target instanceof Element) || !event.target.closest('.search-form, .notebook-find')) return null
  const keys = keysOf(event)
  if (keys === searchToggleKeys.caseSensitive) return 'caseSensitive'
  if (keys === searchToggleKeys.wholeWord) return 'wholeWord'
  return keys === searchToggleKeys.regex ? 'regex' : null
}

/** Whether a key moves the cursor by words in a text field, like Option with an arrow on macOS. */
function movesByWord({ altKey, key, target }: KeyboardEvent): boolean {
  return (
    isMac &&
    altKey &&
    key.startsWith('Arrow') &&
    target instanceof Element &&
    target.matches('input, textarea, [contenteditable]')
  )
}

/**
 * Whether a key types a character that the keyboard has only with AltGr, or with Option on macOS, such as `ż` or `@`.
 * On a US keyboard, Option with a letter mostly types symbols that are rarely needed, so shortcuts keep these keys.
 */
export function writesCharacter(
  event: Pick<KeyboardEvent, 'key' | 'altKey' | 'ctrlKey' | 'metaKey' | 'target' | 'getModifierState'>,
  mac = isMac,
): boolean {
  const { key, altKey, ctrlKey, metaKey, target } = event
  const isText = target instanceof Element && target.closest('input, textarea, [contenteditable]') !== null
  if (!isText || key.length !== 1) return false
  if (event.getModifierState('AltGraph')) return true
  return mac && altKey && !ctrlKey && !metaKey && /^(?![a-z])\p{Script=Latin}$/iu.test(key)
}

/** Whether a key pastes: Ctrl+Shift+V in a terminal, or in a text field to paste without formatting. */
function pastesText({ ctrlKey, metaKey, altKey, shiftKey, key, target }: KeyboardEvent): boolean {
  return (
    (ctrlKey || metaKey) &&
    shiftKey &&
    !altKey &&
    key.toLowerCase() === 'v' &&
    target instanceof Element &&
    !target.closest('.monaco-editor') &&
    target.closest('.xterm, input, textarea, [contenteditable]') !== null
  )
}

/** Keys with another meaning in Vim. Other shortcuts work as usual. */
const vimKeys: ReadonlySet<string> = new Set('BDEFIORUVWY'.split('').map((letter) => `Ctrl+${letter}`))

/** Whether a key belongs to Vim: in an editor's text, while Vim keys are on. */
function belongsToVim(keys: string, { target }: KeyboardEvent): boolean {
  const on = target instanceof Element && target.closest('.editor-group')?.querySelector('.editor-vim') !== null
  return on && vimKeys.has(keys)
}

/** Maximum milliseconds between the two presses of a chord. Monaco uses the same time. */
const chordMs = 5000

function consume(event: KeyboardEvent): void {
  event.preventDefault()
  event.stopPropagation()
}

/**
 * Runs the first enabled command of a shortcut.
 * @returns `ran`; `editor` if Monaco must handle the key; `disabled` if all of its commands are; `none` if it has none
 */
function runShortcut(keys: string, inMonaco: boolean): 'ran' | 'editor' | 'disabled' | 'none' {
  const ids = useKeymap.getState().commands.get(keys) ?? []
  for (const id of ids) {
    if (!isTableCommand(id)) {
      if (inMonaco) return 'editor'
    } else if (runCommand(id)) return 'ran'
  }
  return ids.some(isTableCommand) ? 'disabled' : 'none'
}

/**
 * Runs commands for shortcuts before any component, including Monaco, receives the key. A modal dialog receives all
 * keys. Monaco handles the second press of chords itself, because its own chords start with the same key;
 * editor/monacoKeys.ts registers the keymap's chords in Monaco.
 * @returns a function that stops it
 */
export function listenToKeys(): () => void {
  let pending: { keys: string; at: number } | null = null

  const listener = (event: KeyboardEvent) => {
    if (isCompositionKey(event) || ['Control', 'Shift', 'Alt', 'Meta'].includes(event.key)) return
    const before = pending && event.timeStamp - pending.at < chordMs ? pending.keys : null
    pending = null
    if (belongsToTerminal(event) || movesByWord(event) || pastesText(event) || writesCharacter(event)) return
    if (document.querySelector('dialog:modal') || searchOptionOf(event)) return
    const inMonaco = event.target instanceof Element && event.target.closest('.monaco-editor') !== null
    const keys = keysOf(event)
    if (inMonaco && belongsToVim(keys, event)) return
    if (before !== null) {
      if (inMonaco) return
      consume(event)
      runShortcut(`${before} ${keys}`, inMonaco)
      return
    }
    if (useKeymap.getState().firstPresses.has(keys)) {
      pending = { keys, at: event.timeStamp }
      if (!inMonaco) consume(event)
      return
    }
    const outcome = runShortcut(keys, inMonaco)
    if (outcome === 'editor') return
    // Consume the key even if the command is disabled: Ctrl+S must not open the browser's save dialog.
    const withModifier = event.ctrlKey || event.metaKey
    if (outcome === 'ran' || (outcome === 'disabled' && withModifier)) consume(event)
  }
  addEventListener('keydown', listener, true)
  return () => removeEventListener('keydown', listener, true)
}
