import type { CDPSession } from 'playwright-core'
import type { PreviewInput } from '../../shared/preview/preview.ts'

type KeyInput = Extract<PreviewInput, { kind: 'key' }>

/** Keys without a text of their own that insert one. */
const keyTexts: Readonly<Record<string, string>> = { Enter: '\r', Tab: '\t' }
const controlOrMeta = 2 | 4

/**
 * Sends what the user did to the page, as the browser would receive it. Does not wait for the page: a dialog would block
 * it, and the order stays the same.
 */
export function dispatchInput(session: CDPSession, input: PreviewInput): void {
  send(session, input).catch(() => undefined)
}

async function send(session: CDPSession, input: PreviewInput): Promise<unknown> {
  switch (input.kind) {
    case 'mouse': {
      const { x, y, button, buttons, clicks, modifiers } = input
      const type = ({ down: 'mousePressed', up: 'mouseReleased', move: 'mouseMoved' } as const)[input.type]
      return session.send('Input.dispatchMouseEvent', { type, x, y, button, buttons, clickCount: clicks, modifiers })
    }
    case 'wheel': {
      const { x, y, deltaX, deltaY, modifiers } = input
      return session.send('Input.dispatchMouseEvent', { type: 'mouseWheel', x, y, deltaX, deltaY, modifiers })
    }
    case 'key':
      return sendKey(session, input)
    case 'text':
      return session.send('Input.insertText', { text: input.text })
  }
}

async function sendKey(session: CDPSession, input: KeyInput): Promise<void> {
  const { type, key, code, keyCode, location, repeat, modifiers } = input
  const isTyped = /^.$/u.test(key) && (modifiers & controlOrMeta) === 0
  const text = isTyped ? key : keyTexts[key]
  await session.send('Input.dispatchKeyEvent', {
    type: type === 'up' ? 'keyUp' : text === undefined ? 'rawKeyDown' : 'keyDown',
    key,
    code,
    windowsVirtualKeyCode: keyCode,
    location,
    autoRepeat: repeat,
    isKeypad: location === 3,
    modifiers,
    ...(type === 'down' && text !== undefined && { text, unmodifiedText: text }),
  })
}
