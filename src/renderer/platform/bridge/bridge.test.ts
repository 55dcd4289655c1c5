import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { MainMessage, WindowMessage } from '../../../shared/bridge/protocol.ts'
import { createBridge, type BridgeStatus } from './bridge.ts'
import type { Transport, TransportReceiver } from './transport.ts'
import { backoffDelay, socketTransport } from './socketTransport.ts'
import { SessionRefused } from './sessionSecret.ts'

/** A transport that the test controls. */
function carrier() {
  const sent: WindowMessage[] = []
  let receiver: TransportReceiver | null = null
  let up = false
  const transport: Transport = {
    start: (given) => {
      receiver = given
    },
    send(message) {
      if (up) sent.push(message)
      return up
    },
    stop: () => {
      up = false
    },
  }
  return {
    transport,
    sent,
    connect() {
      up = true
      receiver?.status({ kind: 'connected' })
    },
    drop() {
      up = false
      receiver?.status({ kind: 'reconnecting', attempt: 1 })
    },
    say: (message: MainMessage) => receiver?.message(message),
  }
}

function setup() {
  const line = carrier()
  const statuses: BridgeStatus[] = []
  const bridge = createBridge((status) => statuses.push(status))
  bridge.connect(line.transport)
  return { line, bridge, statuses }
}

describe('the bridge', () => {
  it('holds requests until the first connection and matches each response to its request', async () => {
    const { line, bridge } = setup()
    const first = bridge.request('layout.load', {})
    const second = bridge.request('files.find', { query: 'a' })
    expect(line.sent).toEqual([])
    line.connect()
    const [one, two] = line.sent
    line.say({ kind: 'response', id: two?.id ?? -1, ok: true, result: ['a.ts'] })
    line.say({ kind: 'response', id: one?.id ?? -1, ok: true, result: null })
    await expect(first).resolves.toBeNull()
    await expect(second).resolves.toEqual(['a.ts'])
  })

  it('rejects with the error code, message and next step from main', async () => {
    const { line, bridge } = setup()
    line.connect()
    const request = bridge.request('files.read', { path: 'x' })
    line.say({
      kind: 'response',
      id: line.sent[0]?.id ?? -1,
      ok: false,
      error: { code: 'not_found', message: 'x is not there.', next: 'Look again.' },
    })
    await expect(request).rejects.toMatchObject({ code: 'not_found', message: 'x is not there.', next: 'Look again.' })
  })

  it('rejects pending requests when the connection drops, and new ones while it is down', async () => {
    const { line, bridge } = setup()
    line.connect()
    const underWay = bridge.request('layout.load', {})
    line.drop()
    await expect(underWay).rejects.toMatchObject({ code: 'io_error', message: expect.stringContaining('lost') })
    await expect(bridge.request('layout.load', {})).rejects.toMatchObject({
      code: 'io_error',
      message: expect.stringContaining('not connected'),
    })
  })

  it('calls the listener after every connection, so that stores can refresh', () => {
    const { line, bridge } = setup()
    const connected = vi.fn()
    bridge.onConnected(connected)
    line.connect()
    line.drop()
    line.connect()
    expect(connected).toHaveBeenCalledTimes(2)
  })

  it.each(['a new connection', 'one that lost events'])('treats everything as changed after %s', (kind) => {
    const { line, bridge } = setup()
    const files = vi.fn()
    const review = vi.fn()
    bridge.on('files.changed', files)
    bridge.on('review.changed', review)
    line.connect()
    expect(files).not.toHaveBeenCalled()
    if (kind === 'a new connection') {
      line.drop()
      line.connect()
    } else line.say({ kind: 'event', name: 'app.reconnected', payload: { restarted: false } })
    expect(files.mock.calls).toEqual([[{ changes: [], overflow: true }]])
    expect(review.mock.calls).toEqual([[{ paths: null }]])
  })

  it('answers editor requests from main, with a failure if the handler fails', async () => {
    const { line, bridge } = setup()
    line.connect()
    bridge.handleRequest('editor.buffer', ({ path }) => ({ text: path, dirty: false }))
    line.say({ kind: 'ask', id: 7, method: 'editor.buffer', params: { path: 'a.ts' } })
    line.say({ kind: 'ask', id: 8, method: 'editor.selection', params: {} })
    await vi.waitFor(() => expect(line.sent).toHaveLength(2))
    expect(line.sent).toContainEqual({ kind: 'answer', id: 7, ok: true, result: { text: 'a.ts', dirty: false } })
    expect(line.sent).toContainEqual(
      expect.objectContaining({ id: 8, ok: false, error: expect.objectContaining({ code: 'no_window' }) }),
    )
  })

  it('stops when another window took over', async () => {
    const { line, bridge, statuses } = setup()
    line.connect()
    const request = bridge.request('layout.load', {})
    line.say({ kind: 'event', name: 'app.detached', payload: { reason: 'Opened elsewhere.' } })
    await expect(request).rejects.toMatchObject({ code: 'io_error' })
    expect(statuses.at(-1)).toEqual({ kind: 'detached', reason: 'Opened elsewhere.' })
  })

  it('passes events to subscribers until they unsubscribe', () => {
    const { line, bridge } = setup()
    const listener = vi.fn()
    const leave = bridge.on('notice', listener)
    const notice: MainMessage = { kind: 'event', name: 'notice', payload: { level: 'info', message: 'hello' } }
    line.say(notice)
    leave()
    line.say(notice)
    expect(listener.mock.calls).toEqual([[{ level: 'info', message: 'hello' }]])
  })
})

