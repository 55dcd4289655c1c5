import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { temporaryFolder } from '../../tools/testing/toolContext.ts'
import { forkNode, forkThread, type ChildProcess, type ForkProcess } from '../../base/childProcess.ts'
import { createIndexClient, type IndexClient, type IndexClientOptions } from './indexClient.ts'

/** A text that a parser reads for over 20 s without a chance to interrupt it. */
const endless = '日'.repeat(20_000)
const grammars = path.join(import.meta.dirname, '../../../../resources/grammars')

const opened: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const { close } of opened.splice(0).toReversed()) await close()
})

async function folderOf(files: Record<string, string>): Promise<{ root: string; data: string }> {
  const [folder, data] = await Promise.all([temporaryFolder(files), temporaryFolder()])
  opened.push({ close: folder.remove }, { close: data.remove })
  return { root: folder.root, data: data.root }
}

interface Opened {
  client: IndexClient
  children: ChildProcess[]
  exits: string[]
  notices: string[]
  restarts: () => number
}

function open({ root, data }: { root: string; data: string }, options: Partial<IndexClientOptions> = {}): Opened {
  const children: ChildProcess[] = []
  const exits: string[] = []
  const notices: string[] = []
  let restarts = 0
  const start = options.fork ?? forkNode
  const fork: ForkProcess = (module, given, { onMessage, onExit }) => {
    const child = start(module, given, {
      onMessage,
      onExit: (how) => {
        exits.push(how)
        onExit(how)
      },
    })
    children.push(child)
    return child
  }
  const client = createIndexClient({
    engine: { root, database: path.join(data, 'index.db'), grammars },
    limits: { fileCpu: 1000 },
    onNotice: (message) => notices.push(message),
    onRestarted: () => restarts++,
    ...options,
    fork,
  })
  opened.push(client)
  return { client, children, exits, notices, restarts: () => restarts }
}

const names = async (client: IndexClient, query: string) =>
  (await client.call('search', [{ query, limit: 10 }])).map(({ name }) => name)

test.each([
  ['a process', forkNode],
  ['a thread', forkThread],
])(
  'skips a file that %s cannot finish reading and gives the reason, even after a restart',
  { timeout: 60_000 },
  async (_kind, fork) => {
    const places = await folderOf({ 'bad.dart': endless, 'good.ts': 'export function good() {}\n' })
    const first = open(places, { fork })
    await first.client.call('refresh', [['bad.dart', 'good.ts']])
    expect(await names(first.client, 'good')).toEqual(['good'])
    const { problem } = await first.client.call('outline', ['bad.dart'])
    expect(problem).toBe('Not indexed: reading it took more than 1 s of processor time.')
    expect(first.notices).toEqual([
      'The code index stopped while reading bad.dart (reading it took more than 1 s of processor time) and is restarting. The file is skipped until it changes.',
    ])
    expect(first.restarts()).toBe(1)
    await first.client.close()

    const second = open(places, { fork })
    await second.client.call('refresh', [['bad.dart']])
    expect(await second.client.call('outline', ['bad.dart'])).toMatchObject({ problem })
    // Each change of an open tab would end the process again.
    await second.client.call('setTexts', [[{ path: 'bad.dart', text: `${endless} ` }]])
    expect(
      await second.client.call('newSyntaxErrors', [[{ path: 'bad.dart', before: null, after: `${endless}  ` }]]),
    ).toEqual([])
    expect(second.exits).toEqual([])
  },
)

test('restarts a killed process and repeats the pending request', async () => {
  const { client, children, exits, notices, restarts } = open(
    await folderOf({ 'a.ts': 'export function survivor() {}\n' }),
  )
  await client.call('status', [])
  const reading = client.call('refresh', [['a.ts']])
  children[0]?.kill()
  await reading
  expect(await names(client, 'survivor')).toEqual(['survivor'])
  expect({ exits, restarts: restarts() }).toEqual({ exits: ['signal SIGKILL'], restarts: 1 })
  expect(notices).toEqual([expect.stringMatching(/^The code index stopped .*\(signal SIGKILL\) and is restarting\./)])
  children[1]?.kill()
  await client.call('status', [])
  expect(notices).toHaveLength(1)
})

test('after a crash while threads read, the next process reads all files itself', { timeout: 60_000 }, async () => {
  const large = `${'x'.repeat(1000)}\n`.repeat(600)
  const places = await folderOf({ 'bad.dart': endless, 'a.txt': large, 'b.txt': large })
  const started: number[] = []
  const fork: ForkProcess = (module, options, events) => {
    started.push((JSON.parse(options.args[0] ?? '') as { threads: number }).threads)
    return forkNode(module, options, events)
  }
  const { client, children, restarts } = open(places, { fork, limits: { fileCpu: 600_000 } })
  await client.call('setFiles', [['bad.dart', 'a.txt', 'b.txt'].join('\0')])
  await expect.poll(() => activities(places.data), { timeout: 30_000 }).toContain('"threads":true')
  // The thread that hangs keeps the other ones from ending; requests are answered meanwhile.
  expect(await client.call('status', [])).toMatchObject({ state: 'symbols' })
  children[0]?.kill()
  await expect.poll(restarts).toBe(1)
  expect(started).toEqual([expect.toSatisfy((threads) => threads > 0), 0])
  expect(await client.call('outline', ['bad.dart'])).toMatchObject({ problem: '' })
})

