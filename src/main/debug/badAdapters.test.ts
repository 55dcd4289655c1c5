import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { DebuggerDefinition } from './debuggerDefinition.ts'
import type { DebugSession } from './debugSession.ts'
import type { FakeAdapterScript } from './testing/fakeAdapter.ts'
import { openDebugFolder, type DebugFolder } from './testing/debugFolder.ts'

// A scripted adapter that misbehaves. Whatever it does, a call ends with a clear message, and the next session works.

// Debuggers run in the sandbox with the Node of the tests.
const source = path.join(import.meta.dirname, 'testing', 'fakeAdapter.ts')

function definitionOf(script: FakeAdapterScript): DebuggerDefinition {
  return {
    id: 'fake',
    title: 'Fake adapter',
    languages: ['Fake'],
    types: ['fake'],
    program: { kind: 'script', setting: 'jsDebugPath' },
    installCommand: '',
    transport: 'stdio',
    args: () => [JSON.stringify(script)],
    adapterArguments: (configuration) => configuration,
    command: () => ['fake'],
    attach: () => undefined,
  }
}

const times = { request: 1500, start: 1500, evaluate: 1500, stop: 300 }

interface Run {
  folder: DebugFolder
  start(script: FakeAdapterScript): Promise<DebugSession>
}

async function open(): Promise<Run> {
  const folder = await openDebugFolder({ 'a.txt': 'one\ntwo\n' }, { scriptPath: () => source, times })
  onTestFinished(() => folder.close())
  return {
    folder,
    start: (script) =>
      folder.sessions.start(
        { name: 'fake', debugger: definitionOf(script), request: 'launch', configuration: {}, owner: 'user' },
        AbortSignal.timeout(10_000),
      ),
  }
}

/** Starts with the script, and waits for the stop. */
async function stopped(script: FakeAdapterScript): Promise<{ session: DebugSession; folder: DebugFolder }> {
  const { folder, start } = await open()
  const session = await start(script)
  await session.stoppedAfter(0, AbortSignal.timeout(5000))
  return { session, folder }
}

describe('a session with an adapter', () => {
  it.each<[string, FakeAdapterScript]>([
    ['that responds to launch first', { order: 'launchFirst' }],
    ['that responds to launch last', { order: 'launchLast' }],
    ['that is initialized before the launch', { order: 'initializedFirst' }],
    ['that responds slowly', { delay: 30 }],
    ['that responds twice', { duplicates: true }],
    [
      'without configurationDone, threads and totals',
      { capabilities: { exceptionBreakpointFilters: [] }, failOn: { threads: 'no threads yet' } },
    ],
    [
      'that sends unknown events',
      { events: [{ event: 'mystery' }, { event: '__proto__' }, { event: 'constructor', body: 1 }] },
    ],
    [
      'that sends events without a body',
      { events: ['output', 'breakpoint', 'thread', 'capabilities', 'exited', 'continued'].map((event) => ({ event })) },
    ],
    [
      'that sends events with other types',
      {
        events: ['output', 'breakpoint', 'thread', 'capabilities', 'exited'].map((event) => ({
          event,
          body: { output: 1, breakpoint: 2, threadId: 'x', capabilities: null, exitCode: '1' },
        })),
      },
    ],
  ])('%s stops and ends', async (_what, script) => {
    const { session, folder } = await stopped(script)
    const { frames } = await session.stack(1, 0, 10)
    expect(frames).toMatchObject([{ name: 'work', path: 'a.txt', line: 2 }])
    await session.control('continue')
    await session.ended
    expect(folder.sessions.running()).toEqual([])
  })
})

describe('a start fails with the reason', () => {
  it.each<[string, FakeAdapterScript, RegExp, RegExp?]>([
    ['if the adapter ends at once', { crashAtStart: true }, /ended|closed/, /no license/],
    ['if it prints text instead of messages', { garbage: 'Hello, I am a debugger.\r\n\r\n' }, /not a protocol message/],
    ['if it prints a long line', { garbage: 'x'.repeat(10_000) }, /not a protocol message/],
    ['if it announces a message that is too large', { garbage: 'Content-Length: 999999999\r\n\r\n' }, /message of/],
    ['if its message is not JSON', { garbage: 'Content-Length: 3\r\n\r\n{x}' }, /not JSON/],
    ['if it ends during the launch', { crashOn: 'launch' }, /ended|closed/],
    ['if it refuses the launch', { failOn: { launch: 'The file is not executable.' } }, /The file is not executable/],
    ['if it refuses without a reason', { failOn: { launch: '' } }, /refused "launch"/],
    ['if it does not respond to the launch', { hangOn: ['launch'] }, /did not respond to "launch" within 1.5 s/],
    ['if it is never initialized', { order: 'neverInitialized' }, /not ready for breakpoints/],
    ['if it does not accept breakpoints', { hangOn: ['configurationDone'] }, /did not respond to "configurationDone"/],
  ])('%s', async (_what, script, message, detail = /(?:)/) => {
    const { folder, start } = await open()
    const error: unknown = await start(script).then(
      () => undefined,
      (thrown: unknown) => thrown,
    )
    expect(error).toMatchObject({ message: expect.stringMatching(message) })
    expect((error as { detail?: string }).detail ?? '').toMatch(detail)
    expect(folder.sessions.running()).toEqual([])
    // The next one is not affected.
    const session = await start({})
    await session.stop()
  })
})

