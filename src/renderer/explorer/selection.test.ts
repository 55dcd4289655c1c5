import { beforeEach, describe, expect, it } from 'vitest'
import type { FileEntry } from '../../shared/files/files.ts'
import { planPaste } from './fileClipboard.ts'
import { emptyTree, rootPath, useTree } from './fileTree.ts'
import { extendSelection, selectAll, selectedPaths, targetsOf, toggleMark } from './selection.ts'

const entry = (path: string, type: FileEntry['type'] = 'file'): FileEntry => ({
  path,
  name: path.slice(path.lastIndexOf('/') + 1),
  type,
  directory: type === 'directory',
  ignored: false,
})

beforeEach(() => {
  useTree.setState({
    ...emptyTree,
    folders: {
      [rootPath]: { status: 'ready', entries: [entry('src', 'directory'), entry('a'), entry('b'), entry('c')] },
      src: { status: 'ready', entries: [entry('src/x')] },
    },
    expanded: new Set(['src']),
    selected: 'a',
  })
})

describe('the selection', () => {
  it('has the entry with the focus until others are added', () => {
    expect(selectedPaths()).toEqual(['a'])
    toggleMark('c')
    expect(selectedPaths()).toEqual(['a', 'c'])
    toggleMark('a')
    expect(selectedPaths()).toEqual(['c'])
  })

  it('extends from where it started, in both directions', () => {
    toggleMark('b')
    toggleMark('b')
    extendSelection('c')
    expect(selectedPaths()).toEqual(['b', 'c'])
    extendSelection('src/x')
    expect(selectedPaths()).toEqual(['src/x', 'a', 'b'])
  })

  it('leaves out entries in a selected folder', () => {
    selectAll()
    expect(selectedPaths()).toEqual(['src', 'a', 'b', 'c'])
  })

  it('does not matter for an action on another entry', () => {
    toggleMark('b')
    expect(targetsOf('b')).toEqual(['a', 'b'])
    expect(targetsOf('c')).toEqual(['c'])
  })
})

describe('pasting', () => {
  it('gives copies a free name', () => {
    expect(planPaste({ paths: ['a.txt', 'src/a.txt'], cut: false }, 'src', ['a.txt', 'a copy.txt'])).toEqual([
      { from: 'a.txt', to: 'src/a copy 2.txt' },
      { from: 'src/a.txt', to: 'src/a copy 3.txt' },
    ])
  })

  it('moves cut entries under their name and leaves those that are there', () => {
    expect(planPaste({ paths: ['a.txt', 'src/b.txt'], cut: true }, 'src', ['b.txt'])).toEqual([
      { from: 'a.txt', to: 'src/a.txt' },
    ])
  })
})
