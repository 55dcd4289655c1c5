import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import https from 'node:https'
import { connect as connectTcp, createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { connect } from 'node:tls'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { findProgramByName } from '../../base/programSearch.ts'
import { createFakeCore } from '../testing/fakeCore.ts'
import { tinyWindow } from '../testing/wires.ts'
import { startBrowserHost, type BrowserHost } from './browserServer.ts'

// The browser host behind a real nginx with the configuration of docs/scale.md.

const root = join(import.meta.dirname, '..', '..', '..', '..')
const name = 'ada.tizona.example'
const missing = ['nginx', 'openssl'].find(
  (program) => findProgramByName(program, `${process.env['PATH']}:/usr/sbin`) === undefined,
)

let folder: string
let window: Awaited<ReturnType<typeof tinyWindow>>
let host: BrowserHost
let nginx: ChildProcess
let counter: ReturnType<typeof createServer>
let port: number
/** Bytes that nginx sent to Tizona, and answers of Tizona. */
let forwarded = ''
let answers = ''

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port: free } = server.address() as AddressInfo
  await new Promise((closed) => server.close(closed))
  return free
}

/** Passes connections on to Tizona and records both directions. */
async function recordingRelay(): Promise<number> {
  counter = createServer((client) => {
    const upstream = connectTcp(host.port, '127.0.0.1')
    client.on('data', (chunk) => (forwarded += chunk.toString('latin1')))
    upstream.on('data', (chunk) => (answers += chunk.toString('latin1')))
    client.pipe(upstream).pipe(client)
    client.on('error', () => upstream.destroy())
    upstream.on('error', () => client.destroy())
  }).listen(0, '127.0.0.1')
  await once(counter, 'listening')
  return (counter.address() as AddressInfo).port
}

/** The configuration in docs/scale.md, with the ports and files of this test. */
function configuration(relay: number): string {
  const text = readFileSync(join(root, 'docs/scale.md'), 'utf8')
  const block = /```nginx\n([^]*?)```/.exec(text)?.[1] ?? ''
  const server = block
    .replace('listen 443 ssl;', `listen 127.0.0.1:${port} ssl default_server;`)
    .replace('http://127.0.0.1:4567', `http://127.0.0.1:${relay}`)
  return `daemon off; master_process off; pid ${folder}/nginx.pid; error_log ${folder}/error.log;
events {}
http {
  access_log off;
  client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy; fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi; scgi_temp_path ${folder}/scgi;
  ${server}
}`
}

beforeAll(async () => {
  if (missing !== undefined) return
  folder = await mkdtemp(join(tmpdir(), 'tizona-nginx-'))
  port = await freePort()
  window = await tinyWindow()
  host = await startBrowserHost({
    core: createFakeCore(),
    assets: window.folder,
    publicOrigin: `https://${name}:${port}`,
  })
  execFileSync(
    'openssl',
    ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', 'key.pem', '-out', 'certificate.pem'].concat([
      '-days',
      '1',
      '-subj',
      `/CN=${name}`,
    ]),
    { cwd: folder, stdio: 'ignore' },
  )
  await mkdir(join(folder, 'conf'))
  await writeFile(join(folder, 'nginx.conf'), configuration(await recordingRelay()))
  nginx = spawn('nginx', ['-p', folder, '-c', join(folder, 'nginx.conf')], {
    stdio: 'ignore',
    env: { ...process.env, PATH: `${process.env['PATH']}:/usr/sbin` },
  })
  while (!(await ask('/').catch(() => undefined))) {
    if (nginx.exitCode !== null) throw new Error(readFileSync(join(folder, 'error.log'), 'utf8'))
    await delay(50)
  }
}, 60_000)

afterAll(async () => {
  if (missing !== undefined) return
  nginx.kill()
  await once(nginx, 'exit')
  counter.close()
  await host.close()
  await window.remove()
  await rm(folder, { recursive: true, force: true })
})

