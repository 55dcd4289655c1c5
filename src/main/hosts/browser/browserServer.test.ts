import { once } from 'node:events'
import { connect } from 'node:net'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { createServer, request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import { basename, join } from 'node:path'
import { brotliCompressSync, brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { WebSocket } from 'ws'
import { createFakeCore, type FakeCore } from '../testing/fakeCore.ts'
import { fetchText, newSecret, openSocket, originOf, tinyWindow } from '../testing/wires.ts'
import { startBrowserHost, type BrowserHost } from './browserServer.ts'

let core: FakeCore
let host: BrowserHost
let window: Awaited<ReturnType<typeof tinyWindow>>
const largeScript = `export const text = '${'tizona '.repeat(2000)}'`

beforeEach(async () => {
  core = createFakeCore()
  window = await tinyWindow()
  await mkdir(join(window.folder, 'assets'))
  await writeFile(join(window.folder, 'assets', 'index-abc.js'), largeScript)
  await writeFile(join(window.folder, 'assets', 'mark.svg'), '<svg/>')
  await writeFile(join(window.folder, 'assets', 'built-abc.js'), largeScript)
  await writeFile(join(window.folder, 'assets', 'built-abc.js.br'), brotliCompressSync('from the build'))
  await writeFile(join(window.folder, 'strange.exe'), 'MZ')
  await writeFile(`${window.folder}.txt`, 'secret')
  host = await startBrowserHost({ core, assets: window.folder, helloTimeout: 200 })
})
afterEach(async () => {
  await host.close()
  await window.remove()
  await rm(`${window.folder}.txt`)
})

interface Answer {
  status: number
  headers: IncomingHttpHeaders
  body: Buffer
}

/** Sends a request unchanged: without a normalized path or additional headers. */
function ask(
  path: string,
  { method = 'GET', headers = {}, body }: { method?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest(
      {
        host: '127.0.0.1',
        port: host.port,
        path,
        method,
        headers: { Host: `127.0.0.1:${host.port}`, ...headers },
        agent: false,
      },
      (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }),
        )
      },
    )
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}

const closeOf = (socket: WebSocket): Promise<number> =>
  new Promise((resolve) => {
    socket.once('close', (code) => resolve(code))
  })
const firstMessage = (socket: WebSocket): Promise<unknown> =>
  new Promise((resolve) => {
    socket.once('message', (data: Buffer) => resolve(JSON.parse(data.toString())))
  })
const refusal = (socket: WebSocket): Promise<number | undefined> =>
  new Promise((resolve) => {
    socket.once('unexpected-response', (_request, response) => resolve(response.statusCode))
    socket.on('error', () => {})
  })

