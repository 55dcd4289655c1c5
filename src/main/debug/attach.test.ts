import { spawn, type ChildProcess } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { openDebugFolder, type DebugFolder } from './testing/debugFolder.ts'

// A running Python program, outside the sandbox.

let folder: DebugFolder

beforeEach(async ({ skip }) => {
  folder = await openDebugFolder({
    'main.py': 'import time\ncount = 0\nwhile True:\n    count += 1\n    time.sleep(0.02)\n',
  })
  onTestFinished(() => folder.close())
  const { missing } = (await folder.sessions.debuggers()).find(({ id }) => id === 'python') ?? {}
  if (missing !== undefined) skip(missing.reason)
})

function start(...args: readonly string[]): ChildProcess {
  const child = spawn('python3', [...args, `${folder.root}/main.py`], { stdio: 'ignore' })
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** Whether a port is open. Connecting would take the place of the debugger's only client. */
async function listens(port: number): Promise<boolean> {
  const listening = `:${port.toString(16).toUpperCase().padStart(4, '0')} 00000000:0000 0A`
  return (await readFile('/proc/net/tcp', 'utf8')).includes(listening)
}

/** Attaches, stops at a breakpoint, detaches, and checks that the program goes on. */
async function attach(child: ChildProcess, place: { port: number } | { processId: number }): Promise<void> {
  const { sessions, targets } = folder
  await sessions.setLineBreakpoints('main.py', [{ id: 'a', path: 'main.py', line: 4, enabled: true }])
  const signal = AbortSignal.timeout(60_000)
  const [options] = await targets.resolve({ kind: 'attach', debugger: 'python', ...place }, 'user', signal)
  if (options === undefined) throw new Error('Nothing to start.')
  const session = await sessions.start(options, signal)
  await session.stoppedAfter(0, signal)
  const { frames } = await session.stack(session.info().stop?.threadId ?? 0, 0, 1)
  expect(frames).toMatchObject([{ path: 'main.py', line: 4 }])
  await session.stop()
  expect(child.exitCode).toBeNull()
}

test.runIf(process.platform === 'linux')('a program whose debugger listens at a port', async () => {
  const port = await freePort()
  const child = start('-m', 'debugpy', '--listen', `127.0.0.1:${port}`)
  await expect.poll(() => listens(port), { timeout: 20_000 }).toBe(true)
  await attach(child, { port })
})

test('a process by its id', async () => {
  const child = start()
  await attach(child, { processId: child.pid ?? 0 })
})

test.each([
  [{}, 'There is no process or port to attach to.'],
  [{ debugger: 'nothing', port: 1 }, 'There is no debugger "nothing".'],
])('%j is refused', async (given, message) => {
  const target = { kind: 'attach', debugger: 'python', ...given } as const
  await expect(folder.targets.resolve(target, 'user', AbortSignal.timeout(1000))).rejects.toThrow(message)
})

test('a port at which nothing listens is an error', async () => {
  const [options] = await folder.targets.resolve(
    { kind: 'attach', debugger: 'python', port: await freePort() },
    'user',
    AbortSignal.timeout(1000),
  )
  if (options === undefined) throw new Error('Nothing to start.')
  await expect(folder.sessions.start(options, AbortSignal.timeout(5000))).rejects.toThrow(
    'debugpy is not listening on port',
  )
})
