import { describe, expect, it } from 'vitest'
import {
  absolutePath,
  foldersOf,
  movedPath,
  nameOfPlace,
  pathInFolder,
  topFolder,
  workspacePath,
} from './workspaceFolders.ts'

const single = { root: '/work/api' }
const several = {
  root: '/data/workspaces/1',
  multiRoot: {
    file: null,
    folders: [
      { name: 'api', path: '/work/api' },
      { name: 'site', path: '/other/web' },
    ],
  },
}

describe('paths of a window', () => {
  it.each([
    [single, 'src/x.ts', '/work/api/src/x.ts'],
    [single, '.', '/work/api'],
    [several, 'api', '/work/api'],
    [several, 'site/index.html', '/other/web/index.html'],
  ])('%#: a workspace path is that of the folder itself, and the reverse', (shown, path, absolute) => {
    expect(absolutePath(shown, path)).toBe(absolute)
    expect(workspacePath(shown, absolute)).toBe(path)
  })

  it('a path outside the folders has none', () => {
    expect(workspacePath(single, '/work/apis/x')).toBeNull()
    expect(workspacePath(several, '/other')).toBeNull()
  })

  it('a file system root contains all paths', () => {
    expect(workspacePath({ root: '/' }, '/a/b')).toBe('a/b')
    expect(workspacePath({ root: 'C:\\code' }, 'C:\\code\\a\\b')).toBe('a/b')
    expect(workspacePath({ root: '/code' }, '/code/a\\b')).toBe('a\\b')
  })
})

it('a file keeps its path after the folder became one of several, also inside another', () => {
  expect(movedPath(single, several, 'src/x.ts')).toBe('api/src/x.ts')
  const outer = { root: '/d', multiRoot: { file: null, folders: [{ name: 'work', path: '/work' }] } }
  expect(movedPath(single, outer, 'src/x.ts')).toBe('work/api/src/x.ts')
  expect(movedPath(several, single, 'site/index.html')).toBeNull()
})

it('folders have names, and only those of several are top folders', () => {
  expect(foldersOf(single)).toEqual([{ name: 'api', path: '/work/api' }])
  expect(topFolder(several, 'site')?.path).toBe('/other/web')
  expect(topFolder(several, 'site/x')).toBeUndefined()
  expect(topFolder(single, 'api')).toBeUndefined()
  expect(pathInFolder(several, 'api/.vscode/launch.json')).toBe('.vscode/launch.json')
  expect(pathInFolder(single, 'api/x')).toBe('api/x')
})

it.each([
  ['/work/api', 'api'],
  ['/work/all.code-workspace', 'all (workspace)'],
  ['/work/All.CODE-WORKSPACE', 'All (workspace)'],
  ['/', '/'],
])('the name of %s is %s', (place, name) => expect(nameOfPlace(place)).toBe(name))