describe('the window is served', () => {
  it('with its type, a strict policy and no cookie', async () => {
    const { status, headers, body } = await ask('/')
    expect(status).toBe(200)
    expect(body.toString()).toContain('<title>Tizona</title>')
    expect(headers['content-type']).toBe('text/html; charset=utf-8')
    expect(headers['content-security-policy']).toMatch(/^default-src 'self'; script-src 'self';/)
    expect(headers['content-security-policy']).not.toMatch(/unsafe-eval|https?:|\*/)
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'cache-control': 'no-cache',
    })
    expect(headers['set-cookie']).toBeUndefined()
  })

  it.each([
    ['br', brotliDecompressSync],
    ['gzip', gunzipSync],
  ] as const)('a large script is compressed with %s and can be cached permanently', async (encoding, expand) => {
    for (let round = 0; round < 2; round++) {
      const { headers, body } = await ask('/assets/index-abc.js', { headers: { 'Accept-Encoding': `${encoding};q=1` } })
      expect(headers).toMatchObject({
        'content-encoding': encoding,
        'cache-control': 'public, max-age=31536000, immutable',
        vary: 'Accept-Encoding',
      })
      expect(expand(body).toString()).toBe(largeScript)
      expect(body.length).toBeLessThan(largeScript.length / 4)
    }
  })

  it('with Brotli as the build compressed it, and the compressed file has no address of its own', async () => {
    const headers = { 'Accept-Encoding': 'gzip, br' }
    const { headers: received, body } = await ask('/assets/built-abc.js', { headers })
    expect(received).toMatchObject({ 'content-encoding': 'br', 'content-type': 'text/javascript; charset=utf-8' })
    expect(brotliDecompressSync(body).toString()).toBe('from the build')
    const head = await ask('/assets/built-abc.js', { method: 'HEAD', headers })
    expect(head.headers['content-length']).toBe(String(body.length))
    expect((await ask('/assets/built-abc.js', { headers: { 'Accept-Encoding': 'gzip' } })).headers).toMatchObject({
      'content-encoding': 'gzip',
    })
    expect((await ask('/assets/built-abc.js.br', { headers })).status).toBe(404)
  })

  it('uncompressed to clients without compression, and HEAD returns the length without a body', async () => {
    expect((await ask('/assets/index-abc.js')).body.toString()).toBe(largeScript)
    const head = await ask('/assets/index-abc.js', { method: 'HEAD' })
    expect(head.headers['content-length']).toBe(String(largeScript.length))
    expect(head.body.length).toBe(0)
  })

  it('a file of unknown type is served with a type that browsers do not execute', async () => {
    expect((await ask('/strange.exe')).headers['content-type']).toBe('application/octet-stream')
    expect((await ask('/assets/mark.svg')).headers['content-type']).toBe('image/svg+xml')
  })

  it.each([
    '/../BESIDE.txt',
    '/assets/../../BESIDE.txt',
    '/%2e%2e/BESIDE.txt',
    '/..%2fBESIDE.txt',
    '/%00',
    '/%',
    '//etc/passwd',
    '/assets',
    '/nothing',
  ])('%s is not found', async (path) => {
    const { status, body } = await ask(path.replace('BESIDE.txt', `${basename(window.folder)}.txt`))
    expect(status).toBe(404)
    expect(body.toString()).not.toContain('secret')
  })

  it.each(['PUT', 'DELETE', 'OPTIONS', 'POST'])('the method %s is not allowed', async (method) => {
    const { status, headers } = await ask('/', { method })
    expect(status).toBe(405)
    expect(headers['access-control-allow-origin']).toBeUndefined()
  })
})

describe('Host and Origin', () => {
  it.each([
    'evil.example',
    'evil.example:80',
    '127.0.0.1.evil.example',
    'localhost.evil.example',
    '10.0.0.1',
    'localhost:1:2',
    '[::1].evil',
  ])('a request for the host "%s" is refused', async (host) => {
    expect((await ask('/', { headers: { Host: host } })).status).toBeGreaterThanOrEqual(400)
  })

  it.each(['127.0.0.1', 'localhost', 'LOCALHOST:9000', '127.0.0.1:9000', '[::1]:9000'])(
    '%s is accepted, as used through ssh -L',
    async (host) => {
      expect((await ask('/', { headers: { Host: host } })).status).toBe(200)
      expect((await ask('/', { headers: { Host: host, Origin: `http://${host}` } })).status).toBe(200)
    },
  )

  it.each(['https://evil.example', 'http://localhost:3000', 'null', 'http://127.0.0.1', 'https://127.0.0.1:PORT'])(
    'a request from %s is refused',
    async (origin) => {
      expect((await ask('/', { headers: { Origin: origin.replace('PORT', String(host.port)) } })).status).toBe(403)
    },
  )
})

