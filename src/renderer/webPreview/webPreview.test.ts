import { expect, it } from 'vitest'
import type { PreviewInput } from '../../shared/preview/preview.ts'
import { queueInput } from './inputEvents.ts'
import { completeAddress } from './previewStore.ts'

it.each([
  ['5173', 'http://localhost:5173/'],
  [':5173/shop', 'http://localhost:5173/shop'],
  ['localhost:5173', 'http://localhost:5173'],
  ['127.0.0.1:8000/a', 'http://127.0.0.1:8000/a'],
  ['[::1]:8000', 'http://[::1]:8000'],
  ['example.org/docs', 'https://example.org/docs'],
  [' http://example.org ', 'http://example.org'],
])('"%s" is completed to an address', (typed, url) => {
  expect(completeAddress(typed)).toBe(url)
})

it('moves of the mouse and turns of the wheel that wait are sent as one, and clicks keep their order', () => {
  const mouse = (type: 'move' | 'down', x: number): PreviewInput => ({
    kind: 'mouse',
    type,
    x,
    y: 0,
    button: 'none',
    buttons: 0,
    clicks: 0,
    modifiers: 0,
  })
  const wheel = (deltaY: number): PreviewInput => ({ kind: 'wheel', x: 0, y: 0, deltaX: 0, deltaY, modifiers: 0 })
  const waiting: PreviewInput[] = []
  for (const input of [mouse('move', 1), mouse('move', 2), mouse('down', 2), mouse('move', 3), wheel(10), wheel(5)])
    queueInput(waiting, input)
  expect(waiting).toEqual([mouse('move', 2), mouse('down', 2), mouse('move', 3), wheel(15)])
})