/** What the progress files record. */
async function activities(folder: string): Promise<string> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.progress'))
  return (await Promise.all(names.map((name) => readFile(path.join(folder, name), 'utf8')))).join('')
}

test('fails a request with the reason if no process starts', async () => {
  const fork: ForkProcess = (_module, options, events) => forkNode(path.join(grammars, 'missing.js'), options, events)
  const { client } = open(await folderOf({}), { fork })
  await expect(client.call('status', [])).rejects.toMatchObject({
    code: 'io_error',
    message: 'The code index stopped (exit code 1).',
    next: expect.stringMatching(/^It restarts in about \d+ s\. Use a text search meanwhile\.$/),
  })
})

test('closes without waiting for a file that hangs the parser', { timeout: 30_000 }, async () => {
  const { client, exits } = open(await folderOf({ 'bad.dart': endless }), { limits: { fileCpu: 600_000 } })
  const reading = client.call('refresh', [['bad.dart']])
  reading.catch(() => undefined)
  await client.close()
  await expect(reading).rejects.toThrow('The code index was closed.')
  expect(exits).toEqual(['signal SIGKILL'])
})

test('six processes on one folder have separate indexes without lock errors', { timeout: 60_000 }, async () => {
  const places = await folderOf({ 'a.ts': 'export function shared() {}\n' })
  const all = Array.from({ length: 6 }, () => open(places))
  expect(
    await Promise.all(
      all.map(async ({ client }) => {
        await client.call('refresh', [['a.ts']])
        return names(client, 'shared')
      }),
    ),
  ).toEqual(all.map(() => ['shared']))
  expect(all.flatMap(({ notices, exits }) => [...notices, ...exits])).toEqual([])
  const files = (await readdir(places.data)).filter((name) => name.endsWith('.db'))
  expect(files.toSorted()).toEqual(['index-2.db', 'index-3.db', 'index-4.db', 'index-5.db', 'index-6.db', 'index.db'])
  await Promise.all(all.map(({ client }) => client.close()))
  expect((await readdir(places.data)).filter((name) => name.includes('progress'))).toEqual([])
})

test('limits memory when parsing Swift', { timeout: 60_000 }, async () => {
  const text =
    'func a() -> Int { let x = [1, 2].map { $0 + 1 }; if x.count > 2 { return 1 } else { return 2 } }\n'.repeat(200)
  const { client, children } = open(await folderOf({}), { limits: {} })
  for (let round = 0; round < 8; round++)
    await client.call('setTexts', [[{ path: 'a.swift', text: `${text}// ${round}\n` }]])
  const status = await readFile(`/proc/${children[0]?.pid}/status`, 'utf8')
  const megabytes = Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1]) / 1024
  expect(megabytes).toBeGreaterThan(50)
  expect(megabytes).toBeLessThan(400)
})

test('the process ends when its parent is killed, even while busy', { timeout: 60_000 }, async () => {
  const places = await folderOf({ 'bad.dart': endless.repeat(10) })
  const parent = spawn(
    process.execPath,
    [
      '--input-type=module',
      '-e',
      `
    const { createIndexClient } = await import(${JSON.stringify(path.join(import.meta.dirname, 'indexClient.ts'))})
    const { forkNode } = await import(${JSON.stringify(path.join(import.meta.dirname, '../../base/childProcess.ts'))})
    const engine = ${JSON.stringify({ root: places.root, database: path.join(places.data, 'index.db'), grammars })}
    const fork = (...given) => {
      const child = forkNode(...given)
      console.log(child.pid)
      return child
    }
    const client = createIndexClient({ engine, fork, limits: { fileCpu: 600_000 }, onNotice: console.error, onRestarted() {} })
    await client.call('status', [])
    client.call('refresh', [['bad.dart']])
    // The index process may still be starting its watchdog.
    setTimeout(() => process.kill(process.pid, 'SIGKILL'), 20)`,
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  let output = ''
  parent.stdout.on('data', (data: Buffer) => (output += data))
  await once(parent, 'close')
  const pid = Number(/^\d+/.exec(output)?.[0])
  await expect.poll(() => isRunning(pid)).toBe(false)
})

async function isRunning(pid: number): Promise<boolean> {
  try {
    // An ended process that was not reaped remains as a zombie.
    return !/^State:\s+Z/m.test(await readFile(`/proc/${pid}/status`, 'utf8'))
  } catch (error) {
    if (error instanceof Error && 'code' in error) return false
    throw error
  }
}
