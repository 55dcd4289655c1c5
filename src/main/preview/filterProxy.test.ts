import { once } from 'node:events'
import { createServer, get } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { startFilterProxy, type FilterProxy } from './filterProxy.ts'

let proxy: FilterProxy
const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0)) await end()
})

/** A server that answers without end. */
async function startServer(): Promise<number> {
  const server = createServer(
    (_request, response) => void response.writeHead(200, { 'x-tizona-refused': '1' }).write('begin'),
  )
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  ends.push(
    () => server.close(),
    () => server.closeAllConnections(),
  )
  return (server.address() as AddressInfo).port
}

async function startProxy(): Promise<void> {
  proxy = await startFilterProxy({ allow: () => Promise.resolve('127.0.0.1'), onRefused: () => undefined })
  ends.push(proxy.close)
}

async function tunnel(target: string): Promise<Socket> {
  const socket = connect(proxy.port, '127.0.0.1')
  socket.write(`CONNECT ${target} HTTP/1.1\r\nhost: ${target}\r\n\r\n`)
  expect(String((await once(socket, 'data'))[0])).toMatch(/^HTTP\/1\.1 200/)
  return socket
}

test('tunnels and responses of a host end when it is no longer allowed, and others stay', async () => {
  const port = await startServer()
  await startProxy()
  const revoked = await tunnel(`docs.test:${port}`)
  const kept = await tunnel(`localhost:${port}`)
  const [response] = await once(get({ port: proxy.port, path: `http://docs.test:${port}/` }), 'response')
  expect(response.headers).not.toHaveProperty('x-tizona-refused')
  const closed = [once(revoked, 'close'), once(response, 'error')]
  proxy.disconnect(`docs.test:${port}`)
  await Promise.all(closed)
  kept.write('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n')
  expect(String((await once(kept, 'data'))[0])).toMatch(/^HTTP\/1\.1 200/)
  kept.destroy()
})
