import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { homedir } from 'node:os'
import path from 'node:path'
import { env } from 'node:process'
import { expect, onTestFinished, test, type TestContext } from 'vitest'
import { findProgramByName, searchPathOf } from '../base/programSearch.ts'
import { openNodeInspector } from './nodeInspector.ts'
import { openDebugFolder, type DebugFolder } from './testing/debugFolder.ts'
import { folderWithDebugger, startTarget, topFrame, valueOf } from './testing/realDebugger.ts'

// Running programs, outside the sandbox.

interface Sample {
  debugger: string
  /** Programs that must be installed. */
  programs: readonly string[]
  files: Readonly<Record<string, string>>
  /** Command line that builds it. */
  build?: readonly string[]
  path: string
  line: number
  /** Command line that runs the program. Relative paths are in the folder. */
  run: readonly string[]
  /** Command line that runs it with a debugger that listens at the port. */
  listen?(port: number): readonly string[]
  /** Attaching stops the program. */
  stopsAtOnce?: boolean
}

/** Each counts, in a variable of this name, and stops in the loop. */
const counter = 'count'

const c = `#include <unistd.h>

int main(void) {
  long count = 0;
  for (;;) {
    count++;
    usleep(20000);
  }
}
`

const go = `package main

import "time"

func main() {
	count := 0
	for {
		count++
		time.Sleep(20 * time.Millisecond)
	}
}
`

const samples: readonly Sample[] = [
  {
    debugger: 'python',
    programs: [],
    files: { 'main.py': 'import time\ncount = 0\nwhile True:\n    count += 1\n    time.sleep(0.02)\n' },
    path: 'main.py',
    line: 4,
    run: ['python3', 'main.py'],
    listen: (port) => ['python3', '-m', 'debugpy', '--listen', `127.0.0.1:${port}`, 'main.py'],
  },
  {
    debugger: 'go',
    programs: ['go'],
    files: { 'go.mod': 'module total\n\ngo 1.20\n', 'main.go': go },
    build: ['go', 'build', '-gcflags=all=-N -l', '-o', 'main', '.'],
    path: 'main.go',
    line: 8,
    run: ['./main'],
    listen: (port) => ['dlv', 'exec', './main', '--headless', '--accept-multiclient', `--listen=127.0.0.1:${port}`],
  },
  {
    debugger: 'lldb',
    programs: ['gcc'],
    files: { 'main.c': c },
    build: ['gcc', '-g', '-O0', 'main.c', '-o', 'main'],
    path: 'main.c',
    line: 6,
    run: ['./main'],
    listen: (port) => ['lldb-server-19', 'gdbserver', `127.0.0.1:${port}`, '--', './main'],
  },
  {
    debugger: 'gdb',
    stopsAtOnce: true,
    programs: ['gcc'],
    files: { 'main.c': c },
    build: ['gcc', '-g', '-O0', 'main.c', '-o', 'main'],
    path: 'main.c',
    line: 6,
    run: ['./main'],
    listen: (port) => ['gdbserver', `127.0.0.1:${port}`, './main'],
  },
  {
    debugger: 'javascript',
    programs: ['node'],
    files: { 'main.js': 'let count = 0\nsetInterval(() => {\n  count++\n}, 20)\n' },
    path: 'main.js',
    line: 3,
    run: ['node', 'main.js'],
    listen: (port) => ['node', `--inspect=127.0.0.1:${port}`, 'main.js'],
  },
]

/** Debuggers such as Delve are often not on PATH. */
const searchPath = [searchPathOf(env), path.join(homedir(), 'go/bin')].join(path.delimiter)

function start(root: string, [program = '', ...args]: readonly string[]): ChildProcess {
  const child = spawn(program, args, { stdio: 'ignore', cwd: root, env: { ...env, PATH: searchPath } })
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}

