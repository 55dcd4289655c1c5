import { execFileSync } from 'node:child_process'
import { appendFile, chmod, link, mkdir, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { temporaryFolder, writeTree } from '../../tools/testing/toolContext.ts'
import type { Tree } from './entries.ts'
import { createReadingThreads, type ReadingThreads } from './readingThreads.ts'
import { scanWorkspace, type WatchedState } from './scanWorkspace.ts'
import { walkTree, type WalkDeps, type WalkResult } from './walkTree.ts'

// A scan that reads only what has changed finds the same as one that reads everything.

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let thread: ReadingThreads
let deps: WalkDeps
/** Paths that the last scans were limited to; undefined if they read everything. */
let changed: (string[] | undefined)[]
const stored = new Set<string>()

const at = (name: string) => path.join(folder.root, name)

beforeEach(async () => {
  const names = Array.from({ length: 2000 }, (_, index) => `d${index % 20}/e/f${index}.txt`)
  folder = await temporaryFolder({ ...Object.fromEntries(names.map((name) => [name, name])), 'a.txt': 'a' })
  // Files that were just written would be read again.
  await delay(150)
  thread = createReadingThreads({ root: folder.root })
  changed = []
  deps = {
    workspace: { root: folder.root },
    limits: { fileBytes: 1000, files: 10_000, readBytes: 1_000_000 },
    before: new Map(),
    isTransient: (name) => name.endsWith('.tmp'),
    isWatched: true,
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
        if (time !== undefined) changed.push(changes?.paths)
        return changes
      },
    },
  }
})
afterEach(async () => {
  await thread.dispose()
  await folder.remove()
})

function stateOf({ tree, time }: WalkResult): WatchedState {
  if (time === undefined) throw new Error('Later changes of this state are not known.')
  return { tree, time }
}

async function watchedState(): Promise<WatchedState> {
  return stateOf(await scanWorkspace(deps, undefined))
}

/** What a tree contains, without the order and what differs in each scan. */
function contentOf(tree: Tree) {
  const text = (place: string) => {
    const entry = tree.get(place)
    if (entry?.kind === 'file') return `${entry.mode} ${entry.hash}`
    return entry?.kind === 'link' ? entry.target : `${entry?.kind}`
  }
  return [...tree.keys()].toSorted().map((place) => `${place}: ${text(place)}`)
}

/** Compares a scan of the changes with one that reads everything. */
async function expectSame(earlier: WatchedState): Promise<WatchedState> {
  const scanned = await scanWorkspace(deps, earlier)
  expect(contentOf(scanned.tree)).toEqual(contentOf((await walkTree({ ...deps, thread: undefined })).tree))
  const places = [...scanned.tree.keys()]
  const seen = new Set(['.'])
  for (const place of places) {
    expect(seen).toContain(path.posix.dirname(place))
    seen.add(place)
  }
  return stateOf(scanned)
}

const onLinux = test.runIf(process.platform === 'linux')

onLinux('an unchanged workspace is the same state', async () => {
  const state = stateOf(await scanWorkspace({ ...deps, isWatched: false }, undefined))
  expect((await scanWorkspace(deps, state)).tree).toBe(state.tree)
  expect(changed).toEqual([[]])
})

