import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { temporaryFolder } from '../../tools/testing/toolContext.ts'
import { startBackgroundScan, type BackgroundScan } from './backgroundScan.ts'
import type { Tree } from './entries.ts'
import type { BlobBatch } from './packWriter.ts'
import { createReadingThreads, type ReadingThreads } from './readingThreads.ts'
import { scanWorkspace, type WatchedState } from './scanWorkspace.ts'
import type { WalkDeps } from './walkTree.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let thread: ReadingThreads
let deps: WalkDeps & { contents: BlobBatch; batch(): BlobBatch }
const contents = new Map<string, string>()

const at = (name: string) => path.join(folder.root, name)

beforeEach(async () => {
  folder = await temporaryFolder({ 'a.txt': 'one', 'd/b.txt': 'one' })
  thread = createReadingThreads({ root: folder.root })
  const batch: BlobBatch = {
    has: async (hash) => contents.has(hash),
    hasAll: async (hashes) => [...hashes].every((hash) => contents.has(hash)),
    put: async (hash, content) => void contents.set(hash, content.toString()),
    flush: async () => undefined,
    failed: () => false,
  }
  deps = {
    workspace: { root: folder.root },
    limits: { fileBytes: 1000, files: 1000, readBytes: 100_000 },
    before: new Map(),
    isTransient: () => false,
    isWatched: true,
    thread,
    contents: batch,
    batch: () => batch,
  }
})
afterEach(async () => {
  await thread.dispose()
  await folder.remove()
})

function textOf(tree: Tree, place: string): string | undefined {
  const entry = tree.get(place)
  return entry?.kind === 'file' ? contents.get(entry.hash) : undefined
}

test('an edit before the thread knows the time of the scan is in the next scan', async () => {
  const { tree, time } = await scanWorkspace(deps, undefined)
  for (const earlier of [undefined, { tree, time: time ?? 0 } satisfies WatchedState]) {
    const edited = Promise.withResolvers<void>()
    const slow = {
      ...thread,
      async changesSince(since: number | undefined) {
        await edited.promise
        return thread.changesSince(since)
      },
    }
    const scan: BackgroundScan = startBackgroundScan({ ...deps, thread: slow, earlier })
    await scan.pin(['a.txt', 'd/b.txt'])
    const before = textOf(scan.pinned().tree, 'a.txt')
    for (const name of ['a.txt', 'd/b.txt']) await writeFile(at(name), `${before} edited`)
    edited.resolve()
    const result = await scan.done
    expect([textOf(result.tree, 'a.txt'), textOf(result.tree, 'd/b.txt')]).toEqual([before, before])
    const { read } = result
    const next = await scanWorkspace(deps, { tree: read.tree, time: read.time ?? 0 })
    expect([textOf(next.tree, 'a.txt'), textOf(next.tree, 'd/b.txt')]).toEqual([`${before} edited`, `${before} edited`])
  }
})
