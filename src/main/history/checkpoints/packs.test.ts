import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, readFile, rm, stat, truncate, utimes, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../tools/testing/toolContext.ts'
import { expectFailure } from '../../workspace/testing/disk.ts'
import { createBlobs, type Blobs } from './blobs.ts'
import { hashOf } from './entries.ts'

let data: Awaited<ReturnType<typeof temporaryFolder>>

const folder = () => path.join(data.root, 'store')
const packFolder = () => `${folder()}-packs`
const open = (grace = 0): Blobs => createBlobs(folder(), grace)
const packs = async () => (await readdir(packFolder())).map((name) => path.join(packFolder(), name))

/** Returns different contents with their hashes. */
async function manyContents(count: number, label = 'content') {
  return Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const content = Buffer.from(`${label} ${index}\n`.repeat(1 + (index % 40)))
      return { hash: await hashOf(content), content }
    }),
  )
}
type Contents = Awaited<ReturnType<typeof manyContents>>

async function store(blobs: Blobs, contents: Contents): Promise<void> {
  const batch = blobs.batch()
  for (const { hash, content } of contents) await batch.put(hash, content)
  await batch.flush()
}

async function expectStored(blobs: Blobs, contents: Contents): Promise<void> {
  for (const { hash, content } of contents) {
    expect(await blobs.has(hash)).toBe(true)
    expect((await blobs.get(hash)).equals(content)).toBe(true)
  }
}

/** Overwrites bytes of a file. */
async function damage(file: string, from: number, length: number): Promise<void> {
  const bytes = await readFile(file)
  await writeFile(file, bytes.fill(0x5a, from, from + length))
}

beforeEach(async () => {
  data = await temporaryFolder()
})
afterEach(() => data.remove())

describe('a batch', () => {
  test('stores many contents in one file, which other processes can read', async () => {
    const contents = await manyContents(600)
    contents.push({ hash: await hashOf(Buffer.alloc(0)), content: Buffer.alloc(0) })
    const large = Buffer.alloc(3 * 1024 * 1024, 'large')
    contents.push({ hash: await hashOf(large), content: large })
    await store(open(), contents)
    expect(await packs()).toHaveLength(1)
    expect(await readdir(data.root)).toEqual(['store-packs'])
    await expectStored(open(), contents)
    const [pack = ''] = await packs()
    expect((await stat(pack)).mode & 0o777).toBe(0o600)
    const { size } = await stat(pack)
    const bytes = await open().bytes()
    expect(bytes).toBeGreaterThan(size * 0.9)
    expect(bytes).toBeLessThanOrEqual(size)
  })

  test('of few contents leaves no pack', async () => {
    const contents = await manyContents(3)
    await store(open(), contents)
    expect(await readdir(data.root)).toEqual(['store'])
    await expectStored(open(), contents)
  })

  test('does not store a content again', async () => {
    const contents = await manyContents(100)
    const blobs = open()
    await store(blobs, contents)
    await store(blobs, contents)
    await store(open(), contents)
    expect(await packs()).toHaveLength(1)
    await expect(readdir(folder())).rejects.toThrow('ENOENT')
  })

  test('has its contents before they are stored, and fails if they cannot be', async () => {
    const contents = await manyContents(100)
    const blobs = open()
    const batch = blobs.batch()
    for (const { hash, content } of contents) await batch.put(hash, content)
    const { hash } = contents[0] ?? expect.fail()
    expect([await batch.has(hash), await blobs.has(hash)]).toEqual([true, false])
    await writeFile(packFolder(), 'a file where the folder would be')
    await expectFailure(batch.flush(), 'io_error')
    expect([batch.failed(), await batch.has(hash)]).toEqual([true, false])
    await rm(packFolder())
    await store(blobs, contents)
    await expectStored(open(), contents)
  })

  test('spreads more than 16 MB over several packs', async () => {
    const contents = await Promise.all(
      Array.from({ length: 40 }, async (_, index) => {
        const content = Buffer.alloc(1024 * 1024, `content ${index}`)
        return { hash: await hashOf(content), content }
      }),
    )
    await store(open(), contents)
    expect((await packs()).length).toBeGreaterThan(2)
    await expectStored(open(), contents)
  })
})