onLinux('changes of every kind are found, at once', async () => {
  let state = await watchedState()
  const steps: (() => Promise<unknown>)[] = [
    () => writeFile(at('a.txt'), 'changed'),
    () => appendFile(at('d1/e/f1.txt'), 'more'),
    () => chmod(at('d2/e/f2.txt'), 0o600),
    () => rm(at('d3/e/f3.txt')),
    () => rename(at('d4/e/f4.txt'), at('d5/e/moved.txt')),
    () => writeTree(folder.root, { 'new/deep/x.txt': 'x', 'new/y.txt': 'y' }),
    () => writeFile(at('new/deep/x.txt'), 'changed'),
    () => rename(at('d0'), at('moved')),
    () => writeFile(at('moved/e/f0.txt'), 'changed in a moved folder'),
    // Another folder at the path of one that was watched.
    async () => {
      await rename(at('d1'), at('d1-old'))
      await rename(at('d2'), at('d1'))
    },
    () => writeFile(at('d1/e/f2.txt'), 'changed in the other folder'),
    () => rm(at('new'), { recursive: true }),
    () => writeFile(at('new'), 'a file in the place of a folder'),
    async () => {
      await rm(at('a.txt'))
      await writeTree(folder.root, { 'a.txt/inner.txt': 'a folder in the place of a file' })
    },
    () => symlink('moved', at('link')),
    () => writeFile(at('d4/e/passing.tmp'), ''),
    () => mkdir(at('node_modules/package'), { recursive: true }),
    () => writeFile(at('d4/e/CACHEDIR.TAG'), ''),
    () => rm(at('d4/e/CACHEDIR.TAG')),
    // A name that is also the one of its folder.
    () => writeTree(folder.root, { 'd3/d3/d3': 'same name' }),
    () => writeFile(at('d3/d3/d3'), 'changed'),
  ]
  for (const step of steps) {
    await step()
    state = await expectSame(state)
  }
  expect(changed).toHaveLength(steps.length)
  expect(changed).not.toContain(undefined)
})

onLinux('a file that changes by another of its paths is read', async () => {
  await link(at('a.txt'), at('d1/e/linked.txt'))
  const outside = await temporaryFolder()
  try {
    await link(at('d2/e/f2.txt'), path.join(outside.root, 'outside.txt'))
    // Folders that are listed soon after a link was created may have been listed before it.
    await delay(300)
    const state = await watchedState()
    await writeFile(path.join(outside.root, 'outside.txt'), 'changed from outside')
    await expectSame(state)
    expect(changed.at(-1)).toContain('d2/e/f2.txt')
  } finally {
    await outside.remove()
  }
})

onLinux('a file that gets another path after a scan is read', async () => {
  const outside = await temporaryFolder({ 'outside.txt': 'one' })
  try {
    let state = await watchedState()
    await link(path.join(outside.root, 'outside.txt'), at('d1/e/linked.txt'))
    state = await expectSame(state)
    await writeFile(path.join(outside.root, 'outside.txt'), 'changed from outside')
    state = await expectSame(state)
    await link(at('d2/e/f2.txt'), at('d3/e/linked.txt'))
    state = await expectSame(state)
    await writeFile(at('d3/e/linked.txt'), 'changed by the new path')
    state = await expectSame(state)
    // Without a further path the changes are known again.
    await rm(at('d3/e/linked.txt'))
    state = await expectSame(state)
    await writeFile(at('a.txt'), 'changed')
    await expectSame(state)
    expect(changed.at(-1)).toContain('a.txt')
  } finally {
    await outside.remove()
  }
})

onLinux('a change in a cache does not bring it into the checkpoint', async () => {
  await writeTree(folder.root, { 'd1/CACHEDIR.TAG': '', 'd2/inner/x.txt': 'x' })
  let state = await watchedState()
  await writeFile(at('d2/CACHEDIR.TAG'), '')
  state = await expectSame(state)
  await writeFile(at('d2/inner/x.txt'), 'changed')
  state = await expectSame(state)
  await writeFile(at('d3/e/f3.txt'), 'changed')
  await writeFile(at('d3/CACHEDIR.TAG'), '')
  state = await expectSame(state)
  await writeFile(at('CACHEDIR.TAG'), 'one in the workspace itself has no meaning')
  await expectSame(state)
  expect(changed).not.toContain(undefined)
})

