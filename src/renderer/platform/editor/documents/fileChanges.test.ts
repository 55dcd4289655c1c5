import { describe, expect, it } from 'vitest'
import { ToolError } from '../../../../shared/errors.ts'
import { maxBatchCharacters } from '../../../../shared/files/files.ts'
import { textHash } from '../../../../shared/files/textHash.ts'
import {
  applyFileEdits,
  reverseChanges,
  undoableChanges,
  writeFileChanges,
  type FileChangeDeps,
  type LinkedUndo,
} from './fileChanges.ts'
import { documentsOnDisk } from '../testing/documentsOnDisk.ts'

const change = (path: string, before: string, after: string) => ({ path, before, after })

/** Runs `act` just before main gets a request, for each of its files. */
function before(deps: FileChangeDeps, name: string, act: (path: string) => void): FileChangeDeps {
  const request = (async (method: string, params: { paths?: string[]; files?: { path: string }[] }) => {
    if (method === name) (params.paths ?? params.files?.map(({ path }) => path))?.forEach(act)
    return deps.request(method as never, params as never)
  }) as unknown as FileChangeDeps['request']
  return { ...deps, request }
}

describe('changes of several files', () => {
  it('keep what the user types into an open file while an earlier file is written', async () => {
    const { documents, request, buffer, disk } = documentsOnDisk({ 'a.txt': 'a', 'b.txt': 'b' })
    await documents.open('b.txt')
    const deps = before({ documents, request }, 'files.writeBatch', (path) => {
      if (path === 'a.txt' && buffer('b.txt').text() === 'b') buffer('b.txt').type('b typed')
    })
    const writing = writeFileChanges(deps, [change('a.txt', 'a', 'A'), change('b.txt', 'b', 'B')])
    await expect(writing).rejects.toMatchObject({ code: 'conflict' })
    expect(buffer('b.txt').text()).toBe('b typed')
    expect(disk.get('a.txt')?.text).toBe('a')
    expect(disk.get('b.txt')?.text).toBe('b')
  })

  it('are undone in the tab of a file that cannot be saved', async () => {
    const { documents, request, buffer, disk, write } = documentsOnDisk({ 'a.txt': 'a', 'b.txt': 'b' })
    await documents.open('a.txt')
    await documents.open('b.txt')
    // The tab does not show the change yet, so its save fails.
    write('b.txt', 'theirs')
    const writing = writeFileChanges({ documents, request }, [change('a.txt', 'a', 'A'), change('b.txt', 'b', 'B')])
    await expect(writing).rejects.toMatchObject({ code: 'changed_on_disk' })
    expect(buffer('b.txt').text()).toBe('b')
    expect(disk.get('b.txt')?.text).toBe('theirs')
    expect(buffer('a.txt').text()).toBe('a')
    expect(disk.get('a.txt')?.text).toBe('a')
  })

  it('are undone as one step, or not at all', async () => {
    const { documents, request, disk, write } = documentsOnDisk({ 'a.txt': 'a', 'b.txt': 'b' })
    const changes = [change('a.txt', 'a', 'A'), change('b.txt', 'b', 'B')]
    await writeFileChanges({ documents, request }, changes)
    write('b.txt', 'theirs')
    await expect(writeFileChanges({ documents, request }, reverseChanges(changes))).rejects.toThrow('b.txt')
    expect(disk.get('a.txt')?.text).toBe('A')
  })
})

