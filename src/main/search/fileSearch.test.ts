import { chmod, rm, symlink } from 'node:fs/promises'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { temporaryFolder, writeTree } from '../tools/testing/toolContext.ts'
import { asUnprivileged, expectFailure } from '../workspace/testing/disk.ts'
import type { FileQuery } from './search.ts'
import { call, endlessRipgrep, isRunning, searchIn } from './testing/searchIn.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
beforeEach(async () => {
  folder = await temporaryFolder()
})
afterEach(() => folder.remove())

const paths = async (query: FileQuery): Promise<string[]> =>
  (await (await searchIn(folder.root)).files(query, call)).paths

test('globs are relative to the folder; results are sorted and relative to the workspace', async () => {
  await writeTree(folder.root, { 'src/b.ts': '', 'src/a.TS': '', 'src/deep/c.ts': '', 'd.ts': '', 'src/e.css': '' })
  expect(await paths({ glob: '*.ts', path: 'src' })).toEqual(['src/a.TS', 'src/b.ts', 'src/deep/c.ts'])
  expect(await paths({ glob: '/*.ts', path: 'src', caseSensitive: true })).toEqual(['src/b.ts'])
  expect(await paths({ glob: 'src/*.{css,ts}' })).toEqual(['src/a.TS', 'src/b.ts', 'src/e.css'])
  expect(await paths({ glob: `${folder.root}/src/*.css` })).toEqual(['src/e.css'])
  expect(await paths({ maxDepth: 1 })).toEqual(['d.ts'])
})

test('ignored, hidden and dependency files are excluded unless requested', async () => {
  await writeTree(folder.root, {
    '.gitignore': '*.log\n',
    'a.log': '',
    'a.ts': '',
    '.env': '',
    '.github/w.yml': '',
    '.git/HEAD': '',
    'node_modules/p/b.ts': '',
  })
  expect(await paths({})).toEqual(['a.ts'])
  expect(await paths({ glob: '.github/**' })).toEqual(['.github/w.yml'])
  expect(await paths({ glob: '.git/**' })).toEqual([])
  expect(await paths({ glob: '*.ts', includeDependencies: true })).toEqual(['a.ts', 'node_modules/p/b.ts'])
  expect(await paths({ glob: '*.ts', path: 'node_modules' })).toEqual(['node_modules/p/b.ts'])
  const search = await searchIn(folder.root)
  expect((await search.files({ glob: '*.ts' }, call)).filesSearched).toBe(1)
  expect((await search.files({ glob: '.github/**' }, call)).filesSearched).toBe(4)
})

test('a workspace that was deleted or replaced by a link is the reason of the failure', async () => {
  const root = path.join(folder.root, 'root')
  await writeTree(folder.root, { 'root/a.ts': '', 'other/b.ts': '' })
  const search = await searchIn(root)
  expect((await search.files({}, call)).paths).toEqual(['a.ts'])
  await rm(root, { recursive: true })
  await expectFailure(search.files({}, call), 'not_found')
  await symlink('other', root)
  await expectFailure(search.files({}, call), 'outside_workspace')
})

test('files beyond the maximum are counted', async () => {
  await writeTree(folder.root, Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`f${index}.txt`, ''])))
  expect(await (await searchIn(folder.root)).files({ glob: '*.txt', maxResults: 5 }, call)).toMatchObject({
    total: 30,
    truncated: true,
    paths: { length: 5 },
  })
})

test('files that are left out do not count', async () => {
  await writeTree(folder.root, { 'a.txt': '', 'b.txt': '', 'c/secret.txt': '', 'd.txt': '' })
  const leaveOut = (found: string): boolean => found.endsWith('secret.txt')
  expect(await (await searchIn(folder.root)).files({ maxResults: 3, leaveOut }, call)).toMatchObject({
    paths: ['a.txt', 'b.txt', 'd.txt'],
    total: 3,
    truncated: false,
  })
})

test('unusual names are returned unchanged', async () => {
  await writeTree(folder.root, { 'a\nb.txt': '', '-n.txt': '', 'ü [1].txt': '' })
  expect(await paths({ glob: '*.txt' })).toEqual(['-n.txt', 'a\nb.txt', 'ü [1].txt'])
})

describe('bad input', () => {
  test.each(['[', '{', '', '../*', '!*.ts', 'nul\0'])('the glob %j is invalid', async (glob) => {
    await expectFailure((await searchIn(folder.root)).files({ glob }, call), 'invalid_pattern')
  })

  test('a file, a missing folder and an outside folder are rejected', async () => {
    await writeTree(folder.root, { 'a.ts': '' })
    await symlink('/', path.join(folder.root, 'all'))
    const search = await searchIn(folder.root)
    await expectFailure(search.files({ path: 'a.ts' }, call), 'not_a_directory')
    await expectFailure(search.files({ path: 'none' }, call), 'not_found')
    for (const outside of ['..', '/etc', 'all', 'all/etc'])
      await expectFailure(search.files({ path: outside }, call), 'outside_workspace')
  })

  test('an unreadable folder is reported, and rejected as the search path', async () => {
    await writeTree(folder.root, { 'a.txt': '', 'private/b.txt': '' })
    await chmod(folder.root, 0o755)
    await chmod(path.join(folder.root, 'private'), 0)
    const answer = await asUnprivileged(`
      const { createSearch } = await import(${JSON.stringify(path.join(import.meta.dirname, 'search.ts'))})
      const search = createSearch(await openWorkspace(${JSON.stringify(folder.root)}))
      const { signal } = new AbortController()
      const { paths, skipped } = await search.files({}, { signal })
      return { paths, skipped, named: await codeOf(search.files({ path: 'private' }, { signal })) }
    `)
    await chmod(path.join(folder.root, 'private'), 0o755)
    expect(answer).toEqual({ paths: ['a.txt'], skipped: ['private: Permission denied'], named: 'permission_denied' })
  })

  test('cancelling a running search stops the process', async () => {
    const tools = await temporaryFolder()
    const rg = await endlessRipgrep(tools.root)
    const controller = new AbortController()
    const work = (await searchIn(folder.root, { rgPath: rg.path })).files({}, { signal: controller.signal })
    const pid = await vi.waitFor(async () => {
      const found = await rg.pid()
      expect(isRunning(found)).toBe(true)
      return found
    })
    controller.abort()
    await expect(work).rejects.toMatchObject({ code: 'cancelled' })
    await vi.waitFor(() => expect(isRunning(pid)).toBe(false))
    await tools.remove()
  })
})
