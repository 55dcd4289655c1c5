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
/** What a test may do to the process behind the back of the code under test. */
let child: ReturnType<typeof fork>
let utility: EventEmitter

/** Electron's `utilityProcess` on a process of Node, whose channel is `process.send`. */
const utilityProcess: UtilityProcesses = {
  fork(path, args, given) {
    options = given
    child = fork(path, args, { env: { ...given.env }, execArgv: given.execArgv, serialization: 'advanced', stdio: ['ignore', 'ignore', 'ignore', 'ipc'] })
    let running = true
    utility = new EventEmitter()
    child.on('message', (message) => utility.emit('message', message))
    child.once('exit', (code) => {
      running = false
      utility.emit('exit', code ?? 137)
    })
    const made = {
      get pid() {
        return running ? child.pid : undefined
      },
      postMessage(message: object) {
        if (!running) throw new Error('A message was posted to a process that has ended.')
        child.send(message)
      },
      kill: () => child.kill('SIGTERM'),
    }
    return Object.assign(utility, Object.defineProperties({}, Object.getOwnPropertyDescriptors(made))) as unknown as ReturnType<UtilityProcesses['fork']> // What forkUtility uses of it.
  },
}

function start(args: string[] = []) {
  const messages: unknown[] = []
  const { promise: exited, resolve } = Promise.withResolvers<string>()
  const started = forkUtility(utilityProcess)(module, { name: 'Echo', args, execArgv: ['--stack-size=1000'] }, { onMessage: (message) => void messages.push(message), onExit: resolve })
  return { started, messages, exited }
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tizona-utility-'))
  module = join(folder, 'echo.cjs')
  await writeFile(module, `
    process.on('message', (message) => {
      if (message === 'spin') for (;;);
      if (message === 'leave') process.exit(3)
      process.send({ message, args: process.argv.slice(2), flags: process.execArgv, key: process.env.TIZONA_API_KEY ?? null })
    })`)
})
afterEach(async () => {
  child.kill('SIGKILL')
  vi.unstubAllEnvs()
  await rm(folder, { recursive: true })
})

it('messages go both ways, with arguments, options and a name, and without keys', async () => {
  vi.stubEnv('TIZONA_API_KEY', 'secret')
  const { started, messages } = start(['one'])
  started.post(new Map([[1, 2n]]))
  await expect.poll(() => messages).toEqual([{ message: new Map([[1, 2n]]), args: ['one'], flags: ['--stack-size=1000'], key: null }])
  expect(options?.serviceName).toBe('Echo')
  expect(started.pid).toBe(child.pid)
})

it('an exit is announced with its code, and what is posted after it is dropped', async () => {
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

it('ending a process that has just ended by itself is no error', async () => {
  const { started, exited } = start()
  const gone = once(child, 'exit')
  child.kill('SIGKILL')
  await gone
  // Its exit has not been announced yet for Electron.
  Object.defineProperty(utility, 'pid', { get: () => child.pid })
  expect(() => started.kill()).not.toThrow()
  expect(await exited).toBe('exit code 137')
})

it('a fatal error of V8 is logged, and the exit after it is announced', async () => {
  const logged = vi.spyOn(console, 'error').mockImplementation(() => {})
  const { started, exited } = start()
  utility.emit('error', 'FatalError', 'v8::HeapLimit', '')
  expect(logged).toHaveBeenCalledExactlyOnceWith('Echo has to end: FatalError at v8::HeapLimit')
  started.post('leave')
  expect(await exited).toBe('exit code 3')
  logged.mockRestore()
})

it('what prevents the start is an exit', async () => {
  const { promise: exited, resolve } = Promise.withResolvers<string>()
  const failing: UtilityProcesses = { fork: () => { throw new Error('Missing UtilityProcess entry script.') } }
  const started = forkUtility(failing)('', { name: 'Echo', args: [], execArgv: [] }, { onMessage: () => undefined, onExit: resolve })
  started.post('x')
  started.kill()
  expect(started.pid).toBeUndefined()
  expect(await exited).toBe('Missing UtilityProcess entry script.')
})
