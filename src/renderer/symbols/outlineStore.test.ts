import { afterEach, beforeEach, expect, test } from 'vitest'
import type { CodeOutline } from '../../shared/language/codeNavigation.ts'
import { ToolError } from '../../shared/errors.ts'
import { createOutlineView, emptyOutline, useOutline, type OutlineView } from './outlineStore.ts'

const answer = (path: string, language = 'TypeScript'): CodeOutline => ({
  path,
  language,
  supported: true,
  problem: '',
  symbols: [],
})

/** Requests of the view, which the test answers. */
let asked: { path: string; give: (outline: CodeOutline) => void; fail: (error: Error) => void }[]
let view: OutlineView
beforeEach(() => {
  asked = []
  useOutline.setState(emptyOutline, true)
  view = createOutlineView((path) => new Promise((give, fail) => asked.push({ path, give, fail })), 0)
})
afterEach(() => view.stop())

test('one request runs at a time, and changes during it cause another one', async () => {
  view.show('a.ts')
  void view.refresh()
  void view.refresh()
  expect(asked).toHaveLength(1)
  asked[0]?.give(answer('a.ts', 'old'))
  await expect.poll(() => asked.length).toBe(2)
  expect(useOutline.getState().outline?.language).toBe('old')
  asked[1]?.give(answer('a.ts', 'new'))
  await expect.poll(() => useOutline.getState().outline?.language).toBe('new')
  expect(asked).toHaveLength(2)
})

test('the previous outline stays visible while a new one is requested', async () => {
  view.show('a.ts')
  asked[0]?.give(answer('a.ts'))
  await expect.poll(() => useOutline.getState().outline).not.toBeNull()
  view.changed()
  await expect.poll(() => asked.length).toBe(2)
  expect(useOutline.getState().outline).toEqual(answer('a.ts'))
})

test('the response for another file does not replace the visible outline', async () => {
  view.show('a.ts')
  view.show('b.ts')
  asked[0]?.give(answer('a.ts'))
  await expect.poll(() => asked[1]?.path).toBe('b.ts')
  expect(useOutline.getState()).toMatchObject({ path: 'b.ts', outline: null })
})

test('a failure is shown until a request succeeds', async () => {
  view.show('a.ts')
  asked[0]?.fail(new ToolError('io_error', 'The code index stopped.', 'Open the folder again.'))
  await expect.poll(() => useOutline.getState().failure?.message).toBe('The code index stopped.')
  const again = view.refresh()
  asked[1]?.give(answer('a.ts'))
  await again
  expect(useOutline.getState()).toMatchObject({ failure: null, outline: { path: 'a.ts' } })
})

test('an outline that was hidden and is shown again follows its file', async () => {
  view.show('a.ts')
  asked[0]?.give(answer('a.ts', 'old'))
  await expect.poll(() => useOutline.getState().outline?.language).toBe('old')
  view.stop()
  view.changed()
  await expect.poll(() => asked.length).toBe(2)
  asked[1]?.give(answer('a.ts', 'new'))
  await expect.poll(() => useOutline.getState().outline?.language).toBe('new')
})