/** The server's end of a WebSocket, controlled by the test. */
class FakeSocket extends EventTarget {
  readonly sent: unknown[] = []
  send(data: string): void {
    this.sent.push(JSON.parse(data))
  }
  close(): void {
    this.drop(1000)
  }
  open(): void {
    this.dispatchEvent(new Event('open'))
  }
  say(message: unknown): void {
    this.dispatchEvent(new MessageEvent('message', { data: JSON.stringify(message) }))
  }
  drop(code: number): void {
    this.dispatchEvent(Object.assign(new Event('close'), { code }))
  }
}

describe('the WebSocket of the browser host', () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  async function start(
    secret: () => Promise<string> = () => Promise.resolve('the secret'),
    fetchText: (id: string) => Promise<ArrayBuffer> = () => Promise.reject(new Error('no text')),
  ) {
    const sockets: FakeSocket[] = []
    const statuses: BridgeStatus[] = []
    const messages: MainMessage[] = []
    const transport = socketTransport({
      url: 'ws://127.0.0.1:1/bridge',
      secret,
      fetchText,
      open: () => {
        const socket = new FakeSocket()
        sockets.push(socket)
        // Implements only the members of WebSocket that the transport uses.
        return socket as unknown as WebSocket
      },
    })
    transport.start({ message: (message) => messages.push(message), status: (status) => statuses.push(status) })
    await vi.advanceTimersByTimeAsync(0)
    return { transport, sockets, statuses, messages }
  }

  it('sends the secret first and is connected after the welcome message', async () => {
    const { sockets, statuses, transport } = await start()
    sockets[0]?.open()
    expect(sockets[0]?.sent).toMatchObject([{ kind: 'hello', secret: 'the secret', again: false }])
    expect(transport.send({ kind: 'request', id: 1, method: 'app.state', params: {} })).toBe(false)
    sockets[0]?.say({ kind: 'welcome' })
    expect(statuses).toEqual([{ kind: 'connected' }])
    expect(transport.send({ kind: 'request', id: 1, method: 'app.state', params: {} })).toBe(true)
  })

  it('names its page and its reconnection, and is detached if another page was opened meanwhile', async () => {
    const { sockets, messages } = await start()
    sockets[0]?.open()
    sockets[0]?.say({ kind: 'welcome' })
    sockets[0]?.drop(1006)
    await vi.advanceTimersByTimeAsync(backoffDelay(1))
    sockets[1]?.open()
    const [first, second] = sockets.map(({ sent }) => sent[0] as { page: string; again: boolean })
    expect(second).toEqual({ ...first, again: true })
    const detached: MainMessage = { kind: 'event', name: 'app.detached', payload: { reason: 'Elsewhere.' } }
    sockets[1]?.say(detached)
    expect(messages).toEqual([detached])
  })

  it('reconnects after a drop, with increasing delays', async () => {
    const { sockets, statuses } = await start()
    sockets[0]?.open()
    sockets[0]?.say({ kind: 'welcome' })
    sockets[0]?.drop(1006)
    expect(statuses.at(-1)).toEqual({ kind: 'reconnecting', attempt: 1 })
    await vi.advanceTimersByTimeAsync(backoffDelay(1))
    sockets[1]?.drop(1006)
    expect(statuses.at(-1)).toEqual({ kind: 'reconnecting', attempt: 2 })
    await vi.advanceTimersByTimeAsync(backoffDelay(2) - 1)
    expect(sockets).toHaveLength(2)
    await vi.advanceTimersByTimeAsync(1)
    sockets[2]?.open()
    sockets[2]?.say({ kind: 'welcome' })
    expect(statuses.at(-1)).toEqual({ kind: 'connected' })
    sockets[2]?.drop(1006)
    expect(statuses.at(-1)).toEqual({ kind: 'reconnecting', attempt: 1 })
  })

  const withoutItsText = {
    kind: 'fetch',
    text: 'id',
    holder: 'result',
    message: { kind: 'response', id: 1, ok: true, result: { path: 'a' } },
  }
  const event = { kind: 'event', name: 'notice', payload: { level: 'info', message: 'later' } }

  it('fetches a long text, and delivers the messages after it later', async () => {
    const text = Promise.withResolvers<ArrayBuffer>()
    const fetchText = vi.fn(() => text.promise)
    const { sockets, messages } = await start(undefined, fetchText)
    sockets[0]?.say({ kind: 'welcome' })
    for (const message of [withoutItsText, event, withoutItsText, event]) sockets[0]?.say(message)
    await vi.advanceTimersByTimeAsync(0)
    expect(messages).toEqual([])
    text.resolve(new TextEncoder().encode('\uFEFF⚔').buffer)
    await vi.advanceTimersByTimeAsync(0)
    const response = { kind: 'response', id: 1, ok: true, result: { path: 'a', text: '\uFEFF⚔' } }
    expect(messages).toEqual([response, event, response, event])
    expect(fetchText.mock.calls).toEqual([['id'], ['id']])
  })

  it('fails the request whose text cannot be fetched', async () => {
    const { sockets, messages } = await start()
    sockets[0]?.say({ kind: 'welcome' })
    for (const message of [withoutItsText, event]) sockets[0]?.say(message)
    await vi.advanceTimersByTimeAsync(0)
    expect(messages).toEqual([
      { kind: 'response', id: 1, ok: false, error: expect.objectContaining({ code: 'io_error' }) },
      event,
    ])
  })

  it('delivers no text of a connection that has dropped', async () => {
    const text = Promise.withResolvers<ArrayBuffer>()
    const { sockets, messages } = await start(undefined, () => text.promise)
    sockets[0]?.say({ kind: 'welcome' })
    sockets[0]?.say(withoutItsText)
    sockets[0]?.drop(1006)
    text.resolve(new ArrayBuffer(1))
    await vi.advanceTimersByTimeAsync(0)
    expect(messages).toEqual([])
  })

  it('waits at most eight seconds', () => {
    expect([1, 2, 3, 6, 40].map(backoffDelay)).toEqual([250, 500, 1000, 8000, 8000])
  })

  it('reconnects if its first message arrived too late', async () => {
    const { sockets, statuses } = await start()
    sockets[0]?.drop(4408)
    await vi.advanceTimersByTimeAsync(250)
    expect(sockets).toHaveLength(2)
    expect(statuses.at(-1)).toEqual({ kind: 'reconnecting', attempt: 1 })
  })

  it('replaces a connection that gets no welcome message, and keeps others', async () => {
    const { sockets, statuses } = await start()
    sockets[0]?.open()
    await vi.advanceTimersByTimeAsync(30_250)
    expect(sockets).toHaveLength(2)
    sockets[1]?.open()
    sockets[1]?.say({ kind: 'welcome' })
    await vi.advanceTimersByTimeAsync(60_000)
    expect(sockets).toHaveLength(2)
    expect(statuses.at(-1)).toEqual({ kind: 'connected' })
  })

  it('gives up when its secret is refused', async () => {
    const { sockets, statuses } = await start()
    sockets[0]?.open()
    sockets[0]?.drop(4401)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(sockets).toHaveLength(1)
    expect(statuses.at(-1)?.kind).toBe('refused')
  })

  it('reports why a page without a token cannot connect', async () => {
    const { sockets, statuses } = await start(() => Promise.reject(new SessionRefused('No token.')))
    expect(sockets).toHaveLength(0)
    expect(statuses).toEqual([{ kind: 'refused', reason: 'No token.' }])
  })

  it('does not reconnect after it is stopped', async () => {
    const { sockets, transport } = await start()
    sockets[0]?.open()
    sockets[0]?.say({ kind: 'welcome' })
    transport.stop()
    await vi.advanceTimersByTimeAsync(60_000)
    expect(sockets).toHaveLength(1)
  })
})

describe('the tab of an ended session', () => {
  it('loads the page again when a new one-time address is opened in it', () => {
    const reload = vi.fn()
    const transport = socketTransport({
      secret: () => Promise.reject(new SessionRefused('This session ended.')),
      reload,
    })
    transport.start({ status: () => undefined, message: () => undefined })
    location.hash = '#other'
    dispatchEvent(new Event('hashchange'))
    expect(reload).not.toHaveBeenCalled()
    location.hash = '#token=abc'
    dispatchEvent(new Event('hashchange'))
    expect(reload).toHaveBeenCalled()
    const calls = reload.mock.calls.length
    transport.stop()
    dispatchEvent(new Event('hashchange'))
    expect(reload).toHaveBeenCalledTimes(calls)
    history.replaceState(null, '', location.pathname)
  })
})
