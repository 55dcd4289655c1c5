import { expect, it } from 'vitest'
import { isShownAt, isShownIn } from './shownPlaces.ts'

const folders = [
  { name: 'api', path: '/work/api' },
  { name: 'web', path: '/other/web' },
]
const saved = {
  root: '/data/workspaces/1',
  name: 'all',
  multiRoot: { folders, file: '/work/all.code-workspace', missing: [] },
}
const untitled = { ...saved, multiRoot: { ...saved.multiRoot, file: null } }

it('a window is found by its folder, and by the file of its workspace, saved or not', () => {
  expect(isShownAt({ root: '/work/api', name: 'api' }, '/work/api')).toBe(true)
  expect(isShownAt(saved, '/work/all.code-workspace')).toBe(true)
  expect(isShownAt(saved, '/data/workspaces/1')).toBe(true)
  expect(isShownAt(untitled, '/data/workspaces/1.code-workspace')).toBe(true)
  expect(isShownAt(saved, '/work/api')).toBe(false)
  expect(isShownAt(undefined, '/work/api')).toBe(false)
})

it('a window is found by a file in one of its folders', () => {
  expect(isShownIn(saved, '/other/web/src/x.ts')).toBe(true)
  expect(isShownIn(saved, '/other/website')).toBe(false)
  expect(isShownIn(undefined, '/other/web')).toBe(false)
})
