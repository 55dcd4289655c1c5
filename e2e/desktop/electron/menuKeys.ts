import type { PressedKey } from '../operations.ts'

let listener: (key: PressedKey) => void = () => {}

/** Registers the listener for keys that no page has handled. */
export function onKey(listen: (key: PressedKey) => void): void {
  listener = listen
}

export function pressedKey(key: PressedKey): void {
  listener(key)
}