onLinux('after a scan that reached a limit, everything is read', async () => {
  deps = { ...deps, limits: { ...deps.limits, files: 2003 } }
  let state = await watchedState()
  await writeTree(folder.root, { 'd1/e/g1': 'at the limit', 'd1/e/g2': 'at the limit' })
  state = await expectSame(state)
  await writeTree(folder.root, { 'd1/e/g3': 'beyond the limit' })
  const limited = await scanWorkspace(deps, state)
  expect([...limited.tree.values()].filter(({ kind }) => kind === 'file')).toHaveLength(2003)
  expect([...limited.tree.values()].filter(({ kind }) => kind === 'omitted')).toHaveLength(1)
  // What it left out depends on all other files.
  expect(limited.time).toBeUndefined()
})

onLinux('a file that the system could not open for a passing reason is read by the next scan', async () => {
  const failing = async (files: readonly unknown[]) => files.map(() => ({ kind: 'failed' as const, code: 'EMFILE' }))
  let state = await watchedState()
  await writeFile(at('a.txt'), 'changed')
  const failed = await scanWorkspace({ ...deps, thread: { ...thread, read: failing } }, state)
  expect(failed.tree.get('a.txt')).toMatchObject({ kind: 'omitted' })
  expect(failed.time).toBeUndefined()
  state = await watchedState()
  await writeFile(at('a.txt'), 'changed again')
  await expectSame(state)
})

onLinux('after many changes, and after a folder of many was moved, everything is read', async () => {
  let state = await watchedState()
  await Promise.all(Array.from({ length: 150 }, (_, index) => writeFile(at(`d1/e/new${index}`), 'new')))
  state = await expectSame(state)
  const folders = Array.from({ length: 100 }, (_, index) => [`many/${index}/x.txt`, 'x'])
  await writeTree(folder.root, Object.fromEntries(folders) as Record<string, string>)
  state = await watchedState()
  changed = []
  await rename(at('many'), at('more'))
  // The watches of more folders ended than may without a new beginning.
  const scanned = await scanWorkspace(deps, state)
  expect(changed).toEqual([undefined])
  expect(scanned.tree.has('more/99/x.txt')).toBe(true)
  expect(scanned.tree.has('many')).toBe(false)
  await writeFile(at('more/5/x.txt'), 'changed')
  await expectSame(stateOf(scanned))
  expect(changed).toEqual([undefined, ['more/5/x.txt']])
})

onLinux('later changes of a file that changed while it was read in this thread are not known', async () => {
  await writeFile(at('a.txt'), 'changed')
  const soon = new Date(Date.now() + 60_000)
  await utimes(at('a.txt'), soon, soon)
  expect((await scanWorkspace({ ...deps, isWatched: false }, undefined)).time).toBeUndefined()
  expect((await scanWorkspace(deps, undefined)).time).toBeDefined()
})

onLinux('another folder in the place of the workspace is read', async () => {
  const state = await watchedState()
  await rename(folder.root, `${folder.root}-old`)
  try {
    await writeTree(folder.root, { 'other.txt': 'other' })
    expect(contentOf((await scanWorkspace(deps, state)).tree)).toHaveLength(1)
    expect(changed).toEqual([undefined])
  } finally {
    await rm(`${folder.root}-old`, { recursive: true })
  }
})

onLinux('changes by a program while they are asked for are found by the next scan', async () => {
  let state = await watchedState()
  for (let round = 0; round < 10; round++) {
    const writing = Array.from({ length: 5 }, (_, index) => appendFile(at(`d${index}/e/f${index}.txt`), `${round}`))
    state = stateOf(await scanWorkspace(deps, state))
    await Promise.all(writing)
    execFileSync('touch', [at(`d5/e/round${round}`)])
    state = await expectSame(state)
  }
})

test('a thread that ended knows no earlier changes', async () => {
  const state = await scanWorkspace(deps, undefined)
  await thread.dispose()
  await writeFile(at('a.txt'), 'changed')
  const again = await scanWorkspace(deps, { tree: state.tree, time: state.time ?? 0 })
  expect(changed).toEqual([undefined])
  expect(again.tree.get('a.txt')).not.toEqual(state.tree.get('a.txt'))
})
