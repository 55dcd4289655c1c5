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
