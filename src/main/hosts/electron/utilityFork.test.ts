import { fork } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { forkUtility, type UtilityProcesses } from './utilityFork.ts'

let folder: string
let module: string
let options: Electron.ForkOptions | undefined
/** Lets a test control the process without the code under test. */
let child: ReturnType<typeof fork>
let utility: EventEmitter
/** The exit of the process is reported once this settles, because Electron reports it with a delay. */
let announced: Promise<void>

/** Electron's `utilityProcess` on a process of Node, whose channel is `process.send`. */
const utilityProcess: UtilityProcesses = {
  fork(path, args, given) {
    options = given
    const started = fork(path, args, {
      env: { ...given.env },
      execArgv: given.execArgv,
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    const events = new EventEmitter()
    child = started
    utility = events
    let running = true
    started.on('message', (message) => events.emit('message', message))
    started.once(
      'exit',
      (code) =>
        void announced.then(() => {
          running = false
          events.emit('exit', code ?? 137)
        }),
    )
    const made = {
      get pid() {
        return running ? started.pid : undefined
      },
      postMessage(message: object) {
        if (!running) throw new Error('A message was posted to a process that has ended.')
        started.send(message)
      },
      kill: () => started.kill('SIGTERM'),
    }
    return Object.defineProperties(events, Object.getOwnPropertyDescriptors(made)) as unknown as ReturnType<
      UtilityProcesses['fork']
    > // The subset that forkUtility uses.
  },
}

function start(args: string[] = []) {
  const messages: unknown[] = []
  const { promise: exited, resolve } = Promise.withResolvers<string>()
  const started = forkUtility(utilityProcess)(
    module,
    { name: 'Echo', args, execArgv: ['--stack-size=1000'] },
    { onMessage: (message) => void messages.push(message), onExit: resolve },
  )
  return { started, messages, exited }
}

beforeEach(async () => {
  announced = Promise.resolve()
  folder = await mkdtemp(join(tmpdir(), 'tizona-utility-'))
  module = join(folder, 'echo.cjs')
  await writeFile(
    module,
    `
    process.on('message', (message) => {
      if (message === 'spin') for (;;);
      if (message === 'leave') process.exit(3)
      process.send({ message, args: process.argv.slice(2), flags: process.execArgv, key: process.env.TIZONA_API_KEY ?? null })
    })`,
  )
})
afterEach(async () => {
  child.kill('SIGKILL')
  vi.unstubAllEnvs()
  await rm(folder, { recursive: true })
})

it('messages are sent in both directions, with arguments, options and a name, and without keys', async () => {
  vi.stubEnv('TIZONA_API_KEY', 'secret')
  const { started, messages } = start(['one'])
  started.post(new Map([[1, 2n]]))
  await expect
    .poll(() => messages)
    .toEqual([{ message: new Map([[1, 2n]]), args: ['one'], flags: ['--stack-size=1000'], key: null }])
  expect(options?.serviceName).toBe('Echo')
  expect(started.pid).toBe(child.pid)
})

it('an exit is reported with its code, and later messages are dropped', async () => {
  const { started, exited } = start()
  started.post('leave')
  expect(await exited).toBe('exit code 3')
  expect(() => started.post('late')).not.toThrow()
  expect(() => started.kill()).not.toThrow()
})

it('a busy process that ignores SIGTERM is ended at once', async () => {
  const { started, exited } = start()
  started.post('spin')
  started.kill()
  expect(await exited).toBe('exit code 137')
})

it('ending a process that has just exited is not an error', async () => {
  const { promise, resolve: announce } = Promise.withResolvers<void>()
  announced = promise
  const { started, exited } = start()
  const gone = once(child, 'exit')
  child.kill('SIGKILL')
  await gone
  expect(started.pid).toBe(child.pid)
  expect(() => started.kill()).not.toThrow()
  announce()
  expect(await exited).toBe('exit code 137')
})

it('a fatal V8 error is logged, and the exit after it is reported', async () => {
  const logged = vi.spyOn(console, 'error').mockImplementation(() => {})
  const { started, exited } = start()
  utility.emit('error', 'FatalError', 'v8::HeapLimit', '')
  expect(logged).toHaveBeenCalledExactlyOnceWith('Echo crashed: FatalError at v8::HeapLimit')
  started.post('leave')
  expect(await exited).toBe('exit code 3')
  logged.mockRestore()
})

it('a failed start is reported as an exit', async () => {
  const { promise: exited, resolve } = Promise.withResolvers<string>()
  const failing: UtilityProcesses = {
    fork: () => {
      throw new Error('Missing UtilityProcess entry script.')
    },
  }
  const started = forkUtility(failing)(
    '',
    { name: 'Echo', args: [], execArgv: [] },
    { onMessage: () => undefined, onExit: resolve },
  )
  started.post('x')
  started.kill()
  expect(started.pid).toBeUndefined()
  expect(await exited).toBe('Missing UtilityProcess entry script.')
})
