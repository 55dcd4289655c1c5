import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { temporaryFolder } from '../tools/testing/toolContext.ts'
import { createBuffers, type BufferState } from './buffers.ts'
import { openUnsavedBackups, type BackupOptions } from './unsavedBackups.ts'

const root = '/some/workspace'
let data: Awaited<ReturnType<typeof temporaryFolder>>
const notices: string[] = []

beforeEach(async () => {
  data = await temporaryFolder()
  notices.length = 0
})
afterEach(() => data.remove())

/** Opens a backup session of this process on the workspace. */
async function session(change: Partial<BackupOptions> = {}) {
  const buffers = createBuffers()
  const backups = await openUnsavedBackups({
    userData: data.root,
    root,
    state: buffers.get,
    onNotice: (message) => notices.push(message),
    delayMs: 1,
    ...change,
  })
  for (const state of backups.restored) buffers.sync({ ...state, open: true })
  buffers.onChanged(backups.changed)
  const texts = () => Object.fromEntries(backups.restored.map((state) => [state.path, state.text]))
  return { buffers, backups, texts }
}

/** Lists the files of all sessions with their content. */
async function stored(): Promise<{ name: string; content: string; mode: number }[]> {
  const names = await readdir(path.join(data.root, 'backups'), { recursive: true }).catch(() => [])
  const files = await Promise.all(
    names.map(async (name) => {
      const file = path.join(data.root, 'backups', name)
      const stats = await stat(file)
      return stats.isFile() ? [{ name: file, content: await readFile(file, 'utf8'), mode: stats.mode & 0o777 }] : []
    }),
  )
  return files.flat()
}

const typed = (text: string, more: Partial<BufferState> = {}) => ({
  path: 'a.txt',
  open: true,
  dirty: true,
  text,
  ...more,
})

