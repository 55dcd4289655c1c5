import type { PreviewInput, PreviewPoint } from '../../shared/preview/preview.ts'

// Converts events of the window to what the page receives.

interface Modifiers {
  altKey: boolean
  ctrlKey: boolean
  metaKey: boolean
  shiftKey: boolean
}

const modifiersOf = ({ altKey, ctrlKey, metaKey, shiftKey }: Modifiers): number =>
  Number(altKey) | (Number(ctrlKey) << 1) | (Number(metaKey) << 2) | (Number(shiftKey) << 3)

/** Buttons by `MouseEvent.button`. */
const buttons = ['left', 'middle', 'right', 'back', 'forward'] as const
/** Bits of `MouseEvent.buttons`. */
const buttonBits = { left: 1, right: 2, middle: 4, back: 8, forward: 16 } as const
const pressedButton = (pressed: number) => buttons.find((name) => (pressed & buttonBits[name]) !== 0) ?? 'none'
/** Pixels of a line and a page, in which some mice count. */
const wheelUnits = [1, 16, 400]

export function mouseInput(event: MouseEvent, point: PreviewPoint, type: 'down' | 'up' | 'move'): PreviewInput {
  return {
    kind: 'mouse',
    type,
    ...point,
    button: type === 'move' ? pressedButton(event.buttons) : (buttons[event.button] ?? 'none'),
    buttons: event.buttons & 31,
    clicks: type === 'move' ? 0 : Math.min(3, Math.max(1, event.detail)),
    modifiers: modifiersOf(event),
  }
}

export function wheelInput(event: WheelEvent, point: PreviewPoint): PreviewInput {
  const unit = wheelUnits[event.deltaMode] ?? 1
  return {
    kind: 'wheel',
    ...point,
    deltaX: limited(event.deltaX * unit),
    deltaY: limited(event.deltaY * unit),
    modifiers: modifiersOf(event),
  }
}

const limited = (value: number): number => Math.max(-10_000, Math.min(10_000, value))

export function keyInput(event: KeyboardEvent, type: 'down' | 'up'): PreviewInput {
  const { key, code, keyCode, location, repeat } = event
  return {
    kind: 'key',
    type,
    key: key.slice(0, 40),
    code: code.slice(0, 40),
    // Deprecated, but the protocol of the browser has no other name for the key.
    keyCode: keyCode & 255,
    location,
    repeat,
    modifiers: modifiersOf(event),
  }
}

/** Adds an input to those that wait. A move replaces the one before, and wheels add up. */
export function queueInput(waiting: PreviewInput[], input: PreviewInput): void {
  const last = waiting.at(-1)
  if (last?.kind === 'mouse' && input.kind === 'mouse' && last.type === 'move' && input.type === 'move')
    waiting[waiting.length - 1] = input
  else if (last?.kind === 'wheel' && input.kind === 'wheel' && last.modifiers === input.modifiers)
    waiting[waiting.length - 1] = {
      ...input,
      deltaX: limited(last.deltaX + input.deltaX),
      deltaY: limited(last.deltaY + input.deltaY),
    }
  else waiting.push(input)
}
