import type { PressedKey } from '../operations.ts'

let listener: (key: PressedKey) => void = () => {}

/** Who hears of the keys that pages leave alone: the menu. */
export function onKey(listen: (key: PressedKey) => void): void {
  listener = listen
}

export function pressedKey(key: PressedKey): void {
  listener(key)
}