async function open(context: Pick<TestContext, 'skip'>, sample: Sample): Promise<DebugFolder> {
  const folder = await folderWithDebugger(context, sample.debugger, sample.files, sample.programs)
  const [compiler, ...args] = sample.build ?? []
  if (compiler !== undefined) execFileSync(compiler, args, { cwd: folder.root })
  return folder
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

async function writeLaunchFile(root: string, sample: Sample, place: object): Promise<void> {
  const configuration = {
    name: 'Attach',
    type: sample.debugger === 'javascript' ? 'node' : sample.debugger,
    request: 'attach',
    ...place,
  }
  await mkdir(`${root}/.vscode`)
  await writeFile(`${root}/.vscode/launch.json`, JSON.stringify({ configurations: [configuration] }))
}

/** Attaches, pauses, stops twice at a breakpoint, pauses again, detaches, and checks that the program goes on. */
async function attach(
  folder: DebugFolder,
  sample: Sample,
  child: ChildProcess,
  place: { port: number } | { processId: number },
  inFile = false,
): Promise<void> {
  const { sessions } = folder
  const { path: file, line } = sample
  const target = inFile
    ? ({ kind: 'configuration', name: 'Attach' } as const)
    : ({ kind: 'attach', debugger: sample.debugger, ...place } as const)
  if (inFile) await writeLaunchFile(folder.root, sample, place)
  const started = await startTarget(folder, target)
  // The process has a session of its own in js-debug.
  if (sample.debugger === 'javascript') await expect.poll(() => sessions.running().length).toBe(2)
  const session = sessions.running().at(-1) ?? started
  const stopsAgain = async (act: () => Promise<void>): Promise<void> => {
    const { stopCount } = session.info()
    await act()
    await session.stoppedAfter(stopCount, AbortSignal.timeout(10_000))
  }
  if (sample.stopsAtOnce === true) await session.stoppedAfter(0, AbortSignal.timeout(10_000))
  else await stopsAgain(() => session.control('pause'))

  await sessions.setLineBreakpoints(file, [{ id: 'a', path: file, line, enabled: true }])
  const values: number[] = []
  for (const _ of [1, 2]) {
    await stopsAgain(() => session.control('continue'))
    expect(await topFrame(session)).toMatchObject({ path: file, line })
    values.push(Number(await valueOf(session, counter)))
  }
  expect(values[1]).toBe((values[0] ?? 0) + 1)

  await sessions.setLineBreakpoints(file, [])
  await session.control('continue')
  await stopsAgain(() => session.control('pause'))
  await started.stop()
  await expect.poll(() => sessions.running().length).toBe(0)
  // lldb-server and gdbserver end with the connection.
  if ('port' in place && sample.build?.[0] === 'gcc') return
  // A debugger that ends can take the program with it.
  await new Promise((wake) => setTimeout(wake, 300))
  expect(child.exitCode ?? child.signalCode).toBeNull()
}

test.for(samples.filter(({ listen }) => listen !== undefined))(
  '$debugger attaches at the port of a program whose debugger listens, and detaches',
  { timeout: 60_000 },
  async (sample, context) => {
    if (process.platform !== 'linux') context.skip('Open ports are read from /proc')
    const folder = await open(context, sample)
    const port = await freePort()
    const command = sample.listen?.(port) ?? []
    const [program = ''] = command
    if (findProgramByName(program, searchPath) === undefined) context.skip(`${program} is not installed`)
    const child = start(folder.root, command)
    await expect.poll(() => listens(port), { timeout: 20_000 }).toBe(true)
    await attach(folder, sample, child, { port })
  },
)

test.for(samples)(
  '$debugger attaches to a process by its ID, and detaches',
  { timeout: 60_000 },
  async (sample, context) => {
    const folder = await open(context, sample)
    const child = start(folder.root, sample.run)
    await attach(folder, sample, child, { processId: child.pid ?? 0 })
  },
)

test.for(samples.filter(({ debugger: id }) => ['python', 'javascript', 'lldb'].includes(id)))(
  '$debugger attaches as a configuration of launch.json says, for the user only',
  { timeout: 60_000 },
  async (sample, context) => {
    if (process.platform !== 'linux') context.skip('Open ports are read from /proc')
    const folder = await open(context, sample)
    const port = sample.debugger === 'lldb' ? undefined : await freePort()
    const child = start(folder.root, port === undefined ? sample.run : (sample.listen?.(port) ?? []))
    if (port !== undefined) await expect.poll(() => listens(port), { timeout: 20_000 }).toBe(true)
    await attach(folder, sample, child, port === undefined ? { processId: child.pid ?? 0 } : { port }, true)
    const target = { kind: 'configuration', name: 'Attach' } as const
    await expect(folder.targets.resolve(target, 'agent', AbortSignal.timeout(1000))).rejects.toMatchObject({
      code: 'refused',
    })
  },
)

test.each([
  [{}, 'There is no process or port to attach to.'],
  [{ debugger: 'nothing', port: 1 }, 'There is no debugger "nothing".'],
])('%j is refused', async (given, message) => {
  const folder = await openDebugFolder({})
  onTestFinished(() => folder.close())
  const target = { kind: 'attach', debugger: 'python', ...given } as const
  await expect(folder.targets.resolve(target, 'user', AbortSignal.timeout(1000))).rejects.toThrow(message)
})

test.runIf(process.platform === 'linux')('a process that is not Node.js is not sent the signal for it', async () => {
  const child = spawn('sleep', ['60'])
  onTestFinished(() => void child.kill('SIGKILL'))
  await expect(openNodeInspector(child.pid ?? 0, AbortSignal.timeout(10_000))).rejects.toThrow('not Node.js')
  await expect(openNodeInspector(2 ** 22 + 1, AbortSignal.timeout(10_000))).rejects.toThrow('You have no process')
  expect(child.signalCode).toBeNull()
})

test('a port at which nothing listens is an error', async () => {
  const folder = await openDebugFolder({})
  onTestFinished(() => folder.close())
  const target = { kind: 'attach', debugger: 'python', port: await freePort() } as const
  await expect(startTarget(folder, target)).rejects.toThrow('debugpy is not listening on port')
})
