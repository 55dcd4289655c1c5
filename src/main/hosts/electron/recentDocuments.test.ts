import { expect, it } from 'vitest'
import { followRecents } from './recentDocuments.ts'

function system() {
  const list: string[] = []
  return {
    list,
    addRecentDocument: (path: string) => void list.push(path),
    clearRecentDocuments: () => void list.splice(0),
  }
}

it('adds each opened folder to the system list, and nothing at the start', () => {
  const app = system()
  const follow = followRecents(app)
  follow(['/a'])
  expect(app.list).toEqual([])
  follow(['/b', '/a'])
  follow(['/a', '/b'])
  expect(app.list).toEqual(['/b', '/a'])
})

it('adds only the latest folder when the list is full', () => {
  const app = system()
  const follow = followRecents(app)
  const folders = Array.from({ length: 20 }, (_, index) => `/${index}`)
  follow(folders)
  follow(['/new', ...folders.slice(0, 19)])
  expect(app.list).toEqual(['/new'])
})

it.each([
  ['the first', ['/b', '/c'], ['/c', '/b']],
  ['one in the middle', ['/a', '/c'], ['/c', '/a']],
  ['the last', ['/a', '/b'], ['/b', '/a']],
  ['all', [], []],
])('rebuilds the system list if %s of the folders is removed', (_which, left, added) => {
  const app = system()
  const follow = followRecents(app)
  follow(['/a', '/b', '/c'])
  app.addRecentDocument('/stale')
  follow(left)
  expect(app.list).toEqual(added)
})
