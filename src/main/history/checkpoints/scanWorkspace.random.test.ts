import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  closeSync,
  existsSync,
  ftruncateSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { log } from '../../base/log/log.ts'
import { roundsOf, seededRandom, testSeed, type SeededRandom } from '../../testing/longForm.ts'
import { temporaryFolder } from '../../tools/testing/toolContext.ts'
import type { Tree } from './entries.ts'
import { cacheMarker, isGenerated } from './generatedFolders.ts'
import { hashFolders, type HashedFolders } from './hashFolders.ts'
import { createReadingThreads, type ReadingThreads } from './readingThreads.ts'
import { scanWorkspace, type WatchedState } from './scanWorkspace.ts'
import { walkTree, type WalkDeps } from './walkTree.ts'

// After any sequence of changes, a scan of the changes finds the same as one that reads everything.

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let outside: Awaited<ReturnType<typeof temporaryFolder>>
let thread: ReadingThreads
let deps: WalkDeps
let random: SeededRandom
let limited: number
/** Files and folders that only a privileged user can read. They may have been moved since. */
let unreadable: string[]
const stored = new Set<string>()

const limits = { fileBytes: 400, files: 1_000_000, readBytes: 1_000_000_000 }
const folderNames = ['a', 'b', 'c', 'node_modules', 'dist', '.git', 'new\nline']
const fileNames = ['1.txt', '2.txt', '3.txt', 'CACHEDIR.TAG', '.gitignore', 'x.tmp', 'ü', 'a', 'b']
/** Valid and invalid UTF-8, which Node.js shows as the same name. */
const invalidName = Buffer.from([0x66, 0xff])

beforeEach(async () => {
  random = seededRandom()
  folder = await temporaryFolder({ 'a/b/1.txt': 'one', 'a/1.txt': 'two', 'b/c/a/2.txt': 'deep', '1.txt': 'top' })
  outside = await temporaryFolder({ 'a/1.txt': 'outside' })
  thread = createReadingThreads({ root: folder.root })
  limited = 0
  unreadable = []
  deps = {
    workspace: { root: folder.root },
    limits,
    before: new Map(),
    isTransient: (name) => name.endsWith('.tmp'),
    isWatched: true,
    folders: new Map(),
    contents: {
      has: async (hash) => stored.has(hash),
      hasAll: async (hashes) => [...hashes].every((hash) => stored.has(hash)),
      put: async (hash) => void stored.add(hash),
      flush: async () => undefined,
    },
    thread: {
      ...thread,
      async changesSince(time) {
        const changes = await thread.changesSince(time)
        if (time !== undefined && changes?.paths) limited += 1
        return changes
      },
    },
  }
})
afterEach(async () => {
  await thread.dispose()
  for (const { root } of [folder, outside]) execFileSync('chmod', ['-R', 'u+rwX', root])
  await folder.remove()
  await outside.remove()
})

/** Chooses an existing folder. */
function someFolder(root = folder.root): string {
  let at = root
  while (random() < 0.7) {
    const inner = readdirSync(at, { withFileTypes: true }).filter((entry) => entry.isDirectory())
    if (inner.length === 0) return at
    at = path.join(at, random.pick(inner).name)
    if (!existsSync(at)) return root
  }
  return at
}

/** Chooses an existing entry of the workspace. */
function someEntry(accepts: (file: string) => boolean = () => true): string | undefined {
  const at = someFolder()
  const entries = readdirSync(at)
    .map((name) => path.join(at, name))
    .filter((file) => lstatSync(file, { throwIfNoEntry: false }) && accepts(file))
  return entries.length === 0 ? undefined : random.pick(entries)
}

const isFile = (file: string) => lstatSync(file).isFile()
const someName = () => path.join(someFolder(), random.pick(random() < 0.5 ? folderNames : fileNames))
const someText = () => String(random.integer(1000)).repeat(1 + random.integer(random() < 0.1 ? 200 : 3))

