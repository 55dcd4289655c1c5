import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, expect, test, vi } from 'vitest'
import type { ReaderPool } from '../index/readerPool.ts'
import { temporaryFolder } from '../../tools/testing/toolContext.ts'
import { startReaderThreads } from './readerThreads.ts'

const grammars = path.join(import.meta.dirname, '../../../../resources/grammars')
const opened: (() => unknown)[] = []
afterEach(async () => {
  for (const close of opened.splice(0).toReversed()) await close()
})

async function open(files: Record<string, string>, maxFileCpu: number): Promise<ReaderPool> {
  const folder = await temporaryFolder(files)
  opened.push(folder.remove)
  const pool = startReaderThreads({
    workspace: { root: folder.root },
    grammars,
    size: 2,
    maxFileCpu,
    onNotice: (notice) => expect.unreachable(notice),
  })
  opened.push(pool.close)
  return pool
}

const unknown = (paths: readonly string[]) => paths.map((place) => ({ path: place, known: undefined }))

test('threads read chunks of files; what the index has already is not read', { timeout: 60_000 }, async () => {
  const pool = await open(
    { 'a.ts': 'export function one() {}\n', 'b.py': 'def two(): pass\n', 'c.md': '# three\n', 'd.ts': 'x' },
    60_000,
  )
  const [first, second] = await Promise.all([
    pool.read(unknown(['a.ts', 'missing.ts'])),
    pool.read(unknown(['b.py', 'c.md'])),
  ])
  expect(first).toMatchObject([
    { path: 'a.ts', change: 'content', row: { language: 'typescript' }, content: { names: ['one'] } },
    { path: 'missing.ts', change: 'removed' },
  ])
  expect(second).toMatchObject([{ content: { names: ['two'] } }, { content: { names: ['three'] } }])
  const row = first[0]?.change === 'content' ? first[0].row : expect.unreachable('a.ts was not read')
  expect(await pool.read([{ path: 'a.ts', known: row }])).toEqual([{ path: 'a.ts', change: 'none' }])
})

test('a thread that hangs is replaced, and reads the other files of its chunk again', { timeout: 60_000 }, async () => {
  // A text that a parser reads for over 20 s without a chance to interrupt it.
  const pool = await open(
    { 'a.md': '# one\n', 'bad.dart': '日'.repeat(20_000), 'c.md': '# two\n', 'd.md': '# three\n' },
    1500,
  )
  const [first, second] = await Promise.all([
    pool.read(unknown(['a.md', 'bad.dart', 'c.md'])),
    pool.read(unknown(['d.md'])),
  ])
  expect(first.map((reading) => reading.path)).toEqual(['a.md', 'c.md'])
  expect(second).toMatchObject([{ content: { names: ['three'] } }])
})

test('processor time from before a thread started does not count as its own', { timeout: 60_000 }, async () => {
  const usage = vi.spyOn(process, 'cpuUsage').mockReturnValue({ user: 1e12, system: 0 })
  opened.push(() => usage.mockRestore())
  const pool = await open({ 'bad.dart': '日'.repeat(20_000) }, 1500)
  let hasEnded = false
  void pool.read(unknown(['bad.dart'])).then(() => (hasEnded = true))
  // Several checks of the threads.
  await delay(2500)
  expect(hasEnded).toBe(false)
})

test('the error that ends a thread is written to standard error', { timeout: 60_000 }, async () => {
  const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  opened.push(() => written.mockRestore())
  const pool = await open({ 'a.md': '# one\n' }, 60_000)
  const [known] = await pool.read(unknown(['a.md']))
  const row = known?.change === 'content' ? known.row : expect.unreachable('a.md was not read')
  // Definitions that are no list are an error in the thread.
  const broken = { path: 'b.md', known: row, definitions: 7 as unknown as [] }
  const readings = await pool.read([...unknown(['a.md']), broken])
  expect(readings).toMatchObject([{ path: 'a.md', content: { names: ['one'] } }])
  expect(written.mock.calls.map(([text]) => String(text))).toEqual([
    expect.stringMatching(/^A reader thread of the code index failed: TypeError.*definitions/),
  ])
})

test.runIf(process.platform === 'linux')('threads have a lower priority', { timeout: 60_000 }, async () => {
  // Threads of earlier tests may still be ending.
  const lowered = async (): Promise<string[]> => {
    const ids = await readdir('/proc/self/task')
    const stats = await Promise.all(ids.map((id) => readFile(`/proc/self/task/${id}/stat`, 'utf8').catch(() => '')))
    // The niceness is the 19th field; the 2nd, in parentheses, can contain blanks.
    return ids.filter((_, at) => Number(stats[at]?.split(') ').at(-1)?.split(' ')[16]) >= 5)
  }
  const before = new Set(await lowered())
  const pool = await open({ 'a.md': '# one\n', 'b.md': '# two\n' }, 60_000)
  await Promise.all([pool.read(unknown(['a.md'])), pool.read(unknown(['b.md']))])
  expect((await lowered()).filter((id) => !before.has(id))).toHaveLength(2)
})

test('closing ends the threads at once and reads nothing more', { timeout: 60_000 }, async () => {
  const pool = await open({ 'bad.dart': '日'.repeat(20_000), 'c.md': '# two\n' }, 60_000)
  const reading = [pool.read(unknown(['bad.dart'])), pool.read(unknown(['c.md'])), pool.read(unknown(['c.md']))]
  pool.close()
  expect(await Promise.all(reading)).toEqual([[], [], []])
  expect(await pool.read(unknown(['c.md']))).toEqual([])
})
