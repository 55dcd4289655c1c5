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