/** What programs do with files, by name. A failure is one that a program could have too. */
const operations: Record<string, () => void> = {
  create: () => writeFileSync(someName(), someText()),
  'write in place': () => inPlace((descriptor) => writeSync(descriptor, someText(), 0)),
  append() {
    const file = someEntry(isFile)
    if (file !== undefined) writeFileSync(file, someText(), { flag: 'a' })
  },
  'same size and times'() {
    const file = someEntry(isFile)
    if (file === undefined) return
    const { size, atime, mtime } = lstatSync(file)
    inPlace((descriptor) => writeSync(descriptor, String(random.integer(10)).repeat(size), 0), file)
    utimesSync(file, atime, mtime)
  },
  truncate: () => inPlace((descriptor) => ftruncateSync(descriptor, random.integer(3))),
  grow: () => inPlace((descriptor) => ftruncateSync(descriptor, 380 + random.integer(40))),
  rename: () => renameSome(someName()),
  'rename over'() {
    const target = someEntry()
    if (target !== undefined) renameSome(target)
  },
  'move out': () => renameSome(path.join(someFolder(outside.root), random.pick(folderNames))),
  'move in'() {
    const from = readdirSync(outside.root).map((name) => path.join(outside.root, name))
    if (from.length > 0) renameSync(random.pick(from), someName())
  },
  cycle() {
    const [one, other] = [someEntry(), someEntry()]
    if (one === undefined || other === undefined) return
    const passing = path.join(folder.root, 'passing')
    renameSync(one, passing)
    if (existsSync(other)) renameSync(other, one)
    renameSync(passing, other)
  },
  remove() {
    const file = someEntry()
    if (file !== undefined) rmSync(file, { recursive: true })
  },
  'folder again'() {
    const at = someFolder()
    if (at === folder.root) return
    rmSync(at, { recursive: true })
    mkdirSync(at)
    if (random() < 0.5) writeFileSync(path.join(at, random.pick(fileNames)), someText())
  },
  'new folder'() {
    const at = someName()
    mkdirSync(path.join(at, random.pick(folderNames), random.pick(folderNames)), { recursive: true })
    writeFileSync(path.join(at, random.pick(fileNames)), someText())
  },
  'link inside'() {
    const file = someEntry(isFile)
    const target = someName()
    // Without a watch, the further path is only found when everything is read.
    if (file !== undefined && isRecorded(path.dirname(target))) linkSync(file, target)
  },
  'link to outside'() {
    const file = path.join(outside.root, random.pick(fileNames))
    writeFileSync(file, someText())
    linkSync(file, someName())
  },
  'write outside'() {
    const files = readdirSync(outside.root).map((name) => path.join(outside.root, name))
    writeFileSync(random.pick([...files.filter(isFile), path.join(outside.root, '1.txt')]), someText())
  },
  'symbolic link': () => symlinkSync(random.pick(['a', '.', '../b', outside.root]), someName()),
  chmod() {
    const file = someEntry((found) => !lstatSync(found).isSymbolicLink())
    if (file !== undefined) chmodSync(file, random.pick([0o700, 0o755, 0o600, 0o644]) | (isFile(file) ? 0 : 0o700))
  },
  unreadable() {
    const file = someEntry((found) => !lstatSync(found).isSymbolicLink())
    if (file === undefined) return
    chmodSync(file, random.pick([0o000, 0o200, 0o400, 0o500]))
    unreadable.push(file)
  },
  'readable again'() {
    const file = unreadable.splice(random.integer(unreadable.length), 1)[0]
    if (file !== undefined && !lstatSync(file).isSymbolicLink()) chmodSync(file, 0o700)
  },
  'invalid name': () => writeFileSync(Buffer.concat([Buffer.from(`${someFolder()}/`), invalidName]), someText()),
  'name like an invalid one': () => writeFileSync(path.join(someFolder(), invalidName.toString()), someText()),
  'many files'() {
    const at = someFolder()
    for (let index = 0; index < 60; index++) writeFileSync(path.join(at, `many${index}`), someText())
  },
  'remove many files'() {
    const at = someFolder()
    for (const name of readdirSync(at)) if (name.startsWith('many')) rmSync(path.join(at, name))
  },
  deep: () => mkdirSync(path.join(someFolder(), 'a/b/c/'.repeat(5)), { recursive: true }),
  empty() {
    if (random() < 0.1)
      for (const name of readdirSync(folder.root)) rmSync(path.join(folder.root, name), { recursive: true })
  },
}

/** Whether checkpoints contain what is in a folder. */
function isRecorded(at: string): boolean {
  if (at === folder.root) return true
  const name = path.basename(at)
  const isLeftOut = name === '.git' || isGenerated(name) || deps.isTransient(name) || name === invalidName.toString()
  if (isLeftOut || existsSync(path.join(at, cacheMarker))) return false
  return isRecorded(path.dirname(at))
}

function inPlace(change: (descriptor: number) => void, file = someEntry(isFile)): void {
  if (file === undefined) return
  const descriptor = openSync(file, 'r+')
  try {
    change(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

function renameSome(target: string): void {
  const file = someEntry()
  if (file !== undefined) renameSync(file, target)
}

function change(): string {
  const name = random.pick(Object.keys(operations))
  try {
    operations[name]?.()
    return name
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error) && !(error instanceof Error && 'code' in error)) throw error
    return `${name} (failed)`
  }
}

/** Sorted entries of a tree without stamps, which are empty for files that have just changed. */
function contentOf(tree: Tree): string[] {
  return [...tree]
    .map(([place, entry]) =>
      JSON.stringify([
        place,
        { ...entry, ...('stamp' in entry && { stamp: '' }), hash: 'size' in entry && entry.hash },
      ]),
    )
    .toSorted()
}

test.runIf(process.platform === 'linux')(
  'random changes between scans, and during them',
  async () => {
    const logged = vi.spyOn(log, 'error')
    const hashed: HashedFolders = new Map()
    let state: WatchedState | undefined
    const done: string[] = []
    const scan = async () => {
      const { tree, time } = await scanWorkspace(deps, state)
      state = time === undefined ? undefined : { tree, time }
      return tree
    }
    for (let round = 0; round < roundsOf(1000); round++) {
      done.length = 0
      for (let count = 1 + random.integer(4); count > 0; count--) done.push(change())
      if (random() < 0.3) {
        const scanning = scan()
        for (let count = random.integer(4); count > 0; count--) done.push(`${change()} during a scan`)
        await scanning
      }
      const tree = await scan()
      const about = `seed ${testSeed}, round ${round}: ${done.join(', ')}`
      const whole = await walkTree({ ...deps, thread: undefined, folders: undefined, before: new Map() })
      expect(contentOf(tree), about).toEqual(contentOf(whole.tree))
      const copy: Tree = new Map([...tree].map(([place, entry]) => [place, { ...entry }]))
      expect((await hashFolders(tree, hashed)).top, about).toBe((await hashFolders(copy, new Map())).top)
    }
    // The thread has not failed.
    expect(logged).not.toHaveBeenCalled()
    expect(limited).toBeGreaterThan(roundsOf(1000) / 2)
  },
  1_200_000,
)
