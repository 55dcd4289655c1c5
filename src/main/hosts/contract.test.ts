import { EventEmitter } from 'node:events'
import { readFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { EditorRequestName } from '../../shared/editor/editorRequests.ts'
import { ToolError } from '../../shared/errors.ts'
import { ipcChannel } from '../../shared/bridge/ipcChannel.ts'
import { requests, type EventName, type MainMessage, type RequestName } from '../../shared/bridge/protocol.ts'
import { createFakeCore, type FakeCore } from './testing/fakeCore.ts'
import { editorRequestRows, eventRows, requestRows } from './testing/samples.ts'
import { browserHost, FakeElectron, Inbox, type HostUnderTest, type Wire } from './testing/wires.ts'

/** Electron for the preload script, whose exposed bridge is under test. */
interface Exposed {
  post(message: unknown): void
  onMessage(listener: (message: MainMessage) => void): () => void
}
const renderer = vi.hoisted(() => ({
  current: null as null | {
    send(channel: string, message: unknown): void
    on: EventEmitter['on']
    off: EventEmitter['off']
  },
  exposed: null as unknown,
}))
vi.mock('electron', () => ({
  ipcRenderer: {
    send: (channel: string, message: unknown) => renderer.current?.send(channel, message),
    on: (channel: string, listener: () => void) => renderer.current?.on(channel, listener),
    off: (channel: string, listener: () => void) => renderer.current?.off(channel, listener),
  },
  contextBridge: {
    exposeInMainWorld: (_name: string, value: unknown) => {
      renderer.exposed = value
    },
  },
}))

async function electronHost(core: FakeCore): Promise<HostUnderTest> {
  const electron = new FakeElectron(core)
  return {
    async open() {
      const ipcRenderer = new EventEmitter()
      const contents = electron.window(ipcRenderer)
      const send = (channel: string, message: unknown): void => electron.fromPage(channel, message, { contents })
      renderer.current = { send, on: ipcRenderer.on.bind(ipcRenderer), off: ipcRenderer.off.bind(ipcRenderer) }
      vi.resetModules()
      await import('../../preload/index.ts')
      // Set by the preload script just now.
      const bridge = renderer.exposed as Exposed
      const inbox = new Inbox<MainMessage>()
      bridge.onMessage((message) => inbox.put(message))
      // A desktop window is connected by its first message.
      send(ipcChannel.toMain, { kind: 'answer', id: 0, ok: true, result: null })
      return {
        send: (message) => send(ipcChannel.toMain, message),
        next: () => inbox.take(),
        close: () => contents.destroy(),
      }
    },
    stop: async () => {},
  }
}

// Plain records without other keys.
const names = <T extends object>(rows: T): (keyof T & string)[] => Object.keys(rows) as (keyof T & string)[]

/** Returns the keys of an interface from its source, because types do not exist at run time. */
function declared(file: string, name: string): string[] {
  const source = readFileSync(new URL(`../../shared/${file}`, import.meta.url), 'utf8')
  const body = source.split(`export interface ${name} {`)[1]?.split('\n}')[0] ?? ''
  return [...body.matchAll(/^ {2}'?([a-zA-Z.]+)'?: /gm)].map((match) => match[1] ?? '')
}

it('has a row for every request, event and editor request of the protocol', () => {
  expect(names(requestRows).toSorted()).toEqual(names(requests).toSorted())
  expect(names(eventRows).toSorted()).toEqual(declared('bridge/protocol.ts', 'Events').toSorted())
  expect(names(editorRequestRows).toSorted()).toEqual(declared('editor/editorRequests.ts', 'EditorRequests').toSorted())
})

describe.each([
  ['the WebSocket of the browser host', browserHost],
  ['the IPC of the desktop host', electronHost],
])('over %s', (_name, start) => {
  let core: FakeCore
  let host: HostUnderTest
  let window: Wire

  beforeEach(async () => {
    core = createFakeCore()
    host = await start(core)
    window = await host.open()
  })
  afterEach(() => host.stop())

  const ask = async (name: EditorRequestName) => {
    const answered = attached().ask(name, editorRequestRows[name].params)
    // The test awaits the rejection later. Until then this prevents an unhandled rejection.
    answered.catch(() => {})
    const message = await window.next()
    return { answered, message, id: message.kind === 'ask' ? message.id : -1 }
  }
  const attached = () => {
    if (core.link === null) throw new Error('no window is attached')
    return core.link
  }

  it.each(names(requestRows))(
    '%s reaches its handler with defaults filled in, and its response is returned',
    async (name) => {
      window.send({ kind: 'request', id: 7, method: name, params: requestRows[name].send })
      expect(await window.next()).toEqual({
        kind: 'response',
        id: 7,
        ok: true,
        result: requestRows[name].result ?? null,
      })
      expect(core.handled.map(({ name: handled, params }) => ({ name: handled, params }))).toEqual([
        { name, params: requestRows[name].handled },
      ])
    },
  )

  it.each(names(requestRows))('%s with parameters of a wrong type never reaches its handler', async (name) => {
    const fields = Object.keys(requestRows[name].send)
    const wrongFields = fields.length === 0 ? [] : [Object.fromEntries(fields.map((field) => [field, { wrong: true }]))]
    for (const params of [42, 'x', null, ...wrongFields]) {
      window.send({ kind: 'request', id: 8, method: name, params })
      expect(await window.next()).toMatchObject({
        kind: 'response',
        id: 8,
        ok: false,
        error: { code: 'invalid_arguments' },
      })
    }
    expect(core.handled).toEqual([])
  })

  it.each(names(requestRows))('an error of %s is returned with code, message and next step', async (name) => {
    core.answerWith(name, () => {
      throw new ToolError('not_found', 'It is gone.', 'Look elsewhere.')
    })
    window.send({ kind: 'request', id: 9, method: name, params: requestRows[name].send })
    expect(await window.next()).toEqual({
      kind: 'response',
      id: 9,
      ok: false,
      error: { code: 'not_found', message: 'It is gone.', next: 'Look elsewhere.' },
    })
  })

  it.each(names(eventRows))('the event %s arrives unchanged', async (name: EventName) => {
    attached().emit(name, eventRows[name])
    expect(await window.next()).toEqual({ kind: 'event', name, payload: eventRows[name] })
  })

  it.each(names(editorRequestRows))('%s is sent to the window, and main receives its answer', async (name) => {
    const { answered, message, id } = await ask(name)
    expect(message).toEqual({ kind: 'ask', id, method: name, params: editorRequestRows[name].params })
    window.send({ kind: 'answer', id, ok: true, result: editorRequestRows[name].result })
    expect(await answered).toEqual(editorRequestRows[name].result)
  })

  it.each(names(editorRequestRows))('an invalid answer to %s fails the request', async (name) => {
    const { answered, id } = await ask(name)
    window.send({ kind: 'answer', id, ok: true, result: 'nonsense' })
    await expect(answered).rejects.toMatchObject({ code: 'internal' })
  })

  it.each(names(editorRequestRows))('a window that refuses %s returns the reason', async (name) => {
    const { answered, id } = await ask(name)
    window.send({
      kind: 'answer',
      id,
      ok: false,
      error: { code: 'no_selection', message: 'Nothing is selected.', next: 'Select something.' },
    })
    await expect(answered).rejects.toMatchObject({
      name: 'ToolError',
      code: 'no_selection',
      message: 'Nothing is selected.',
      next: 'Select something.',
    })
  })

  it('an unknown request returns an error and reaches no handler, prototype names included', async () => {
    for (const method of ['files.format', 'toString', '__proto__', 'constructor']) {
      window.send({ kind: 'request', id: 1, method, params: {} })
      expect(await window.next()).toMatchObject({
        kind: 'response',
        id: 1,
        ok: false,
        error: { code: 'invalid_arguments' },
      })
    }
    expect(core.handled).toEqual([])
  })

  it('transfers a text of several megabytes in both directions', async () => {
    const text = 'line "⚔"\n'.repeat(200_000)
    core.answerWith('files.read', () => ({ path: 'a', text, stamp: 's' }))
    window.send({
      kind: 'request',
      id: 1,
      method: 'files.write',
      params: { path: 'a', text, format: { encoding: 'utf8', eol: '\n' } },
    })
    expect(await window.next()).toMatchObject({ id: 1, ok: true })
    // The schema validates this type.
    const params = core.handled.find(({ name }) => name === 'files.write')?.params as { text: string } | undefined
    expect(params?.text === text).toBe(true)
    window.send({ kind: 'request', id: 2, method: 'files.read', params: { path: 'a' } })
    expect(await window.next()).toEqual({ kind: 'response', id: 2, ok: true, result: { path: 'a', text, stamp: 's' } })
  })

  it('an invalid message is dropped and the window stays connected', async () => {
    for (const junk of [
      null,
      1,
      'x',
      [],
      {},
      { kind: 'request' },
      { kind: 'request', id: -1, method: 'app.state', params: {} },
      { kind: 'answer', id: 'x', ok: true },
    ])
      window.send(junk)
    window.send({ kind: 'request', id: 2, method: 'workspace.pick', params: {} })
    expect(await window.next()).toMatchObject({ kind: 'response', id: 2, ok: true })
    expect(core.handled).toHaveLength(1)
  })

  it('responses are sent as they become ready, each for its own request', async () => {
    let release = (_text: string): void => {}
    core.answerWith(
      'results.full',
      () =>
        new Promise((resolve) => {
          release = resolve
        }),
    )
    window.send({ kind: 'request', id: 1, method: 'results.full', params: { callId: 'k' } })
    window.send({ kind: 'request', id: 2, method: 'jobs.output', params: { id: 'j' } })
    expect(await window.next()).toMatchObject({ id: 2 })
    release('late')
    expect(await window.next()).toMatchObject({ id: 1, result: 'late' })
  })

  it('an unexpected error is returned as internal and logged', async () => {
    const logged = vi.spyOn(console, 'error').mockImplementation(() => {})
    core.answerWith('files.read', () => {
      throw new TypeError('boom')
    })
    window.send({ kind: 'request', id: 1, method: 'files.read', params: { path: 'a' } })
    expect(await window.next()).toMatchObject({ ok: false, error: { code: 'internal' } })
    expect(logged).toHaveBeenCalled()
    logged.mockRestore()
  })

  it('a result that cannot be serialized fails only its own request', async () => {
    const logged = vi.spyOn(console, 'error').mockImplementation(() => {})
    const loop: { self?: unknown; run: () => void } = { run: () => {} }
    loop.self = loop
    core.answerWith('files.read', () => loop)
    window.send({ kind: 'request', id: 1, method: 'files.read', params: { path: 'a' } })
    expect(await window.next()).toMatchObject({ id: 1, ok: false, error: { code: 'internal' } })
    window.send({ kind: 'request', id: 2, method: 'workspace.pick', params: {} })
    expect(await window.next()).toMatchObject({ id: 2, ok: true })
    logged.mockRestore()
  })

  it('closing a window aborts its pending requests and fails the requests sent to it', async () => {
    const aborted = new Promise<void>((resolve) => {
      core.answerWith(
        'search.text',
        (signal) =>
          new Promise((_resolve, reject) =>
            signal.addEventListener('abort', () => {
              resolve()
              reject(signal.reason as Error)
            }),
          ),
      )
    })
    window.send({ kind: 'request', id: 1, method: 'search.text', params: { query: 'x' } })
    const { answered } = await ask('editor.state')
    const link = attached()
    await vi.waitFor(() => expect(core.handled).toHaveLength(1))
    window.close()
    await aborted
    await expect(answered).rejects.toMatchObject({ code: 'no_window' })
    await expect(link.ask('editor.state', {})).rejects.toMatchObject({ code: 'no_window' })
    expect(core.link).toBeNull()
    // Events to a closed window are dropped silently.
    link.emit('notice', { level: 'info', message: 'late' })
  })

  it('a cancelled editor request ends at once, and its late answer has no effect', async () => {
    const controller = new AbortController()
    const answered = attached().ask('editor.state', {}, controller.signal)
    const message = await window.next()
    controller.abort()
    await expect(answered).rejects.toMatchObject({ name: 'AbortError' })
    window.send({
      kind: 'answer',
      id: message.kind === 'ask' ? message.id : -1,
      ok: true,
      result: editorRequestRows['editor.state'].result,
    })
    const { answered: second, id } = await ask('editor.goto')
    window.send({ kind: 'answer', id, ok: true, result: editorRequestRows['editor.goto'].result })
    expect(await second).toEqual(editorRequestRows['editor.goto'].result)
  })

  it('a second window takes over: the first one is notified and detached, and its requests are refused', async () => {
    const { answered } = await ask('editor.state')
    const second = await host.open()
    expect(await window.next()).toMatchObject({ kind: 'event', name: 'app.detached' })
    await expect(answered).rejects.toMatchObject({ code: 'no_window' })
    window.send({
      kind: 'request',
      id: 1,
      method: 'approvals.decide',
      params: { requestId: 'a1', decision: { kind: 'once' } },
    })
    expect(await window.next()).toMatchObject({ id: 1, ok: false, error: { code: 'conflict' } })
    expect(core.handled).toEqual([])
    second.send({
      kind: 'request',
      id: 1,
      method: 'approvals.decide',
      params: { requestId: 'a1', decision: { kind: 'once' } },
    })
    expect(await second.next()).toMatchObject({ id: 1, ok: true })
    // Closing the first window does not detach the second.
    window.close()
    second.send({ kind: 'request', id: 2, method: 'workspace.pick', params: {} })
    expect(await second.next()).toMatchObject({ id: 2, ok: true })
    expect(core.link).not.toBeNull()
  })
})

describe('the desktop host refuses a sender that is not its own window', () => {
  const request = { kind: 'request', id: 1, method: 'workspace.pick' satisfies RequestName, params: {} }

  it.each([
    ['a frame inside the page', { frame: { url: 'app://tizona/index.html' } }],
    ['a removed frame', { frame: null }],
  ])('%s', (_name, sender) => {
    const logged = vi.spyOn(console, 'error').mockImplementation(() => {})
    const core = createFakeCore()
    const electron = new FakeElectron(core)
    electron.window(new EventEmitter())
    electron.fromPage(ipcChannel.toMain, request, sender)
    expect(core.handled).toEqual([])
    expect(core.link).toBeNull()
    expect(logged).toHaveBeenCalled()
    logged.mockRestore()
  })

  it.each([
    'https://example.org/',
    'http://127.0.0.1:3000/',
    'file:///etc/passwd',
    'app://other/index.html',
    'about:blank',
    '',
  ])('a page at "%s"', (url) => {
    const logged = vi.spyOn(console, 'error').mockImplementation(() => {})
    const core = createFakeCore()
    const electron = new FakeElectron(core)
    electron.window(new EventEmitter()).mainFrame.url = url
    electron.fromPage(ipcChannel.toMain, request)
    expect(core.handled).toEqual([])
    expect(logged).toHaveBeenCalled()
    logged.mockRestore()
  })

  it('another window of the same application', () => {
    const logged = vi.spyOn(console, 'error').mockImplementation(() => {})
    const core = createFakeCore()
    const electron = new FakeElectron(core)
    electron.window(new EventEmitter())
    const other = new FakeElectron(createFakeCore()).window(new EventEmitter())
    electron.fromPage(ipcChannel.toMain, request, { contents: other })
    expect(core.handled).toEqual([])
    logged.mockRestore()
  })

  it('a document after navigation: the next one gets a new connection', async () => {
    const core = createFakeCore()
    const electron = new FakeElectron(core)
    const ipcRenderer = new EventEmitter()
    const contents = electron.window(ipcRenderer)
    electron.fromPage(ipcChannel.toMain, request)
    const first = core.link
    contents.emit('did-navigate')
    expect(core.link).toBeNull()
    electron.fromPage(ipcChannel.toMain, request)
    expect(core.link).not.toBeNull()
    expect(core.link).not.toBe(first)
  })
})
