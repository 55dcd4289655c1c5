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
