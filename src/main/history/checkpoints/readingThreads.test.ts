import { execFileSync } from 'node:child_process'
import { mkdir, rm, symlink, truncate, utimes, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { temporaryFolder, writeTree } from '../../tools/testing/toolContext.ts'
import { log } from '../../base/log/log.ts'
import { hashOf } from './entries.ts'
import { createEntryReader, type FileToRead } from './readEntries.ts'
import { createReadingThreads, type ReadingThreads } from './readingThreads.ts'
import { walkTree, type WalkDeps } from './walkTree.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let thread: ReadingThreads

const at = (name: string) => path.join(folder.root, name)

/** Files that are other ones than those found. */
const unknown = (...places: readonly string[]): FileToRead[] => places.map((place) => ({ place, size: 5, stamp: '' }))

/** Files as they are found now. */
async function found(...places: readonly string[]): Promise<FileToRead[]> {
  const entries = await createEntryReader({ root: folder.root }).find(places)
  return entries.map((entry, index) => {
    if (entry.kind !== 'file') throw new Error(`${places[index]} is no file.`)
    return { place: places[index] ?? '', size: entry.size, stamp: entry.stamp }
  })
}

beforeEach(async () => {
  folder = await temporaryFolder({ 'a.txt': 'one\n', 'empty.txt': '', 'src/b.bin': Buffer.from([0, 1, 255]) })
  thread = createReadingThreads({ root: folder.root })
})
afterEach(async () => {
  await thread.dispose()
  await folder.remove()
})

test('finds and reads the same as this thread', async () => {
  await writeTree(folder.root, { 'large.txt': 'large '.repeat(1000) })
  await symlink('a.txt', at('link'))
  await symlink('src', at('folder-link'))
  execFileSync('mkfifo', [at('pipe')])
  // Both find that the files are certain.
  await delay(150)
  const places =
    'a.txt empty.txt src src/b.bin large.txt link folder-link folder-link/b.bin pipe missing a.txt/x'.split(' ')
  const other = createEntryReader({ root: folder.root })
  expect(await thread.find(places)).toEqual(await other.find(places))
  const read = await thread.read(unknown(...places), 1000)
  expect(read).toEqual(await other.read(unknown(...places), 1000))
  expect(read.map(({ kind }) => kind)).toEqual([
    'content',
    'content',
    'replaced',
    'content',
    'replaced',
    'failed',
    'failed',
    'replaced',
    'replaced',
    'failed',
    'failed',
  ])
  expect(read[0]).toMatchObject({ content: Buffer.from('one\n'), hash: await hashOf(Buffer.from('one\n')) })
  expect(read[3]).toMatchObject({ content: Buffer.from([0, 1, 255]) })
})

test('reads a file that is as it was found, and one that has changed since', async () => {
  await delay(150)
  const files = await found('a.txt', 'empty.txt', 'src/b.bin')
  await writeFile(at('empty.txt'), 'longer than before')
  await rm(at('src/b.bin'))
  execFileSync('mkfifo', [at('src/b.bin')])
  const read = await thread.read(files, 1000)
  expect(read).toMatchObject([
    { content: Buffer.from('one\n'), hash: await hashOf(Buffer.from('one\n')), stamp: files[0]?.stamp },
    { content: Buffer.from('longer than before') },
    { kind: 'replaced' },
  ])
})

test('a file that was just changed is read again by the next scan', async () => {
  await writeFile(at('a.txt'), 'two\n')
  const soon = new Date(Date.now() + 60_000)
  await utimes(at('a.txt'), soon, soon)
  const files = await found('a.txt')
  expect(await thread.read(files, 1000)).toMatchObject([{ content: Buffer.from('two\n'), stamp: '' }])
})

test('many files are read by several threads, in the order of the requests', async () => {
  const names = Array.from({ length: 300 }, (_, index) => `many/${index}.txt`)
  await writeTree(folder.root, Object.fromEntries(names.map((name) => [name, name])))
  const requests = names.map(async (name) => (await thread.read(unknown(name), 1000))[0])
  expect(await Promise.all(requests)).toMatchObject(names.map((name) => ({ content: Buffer.from(name) })))
})

test('a thread that fails is replaced by this one', async () => {
  const logged = vi.spyOn(log, 'error').mockReturnValue()
  await writeFile(
    at('failing.mjs'),
    "import { parentPort } from 'node:worker_threads'\nparentPort.on('message', () => { throw new Error('broken') })",
  )
  const failing = createReadingThreads({ root: folder.root }, at('failing.mjs'))
  const asked = [failing.find(['a.txt']), failing.find(['src'])]
  expect((await Promise.all(asked)).flat()).toMatchObject([{ kind: 'file' }, { kind: 'folder' }])
  expect(await failing.read(unknown('a.txt'), 1000)).toMatchObject([{ content: Buffer.from('one\n') }])
  expect(logged).toHaveBeenCalledOnce()
  await failing.dispose()
})

test('requests continue when the thread ends, and after it', async () => {
  const running = thread.read(unknown(...Array.from({ length: 200 }, () => 'a.txt')), 1000)
  await thread.dispose()
  expect(await running).toHaveLength(200)
  expect(await thread.read(unknown('a.txt'), 1000)).toMatchObject([{ content: Buffer.from('one\n') }])
})

test('requests of a thread that ends are answered, also if another one has started', async () => {
  const running = [thread.read(unknown('a.txt'), 1000), thread.find(['src'])]
  const ended = thread.dispose()
  const next = thread.find(['a.txt'])
  await ended
  expect(await running[0]).toMatchObject([{ content: Buffer.from('one\n') }])
  expect(await running[1]).toEqual([{ kind: 'folder' }])
  expect(await next).toMatchObject([{ kind: 'file' }])
})

test('a scan in a thread records the same as one in this thread', async () => {
  for (let index = 0; index < 12; index++) {
    await mkdir(at(`many/${index}/node_modules`), { recursive: true })
    await writeTree(
      folder.root,
      Object.fromEntries(Array.from({ length: 100 }, (_, file) => [`many/${index}/${file}.txt`, `${index * file}`])),
    )
    await symlink('0.txt', at(`many/${index}/link`))
  }
  await writeFile(at('many/huge.bin'), '')
  await truncate(at('many/huge.bin'), 5000)
  await writeTree(folder.root, { 'cache/CACHEDIR.TAG': '', 'cache/x': 'x' })
  const stored = new Set<string>()
  const deps: WalkDeps = {
    workspace: { root: folder.root },
    before: new Map(),
    isTransient: (name) => name === '7.txt',
    isOwnData: (place) => place === 'many/3',
    limits: { fileBytes: 4000, files: 1000, readBytes: 1_000_000 },
    contents: {
      has: async () => false,
      hasAll: async () => false,
      put: async (hash) => void stored.add(hash),
      flush: async () => undefined,
    },
  }
  const [one, other] = [await walkTree(deps), await walkTree({ ...deps, thread })]
  const sorted = (tree: typeof one.tree) => [...tree].toSorted(([a], [b]) => (a < b ? -1 : 1))
  expect(sorted(other.tree).map(([place, { kind }]) => [place, kind])).toEqual(
    sorted(one.tree).map(([place, { kind }]) => [place, kind]),
  )
  expect(other.hashed).toBe(one.hashed)
  const places = [...other.tree.keys()]
  for (const [index, place] of places.entries())
    expect(places.slice(0, index)).toEqual(
      expect.arrayContaining(path.dirname(place) === '.' ? [] : [path.dirname(place)]),
    )
  expect(other.tree.get('many/3')).toBeUndefined()
  expect(other.tree.get('cache')).toMatchObject({ kind: 'omitted' })
  expect([...other.tree.values()].filter(({ kind }) => kind === 'file').length).toBe(1000)
})

test('a scan whose contents cannot be stored fails, and reads nothing more', async () => {
  await writeTree(
    folder.root,
    Object.fromEntries(Array.from({ length: 1500 }, (_, index) => [`many/${index}`, `${index}`])),
  )
  let asked = 0
  const scan = walkTree({
    workspace: { root: folder.root },
    before: new Map(),
    isTransient: () => false,
    limits: { fileBytes: 4000, files: 10_000, readBytes: 1_000_000 },
    contents: {
      has: async () => false,
      hasAll: async () => false,
      put: async () => {
        asked += 1
        throw new Error('The disk is full.')
      },
      flush: async () => undefined,
    },
    thread,
  })
  await expect(scan).rejects.toThrow('The disk is full.')
  const before = asked
  await rm(at('many'), { recursive: true })
  expect(asked).toBe(before)
})
