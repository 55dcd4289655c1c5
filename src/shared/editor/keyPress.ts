/** Keys identified by `KeyboardEvent.code`, because their character depends on Shift or the keyboard layout. */
const codes: Record<string, string> = {
  Backquote: '`',
  Backslash: '\\',
  Comma: ',',
  Period: '.',
  Slash: '/',
  Minus: '-',
  Equal: '=',
  BracketLeft: '[',
  BracketRight: ']',
  Semicolon: ';',
  Quote: "'",
}

/** A key press, as in DOM events. */
export interface KeyPress {
  key: string
  code: string
  ctrlKey: boolean
  altKey: boolean
  shiftKey: boolean
  metaKey: boolean
}

/** Returns the shortcut of a keyboard event in the command table's notation. */
export function keysOf(event: KeyPress): string {
  // The command table uses `Left`, not `ArrowLeft`. Letters are taken from `key`, because other layouts (Dvorak) move
  // them.
  let key = /^[a-z0-9]$/i.test(event.key) ? event.key : (codes[event.code] ?? event.key.replace(/^Arrow/, ''))
  if (key === ' ') key = 'Space'
  // Alt and non-Latin layouts produce characters that no shortcut uses. Use the physical key instead.
  if (key.length === 1 && !/[a-z0-9`\\,./=;'[\]-]/i.test(key))
    key = /^Key[A-Z]$|^Digit\d$/.test(event.code) ? event.code.slice(-1) : key
  if (key.length === 1) key = key.toUpperCase()
  const modifiers = [
    event.ctrlKey && 'Ctrl',
    event.altKey && 'Alt',
    event.shiftKey && 'Shift',
    event.metaKey && 'Cmd',
  ].filter(Boolean)
  return [...modifiers, key].join('+')
}
