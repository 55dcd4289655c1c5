import { appendFile, mkdir, mkdtemp, realpath, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { outsidePath } from '../../shared/files/outsideFiles.ts'
import { createBuffers, type Buffers } from './buffers.ts'
import { watchOutsideFiles } from './outsideWatcher.ts'

let root: string
let buffers: Buffers
let changed: ReturnType<typeof vi.fn<(paths: string[]) => void>>
let stop: () => Promise<void>
const at = (name: string) => path.join(root, name)
const open = (name: string, isOpen = true) =>
  buffers.sync({ path: name, open: isOpen, dirty: false, text: null, version: 1 })

beforeEach(async () => {
  root = await realpath(await mkdtemp(path.join(tmpdir(), 'outside-watch-')))
  buffers = createBuffers()
  changed = vi.fn<(paths: string[]) => void>()
  stop = watchOutsideFiles(buffers, changed)
})
afterEach(async () => {
  await stop()
  await rm(root, { recursive: true })
})

/** Changes something and waits until the file is reported. */
async function reports(name: string, change: () => Promise<unknown>): Promise<void> {
  changed.mockClear()
  await change()
  await vi.waitFor(() => expect(changed.mock.calls.flat(2)).toContain(outsidePath(at(name))), { timeout: 5000 })
}

it('reports changes, replacements, deletion and return of an open file', async () => {
  await writeFile(at('a.txt'), 'one')
  await reports('a.txt', async () => open(outsidePath(at('a.txt'))))
  await reports('a.txt', () => writeFile(at('a.txt'), 'two'))
  for (const text of ['three', 'four']) {
    await writeFile(at('new'), text)
    await reports('a.txt', () => rename(at('new'), at('a.txt')))
  }
  await reports('a.txt', () => rm(at('a.txt')))
  await reports('a.txt', () => writeFile(at('a.txt'), 'five'))
  await reports('a.txt', () => writeFile(at('a.txt'), 'six'))
})

it('reports a file that is written piece by piece a few times', async () => {
  await writeFile(at('a.txt'), '')
  await reports('a.txt', async () => open(outsidePath(at('a.txt'))))
  await reports('a.txt', async () => {
    for (let index = 0; index < 100; index += 1) await appendFile(at('a.txt'), 'line')
  })
  expect(changed.mock.calls.length).toBeLessThan(20)
})

it('watches only open files outside the folder, also ones that do not exist yet', async () => {
  await writeFile(at('a.txt'), 'one')
  await writeFile(at('b.txt'), 'one')
  await reports('a.txt', async () => open(outsidePath(at('a.txt'))))
  await reports('later.txt', async () => open(outsidePath(at('later.txt'))))
  open('in folder.txt')
  await writeFile(at('b.txt'), 'two')
  await mkdir(at('folder'))
  await reports('later.txt', () => writeFile(at('later.txt'), 'one'))
  open(outsidePath(at('a.txt')), false)
  await writeFile(at('a.txt'), 'two')
  await reports('later.txt', () => writeFile(at('later.txt'), 'two'))
  expect(new Set(changed.mock.calls.flat(2))).toEqual(new Set([outsidePath(at('later.txt'))]))
})
