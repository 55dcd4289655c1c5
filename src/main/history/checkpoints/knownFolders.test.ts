import { appendFile, chmod, mkdir, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { temporaryFolder } from '../../tools/testing/toolContext.ts'
import type { Tree } from './entries.ts'
import type { KnownFolders } from './knownFolders.ts'
import { createEntryReader } from './readEntries.ts'
import type { WatchingReader } from './readingThreads.ts'
import type { WalkLimits } from './treeRecorder.ts'
import { walkTree } from './walkTree.ts'

// A scan of a folder that an earlier scan has read.

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let folders: KnownFolders
let stored: Set<string>
let before: Tree
/** What the scans asked of the reader. */
let asked: string[]
/** Called with the folders of each listing. */
let onListed: (folders: string[]) => void

const at = (name: string) => path.join(folder.root, name)
const limits: WalkLimits = { fileBytes: 1000, files: 10_000, readBytes: 1_000_000 }

/** Counts what a scan of a large folder reads, which it does in a thread. */
function countingReader(): WatchingReader {
  const reader = createEntryReader({ root: folder.root })
  return {
    changesSince: async () => undefined,
    async list(requests) {
      const listings = await reader.list(requests)
      asked.push(...listings.map(({ kind }, index) => `${kind} ${requests[index]?.place}`))
      onListed(requests.map(({ place }) => place))
      return listings
    },
    async find(places) {
      asked.push(...places.map((place) => `find ${place}`))
      return reader.find(places)
    },
    async read(files, maxBytes) {
      asked.push(...files.map(({ place }) => `read ${place}`))
      return reader.read(files, maxBytes)
    },
  }
}

async function scan(reuse = true, changedLimits: Partial<WalkLimits> = {}): Promise<Tree> {
  asked = []
  const { tree } = await walkTree({
    workspace: { root: folder.root },
    limits: { ...limits, ...changedLimits },
    isTransient: (name) => name.endsWith('.tmp'),
    before: reuse ? before : new Map(),
    ...(reuse && { folders }),
    contents: {
      has: async (hash) => stored.has(hash),
      hasAll: async (hashes) => [...hashes].every((hash) => stored.has(hash)),
      put: async (hash) => void stored.add(hash),
      flush: async () => undefined,
    },
    thread: countingReader(),
  })
  if (reuse) before = tree
  return tree
}

const sorted = (tree: Tree) => [...tree].toSorted(([a], [b]) => (a < b ? -1 : 1))
const past = new Date(Date.now() - 60_000)

beforeEach(async () => {
  const names = Array.from({ length: 600 }, (_, index) => `d${index % 6}/f${index}.txt`)
  folder = await temporaryFolder({
    ...Object.fromEntries(names.map((name) => [name, name])),
    'd1/large.bin': 'x'.repeat(2000),
    'd2/node_modules/m.js': 'm',
    'd3/.git': 'gitdir: elsewhere',
    'd4/inner/deep.txt': 'deep',
  })
  await symlink('f1.txt', at('d1/link'))
  // Files that were just written may change without a new time, so they are not reused.
  await delay(150)
  folders = new Map()
  stored = new Set()
  before = new Map()
  onListed = () => undefined
})
afterEach(() => folder.remove())

test('an unchanged folder is listed and nothing else', async () => {
  const first = await scan()
  const second = await scan()
  expect(asked.toSorted()).toEqual(
    ['.', 'd0', 'd1', 'd2', 'd3', 'd4', 'd4/inner', 'd5'].map((place) => `unchanged ${place}`),
  )
  expect(sorted(second)).toEqual(sorted(first))
  expect(second.get('d0/f0.txt')).toBe(first.get('d0/f0.txt'))
  expect(second.get('d0')).not.toBe(first.get('d0'))
})

test('a changed folder has the same entries as in a scan that knows nothing', async () => {
  await scan()
  const changes: (() => Promise<unknown>)[] = [
    () => appendFile(at('d0/f0.txt'), '!'),
    () => rm(at('d0/f6.txt')),
    () => writeFile(at('d5/new.txt'), 'new'),
    () => chmod(at('d1/f1.txt'), 0o600),
    () => rm(at('d1/link')).then(() => symlink('f7.txt', at('d1/link'))),
    () => rename(at('d4/inner'), at('d4/moved')),
    () => mkdir(at('d4/inner')),
    () => writeFile(at('d2/CACHEDIR.TAG'), ''),
    () => rm(at('d3'), { recursive: true }),
    () => writeFile(at('d5/running.tmp'), ''),
    () => writeFile(at('d1/large.bin'), 'small now'),
    () => rm(at('d2/CACHEDIR.TAG')),
  ]
  for (const change of changes) {
    await change()
    const tree = await scan()
    const other = await scan(false)
    // The stamp of a file that was just written depends on the time of the scan.
    const shown = (scanned: Tree) => sorted(scanned).map(([place, entry]) => [place, { ...entry, stamp: '' }])
    expect(shown(tree)).toEqual(shown(other))
  }
})

test('a file whose modification time was reset is read again', async () => {
  await scan()
  await writeFile(at('d0/f0.txt'), 'F0/f0.txt')
  await utimes(at('d0/f0.txt'), past, past)
  await scan()
  expect(asked).toContain('read d0/f0.txt')
})

test('a scan records what it listed, although an older scan that ends meanwhile remembers an older state', async () => {
  await scan()
  const older = folders.get('d0')
  await writeFile(at('d0/f0.txt'), 'newer')
  await delay(150)
  const newer = (await scan()).get('d0/f0.txt')
  onListed = (places) => void (older && places.includes('d0') && folders.set('d0', older))
  expect((await scan()).get('d0/f0.txt')).toEqual(newer)
  expect(asked).toContain('unchanged d0')
})

test('a content that is no longer stored is read again', async () => {
  const entry = (await scan()).get('d0/f0.txt')
  stored.delete(entry?.kind === 'file' ? entry.hash : '')
  await scan()
  expect(asked.filter((each) => each.startsWith('read'))).toEqual(['read d0/f0.txt'])
})

test('a scan that reaches a limit leaves nothing for later ones to reuse', async () => {
  const omitted = (tree: Tree) => [...tree.values()].filter(({ kind }) => kind === 'omitted').length
  expect(omitted(await scan(true, { files: 100 }))).toBeGreaterThan(500)
  expect(folders.size).toBe(0)
  expect(omitted(await scan())).toBe(2)
  expect(omitted(await scan(true, { files: 100 }))).toBeGreaterThan(500)
})
