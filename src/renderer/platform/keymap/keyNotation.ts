/** Shortcuts that browsers do not pass to pages. */
export const browserKeys: readonly string[] = [
  'Ctrl+W',
  'Ctrl+N',
  'Ctrl+T',
  'Ctrl+Tab',
  'Ctrl+Shift+W',
  'Ctrl+Shift+N',
  'Ctrl+Shift+T',
  'Ctrl+Shift+Tab',
  'Ctrl+PageUp',
  'Ctrl+PageDown',
]

export const isMac = typeof navigator !== 'undefined' && /mac/i.test(navigator.userAgent)

/** Normalizes a shortcut: resolves `Mod` and sorts the modifiers (`Mod+Shift+P` -> `Ctrl+Shift+P`). */
export function canonicalKeys(keys: string, mac = isMac): string {
  if (keys.includes(' '))
    return keys
      .split(' ')
      .map((press) => canonicalKeys(press, mac))
      .join(' ')
  const parts = keys.replace('Mod', mac ? 'Cmd' : 'Ctrl').split('+')
  const key = parts.pop() ?? ''
  const modifiers = ['Ctrl', 'Alt', 'Shift', 'Cmd'].filter((modifier) => parts.includes(modifier))
  return [...modifiers, key.length === 1 ? key.toUpperCase() : key].join('+')
}

/** Formats a shortcut for display, on macOS with symbols such as `⌘`. */
export function formatKeys(keys: string, mac = isMac): string {
  const canonical = canonicalKeys(keys, mac)
  if (!mac) return canonical
  return canonical.replaceAll('Ctrl+', '⌃').replaceAll('Alt+', '⌥').replaceAll('Shift+', '⇧').replaceAll('Cmd+', '⌘')
}

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

type KeyPress = Pick<KeyboardEvent, 'key' | 'code' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'>

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