test('a process that is killed while it stores contents leaves no damaged ones', async () => {
  const script = `
    import { createBlobs } from ${JSON.stringify(path.join(import.meta.dirname, 'blobs.ts'))}
    import { hashOf } from ${JSON.stringify(path.join(import.meta.dirname, 'entries.ts'))}
    const batch = createBlobs(${JSON.stringify(folder())}, 0).batch()
    for (let round = 0; ; round++) {
      for (let index = 0; index < 3000; index++) {
        const content = Buffer.alloc(20_000, round + ' ' + index)
        await batch.put(await hashOf(content), content)
      }
      await batch.flush()
      process.stdout.write('stored')
    }`
  const child = spawn(process.execPath, ['--no-warnings', '--input-type=module', '-e', script])
  const ended = once(child, 'exit')
  await once(child.stdout, 'data')
  await new Promise((resolve) => setTimeout(resolve, 100))
  child.kill('SIGKILL')
  await ended
  const blobs = open()
  let stored = 0
  for (let index = 0; index < 3000; index++)
    for (const round of [0, 1, 2]) {
      const hash = await hashOf(Buffer.alloc(20_000, `${round} ${index}`))
      if (!(await blobs.has(hash))) continue
      stored += 1
      expect((await blobs.get(hash)).length).toBe(20_000)
    }
  expect(stored).toBeGreaterThanOrEqual(3000)
  await blobs.sweep(new Set())
  expect(await packs()).toEqual([])
}, 60_000)

describe('a sweep', () => {
  test('keeps what is referenced of a pack, and deletes the rest', async () => {
    const contents = await manyContents(300)
    const blobs = open()
    await store(blobs, contents)
    const [kept, dropped] = [contents.filter((_, index) => index % 3 === 0), contents.filter((_, index) => index % 3)]
    const before = await blobs.bytes()
    await blobs.sweep(new Set(kept.map(({ hash }) => hash)))
    for (const each of [blobs, open()]) {
      await expectStored(each, kept)
      for (const { hash } of dropped.slice(0, 20)) {
        expect(await each.has(hash)).toBe(false)
        await expectFailure(each.get(hash), 'not_found')
      }
    }
    expect(await packs()).toHaveLength(1)
    expect(await blobs.bytes()).toBeLessThan(before)
    await blobs.sweep(new Set())
    expect(await packs()).toEqual([])
  })

  test('leaves a pack whose contents are all referenced, and a recent one', async () => {
    const contents = await manyContents(100)
    await store(open(), contents)
    const before = await packs()
    await open().sweep(new Set(contents.map(({ hash }) => hash)))
    await open(60_000).sweep(new Set())
    expect(await packs()).toEqual(before)
  })

  test('by another process does not disturb reading', async () => {
    const contents = await manyContents(200)
    const blobs = open()
    await store(blobs, contents)
    const kept = contents.slice(50, 150)
    await open().sweep(new Set(kept.map(({ hash }) => hash)))
    await expectStored(blobs, kept)
    await expectFailure(blobs.get(contents[0]?.hash ?? ''), 'not_found')
  })

  test('removes partial packs of killed processes', async () => {
    await mkdir(packFolder())
    await writeFile(path.join(packFolder(), 'half.pack-1.part'), 'half')
    const blobs = open()
    expect(await blobs.bytes()).toBe(0)
    await blobs.sweep(new Set())
    expect(await packs()).toEqual([])
  })
})

describe('a damaged pack', () => {
  test('is reported for the damaged contents only, which the next batch stores again', async () => {
    const contents = await manyContents(4000)
    await store(open(), contents)
    const [pack = ''] = await packs()
    await damage(pack, 10, 20)
    const blobs = open()
    const [first, last] = [contents[0], contents.at(-1)]
    if (!first || !last) expect.fail()
    await expectFailure(blobs.get(first.hash), 'io_error')
    expect((await blobs.get(last.hash)).equals(last.content)).toBe(true)
    expect(await blobs.has(first.hash)).toBe(false)
    await store(blobs, [first])
    await expectStored(blobs, [first])
    await expectStored(open(), [first])
  })

  test('is not swept while a damaged content is referenced', async () => {
    const contents = await manyContents(4000)
    await store(open(), contents)
    const before = await packs()
    await damage(before[0] ?? '', 10, 20)
    const kept = new Set([contents[0]?.hash ?? '', contents.at(-1)?.hash ?? ''])
    await open().sweep(kept)
    expect(await packs()).toEqual(before)
    expect(String(await open().get(contents.at(-1)?.hash ?? ''))).toContain('content 3999')
  })

  test.each(['index', 'trailer', 'length'])(
    'with a wrong %s counts as missing and does not prevent a new one',
    async (part) => {
      const contents = await manyContents(200)
      await store(open(), contents)
      const [pack = ''] = await packs()
      const { size } = await stat(pack)
      if (part === 'length') await truncate(pack, size - 100)
      else await damage(pack, part === 'index' ? size - 200 : size - 20, 4)
      const blobs = open()
      const { hash } = contents[0] ?? expect.fail()
      expect(await blobs.has(hash)).toBe(false)
      await expectFailure(blobs.get(hash), 'io_error')
      await store(blobs, contents)
      await expectStored(open(), contents)
    },
  )

  test('is deleted when nothing is referenced any more', async () => {
    await store(open(), await manyContents(200))
    const [pack = ''] = await packs()
    await truncate(pack, 100)
    await utimes(pack, 0, 0)
    await open(1000).sweep(new Set(['other']))
    expect(await packs()).toEqual([pack])
    await open(1000).sweep(new Set())
    expect(await packs()).toEqual([])
  })
})
