import { mkdir, rm, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { temporaryFolder } from '../../tools/testing/toolContext.ts'
import { changedOnDisk, changedSinceKnown, staleReads } from './staleReads.ts'
import { editOf, readOf, user } from './testing/items.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
beforeEach(async () => {
  folder = await temporaryFolder({ 'src/a.ts': 'a', 'b.ts': 'b' })
})
afterEach(() => folder.remove())

/** Sets when a file last changed, in milliseconds since the epoch. */
const touched = (path: string, at: number) => utimes(join(folder.root, path), at / 1000, at / 1000)
const changed = async (...items: Parameters<typeof changedSinceKnown>[0]) =>
  changedSinceKnown(items, changedOnDisk(folder.root))

describe('files changed by the user or a command', () => {
  it('include files that changed after they were read', async () => {
    await touched('src/a.ts', 900)
    await touched('b.ts', 2000)
    expect(await changed(readOf('1', 'src/a.ts', 'a'), readOf('2', 'b.ts', 'b'))).toEqual([{ path: 'b.ts', at: 2000 }])
  })

  it("exclude the model's own changes, even after a long approval", async () => {
    await touched('b.ts', 60_000)
    expect(await changed(readOf('1', 'b.ts', 'b'), editOf('2', 'b.ts', { endedAt: 60_001 }))).toEqual([])
  })

  it('are reported once per change', async () => {
    await touched('b.ts', 5000)
    const told = { ...user('u', 'go on'), changedFiles: [{ path: 'b.ts', at: 5000 }] }
    expect(await changed(readOf('1', 'b.ts', 'b'), told)).toEqual([])
    await touched('b.ts', 6000)
    expect(await changed(readOf('1', 'b.ts', 'b'), told)).toEqual([{ path: 'b.ts', at: 6000 }])
  })

  it('are found before each request after a command, and a moment later after calls that only read', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: 10_000 })
    try {
      const changedAt = changedOnDisk(folder.root)
      const found = (...items: Parameters<typeof changedSinceKnown>[0]) => changedSinceKnown(items, changedAt)
      const read = readOf('1', 'b.ts', 'b')
      await touched('b.ts', 900)
      expect(await found(read)).toEqual([])
      await touched('b.ts', 5000)
      vi.setSystemTime(10_010)
      expect(await found(read)).toEqual([])
      expect(await found(read, editOf('2', 'src/a.ts', { endedAt: 10_005 }))).toEqual([{ path: 'b.ts', at: 5000 }])
      await touched('b.ts', 6000)
      expect(await found(read)).toEqual([{ path: 'b.ts', at: 5000 }])
      vi.setSystemTime(10_200)
      expect(await found(read)).toEqual([{ path: 'b.ts', at: 6000 }])
    } finally {
      vi.useRealTimers()
    }
  })

  it('are reported once when they are deleted', async () => {
    await rm(join(folder.root, 'b.ts'))
    expect(await changed(readOf('1', 'b.ts', 'b'))).toEqual([{ path: 'b.ts', at: 0 }])
    expect(
      await changed(readOf('1', 'b.ts', 'b'), { ...user('u', 'x'), changedFiles: [{ path: 'b.ts', at: 0 }] }),
    ).toEqual([])
    await mkdir(join(folder.root, 'c'))
    await writeFile(join(folder.root, 'b.ts'), 'new')
    expect(
      await changed(readOf('1', 'b.ts', 'b'), { ...user('u', 'x'), changedFiles: [{ path: 'b.ts', at: 0 }] }),
    ).toHaveLength(1)
  })
})

it('reads are stale after a later edit or a change on disk', async () => {
  await touched('src/a.ts', 900)
  await touched('b.ts', 3000)
  const items = [
    readOf('1', 'src/a.ts', 'a'),
    readOf('2', 'b.ts', 'b'),
    editOf('3', 'src/a.ts'),
    readOf('4', 'src/a.ts', 'a2'),
  ]
  expect([...(await staleReads(items, changedOnDisk(folder.root)))]).toEqual(['1', '2'])
})