interface Answer {
  status: number
  body: string
}

const ownHost = (): string => `${name}:${port}`

/** Sends a request through nginx. */
function ask(
  path: string,
  {
    method = 'GET',
    headers = {},
    body,
    to = port,
  }: { method?: string; headers?: Record<string, string>; body?: string; to?: number } = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const outgoing = https.request(
      {
        host: '127.0.0.1',
        port: to,
        path,
        method,
        servername: name,
        rejectUnauthorized: false,
        agent: false,
        headers: { Host: ownHost(), ...headers },
      },
      (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
        response.on('end', () => resolve({ status: response.statusCode ?? 0, body: text }))
      },
    )
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}

/** Exchanges the token of a printed address. */
const exchange = (address: string, origin = `https://${ownHost()}`): Promise<Answer> =>
  ask('/session', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Origin: origin },
    body: JSON.stringify({ token: address.split('#token=')[1] }),
  })

/** Opens a WebSocket through nginx. @returns its first message, or the status of the refusal */
function openBridge(origin: string, secret: string): Promise<string> {
  const socket = new WebSocket(`wss://127.0.0.1:${port}/bridge`, [], {
    rejectUnauthorized: false,
    origin,
    headers: { Host: ownHost() },
  })
  return new Promise((resolve) => {
    socket.on('open', () => socket.send(JSON.stringify({ kind: 'hello', secret })))
    socket.on('message', (data: Buffer) => {
      resolve(data.toString('utf8'))
      socket.terminate()
    })
    socket.on('unexpected-response', (_request, { statusCode }) => resolve(String(statusCode)))
    socket.on('error', (error) => resolve(error.message))
    socket.on('close', (code) => resolve(`closed ${code}`))
  })
}

/** Sends bytes over TLS, and returns what comes back within a moment of silence. */
async function sendRaw(bytes: string): Promise<string> {
  const socket = connect({ host: '127.0.0.1', port, servername: name, rejectUnauthorized: false })
  let received = ''
  socket.on('data', (chunk) => (received += chunk.toString('latin1')))
  socket.on('error', () => undefined)
  await once(socket, 'secureConnect')
  socket.write(bytes, 'latin1')
  const ended = once(socket, 'close')
  // An open connection shows that nothing more comes.
  await Promise.race([ended, delay(400)])
  socket.destroy()
  return received
}

