import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { textPath } from '../../../shared/bridge/messageFrames.ts'
import { createFetchedTexts, type FetchedTexts } from './fetchedTexts.ts'

let texts: FetchedTexts
let server: Server
let origin: string

beforeEach(async () => {
  texts = createFetchedTexts()
  server = createServer((request, response) => {
    if (!texts.serve(request, response, request.url ?? '')) response.writeHead(404).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  // The address of a server that listens on a port is an object.
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})

afterEach(async () => {
  server.closeAllConnections()
  await new Promise((closed) => server.close(closed))
})

const fetchText = (id: string, signal?: AbortSignal) =>
  fetch(`${origin}${textPath}${id}`, { method: 'POST', ...(signal && { signal }) })

const piece = 1024 * 1024

it.each([
  ['an empty text', ''],
  ['a text of one byte more than a piece', 'x'.repeat(piece + 1)],
  ['characters of four bytes at the limits of pieces', `x${'😀'.repeat(piece)}`],
  ['characters of one to four bytes', 'aé€😀'.repeat(piece / 2)],
])('serves %s once', async (_, text) => {
  const onFetched = vi.fn()
  const { id } = texts.keep(text, onFetched)
  const response = await fetchText(id)
  expect((await response.text()) === text).toBe(true)
  expect(response.headers.get('content-length')).toBe(String(Buffer.byteLength(text)))
  expect(onFetched).toHaveBeenCalledOnce()
  expect((await fetchText(id)).status).toBe(404)
})

it('a window that closes the connection within a text leaves the server running', async () => {
  const { id } = texts.keep('x'.repeat(64 * piece), () => undefined)
  const controller = new AbortController()
  const response = await fetchText(id, controller.signal)
  controller.abort()
  await expect(response.text()).rejects.toThrow()
  expect((await fetchText(texts.keep('next', () => undefined).id)).status).toBe(200)
})
