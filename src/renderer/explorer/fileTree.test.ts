import { beforeEach, describe, expect, it } from 'vitest'
import { ToolError } from '../../shared/errors.ts'
import type { FileEntry } from '../../shared/files/files.ts'
import type { Bridge } from '../platform/bridge/bridge.ts'
import { createTree, emptyTree, nameOf, sortEntries, treeRows, useTree, type TreeRow } from './fileTree.ts'

function entry(path: string, directory = false): FileEntry {
  return { name: nameOf(path), path, type: directory ? 'directory' : 'file', directory: false, ignored: false }
}

/** A main process with a separate disk. */
function disk(folders: Record<string, FileEntry[]>) {
  const asked: string[] = []
  // The tree only sends `files.list`.
  const request = (async (_name: string, { path }: { path: string }) => {
    asked.push(path)
    const entries = folders[path]
    if (!entries) throw new ToolError('not_found', `${path} is not there.`)
    return entries
  }) as unknown as Bridge['request']
  return { asked, request }
}

function shown(): string[] {
  return treeRows(useTree.getState()).map((row: TreeRow) =>
    row.kind === 'entry' ? `${'  '.repeat(row.depth)}${row.entry.name}` : `${'  '.repeat(row.depth)}<${row.kind}>`,
  )
}

beforeEach(() => useTree.setState(emptyTree, true))

describe('the explorer tree', () => {
  it('sorts folders first, and numbers in names by value', () => {
    expect(
      sortEntries([entry('b10.txt'), entry('b9.txt'), entry('src', true), entry('A.txt')]).map(({ name }) => name),
    ).toEqual(['src', 'A.txt', 'b9.txt', 'b10.txt'])
  })

  it('reads a folder once, when it is expanded', async () => {
    const main = disk({ '.': [entry('src', true), entry('a.txt')], src: [entry('src/b.ts')] })
    const tree = createTree(main.request)
    await tree.read('.')
    await tree.expand('src')
    tree.collapse('src')
    await tree.expand('src')
    expect(shown()).toEqual(['src', '  b.ts', 'a.txt'])
    expect(main.asked).toEqual(['.', 'src'])
  })

  it('updates loaded folders when files are created or deleted, and ignores other folders', async () => {
    const folders: Record<string, FileEntry[]> = { '.': [entry('src', true), entry('lib', true)], src: [], lib: [] }
    const main = disk(folders)
    const tree = createTree(main.request)
    await tree.read('.')
    await tree.expand('src')
    folders.src = [entry('src/new.ts')]
    await tree.follow(
      [
        { path: 'src/new.ts', change: 'created', directory: false },
        { path: 'lib/other.ts', change: 'created', directory: false },
      ],
      false,
    )
    expect(shown()).toEqual(['lib', 'src', '  new.ts'])
    expect(main.asked).toEqual(['.', 'src', 'src'])
  })

  it('does not reload a folder when the content of a file changes', async () => {
    const main = disk({ '.': [entry('a.txt')] })
    const tree = createTree(main.request)
    await tree.read('.')
    await tree.follow([{ path: 'a.txt', change: 'changed', directory: false }], false)
    expect(main.asked).toEqual(['.'])
  })

  it('removes a deleted folder with its subfolders', async () => {
    const folders: Record<string, FileEntry[]> = {
      '.': [entry('src', true)],
      src: [entry('src/deep', true)],
      'src/deep': [entry('src/deep/x.ts')],
    }
    const tree = createTree(disk(folders).request)
    await tree.reveal('src/deep/x.ts')
    expect(shown()).toEqual(['src', '  deep', '    x.ts'])
    folders['.'] = []
    await tree.follow([{ path: 'src', change: 'deleted', directory: true }], false)
    expect(shown()).toEqual([])
    expect(useTree.getState().expanded.size).toBe(0)
  })

  it('reloads all visible folders after an overflow of changes', async () => {
    const folders: Record<string, FileEntry[]> = { '.': [entry('src', true)], src: [] }
    const tree = createTree(disk(folders).request)
    await tree.reveal('src/x.ts')
    folders.src = [entry('src/x.ts')]
    await tree.follow([], true)
    expect(shown()).toEqual(['src', '  x.ts'])
    expect(useTree.getState().selected).toBe('src/x.ts')
  })

  it('shows why a folder cannot be read', async () => {
    const request = (() =>
      Promise.reject(new ToolError('permission_denied', 'No permission to read it.'))) as unknown as Bridge['request']
    await createTree(request).read('.')
    expect(treeRows(useTree.getState())).toEqual([
      { kind: 'note', path: '.', depth: 0, text: 'No permission to read it.', failed: true },
    ])
  })

  it('places the name field of a new file after the folders, and of a new folder at the top', () => {
    const folders = { '.': { status: 'ready' as const, entries: [entry('src', true), entry('a.txt')] } }
    const kinds = (directory: boolean) =>
      treeRows({ folders, expanded: new Set(), edit: { kind: 'create', parent: '.', directory } }).map(
        (row) => row.kind,
      )
    expect(kinds(false)).toEqual(['entry', 'edit', 'entry'])
    expect(kinds(true)).toEqual(['edit', 'entry', 'entry'])
  })

  it('builds ten thousand rows without reading a folder twice', async () => {
    const many = Array.from({ length: 10_000 }, (_, index) => entry(`file-${index}.txt`))
    const main = disk({ '.': many })
    const tree = createTree(main.request)
    await Promise.all([tree.read('.'), tree.read('.')])
    expect(shown()).toHaveLength(10_000)
    expect(main.asked.length).toBeLessThanOrEqual(2)
  })
})