describe('the one-time token', () => {
  const exchange = (token: unknown, headers: Record<string, string> = {}) =>
    ask('/session', {
      method: 'POST',
      headers: { Origin: originOf(host), 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify({ token }),
    })
  const fresh = (): string => host.address().split('#token=')[1] ?? ''

  it('is exchanged for one secret, once', async () => {
    const token = fresh()
    const first = await exchange(token)
    expect(first.status).toBe(200)
    expect(first.headers['cache-control']).toBe('no-store')
    expect(first.headers['set-cookie']).toBeUndefined()
    expect(JSON.parse(first.body.toString())).toEqual({ secret: expect.stringMatching(/^[\w-]{43}$/) })
    expect((await exchange(token)).status).toBe(401)
  })

  it('is invalid after another address was printed', async () => {
    const old = fresh()
    fresh()
    expect((await exchange(old)).status).toBe(401)
  })

  it.each([
    ['wrong', 'x'],
    ['empty', ''],
    ['a number', 7],
    ['missing', undefined],
  ])('that is %s is rejected', async (_kind, token) => {
    fresh()
    expect((await exchange(token)).status).toBe(401)
  })

  it('is in the URL fragment, which requests do not contain', () => {
    expect(host.address()).toMatch(new RegExp(`^http://127\\.0\\.0\\.1:${host.port}/#token=[\\w-]{43}$`))
  })

  it('is not accepted from another origin, without an origin, or as a form', async () => {
    expect((await exchange(fresh(), { Origin: 'http://localhost:3000' })).status).toBe(403)
    expect(
      (
        await ask('/session', {
          method: 'POST',
          headers: { 'Content-Type': 'application/json' },
          body: JSON.stringify({ token: fresh() }),
        })
      ).status,
    ).toBe(403)
    expect((await exchange(fresh(), { 'Content-Type': 'text/plain' })).status).toBe(403)
    expect((await ask('/session')).status).toBe(405)
  })

  it('is not read from an oversized body', async () => {
    expect((await exchange('x'.repeat(100_000))).status).toBe(413)
  })
})

describe('a public origin', () => {
  const origin = 'https://tizona.example:8443'
  const own = { Host: 'tizona.example:8443', Origin: origin }
  beforeEach(async () => {
    await host.close()
    host = await startBrowserHost({ core, assets: window.folder, publicOrigin: origin })
  })

  it('is in the printed address, while the server listens on 127.0.0.1 only', async () => {
    expect(host.address()).toMatch(/^https:\/\/tizona\.example:8443\/#token=[\w-]{43}$/)
    expect((await ask('/', { headers: { Host: own.Host } })).status).toBe(200)
    const elsewhere = httpRequest({ host: '127.0.0.2', port: host.port })
    await expect(once(elsewhere, 'response')).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  })

  it('still requires the token, and then serves one window', async () => {
    const token = host.address().split('#token=')[1]
    const exchange = (presented: unknown) =>
      ask('/session', {
        method: 'POST',
        headers: { ...own, 'Content-Type': 'application/json' },
        body: JSON.stringify({ token: presented }),
      })
    expect((await exchange('x')).status).toBe(401)
    const first = await exchange(token)
    expect(first.status).toBe(200)
    // What `SessionAnswer` holds is checked by the tests of the token.
    const { secret } = JSON.parse(first.body.toString()) as { secret: string }
    const socket = openSocket(host, own)
    socket.once('open', () => socket.send(JSON.stringify({ kind: 'hello', secret })))
    expect(await firstMessage(socket)).toEqual({ kind: 'welcome' })
    socket.close()
    const stranger = openSocket(host, own)
    stranger.once('open', () => stranger.send(JSON.stringify({ kind: 'hello', secret: 'x' })))
    expect(await closeOf(stranger)).toBe(4401)
  })

  it.each([
    ['another scheme', { ...own, Origin: 'http://tizona.example:8443' }],
    ['another port', { Host: 'tizona.example:8444', Origin: 'https://tizona.example:8444' }],
    ['no port', { Host: 'tizona.example', Origin: 'https://tizona.example' }],
    [
      'its name with a suffix',
      { Host: 'tizona.example.evil.com:8443', Origin: 'https://tizona.example.evil.com:8443' },
    ],
    ['its name with a prefix', { Host: 'eviltizona.example:8443', Origin: 'https://eviltizona.example:8443' }],
    ['a subdomain', { Host: 'a.tizona.example:8443', Origin: 'https://a.tizona.example:8443' }],
    ['a trailing dot', { Host: 'tizona.example.:8443', Origin: 'https://tizona.example.:8443' }],
    ['credentials', { ...own, Origin: 'https://user@tizona.example:8443' }],
    ['two origins', { ...own, Origin: `${origin} https://evil.com` }],
    ['the origin null', { ...own, Origin: 'null' }],
    ['the right host and another origin', { ...own, Origin: 'https://evil.com' }],
    ['the right origin and another host', { ...own, Host: 'evil.com' }],
    ['the right host in a header of proxies only', { Host: 'evil.com', 'X-Forwarded-Host': own.Host, Origin: origin }],
    ['this machine', { Host: '127.0.0.1:8443', Origin: 'http://127.0.0.1:8443' }],
    ['an empty Host', { Host: '', Origin: origin }],
  ])('is the only one: %s is refused', async (_case, headers) => {
    expect((await ask('/', { headers })).status).toBe(403)
    expect(await refusal(openSocket(host, headers))).toBe(403)
  })

  it('refuses a request without a Host header', async () => {
    const socket = connect(host.port, '127.0.0.1')
    socket.end(`GET / HTTP/1.0\r\nOrigin: ${origin}\r\n\r\n`)
    const [data] = await once(socket, 'data')
    expect(String(data)).toMatch(/^HTTP\/1\.1 403 /)
    socket.destroy()
  })

  it('is required of a WebSocket, which always has one', async () => {
    expect(await refusal(openSocket(host, { Host: own.Host, Origin: '' }))).toBe(403)
  })
})

describe('the bridge', () => {
  it('accepts a secret, again after a reload, and handles the requests of the window', async () => {
    const secret = await newSecret(host)
    for (let round = 0; round < 2; round++) {
      const socket = openSocket(host)
      socket.once('open', () => socket.send(JSON.stringify({ kind: 'hello', secret })))
      expect(await firstMessage(socket)).toEqual({ kind: 'welcome' })
      socket.send(JSON.stringify({ kind: 'request', id: 1, method: 'workspace.pick', params: {} }))
      expect(await firstMessage(socket)).toEqual({ kind: 'response', id: 1, ok: true, result: null })
      const closed = closeOf(socket)
      socket.close()
      await closed
    }
  })

  it('refuses a page that reconnects after another page was attached, and accepts it after a reload', async () => {
    const secret = await newSecret(host)
    const greet = async (page: string, again: boolean) => {
      const socket = openSocket(host)
      socket.once('open', () => socket.send(JSON.stringify({ kind: 'hello', secret, page, again })))
      return firstMessage(socket)
    }
    expect(await greet('one', false)).toEqual({ kind: 'welcome' })
    expect(await greet('one', true)).toEqual({ kind: 'welcome' })
    expect(await greet('two', false)).toEqual({ kind: 'welcome' })
    expect(await greet('one', true)).toMatchObject({ kind: 'event', name: 'app.detached' })
    expect(await greet('two', true)).toEqual({ kind: 'welcome' })
    expect(await greet('one', false)).toEqual({ kind: 'welcome' })
  })

  it.each([
    ['a wrong secret', JSON.stringify({ kind: 'hello', secret: 'x' })],
    ['a token instead of a secret', 'TOKEN'],
    ['a request before the hello', JSON.stringify({ kind: 'request', id: 1, method: 'app.state', params: {} })],
    ['no JSON', 'hello'],
    ['an empty message', ''],
  ])('closes the connection after %s', async (_name, message) => {
    const socket = openSocket(host)
    const token = host.address().split('#token=')[1]
    socket.once('open', () =>
      socket.send(message === 'TOKEN' ? JSON.stringify({ kind: 'hello', secret: token }) : message),
    )
    expect(await closeOf(socket)).toBe(4401)
    expect(core.link).toBeNull()
    expect(core.handled).toEqual([])
  })

  it.each([
    ['in one message', (socket: WebSocket) => socket.send('x'.repeat(5000))],
    [
      'in endless fragments',
      (socket: WebSocket) => {
        for (let piece = 0; piece < 10; piece++) socket.send('x'.repeat(1000), { fin: false })
      },
    ],
    [
      'in pings',
      (socket: WebSocket) => {
        for (let piece = 0; piece < 100; piece++) socket.ping('x'.repeat(100))
      },
    ],
  ])('cuts off an unauthenticated connection that sends too much data %s', async (_name, send) => {
    const socket = openSocket(host)
    socket.on('error', () => {})
    socket.once('open', () => send(socket))
    // 1006: cut off immediately, not closed normally after the timeout.
    expect(await closeOf(socket)).toBe(1006)
    expect(core.handled).toEqual([])
  })

  it('accepts long messages from an authenticated window', async () => {
    const secret = await newSecret(host)
    const socket = openSocket(host)
    socket.once('open', () => socket.send(JSON.stringify({ kind: 'hello', secret })))
    await firstMessage(socket)
    socket.send(
      JSON.stringify({ kind: 'request', id: 1, method: 'layout.save', params: { layout: 'x'.repeat(500_000) } }),
    )
    expect(await firstMessage(socket)).toMatchObject({ kind: 'response', id: 1, ok: true })
    socket.close()
  })

  describe('a long text', () => {
    const text = '⚔ line\n'.repeat(200_000)
    let socket: WebSocket
    let id: string

    beforeEach(async () => {
      core.answerWith('files.read', () => ({ path: 'a', text, stamp: 's' }))
      const secret = await newSecret(host)
      socket = openSocket(host)
      socket.once('open', () => socket.send(JSON.stringify({ kind: 'hello', secret })))
      await firstMessage(socket)
      socket.send(JSON.stringify({ kind: 'request', id: 1, method: 'files.read', params: { path: 'a' } }))
      const message = await firstMessage(socket)
      expect(message).toMatchObject({
        kind: 'fetch',
        holder: 'result',
        message: { kind: 'response', id: 1, ok: true, result: { path: 'a', stamp: 's' } },
      })
      // Checked by the line before.
      id = (message as { text: string }).text
    })
    afterEach(() => socket.close())

    it('is fetched once, and stored nowhere', async () => {
      const response = await fetchText(host, id)
      expect(response.status).toBe(200)
      expect(response.headers.get('cache-control')).toBe('no-store')
      expect((await response.text()) === text).toBe(true)
      expect((await fetchText(host, id)).status).not.toBe(200)
    })

    it('is sent to pages of this server only, by POST', async () => {
      expect((await fetchText(host, id, 'http://evil.example')).status).toBe(403)
      expect((await ask(`/text/${id}`)).status).toBe(404)
      expect((await ask(`/text/${id}`, { method: 'POST' })).status).toBe(405)
      expect((await fetchText(host, `${id}x`)).status).toBe(405)
      expect((await fetchText(host, id)).status).toBe(200)
    })

    it('is forgotten when its window closes', async () => {
      const closed = vi.waitFor(() => expect(core.link).toBeNull())
      socket.close()
      await closed
      expect((await fetchText(host, id)).status).toBe(405)
    })
  })

  it('keeps at most sixteen unauthenticated connections: a new one closes the oldest, and a window connects at once', async () => {
    const patient = await startBrowserHost({ core, assets: window.folder, helloTimeout: 60_000 })
    const secret = await newSecret(patient)
    const waiting: WebSocket[] = []
    for (let count = 0; count < 16; count++) {
      const socket = openSocket(patient)
      waiting.push(socket)
      await new Promise((resolve) => {
        socket.once('open', resolve)
      })
    }
    const [oldest] = waiting
    if (!oldest) throw new Error('There is no connection.')
    const gone = closeOf(oldest)
    const socket = openSocket(patient)
    socket.once('open', () => socket.send(JSON.stringify({ kind: 'hello', secret })))
    expect(await firstMessage(socket)).toEqual({ kind: 'welcome' })
    expect(await gone).toBe(1006)
    // More silent connections do not close an authenticated window.
    for (let count = 0; count < 20; count++) waiting.push(openSocket(patient))
    for (const stranger of waiting) stranger.on('error', () => {})
    socket.send(JSON.stringify({ kind: 'request', id: 1, method: 'workspace.pick', params: {} }))
    expect(await firstMessage(socket)).toMatchObject({ kind: 'response', id: 1, ok: true })
    await patient.close()
  })

  it('closes a silent connection with a code that lets a busy window retry', async () => {
    expect(await closeOf(openSocket(host))).toBe(4408)
  })

  it.each([
    ['another origin', { Origin: 'https://evil.example' }],
    ['another local server', { Origin: 'http://localhost:3000' }],
    ['a host other than this machine', { Host: 'evil.example', Origin: 'http://evil.example' }],
  ])('is refused for %s', async (_name, headers) => {
    expect(await refusal(openSocket(host, headers))).toBe(403)
  })

  it('accepts a tunnel with another port', async () => {
    const secret = await newSecret(host)
    const socket = openSocket(host, { Host: 'localhost:9000', Origin: 'http://localhost:9000' })
    socket.once('open', () => socket.send(JSON.stringify({ kind: 'hello', secret })))
    expect(await firstMessage(socket)).toEqual({ kind: 'welcome' })
    socket.close()
  })
})

describe('the port', () => {
  it('is refused with EADDRINUSE when another program has it', async () => {
    const other = createServer()
    await new Promise<void>((resolve) => {
      other.listen(0, '127.0.0.1', resolve)
    })
    const address = other.address()
    const port = typeof address === 'object' ? (address?.port ?? 0) : 0
    await expect(startBrowserHost({ core, assets: window.folder, port })).rejects.toMatchObject({ code: 'EADDRINUSE' })
    await new Promise((resolve) => {
      other.close(resolve)
    })
  })

  it('is free after the host is closed, even with open windows', async () => {
    const second = await startBrowserHost({ core, assets: window.folder })
    const secret = await newSecret(second)
    const socket = openSocket(second)
    socket.once('open', () => socket.send(JSON.stringify({ kind: 'hello', secret })))
    await firstMessage(socket)
    const closed = closeOf(socket)
    await second.close()
    expect(await closed).toBe(1001)
    const third = await startBrowserHost({ core, assets: window.folder, port: second.port })
    expect(third.port).toBe(second.port)
    await third.close()
  })
})
