import { EventEmitter } from 'node:events'
import { readFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { EditorRequestName, EditorRequests } from '../../shared/editor/editorRequests.ts'
import { once } from '../../shared/async/once.ts'
import { ToolError } from '../../shared/errors.ts'
import { ipcChannel } from '../../shared/bridge/ipcChannel.ts'
import {
  requests,
  type EventName,
  type Events,
  type MainMessage,
  type RequestName,
} from '../../shared/bridge/protocol.ts'
import { createFakeCore, type FakeCore } from './testing/fakeCore.ts'
import { defaultsOf, jsonObjects, jsonValues, samplesOf } from './testing/samples.ts'
import { answerSchemas } from './windowRequests.ts'
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

/** Returns the keys of an interface from its source, because types do not exist at run time. */
function declared<Name extends string>(file: string, name: string): Name[] {
  const source = readFileSync(new URL(`../../shared/${file}`, import.meta.url), 'utf8')
  const body = source.split(`export interface ${name} {`)[1]?.split('\n}')[0] ?? ''
  // The caller names the interface's keys.
  return [...body.matchAll(/^ {2}'?([a-zA-Z.]+)'?: /gm)].map((match) => match[1] as Name)
}
// The keys of a literal without other ones.
const requestNames = Object.keys(requests) as RequestName[]
/** Parameters of each request, which take a second to generate. */
const sampleParams = once(() => new Map(requestNames.map((name) => [name, samplesOf(requests[name].params)])))
const paramsOf = (name: RequestName): unknown[] => sampleParams().get(name) ?? []
const editorRequests = Object.keys(answerSchemas) as EditorRequestName[]
const eventNames = declared<EventName>('bridge/protocol.ts', 'Events')

it('knows the events and editor requests of the protocol', () => {
  expect(eventNames.length).toBeGreaterThan(30)
  expect(editorRequests.toSorted()).toEqual(declared('editor/editorRequests.ts', 'EditorRequests').toSorted())
})

it('has these defaults in the parameters of requests', () => {
  const all = requestNames.map((name) => defaultsOf(requests[name].params, name))
  expect(Object.assign({}, ...all)).toEqual({
    'debug.output.from': 0,
    'git.merge.allowProtected': false,
    'sessions.abortRebase.confirmed': false,
    'sessions.rebase.allowProtected': false,
    'inlineEdit.run.cursorIndent': '',
    'code.references.limit': 1000,
    'code.outline.indexOnly': false,
    'code.symbols.limit': 100,
    'code.symbols.indexOnly': false,
    'completion.outcome.shown': 0,
    'completion.outcome.accepted': 0,
    'completion.outcome.acceptedCharacters': 0,
    'completion.outcome.checkedCharacters': 0,
    'completion.outcome.keptCharacters': 0,
    'files.bytes.offset': 0,
    'files.textPart.part': 0,
    'files.write.force': false,
    'files.create.directory': false,
    'files.beginUpload.overwrite': false,
    'files.delete.keep': false,
    'files.find.limit': 50,
    'search.text.regex': false,
    'search.text.caseSensitive': false,
    'search.text.wholeWord': false,
    'search.text.include': '',
    'search.text.exclude': '',
    'search.text.limit': 1000,
    'git.initialize.folder': '.',
    'git.repositories.again': false,
    'git.status.refresh': false,
    'git.commit.amend': false,
    'git.commit.signOff': false,
    'git.commit.all': false,
    'git.commit.skipHooks': false,
    'git.createBranch.switch': true,
    'git.switch.track': false,
    'git.switch.detach': false,
    'git.deleteBranch.force': false,
    'git.stash.message': '',
    'git.stash.untracked': true,
    'git.applyStash.pop': false,
    'git.fetch.prune': false,
    'git.push.setUpstream': false,
    'git.push.force': false,
    'git.push.tags': false,
    'git.log.all': false,
    'git.log.skip': 0,
    'git.log.limit': 100,
    'git.fileHistory.skip': 0,
    'git.fileHistory.limit': 100,
    'language.signatureHelp.retrigger': false,
    'mcp.save.definition.args': [],
    'mcp.save.definition.env': {},
    'mcp.save.definition.headers': {},
    'mcp.save.secrets': {},
    'endpoints.list.probe': false,
    'endpoints.save.endpoint.hasKey': false,
    'endpoints.test.endpoint.hasKey': false,
    'settings.setDocument.overwrite': false,
    'themes.add.included': [],
    'userFiles.write.overwrite': false,
    'settings.set.approval.rules.folder': null,
    'settings.set.endpoints.hasKey': false,
    'settings.set.mcp.servers': {},
    'settings.set.mcp.servers.args': [],
    'settings.set.mcp.servers.env': {},
    'settings.set.mcp.servers.headers': {},
    'settings.set.mcp.choices': {},
    'settings.set.mcp.choices.off': false,
    'settings.set.mcp.choices.tools': {},
    'settings.set.mcp.choices.tools.off': false,
    'settings.set.agents.args': [],
    'settings.set.agents.env': {},
    'settings.set.agents.folders': [],
    'settings.set.agents.sandbox': true,
    'debug.stack.start': 0,
    'debug.stack.count': 100,
    'debug.variables.start': 0,
    'debug.variables.count': 100,
  })
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

  // Main sends the parameters of editor requests unchanged, whatever they are.
  const params = samplesOf(jsonObjects, 1)[0] as EditorRequests[EditorRequestName]['params']
  const ask = async (name: EditorRequestName) => {
    const answered = attached().ask(name, params)
    // The test awaits the rejection later. Until then this prevents an unhandled rejection.
    answered.catch(() => {})
    const message = await window.next()
    return { answered, message, id: message.kind === 'ask' ? message.id : -1 }
  }
  const attached = () => {
    if (core.link === null) throw new Error('no window is attached')
    return core.link
  }

  it.each(requestNames)(
    '%s reaches its handler with defaults filled in, and its response is returned',
    async (name) => {
      const results = samplesOf(jsonValues)
      for (const [index, params] of paramsOf(name).entries()) {
        core.answerWith(name, () => results[index])
        window.send({ kind: 'request', id: index, method: name, params })
        expect(await window.next()).toEqual({
          kind: 'response',
          id: index,
          ok: true,
          result: results[index] ?? null,
        })
        expect(core.handled.at(-1)).toMatchObject({ name })
        expect(core.handled.at(-1)?.params).toEqual(requests[name].params.parse(params))
      }
    },
  )

  it.each(requestNames)('%s with parameters of a wrong type never reaches its handler', async (name) => {
    const fields = new Set(paramsOf(name).flatMap((params) => Object.keys(Object(params))))
    const wrongFields = [...fields].map((field) => [field, { wrong: true }] as const)
    for (const params of [42, 'x', null, ...(fields.size === 0 ? [] : [Object.fromEntries(wrongFields)])]) {
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

  it.each(requestNames)('an error of %s is returned with code, message and next step', async (name) => {
    core.answerWith(name, () => {
      throw new ToolError('not_found', 'It is gone.', 'Look elsewhere.')
    })
    window.send({ kind: 'request', id: 9, method: name, params: paramsOf(name)[0] })
    expect(await window.next()).toEqual({
      kind: 'response',
      id: 9,
      ok: false,
      error: { code: 'not_found', message: 'It is gone.', next: 'Look elsewhere.' },
    })
  })

  it.each(eventNames)('the event %s arrives unchanged', async (name) => {
    for (const payload of samplesOf(jsonValues)) {
      // Hosts send payloads unchanged, whatever they are.
      attached().emit(name, payload as Events[EventName])
      expect(await window.next()).toEqual({ kind: 'event', name, payload })
    }
  })

  it.each(editorRequests)('%s is sent to the window, and main receives its answer', async (name) => {
    for (const result of samplesOf(answerSchemas[name])) {
      const { answered, message, id } = await ask(name)
      expect(message).toEqual({ kind: 'ask', id, method: name, params })
      window.send({ kind: 'answer', id, ok: true, result })
      expect(await answered).toEqual(result)
    }
  })

  it('the texts of an edit that was merged with what the user typed reach main', async () => {
    const { answered, id } = await ask('editor.applyText')
    const result = { applied: true, merged: { before: 'typed', after: 'typed and edited' } }
    window.send({ kind: 'answer', id, ok: true, result })
    expect(await answered).toEqual(result)
  })

  it.each(editorRequests)('an invalid answer to %s fails the request', async (name) => {
    const { answered, id } = await ask(name)
    window.send({ kind: 'answer', id, ok: true, result: 'nonsense' })
    await expect(answered).rejects.toMatchObject({ code: 'internal' })
  })

  it.each(editorRequests)('a window that refuses %s returns the reason', async (name) => {
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
      result: samplesOf(answerSchemas['editor.state'], 1)[0],
    })
    const { answered: second, id } = await ask('editor.goto')
    const result = { path: 'a', line: 3, column: 1 }
    window.send({ kind: 'answer', id, ok: true, result })
    expect(await second).toEqual(result)
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
