import { readFile, writeFile } from 'node:fs/promises'
import { env } from 'node:process'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { debuggerOfType } from './debuggerTable.ts'
import type { DebugSession } from './debugSession.ts'
import { openDebugFolder, type DebugFolder } from './testing/debugFolder.ts'

// Programs that are hard to debug, with the real debugpy.

let folder: DebugFolder

async function start(program: string, line?: number): Promise<DebugSession> {
  const python = debuggerOfType('python')
  if (python === undefined) throw new Error('The table has no Python.')
  const { sessions } = folder
  await sessions.setLineBreakpoints(
    'main.py',
    line === undefined ? [] : [{ id: 'stop', path: 'main.py', line, enabled: true }],
  )
  await writeFile(`${folder.root}/main.py`, program)
  return sessions.start(
    {
      name: 'main.py',
      debugger: python,
      request: 'launch',
      configuration: { program: `${folder.root}/main.py`, cwd: folder.root },
      owner: 'user',
    },
    AbortSignal.timeout(30_000),
  )
}

async function stopAt(program: string, line: number): Promise<{ session: DebugSession; threadId: number }> {
  const session = await start(program, line)
  await session.stoppedAfter(0, AbortSignal.timeout(30_000))
  return { session, threadId: session.info().stop?.threadId ?? 0 }
}

async function locals(session: DebugSession, threadId: number): Promise<number> {
  const [frame] = (await session.stack(threadId, 0, 1)).frames
  const [scope] = await session.scopes(frame?.id ?? 0)
  return scope?.reference ?? 0
}

beforeEach(async ({ skip }) => {
  folder = await openDebugFolder({ 'main.py': '' })
  onTestFinished(() => folder.close())
  const { missing } = (await folder.sessions.debuggers()).find(({ id }) => id === 'python') ?? {}
  if (missing !== undefined) skip(missing.reason)
})

test('a program that prints 100 MB ends, and the console keeps the last part', async () => {
  const session = await start('line = "x" * 999\nfor i in range(100_000):\n    print(line)\nprint("the end")\n')
  await session.ended
  expect(folder.sessions.output(session.info().id).text).toContain('the end')
  expect(folder.sessions.output(session.info().id).text.length).toBeLessThan(2_000_000)
  await expect.poll(() => folder.text()).toContain('the end')
}, 120_000)

test('a program that forks and ignores signals is ended with its children', async () => {
  const program = `import os, signal, time
for each in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
    signal.signal(each, signal.SIG_IGN)
if os.fork() == 0:
    os.setsid()
    while True:
        open("alive", "w").write(str(time.time()))
        time.sleep(0.05)
while True:
    time.sleep(1)
`
  const session = await start(program)
  const alive = () => readFile(`${folder.root}/alive`, 'utf8').catch(() => '')
  await expect.poll(alive, { timeout: 10_000 }).not.toBe('')
  await session.stop()
  await expect.poll(() => folder.sessions.running()).toEqual([])
  await expect
    .poll(
      async () => {
        const before = await alive()
        await new Promise((wake) => setTimeout(wake, 300))
        return (await alive()) === before
      },
      { timeout: 10_000 },
    )
    .toBe(true)
})

test('an array of ten million elements is read by the page', async () => {
  const { session, threadId } = await stopAt('big = list(range(10_000_000))\nprint(len(big))\n', 2)
  const variables = await session.variables({ reference: await locals(session, threadId), start: 0, count: 100 })
  const big = variables.find(({ name }) => name === 'big')
  expect(big?.value.length).toBeLessThan(10_000)
  const page = await session.variables({ reference: big?.reference ?? 0, start: 0, count: 100 })
  expect(page.length).toBeLessThanOrEqual(100)
  expect(page.find(({ value }) => value === '42')).toBeDefined()
})

test('a value that contains itself is read one level at a time', async () => {
  const { session, threadId } = await stopAt('loop = {}\nloop["self"] = loop\nprint(1)\n', 3)
  let reference = await locals(session, threadId)
  for (const name of ['loop', "'self'", "'self'", "'self'"]) {
    const children = await session.variables({ reference, start: 0, count: 100 })
    reference = children.find((child) => child.name === name)?.reference ?? 0
    expect(reference, `${name} among ${children.map((child) => child.name).join()}`).toBeGreaterThan(0)
  }
})

test('a stack of thousands of frames is read by the page', async () => {
  const program = `import sys
sys.setrecursionlimit(20_000)
def down(count):
    if count == 0:
        print("bottom")
        return
    down(count - 1)
down(9_000)
`
  const { session, threadId } = await stopAt(program, 5)
  const first = await session.stack(threadId, 0, 20)
  expect(first.frames).toHaveLength(20)
  expect(first.total).toBeGreaterThan(9000)
  const later = await session.stack(threadId, 5000, 20)
  expect(later.frames[0]).toMatchObject({ name: 'down' })
})

test('a program with 500 threads stops with all of them, and its stack is read at once', async () => {
  const program = `import threading
wait = threading.Event()
for number in range(500):
    threading.Thread(target=wait.wait, daemon=True, name=f"worker {number}").start()
print("started")
`
  const { session, threadId } = await stopAt(program, 5)
  expect(session.info().threads).toHaveLength(501)
  // A list of all threads for each that started would keep debugpy busy for longer than a request may take.
  expect((await session.stack(threadId, 0, 20)).frames[0]).toMatchObject({ path: 'main.py', line: 5 })
})

test('two sessions of one folder stop independently', async () => {
  const program = 'import time\nfor i in range(100):\n    time.sleep(0.01)\nprint("done")\n'
  const first = await stopAt(program, 3)
  const second = await stopAt(program, 3)
  await folder.sessions.setLineBreakpoints('main.py', [])
  await second.session.control('continue')
  await second.session.ended
  expect(first.session.info().state).toBe('stopped')
  await first.session.stop()
  expect(folder.sessions.running()).toEqual([])
})

test('an exception that nothing handles stops the program, with its text and where it was raised', async () => {
  const session = await start('prices = {}\nprint(prices["apple"])\n')
  await session.stoppedAfter(0, AbortSignal.timeout(10_000))
  const { stop } = session.info()
  expect(stop).toMatchObject({ reason: 'exception' })
  expect(await session.exceptionInfo(stop?.threadId ?? 0)).toMatchObject({ id: 'KeyError', description: "'apple'" })
  await session.control('continue')
  await session.ended
  expect(session.info().exitCode).toBe(1)
})

test('a program that exits with an error shows its exit code', async () => {
  const session = await start('import os\nos._exit(7)\n')
  await session.ended
  expect(session.info()).toMatchObject({ state: 'ended', exitCode: 7 })
})

test('a program reaches neither the network nor files outside the folder', async () => {
  const program = `import os, socket
try:
    socket.create_connection(("1.1.1.1", 80), 2); print("connected")
except OSError: print("no network")
print("home", os.path.exists(${JSON.stringify(`${env['HOME'] ?? '/root'}/.ssh`)}))
try:
    open("/etc/tizona", "w"); print("written")
except OSError: print("read-only")
`
  const session = await start(program)
  await session.ended
  expect(folder.text()).toContain('no network')
  expect(folder.text()).toContain('home False')
  expect(folder.text()).toContain('read-only')
})
