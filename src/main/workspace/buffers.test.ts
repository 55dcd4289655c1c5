import { expect, it } from 'vitest'
import { createBuffers } from './buffers.ts'

const typed = (text: string, offset: number) => [{ offset, length: 0, text }]

it('an edit changes the mirrored text', () => {
  const buffers = createBuffers()
  buffers.sync({ path: 'a.ts', open: true, dirty: true, text: 'one', version: 1 })
  expect(buffers.edit({ path: 'a.ts', base: 1, version: 2, changes: typed('!', 3), length: 4 })).toBe(true)
  expect(buffers.edit({ path: 'a.ts', base: 2, version: 3, changes: typed('?', 4), length: 5 })).toBe(true)
  expect(buffers.get('a.ts')).toEqual({ path: 'a.ts', dirty: true, text: 'one!?' })
})

it('an edit based on another version is rejected and changes nothing', () => {
  const buffers = createBuffers()
  const edit = { path: 'a.ts', base: 1, version: 2, changes: typed('!', 3), length: 4 }
  expect(buffers.edit(edit)).toBe(false)
  buffers.sync({ path: 'a.ts', open: true, dirty: true, text: 'two', version: 7 })
  expect(buffers.edit(edit)).toBe(false)
  // After an agent edits the unsaved text, the window's version no longer matches.
  buffers.sync({ path: 'a.ts', open: true, dirty: true, text: 'two' })
  expect(buffers.edit({ ...edit, base: 7 })).toBe(false)
  // The text of a clean tab is not mirrored.
  buffers.sync({ path: 'a.ts', open: true, dirty: false, text: null, version: 1 })
  expect(buffers.edit(edit)).toBe(false)
  buffers.sync({ path: 'a.ts', open: true, dirty: true, text: 'two', version: 1 })
  expect(buffers.edit({ ...edit, length: 5 })).toBe(false)
  expect(buffers.edit({ ...edit, changes: typed('!', 4) })).toBe(false)
  expect(buffers.get('a.ts')?.text).toBe('two')
})
