import type { Duplex } from 'node:stream'
import { afterEach, expect, it, vi } from 'vitest'
import { openScriptedHost } from './testing/scriptedHost.ts'

let host: Awaited<ReturnType<typeof openScriptedHost>>
afterEach(() => host.core.dispose())

it('the end of the work of a host is announced, so that a closed window does not wait for it', async () => {
  host = await openScriptedHost()
  const work = (working: boolean): void => host.send({ kind: 'control', name: 'working', working })
  work(true)
  await vi.waitFor(() => expect(host.core.isWorking()).toBe(true))
  const before = host.events.length
  work(false)
  await vi.waitFor(() => expect(host.events.slice(before)).toMatchObject([{ name: 'remote.changed' }]))
  expect(host.core.isWorking()).toBe(false)
})

it('nothing is waited for once the connection is given up', async () => {
  host = await openScriptedHost()
  host.send({ kind: 'control', name: 'working', working: true })
  await vi.waitFor(() => expect(host.core.isWorking()).toBe(true))
  host.send(null)
  await vi.waitFor(() => expect(host.core.isWorking()).toBe(false))
})

it('a window that is loaded again without a connection shows its last state, and that it has none', async () => {
  host = await openScriptedHost({ reach: () => Promise.reject(new Error('away')) })
  const never = new AbortController().signal
  const first = Promise.resolve(host.core.handlers['app.state']({}, never))
  const isRequest = (message: unknown): message is { id: number } => JSON.stringify(message).includes('app.state')
  await vi.waitFor(() => expect(host.received.some(isRequest)).toBe(true))
  host.send({ kind: 'response', id: host.received.find(isRequest)?.id, ok: true, result: { version: '1' } })
  expect(await first).toMatchObject({ version: '1', remote: { connection: 'connected' } })
  host.cut()
  await vi.waitFor(() => expect(host.events.at(-1)?.payload).toMatchObject({ connection: 'lost' }))
  const again = await host.core.handlers['app.state']({}, never)
  expect(again).toMatchObject({ version: '1', remote: { connection: 'lost' } })
})

it('a window closes although its host does not answer', async () => {
  host = await openScriptedHost()
  expect(await host.core.handlers['buffers.list']({}, AbortSignal.timeout(5000))).toMatchObject([{ dirty: true }])
})

it('a window that is opened again shows that it connects, does not wait for the host, and closes at once', async () => {
  const { promise: reached, resolve: answerOf } = Promise.withResolvers<Duplex>()
  host = await openScriptedHost({ first: () => reached, begin: '/project' })
  const never = new AbortController().signal
  expect(await host.core.handlers['app.state']({}, never)).toMatchObject({
    workspace: null,
    remote: { connection: 'reconnecting', opening: '/project' },
  })
  expect(host.core.folder()).toBe('/project')
  expect(await host.core.handlers['buffers.list']({}, never)).toEqual([])
  const isOpening = (message: unknown): message is { id: number } => JSON.stringify(message).includes('workspace.open')
  expect(host.received.some(isOpening)).toBe(false)
  answerOf(host.connect())
  await vi.waitFor(() => expect(host.received.some(isOpening)).toBe(true))
  host.send({ kind: 'response', id: host.received.find(isOpening)?.id, ok: true, result: {} })
  await vi.waitFor(() => expect(host.events.some(({ name }) => name === 'app.reconnected')).toBe(true))
})
