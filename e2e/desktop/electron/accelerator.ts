import type { PressedKey } from '../operations.ts'

/** Keys of an accelerator. Its modifiers are resolved for this system. */
export interface Accelerator {
  key: string
  control: boolean
  shift: boolean
  alt: boolean
  meta: boolean
}

const named = [
  'Plus',
  'Space',
  'Tab',
  'Capslock',
  'Numlock',
  'Scrolllock',
  'Backspace',
  'Delete',
  'Insert',
  'Return',
  'Enter',
  'Up',
  'Down',
  'Left',
  'Right',
  'Home',
  'End',
  'PageUp',
  'PageDown',
  'Escape',
  'Esc',
  'VolumeUp',
  'VolumeDown',
  'VolumeMute',
  'MediaNextTrack',
  'MediaPreviousTrack',
  'MediaStop',
  'MediaPlayPause',
  'PrintScreen',
]
const keyNames = new Map(named.map((name) => [name.toLowerCase(), name]))
const isKey = (part: string): boolean =>
  keyNames.has(part.toLowerCase()) ||
  /^f([1-9]|1\d|2[0-4])$/i.test(part) ||
  /^num(\d|dec|add|sub|mult|div)$/i.test(part) ||
  /^[!-~]$/.test(part)

/** Names of keys in pages by their names in accelerators, where they differ. */
const pageNames: Record<string, string> = {
  plus: '+',
  space: ' ',
  return: 'enter',
  up: 'arrowup',
  down: 'arrowdown',
  left: 'arrowleft',
  right: 'arrowright',
  esc: 'escape',
}

/**
 * Parses an accelerator with Electron's modifiers and keys (docs/tutorial/keyboard-shortcuts, docs/api/accelerator).
 * @throws TypeError for an invalid accelerator
 */
export function parseAccelerator(text: string, platform: NodeJS.Platform = process.platform): Accelerator {
  const result: Accelerator = { key: '', control: false, shift: false, alt: false, meta: false }
  // "Ctrl++" is invalid, because the plus key is called "Plus".
  const parts = text.split('+')
  for (const part of parts) {
    const name = part.toLowerCase()
    if (name === 'shift') result.shift = true
    else if (['ctrl', 'control'].includes(name)) result.control = true
    else if (['alt', 'option', 'altgr'].includes(name)) result.alt = true
    else if (['cmd', 'command', 'super', 'meta'].includes(name)) result.meta = true
    else if (['cmdorctrl', 'commandorcontrol'].includes(name)) result[platform === 'darwin' ? 'meta' : 'control'] = true
    else if (isKey(part) && result.key === '') result.key = pageNames[name] ?? name
    else throw new TypeError(`Invalid accelerator "${text}": "${part}" is neither a modifier nor the one key.`)
  }
  if (result.key === '') throw new TypeError(`Invalid accelerator "${text}": it has no key.`)
  return result
}

/** Whether a key that no page has handled matches this accelerator. */
export function matches(accelerator: Accelerator, pressed: PressedKey): boolean {
  const modifiers = (['control', 'shift', 'alt', 'meta'] as const).every((name) => accelerator[name] === pressed[name])
  const letter = /^Key([A-Z])$|^Digit(\d)$/.exec(pressed.code)
  return (
    modifiers &&
    (pressed.key.toLowerCase() === accelerator.key || (letter?.[1] ?? letter?.[2])?.toLowerCase() === accelerator.key)
  )
}