describe('behind nginx', () => {
  beforeEach((context) => {
    if (missing !== undefined) context.skip(`${missing} is not installed`)
  })

  it('serves the window, exchanges the token once, and passes the WebSocket', async () => {
    expect(await ask('/')).toMatchObject({ status: 200, body: expect.stringContaining('<title>Tizona</title>') })
    const address = host.address()
    expect(address).toMatch(`https://${ownHost()}/#token=`)
    const first = await exchange(address)
    expect(first.status).toBe(200)
    const { secret } = JSON.parse(first.body) as { secret: string }
    expect(await openBridge(`https://${ownHost()}`, secret)).toContain('"kind"')
    expect(await openBridge(`https://${ownHost()}`, 'guessed')).toMatch(/^closed/)
    // The address again, as from the history of a browser.
    expect((await exchange(address)).status).toBe(401)
  })

  it.each([
    'tizona.example',
    `${name}.`,
    `x.${name}`,
    '127.0.0.1',
    'localhost',
    `${name}:1`,
    `${name}@evil.example`,
    `${name}#`,
  ])('refuses the Host %s, whatever the headers of proxies say', async (given) => {
    const forged = { 'X-Forwarded-Host': ownHost(), 'X-Forwarded-Proto': 'https', Forwarded: `host=${ownHost()}` }
    const { status, body } = await ask('/', { headers: { Host: given, ...forged } })
    expect([400, 403]).toContain(status)
    expect(body).not.toContain('<title>Tizona')
  })

  it.each(['https://evil.example', 'http://ada.tizona.example', 'null', `https://x.${name}`, `https://${name}`])(
    'refuses the origin %s',
    async (origin) => {
      expect((await ask('/', { headers: { Origin: origin } })).status).toBe(403)
      expect((await exchange(host.address(), origin)).status).toBe(403)
      expect(await openBridge(origin, 'any')).toBe('403')
    },
  )

  it('refuses everyone who reaches its own port, without the name', async () => {
    const { status } = await fetch(`http://127.0.0.1:${host.port}/`)
    expect(status).toBe(403)
  })

  it.each(['/ada/', '/ada/session', '/ada/bridge', '//session', '/%2e%2e/session', '/session/..%2f..%2fetc/passwd'])(
    'has nothing at %s',
    async (path) => {
      const { status, body } = await ask(path)
      expect(body).not.toContain('<title>Tizona')
      expect([400, 403, 404, 405]).toContain(status)
    },
  )

  const hidden = 'GET /hidden HTTP/1.1\r\nHost: HOST\r\n\r\n'
  const head = 'POST /session HTTP/1.1\r\nHost: HOST\r\nContent-Type: application/json\r\nOrigin: https://HOST\r\n'
  it.each([
    ['a length and chunks', `${head}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${hidden}`],
    ['chunks by an unknown name', `${head}Content-Length: 0\r\nTransfer-Encoding: xchunked\r\n\r\n${hidden}`],
    ['chunks after a tab', `${head}Content-Length: 0\r\nTransfer-Encoding:\x0bchunked\r\n\r\n${hidden}`],
    ['two encodings', `${head}Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n${hidden}`],
    ['two lengths', `${head}Content-Length: 0\r\nContent-Length: ${hidden.length}\r\n\r\n${hidden}`],
    ['a negative length', `${head}Content-Length: -1\r\n\r\n${hidden}`],
    ['a length with a sign', `${head}Content-Length: +0\r\n\r\n${hidden}`],
    ['a name with a space', `${head}Content-Length : ${hidden.length}\r\n\r\n${hidden}`],
    ['a folded line', `${head}X: a\r\n Transfer-Encoding: chunked\r\n\r\n${hidden}`],
    ['bare line feeds', `${head}X: a\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${hidden}`],
    ['a chunk with an extension', `${head}Transfer-Encoding: chunked\r\n\r\n0;a=\n\r\n\r\n${hidden}`],
    ['two hosts', `GET / HTTP/1.1\r\nHost: HOST\r\nHost: evil.example\r\n\r\n`],
    ['a host in the line', `GET https://HOST/ HTTP/1.1\r\nHost: evil.example\r\n\r\n`],
    ['an upgrade without a key', `GET /bridge HTTP/1.1\r\nHost: HOST\r\nUpgrade: websocket\r\n\r\n${hidden}`],
    ['an upgrade to HTTP/2', `GET / HTTP/1.1\r\nHost: HOST\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n${hidden}`],
  ])('answers no request hidden by %s', async (_title, bytes) => {
    forwarded = ''
    answers = ''
    const received = await sendRaw(bytes.replaceAll('HOST', ownHost()))
    // nginx and Tizona agree where requests end: Tizona answers each that nginx passed on, and none besides.
    const passed = forwarded.match(/^(?:GET|POST) \S+ HTTP\/1\.[01]\r$/gm) ?? []
    const answered = answers.match(/^HTTP\/1\.1 \d{3}/gm) ?? []
    expect(answered.length).toBeLessThanOrEqual(passed.length)
    expect((received.match(/^HTTP\/1\.1 \d{3}/gm) ?? []).length).toBeGreaterThanOrEqual(answered.length)
    expect(received).toMatch(/^HTTP\/1\.1 (?:[24]\d{2}|501)/)
    expect(received).not.toContain('"secret"')
    if (bytes.includes('evil.example')) expect(received).not.toContain('<title>Tizona')
  })
})