describe('while stopped, an adapter', () => {
  it('that does not respond delays one request only', async () => {
    const { session } = await stopped({ hangOn: ['evaluate'] })
    await expect(session.evaluate({ expression: 'x', context: 'repl' })).rejects.toMatchObject({ code: 'timeout' })
    expect(await session.variables({ reference: 1, start: 0, count: 10 })).toHaveLength(1)
  })

  it('that ends fails pending requests, and the session says why', async () => {
    const { session, folder } = await stopped({ crashOn: 'evaluate' })
    await expect(session.evaluate({ expression: 'x', context: 'repl' })).rejects.toThrow(/ended/)
    await session.ended
    expect(session.info().failure).toMatch(/Fake adapter/)
    expect(folder.sessions.running()).toEqual([])
  })

  const reads = ['stackTrace', 'scopes', 'variables']
  const all = (body: unknown): FakeAdapterScript => ({ bodies: Object.fromEntries(reads.map((each) => [each, body])) })
  it.each<[string, FakeAdapterScript]>([
    ['nothing', { withoutBody: reads }],
    ['null', all(null)],
    ['lists of nothing', all({ stackFrames: [null], scopes: [null], variables: [null] })],
    ['other types', all({ stackFrames: 5, scopes: 'x', variables: {} })],
  ])('that responds with %s causes an error of one request', async (_what, script) => {
    const { session } = await stopped(script)
    await expect(session.stack(1, 0, 10)).rejects.toThrow('invalid response')
    await expect(session.scopes(1)).rejects.toThrow('invalid response')
    await expect(session.variables({ reference: 1, start: 0, count: 10 })).rejects.toThrow('invalid response')
    await session.control('continue')
    await session.ended
  })

  it('that sends more children than requested shows one page', async () => {
    const { session } = await stopped({ manyVariables: 5000 })
    const page = await session.variables({ reference: 1, start: 100, count: 100 })
    expect([page.length, page[0]?.name, page[99]?.name]).toEqual([100, '100', '199'])
  })

  it('that sends a value of megabytes is cut', async () => {
    const { session } = await stopped({ longValue: 5_000_000 })
    const { value } = await session.evaluate({ expression: 'x', context: 'repl' })
    expect(value.length).toBeLessThan(200_000)
  })

  it('that closes its output ends the session', async () => {
    const { start } = await open()
    const session = await start({ closeOutput: true })
    await session.ended
    expect(session.info().state).toBe('ended')
  })

  it('that ignores everything is ended with its session', async () => {
    const { session, folder } = await stopped({ immortal: true, hangOn: ['disconnect', 'terminate'] })
    await session.stop()
    expect(folder.sessions.running()).toEqual([])
  })

  it('that says it continued without a request runs', async () => {
    const { session } = await stopped({ events: [], bodies: {} })
    expect(session.info().state).toBe('stopped')
    await expect(session.control('stepBack')).resolves.toBeUndefined()
    expect(session.info().state).toBe('running')
    await expect(session.stack(1, 0, 1)).rejects.toMatchObject({ code: 'conflict' })
  })

  it('that floods the console keeps the process responsive and the output bounded', async () => {
    const { folder } = await stopped({ flood: 30_000 })
    // 30 MB are sent.
    await expect.poll(() => folder.text(), { timeout: 20_000 }).toContain('characters are not shown')
    expect(folder.text().length).toBeLessThan(20_000_000)
  })
})

describe('a request of the adapter', () => {
  it.each([
    [
      'to run a program outside the sandbox',
      { command: 'runInTerminal', arguments: { args: ['touch', 'evil'], cwd: '/' } },
    ],
    ['of an unknown kind', { command: 'formatDisk' }],
    ['to start an unknown session', { command: 'startDebugging', arguments: { request: 'destroy' } }],
  ])('%s is refused', async (_what, request) => {
    const { folder } = await stopped({ requests: [request] })
    await expect.poll(() => folder.text()).toContain('"success":false')
  })
})