/** Types into tabs in a separate process, waits until the text is stored, and kills the process. */
async function killedAfterTyping(states: BufferState[], signal: NodeJS.Signals): Promise<void> {
  const module = (name: string) => JSON.stringify(pathToFileURL(path.join(import.meta.dirname, name)).href)
  const script = `
    const { createBuffers } = await import(${module('buffers.ts')})
    const { openUnsavedBackups } = await import(${module('unsavedBackups.ts')})
    const { readdirSync } = await import('node:fs')
    const buffers = createBuffers()
    const backups = await openUnsavedBackups({ userData: ${JSON.stringify(data.root)}, root: ${JSON.stringify(root)}, state: buffers.get, onNotice: console.error, delayMs: 1 })
    buffers.onChanged(backups.changed)
    const states = ${JSON.stringify(states)}
    for (const state of states) buffers.sync({ ...state, open: true })
    const whole = () => readdirSync(${JSON.stringify(data.root)}, { recursive: true }).filter((name) => /[0-9a-f]{32}$/.test(name) && name.split('/').length === 4)
    setInterval(() => { if (whole().length >= states.length) console.log('stored') }, 5)`
  const child = spawn(process.execPath, ['--input-type=module', '--no-warnings', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(child.stdout, 'data')
  child.kill(signal)
  await once(child, 'exit')
}

it('a text that is saved while its backup is written does not come back', async () => {
  let onRead: (() => void) | undefined
  const read = (path: string): BufferState | undefined => {
    queueMicrotask(() => onRead?.())
    return buffers.get(path)
  }
  const { buffers, backups } = await session({ delayMs: 10_000, state: read })
  buffers.sync(typed('typed'))
  await Promise.resolve()
  onRead = () => {
    onRead = undefined
    buffers.sync({ path: 'a.txt', open: true, dirty: false, text: null })
  }

  await backups.flush()
  await backups.close()

  expect((await session()).texts()).toEqual({})
})

describe('unsaved text', () => {
  it.each(['SIGKILL', 'SIGTERM'] as const)('is restored after its process ended with %s', async (signal) => {
    const format = { encoding: 'utf8', eol: '\r\n' } as const
    await killedAfterTyping(
      [
        { path: 'a.txt', dirty: true, text: 'typed ⚔\n', stamp: '1-2-3', format },
        { path: 'src/b.txt', dirty: true, text: '' },
      ],
      signal,
    )
    const { backups } = await session()
    expect(backups.restored.toSorted((one, other) => (one.path < other.path ? -1 : 1))).toEqual([
      { path: 'a.txt', dirty: true, text: 'typed ⚔\n', stamp: '1-2-3', format },
      { path: 'src/b.txt', dirty: true, text: '' },
    ])
  })

  it('is restored after the folder was closed, until it is saved or discarded', async () => {
    const first = await session()
    first.buffers.sync(typed('one'))
    first.buffers.sync(typed('two', { path: 'b.txt' }))
    first.buffers.sync(typed('three', { path: 'c.txt' }))
    await first.backups.close()
    const second = await session()
    expect(second.texts()).toEqual({ 'a.txt': 'one', 'b.txt': 'two', 'c.txt': 'three' })
    second.buffers.sync({ path: 'a.txt', open: true, dirty: false, text: null })
    second.buffers.discard(['b.txt'])
    second.buffers.sync({ path: 'c.txt', open: false, dirty: false, text: null })
    await second.backups.close()
    expect((await session()).texts()).toEqual({})
    expect(await stored()).toEqual([])
  })

  it('is stored readable only by its user, and only in the latest version', async () => {
    const { buffers, backups } = await session()
    for (let count = 1; count <= 50; count += 1) buffers.sync(typed(`text ${count}`))
    await backups.close()
    const files = await stored()
    expect(files).toHaveLength(1)
    expect(files[0]).toMatchObject({ mode: 0o600, content: expect.stringMatching(/\ntext 50$/) })
    expect((await stat(path.dirname(files[0]?.name ?? ''))).mode & 0o777).toBe(0o700)
  })

  it('received as changes is stored', async () => {
    const { buffers, backups } = await session()
    buffers.sync({ ...typed('one', { stamp: 's' }), version: 1 })
    buffers.edit({ path: 'a.txt', base: 1, version: 2, changes: [{ offset: 3, length: 0, text: '!' }], length: 4 })
    await backups.close()
    expect((await session()).backups.restored).toEqual([{ path: 'a.txt', dirty: true, text: 'one!', stamp: 's' }])
  })

  it('of many megabytes is stored completely, and less often', async () => {
    const { buffers, backups } = await session({ delayMs: 400 })
    // A surrogate pair crosses the end of the first chunk.
    const text = `${'x'.repeat(1024 * 1024 - 1)}⚔🗡`.repeat(16)
    const timeouts = vi.spyOn(globalThis, 'setTimeout')
    buffers.sync(typed(text))
    expect(timeouts).toHaveBeenLastCalledWith(expect.any(Function), 400)
    await vi.waitFor(
      async () => expect(await stored()).toMatchObject([{ name: expect.stringMatching(/[0-9a-f]$/) }]),
      10_000,
    )
    buffers.sync(typed(`${text}!`))
    expect(timeouts.mock.lastCall?.[1]).toBeGreaterThan(2000)
    timeouts.mockRestore()
    await backups.close()
    expect((await session()).texts()['a.txt'] === `${text}!`).toBe(true)
  })

  it('is stored while the user keeps typing', async () => {
    const { buffers, backups } = await session({ delayMs: 5 })
    let count = 0
    await vi.waitFor(
      async () => {
        // Each change comes before the delay has passed and must not restart it.
        buffers.sync(typed(`text ${count++}`))
        expect(await stored()).not.toEqual([])
      },
      { interval: 1 },
    )
    // A running write would conflict with the deletion of the folder.
    await backups.close()
  })
})

describe('two processes on one folder', () => {
  it('do not take over backups of a running process', async () => {
    const first = await session()
    first.buffers.sync(typed('mine'))
    await vi.waitFor(async () => expect(await stored()).toHaveLength(1))
    const second = await session()
    expect(second.texts()).toEqual({})
    second.buffers.sync(typed('theirs'))
    await vi.waitFor(async () => expect(await stored()).toHaveLength(2))
    await first.backups.close()
    await second.backups.close()
    // The later text is restored first. The other one is kept for the next session.
    const third = await session()
    expect(third.texts()).toEqual({ 'a.txt': 'theirs' })
    third.buffers.discard(['a.txt'])
    await third.backups.close()
    expect((await session()).texts()).toEqual({ 'a.txt': 'mine' })
  })

  it('that open it at the same time restore each text once', async () => {
    const paths = Array.from({ length: 40 }, (_, index) => `file ${index}.txt`)
    const first = await session()
    for (const name of paths) first.buffers.sync(typed(name, { path: name }))
    await first.backups.close()
    const both = await Promise.all([session(), session()])
    expect(both.flatMap(({ backups }) => backups.restored.map((state) => state.path)).toSorted()).toEqual(
      paths.toSorted(),
    )
  })
})

describe('backups that cannot be used', () => {
  it('are moved aside if truncated, with a notice', async () => {
    const first = await session()
    first.buffers.sync(typed('a longer text'))
    first.buffers.sync(typed('whole', { path: 'b.txt' }))
    await first.backups.close()
    const broken = (await stored()).find(({ content }) => content.includes('longer'))
    await truncate(broken?.name ?? '', (broken?.content.length ?? 0) - 3)
    const { texts } = await session()
    expect(texts()).toEqual({ 'b.txt': 'whole' })
    expect(notices).toEqual([expect.stringContaining('.broken')])
    expect((await stored()).some(({ name }) => name.endsWith('.broken'))).toBe(true)
  })

  it('cause one notice for a text that is too large, and the others are stored', async () => {
    const { buffers, backups } = await session({ limits: { file: 10, total: 15 } })
    buffers.sync(typed('far more than ten'))
    await vi.waitFor(() => expect(notices).toEqual([expect.stringContaining('too large for a backup')]))
    buffers.sync(typed('still more than ten'))
    buffers.sync(typed('1234567890', { path: 'b.txt' }))
    await vi.waitFor(async () => expect(await stored()).toHaveLength(1))
    expect(notices).toHaveLength(1)
    buffers.sync(typed('1234567890', { path: 'c.txt' }))
    await backups.close()
    expect(notices).toEqual([expect.anything(), expect.stringContaining('all backups of a folder is 15 bytes')])
    expect((await session()).texts()).toEqual({ 'b.txt': '1234567890' })
  })

  it('cause a notice if they cannot be written, and the folder opens', async () => {
    await writeFile(path.join(data.root, 'backups'), 'no folder')
    const { buffers, backups } = await session()
    buffers.sync(typed('one'))
    await vi.waitFor(() =>
      expect(notices).toEqual([expect.stringMatching(/The unsaved text of "a\.txt" could not be backed up/)]),
    )
    await rm(path.join(data.root, 'backups'))
    buffers.sync(typed('two'))
    await backups.close()
    expect((await session()).texts()).toEqual({ 'a.txt': 'two' })
  })

  it('ignore files with other names', async () => {
    const first = await session()
    first.buffers.sync(typed('one'))
    await first.backups.close()
    const folder = path.dirname(path.dirname((await stored())[0]?.name ?? ''))
    await mkdir(path.join(folder, 'mine'))
    await writeFile(path.join(folder, 'mine', 'note'), 'x')
    await chmod(path.join(folder, 'mine'), 0o755)
    expect((await session()).texts()).toEqual({ 'a.txt': 'one' })
    expect(await readFile(path.join(folder, 'mine', 'note'), 'utf8')).toBe('x')
  })
})