describe('changes of many files', () => {
  const texts = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`${index}.txt`, 'a']))
  const changes = Object.keys(texts).map((path) => change(path, 'a', 'A'))

  it('are undone in all files that still have the text, and the others are named', async () => {
    const { documents, request, disk, write } = documentsOnDisk(texts)
    const deps = before({ documents, request }, 'files.writeBatch', (path) => {
      if (path !== '39.txt') return
      write('1.txt', 'theirs')
      write('39.txt', 'theirs')
    })
    await expect(writeFileChanges(deps, changes)).rejects.toMatchObject({
      code: 'changed_on_disk',
      next: expect.stringMatching(/restored: 1\.txt\.$/),
    })
    expect([...disk].filter(([, { text }]) => text !== 'a').map(([path]) => path)).toEqual(['1.txt', '39.txt'])
  })

  it('are restored when the answer of a batch never comes, whether or not it was written', async () => {
    const { documents, request, disk } = documentsOnDisk(texts)
    let batches = 0
    const losing = (async (method: string, params: { files: { path: string }[] }) => {
      batches += Number(method === 'files.writeBatch')
      if (method !== 'files.writeBatch' || batches !== 2) return request(method as never, params as never)
      await request(method, { files: params.files.slice(0, 3) } as never)
      throw new ToolError('io_error', 'The connection was lost.', '')
    }) as unknown as FileChangeDeps['request']
    const writing = writeFileChanges({ documents, request: losing }, changes)
    await expect(writing).rejects.toMatchObject({ code: 'io_error', next: '' })
    expect([...disk.values()].every(({ text }) => text === 'a')).toBe(true)
  })

  it('are sent in batches of limited size', async () => {
    const long = 'a'.repeat(maxBatchCharacters / 2 + 1)
    const large = Object.fromEntries(['1', '2', '3'].map((path) => [path, long]))
    const { documents, request } = documentsOnDisk(large)
    const batches: string[] = []
    const deps = before({ documents, request }, 'files.writeBatch', (path) => void batches.push(path))
    const progress: number[] = []
    await writeFileChanges(
      deps,
      Object.keys(large).map((path) => change(path, long, `${long}b`)),
      { onProgress: (done) => progress.push(done) },
    )
    expect(batches).toEqual(['1', '2', '3'])
    expect(progress).toEqual([1, 2, 3])
  })

  it('read each file once before it is written, and report the progress', async () => {
    const { documents, request, disk } = documentsOnDisk(texts)
    const reads: string[] = []
    const deps = before({ documents, request }, 'files.readBatch', (path) => void reads.push(path))
    const progress: number[] = []
    await writeFileChanges(deps, changes, { onProgress: (done) => progress.push(done) })
    expect(reads.toSorted()).toEqual(Object.keys(texts).toSorted())
    expect(progress).toEqual([32, 40])
    await undoableChanges(deps, changes).undo()
    expect(reads).toHaveLength(2 * changes.length)
    expect([...disk.values()].every(({ text }) => text === 'a')).toBe(true)
  })

  it('restore what was written when they are cancelled', async () => {
    const { documents, request, disk } = documentsOnDisk(texts)
    const cancelling = new AbortController()
    const writing = writeFileChanges({ documents, request }, changes, {
      signal: cancelling.signal,
      onProgress: (done) => done === 32 && cancelling.abort(),
    })
    await expect(writing).rejects.toMatchObject({ name: 'AbortError' })
    expect([...disk.values()].every(({ text }) => text === 'a')).toBe(true)
  })

  it('name what could not be restored after a cancellation', async () => {
    const { documents, request, write } = documentsOnDisk(texts)
    const cancelling = new AbortController()
    const writing = writeFileChanges({ documents, request }, changes, {
      signal: cancelling.signal,
      onProgress: (done) => {
        if (done !== 32) return
        write('0.txt', 'theirs')
        cancelling.abort()
      },
    })
    await expect(writing).rejects.toMatchObject({ code: 'conflict', next: expect.stringContaining('0.txt') })
  })
})

describe('edits of a language server', () => {
  const range = { startLine: 1, startColumn: 1, endLine: 1, endColumn: 4 }

  it('are refused for a text other than the one that they were computed for', async () => {
    const { documents, request, buffer, disk } = documentsOnDisk({ 'a.txt': 'one two', 'b.txt': 'one' })
    await documents.open('a.txt')
    buffer('a.txt').type('0 one two')
    const files = ['b.txt', 'a.txt'].map((path) => ({
      path,
      edits: [{ range, text: 'uno' }],
      textHash: textHash(path === 'a.txt' ? 'one two' : 'one'),
    }))
    await expect(applyFileEdits({ documents, request }, files)).rejects.toMatchObject({ code: 'conflict' })
    expect(buffer('a.txt').text()).toBe('0 one two')
    expect(disk.get('b.txt')?.text).toBe('one')
  })
})

describe('the undo of a change of several files', () => {
  const changes = [change('a.txt', 'a', 'A'), change('b.txt', 'b', 'B'), change('c.txt', 'c', 'C')]

  async function changed() {
    const { documents, request, buffer, disk, write } = documentsOnDisk({ 'a.txt': 'a', 'b.txt': 'b', 'c.txt': 'c' })
    await documents.open('a.txt')
    await documents.open('b.txt')
    const deps = { documents, request }
    await writeFileChanges(deps, changes)
    const followed: (LinkedUndo | { error: unknown })[] = []
    const applied = undoableChanges(deps, changes, (each) => followed.push(each))
    return { applied, followed, buffer, disk, write }
  }

  it('in the tab of one file does not leave the others changed', async () => {
    const { followed, buffer, disk } = await changed()
    buffer('a.txt').undo()
    await expect.poll(() => followed).toEqual([{ undone: true, changed: ['b.txt', 'c.txt'], skipped: [] }])
    expect([buffer('a.txt').text(), disk.get('b.txt')?.text, disk.get('c.txt')?.text]).toEqual(['a', 'b', 'c'])
    // Undoing that in another tab brings all of it back.
    buffer('b.txt').undo()
    await expect.poll(() => followed.length).toBe(2)
    expect([buffer('a.txt').text(), buffer('b.txt').text(), disk.get('c.txt')?.text]).toEqual(['A', 'B', 'C'])
  })

  it('in the tab of one file leaves a file with later changes, and names it', async () => {
    const { followed, buffer, disk, write } = await changed()
    write('c.txt', 'mine')
    buffer('a.txt').undo()
    await expect.poll(() => followed).toEqual([{ undone: true, changed: ['b.txt'], skipped: ['c.txt'] }])
    expect(disk.get('c.txt')?.text).toBe('mine')
  })

  it('from its notice does not fail because one file is restored already', async () => {
    const { applied, disk, write } = await changed()
    write('c.txt', 'c')
    await applied.undo()
    expect(['a.txt', 'b.txt', 'c.txt'].map((path) => disk.get(path)?.text)).toEqual(['a', 'b', 'c'])
  })
})
