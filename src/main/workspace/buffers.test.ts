import { expect, it } from 'vitest'
import { createBuffers } from './buffers.ts'

const typed = (text: string, offset: number) => [{ offset, length: 0, text }]

it('typing changes the text that main holds', () => {
  const buffers = createBuffers()
  buffers.sync({ path: 'a.ts', open: true, dirty: true, text: 'one', version: 1 })
  expect(buffers.edit({ path: 'a.ts', base: 1, version: 2, changes: typed('!', 3), length: 4 })).toBe(true)
  expect(buffers.edit({ path: 'a.ts', base: 2, version: 3, changes: typed('?', 4), length: 5 })).toBe(true)
  expect(buffers.get('a.ts')).toEqual({ path: 'a.ts', dirty: true, text: 'one!?' })
})

it('typing that starts from another text is refused and changes nothing', () => {
  const buffers = createBuffers()
  const edit = { path: 'a.ts', base: 1, version: 2, changes: typed('!', 3), length: 4 }
  expect(buffers.edit(edit)).toBe(false)
  buffers.sync({ path: 'a.ts', open: true, dirty: true, text: 'two', version: 7 })
  expect(buffers.edit(edit)).toBe(false)
  // An agent's edit of the unsaved text: main knows the text, and the window's number no longer fits it.
  buffers.sync({ path: 'a.ts', open: true, dirty: true, text: 'two' })
  expect(buffers.edit({ ...edit, base: 7 })).toBe(false)
  // A clean tab has no text here.
  buffers.sync({ path: 'a.ts', open: true, dirty: false, text: null, version: 1 })
  expect(buffers.edit(edit)).toBe(false)
  buffers.sync({ path: 'a.ts', open: true, dirty: true, text: 'two', version: 1 })
  expect(buffers.edit({ ...edit, length: 5 })).toBe(false)
  expect(buffers.edit({ ...edit, changes: typed('!', 4) })).toBe(false)
  expect(buffers.get('a.ts')?.text).toBe('two')
})
