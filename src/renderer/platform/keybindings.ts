import { commands, keysFor, type CommandId, type CommandRow } from '../../shared/commands.ts'

/** Keys the browser keeps for itself; a page never sees them. */
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

/** `Mod` written out and modifiers in one order, so that equal keys are equal strings: `Mod+Shift+P` -> `Ctrl+Shift+P`. */
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

/** Keys as a person reads them. */
export function formatKeys(keys: string, mac = isMac): string {
  const canonical = canonicalKeys(keys, mac)
  if (!mac) return canonical
  return canonical.replaceAll('Ctrl+', '⌃').replaceAll('Alt+', '⌥').replaceAll('Shift+', '⇧').replaceAll('Cmd+', '⌘')
}

/** Keys that type another character with Shift or on another layout are told by their place on the keyboard. */
const codes: Record<string, string> = {
  Backquote: '`',
  Backslash: '\\',
  Comma: ',',
  Period: '.',
  Slash: '/',
  Minus: '-',
  Equal: '=',
}

type KeyPress = Pick<KeyboardEvent, 'key' | 'code' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'>

/** A pressed key in the table's notation. */
export function keysOf(event: KeyPress): string {
  // `Left` as menus write it, not `ArrowLeft`.
  let key = codes[event.code] ?? event.key.replace(/^Arrow/, '')
  // Alt and other alphabets produce letters that no binding names: the key's place counts then.
  if (key.length === 1 && !/[a-z0-9`\\,./=-]/i.test(key))
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

/** Key -> command of one shell. */
export function keyMap(shell: 'electron' | 'browser', rows: readonly CommandRow[] = commands): Map<string, CommandId> {
  const map = new Map<string, CommandId>()
  for (const row of rows) {
    // Rows are those of the table, so their ids are CommandIds.
    for (const keys of keysFor(row, shell)) map.set(canonicalKeys(keys), row.id as CommandId)
  }
  return map
}
