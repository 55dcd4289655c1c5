import { chmod, readlink, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { pending, reviewedFolder, type ReviewedFolder } from './testing/reviewedFolder.ts'

const lines = (...texts: string[]) => texts.map((text) => `${text}\n`).join('')
let folder: ReviewedFolder
beforeEach(async () => {
  folder = await reviewedFolder({ 'a.txt': lines('1', '2', '3', '4', '5', '6', '7', '8', '9'), 'b.txt': lines('b') })
})
afterEach(() => folder.remove())

const hunksOf = async (path: string) => (await folder.request('review.hunks', { scope: pending, path })).hunkList
async function idAt(path: string, index: number): Promise<string> {
  const hunk = (await hunksOf(path))[index]
  if (!hunk) throw new Error(`${path} has no hunk ${index}.`)
  return hunk.id
}
const undo = (path: string, ...hunks: string[]) =>
  folder.request('review.undo', { scope: pending, targets: [{ path, ...(hunks.length > 0 && { hunks }) }] })
const keep = (path: string, ...hunks: string[]) =>
  folder.request('review.keep', { scope: pending, targets: [{ path, ...(hunks.length > 0 && { hunks }) }] })

describe('review of edits by tools', () => {
  it('lists an edit with its lines, keeps one hunk and undoes the other', async () => {
    await folder.call('write_file', {
      path: 'a.txt',
      content: lines('1', 'two', '3', '4', '5', '6', '7', '8', 'nine', '10'),
    })
    expect(await folder.listed()).toEqual(['a.txt changed +3 -2'])
    expect(await hunksOf('a.txt')).toMatchObject([
      { base: { start: 2, count: 1 }, current: { start: 2, count: 1 }, baseLines: ['2'] },
      { base: { start: 9, count: 1 }, current: { start: 9, count: 2 }, baseLines: ['9'] },
    ])
    expect(await keep('a.txt', await idAt('a.txt', 0))).toEqual({ changed: ['a.txt'], skipped: [] })
    expect(await undo('a.txt', await idAt('a.txt', 0))).toEqual({ changed: ['a.txt'], skipped: [] })
    expect(await folder.read('a.txt')).toBe(lines('1', 'two', '3', '4', '5', '6', '7', '8', '9'))
    expect(await folder.listed()).toEqual([])
  })
})

describe('review of commands', () => {
  it('lists created, changed, deleted, renamed and binary files, permissions and links of a command', async () => {
    await folder.write('old name.txt', lines('moved'))
    await folder.write('image.png', Buffer.from([0x89, 0x50, 0, 1]))
    await folder.command(
      'mkdir -p new/deep && echo x > new/deep/c.txt && echo more >> a.txt && rm b.txt && mv "old name.txt" moved.txt && printf "\\211PNG\\000\\002" > image.png && ln -s a.txt link && echo run > script.sh',
    )
    const { files, added, removed } = await folder.request('review.list', { scope: pending })
    expect(files).toMatchObject([
      { path: 'a.txt', change: 'changed', added: 1, removed: 0 },
      { path: 'b.txt', change: 'deleted', removed: 1 },
      { path: 'image.png', change: 'changed', content: 'binary' },
      { path: 'link', change: 'created', content: 'binary' },
      { path: 'moved.txt', change: 'renamed', renamedFrom: 'old name.txt', hunks: 0 },
      { path: 'new/deep/c.txt', change: 'created', added: 1 },
      { path: 'script.sh', change: 'created' },
    ])
    expect([added, removed]).toEqual([3, 1])
    expect(await folder.request('review.undo', { scope: pending, targets: 'all' })).toMatchObject({ skipped: [] })
    expect(await folder.listed()).toEqual([])
    expect(await folder.read('a.txt')).toBe(lines('1', '2', '3', '4', '5', '6', '7', '8', '9'))
    expect(await folder.read('b.txt')).toBe(lines('b'))
    expect(await folder.read('old name.txt')).toBe(lines('moved'))
    expect(await folder.read('moved.txt')).toBe(null)
    await expect(readlink(join(folder.root, 'link'))).rejects.toThrow('ENOENT')
    await expect(stat(join(folder.root, 'new'))).rejects.toThrow('ENOENT')
  })

  it('lists a change of permissions and undoes it', async () => {
    await chmod(join(folder.root, 'b.txt'), 0o644)
    await folder.command('chmod 755 b.txt')
    const { files } = await folder.request('review.list', { scope: pending })
    expect(files).toMatchObject([{ path: 'b.txt', hunks: 0, mode: { from: 0o644, to: 0o755 } }])
    await undo('b.txt')
    expect((await stat(join(folder.root, 'b.txt'))).mode & 0o777).toBe(0o644)
  })
})
