import net, { type AddressInfo } from 'node:net'
import tls from 'node:tls'
import zlib from 'node:zlib'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { nonPublicReason } from './publicAddresses.ts'
import { startSite, testClient, testResolve, type TestServer } from './testing/webServer.ts'

const signal = new AbortController().signal

async function site(...given: Parameters<typeof startSite>): Promise<TestServer> {
  const server = await startSite(...given)
  onTestFinished(() => server.close())
  return server
}
const redirectTo = (location: string, status = 302) =>
  site((_, response) => response.writeHead(status, { location }).end('moved'))

describe('addresses', () => {
  test('fetches a public page by host name', async () => {
    const { origin, seen, port } = await site((_, response) =>
      response.writeHead(200, { 'content-type': 'text/plain' }).end('hello'),
    )
    expect(await testClient().fetch({ url: `${origin}/a?b=1#part` }, signal)).toMatchObject({
      status: 200,
      text: 'hello',
      type: 'text/plain',
      url: `${origin}/a?b=1`,
      truncated: false,
    })
    expect(seen).toMatchObject([{ method: 'GET', url: '/a?b=1', headers: { host: `site.test:${port}` } }])
  })

  test.each([
    'http://127.0.0.1/',
    'http://127.0.0.1./',
    'http://127.0.0.1../',
    'http://2130706433/',
    'http://0x7f000001/',
    'http://0177.0.0.1/',
    'http://0x7f.1/',
    'http://127.1/',
    'http://0/',
    'http://10.0.0.1/',
    'http://169.254.169.254/latest/meta-data',
    'http://[::1]/',
    'http://[::]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[::127.0.0.1]/',
    'http://[64:ff9b::127.0.0.1]/',
    'http://[2002:7f00:1::]/',
    'http://[2001::1]/',
    'http://[fe80::1]/',
    'http://[fd00::1]/',
    'http://100.64.0.1/',
    'http://224.0.0.1/',
    'http://１２７.0.0.1/',
    'http://①②⑦.0.0.1/',
  ])('%s is refused', async (url) => {
    await expect(testClient({ refuse: nonPublicReason }).fetch({ url }, signal)).rejects.toMatchObject({
      code: 'address_refused',
    })
  })

  test.each(['http://localhost/', 'http://localhost./', 'http://LOCALHOST:80/'])(
    '%s is refused after resolution by the system',
    async (url) => {
      await expect(
        testClient({ resolve: undefined, refuse: nonPublicReason }).fetch({ url }, signal),
      ).rejects.toMatchObject({
        code: 'address_refused',
      })
    },
  )

  test('one private address among public ones refuses the host', async () => {
    const { origin, seen } = await site((_, response) => response.end())
    const resolve = () =>
      Promise.resolve([
        { address: '127.0.0.1', family: 4 },
        { address: '::ffff:10.0.0.1', family: 6 },
      ])
    await expect(testClient({ resolve }).fetch({ url: origin }, signal)).rejects.toMatchObject({
      code: 'address_refused',
      message: expect.stringContaining('::ffff:10.0.0.1'),
    })
    expect(seen).toEqual([])
  })

  test('connects to the checked address if the name resolves differently later', async () => {
    const { port, seen } = await site((_, response) => response.end('the checked one'))
    // The second resolution would return a private address. The check and the connection share the first one.
    const answers = ['127.0.0.1', '127.0.0.2']
    const resolve = vi.fn(() => Promise.resolve([{ address: answers.shift() ?? '127.0.0.2', family: 4 }]))
    expect((await testClient({ resolve }).fetch({ url: `http://rebinding.test:${port}/` }, signal)).text).toBe(
      'the checked one',
    )
    expect(resolve).toHaveBeenCalledTimes(1)
    expect(seen).toHaveLength(1)
    await expect(
      testClient({ resolve }).fetch({ url: `http://rebinding.test:${port}/` }, signal),
    ).rejects.toMatchObject({ code: 'address_refused' })
  })

  test('a TLS connection uses the host name without a trailing dot', async () => {
    const names: string[] = []
    const server = tls.createServer({
      SNICallback: (name, answer) => {
        names.push(name)
        answer(new Error('enough'))
      },
    })
    server.on('tlsClientError', () => undefined)
    await new Promise<void>((listening) => {
      server.listen(0, '127.0.0.1', listening)
    })
    onTestFinished(() => void server.close())
    const { port } = server.address() as AddressInfo
    await expect(testClient().fetch({ url: `https://site.test.:${port}/` }, signal)).rejects.toMatchObject({
      code: 'network_error',
    })
    expect(names).toEqual(['site.test'])
  })

  test('only the exact configured origin is exempt', async () => {
    const { port } = await site((_, response) => response.end('mine'))
    const client = testClient({ refuse: nonPublicReason, exemptOrigins: () => [`http://site.test:${port}`] })
    expect((await client.fetch({ url: `http://site.test:${port}/any/path` }, signal)).text).toBe('mine')
    for (const url of [
      `http://other.test:${port}/`,
      `http://site.test:${port + 1}/`,
      `https://site.test:${port}/`,
      `http://127.0.0.1:${port}/`,
      `http://site.test/`,
    ]) {
      await expect(client.fetch({ url }, signal), url).rejects.toMatchObject({ code: 'address_refused' })
    }
  })
})

describe('redirects', () => {
  test('are followed five times; the sixth is refused', async () => {
    const { origin, seen } = await site((request, response) => {
      const left = Number(request.url?.slice(1))
      if (left === 0) response.end('there')
      else response.writeHead(302, { location: `/${left - 1}` }).end()
    })
    expect(await testClient().fetch({ url: `${origin}/5` }, signal)).toMatchObject({
      text: 'there',
      url: `${origin}/0`,
    })
    expect(seen).toHaveLength(6)
    await expect(testClient().fetch({ url: `${origin}/6` }, signal)).rejects.toMatchObject({
      code: 'network_error',
      message: expect.stringContaining('more than 5 times'),
    })
  })

  test.each(['http://inside.test/', 'http://127.0.0.2/', 'http://[::1]/', 'http://0x7f.2/', '//10.0.0.1/'])(
    'to %s are refused',
    async (location) => {
      const { origin } = await redirectTo(location)
      await expect(testClient().fetch({ url: origin }, signal)).rejects.toMatchObject({ code: 'address_refused' })
    },
  )

  test.each([
    'file:///etc/passwd',
    'ftp://site.test/',
    'http://user:secret@site.test/',
    'javascript:alert(1)',
    'http://',
  ])('to %s are refused', async (location) => {
    const { origin } = await redirectTo(location)
    await expect(testClient().fetch({ url: origin }, signal)).rejects.toMatchObject({ code: 'invalid_arguments' })
  })

  test('from an exempt origin to another private one are refused', async () => {
    const { origin } = await redirectTo('http://inside.test/')
    await expect(
      testClient({ refuse: nonPublicReason, exemptOrigins: () => [origin] }).fetch({ url: origin }, signal),
    ).rejects.toMatchObject({ code: 'address_refused', message: expect.stringContaining('inside.test') })
  })

  test('to a non-ASCII address are followed', async () => {
    const { origin, seen } = await site((request, response) => {
      if (request.url === '/') response.writeHead(302, { location: Buffer.from('/straße').toString('latin1') }).end()
      else response.end('there')
    })
    expect((await testClient().fetch({ url: origin }, signal)).text).toBe('there')
    expect(seen[1]?.url).toBe('/stra%C3%9Fe')
  })

  test('to another origin carry no headers that may contain keys', async () => {
    const target = await site((_, response) => response.end('there'))
    const { origin } = await redirectTo(`http://other.test:${target.port}/`)
    await testClient().fetch(
      { url: origin, headers: { Authorization: 'Bearer x', 'X-Key': 'y', Accept: 'text/plain' } },
      signal,
    )
    expect(target.seen[0]?.headers).toMatchObject({ accept: 'text/plain' })
    expect(target.seen[0]?.headers).not.toHaveProperty('authorization')
    expect(target.seen[0]?.headers).not.toHaveProperty('x-key')
  })

  test('of a POST become a GET as in the standard, and keep their body within the origin', async () => {
    const { origin, seen } = await site((request, response) => {
      const status = Number(request.url?.slice(1))
      if (status > 0) response.writeHead(status, { location: '/' }).end()
      else response.end('done')
    })
    for (const status of [301, 302, 303, 307, 308])
      await testClient().fetch({ url: `${origin}/${status}`, method: 'POST', body: 'data' }, signal)
    expect(seen.filter(({ url }) => url === '/').map(({ method, body }) => [method, body])).toEqual([
      ['GET', ''],
      ['GET', ''],
      ['GET', ''],
      ['POST', 'data'],
      ['POST', 'data'],
    ])
  })

  test('of a POST to another origin are not followed with its body', async () => {
    const target = await site((_, response) => response.end())
    const { origin } = await redirectTo(`http://other.test:${target.port}/`, 307)
    await expect(testClient().fetch({ url: origin, method: 'POST', body: 'secret' }, signal)).rejects.toMatchObject({
      code: 'address_refused',
    })
    expect(target.seen).toEqual([])
  })
})

describe('requests', () => {
  test.each([
    ['', 'not a web address'],
    ['example.com/page', 'not a web address'],
    ['http://', 'not a web address'],
    ['http://a b/', 'not a web address'],
    ['http://[::1', 'not a web address'],
    ['http://site.test:99999/', 'not a web address'],
    ['http://%00/', 'not a web address'],
    ['http://1.2.3.256/', 'not a web address'],
    ['ftp://site.test/', 'only http: and https:'],
    ['file:///etc/passwd', 'only http: and https:'],
    ['data:text/html,hi', 'only http: and https:'],
    ['javascript:alert(1)', 'only http: and https:'],
    ['ws://site.test/', 'only http: and https:'],
    ['http://user@site.test/', 'user name or password'],
    ['http://user:pass@site.test/', 'user name or password'],
    ['http://:pass@site.test/', 'user name or password'],
    [`http://site.test/${'a'.repeat(8200)}`, 'characters'],
  ])('to %j are refused', async (url, message) => {
    const refused = expect.objectContaining({
      code: 'invalid_arguments',
      message: expect.stringContaining(message),
      next: expect.stringMatching(/./),
    })
    expect(() => testClient().check({ url })).toThrow(refused)
    await expect(testClient().fetch({ url }, signal)).rejects.toEqual(refused)
  })

  test.each([
    'Host',
    'Cookie',
    'Set-Cookie',
    'Connection',
    'Transfer-Encoding',
    'Content-Length',
    'Proxy-Authorization',
    'Upgrade',
    'TE',
    'Expect',
    'Sec-Fetch-Site',
    'X-Forwarded-For',
    'Accept-Encoding',
    ':authority',
    'a b',
    '',
  ])('cannot set the header %j', (name) => {
    expect(() => testClient().check({ url: 'http://site.test/', headers: { [name]: 'x' } })).toThrow(
      expect.objectContaining({ code: 'invalid_arguments' }),
    )
  })

  test('cannot smuggle a header or send too many', () => {
    const check = (headers: Record<string, string>) => () => testClient().check({ url: 'http://site.test/', headers })
    expect(check({ 'x-a': 'b\r\nhost: c' })).toThrow(expect.objectContaining({ code: 'invalid_arguments' }))
    expect(check({ 'x-a': 'b'.repeat(9000) })).toThrow(expect.objectContaining({ code: 'invalid_arguments' }))
    expect(check(Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`x-${index}`, ''])))).toThrow(
      expect.objectContaining({ code: 'invalid_arguments' }),
    )
  })

  test('cannot have a body with GET', () => {
    expect(() => testClient().check({ url: 'http://site.test/', body: 'x' })).toThrow(
      expect.objectContaining({ code: 'invalid_arguments' }),
    )
  })

  test.each(['POST', 'PUT', 'DELETE'] as const)('send body and headers with %s', async (method) => {
    const { origin, seen } = await site((_, response) => response.writeHead(201).end())
    expect(
      await testClient().fetch(
        { url: origin, method, headers: { 'Content-Type': 'application/json' }, body: '{"ü":1}' },
        signal,
      ),
    ).toMatchObject({ status: 201, text: '' })
    expect(seen).toMatchObject([
      { method, body: '{"ü":1}', headers: { 'content-type': 'application/json', 'content-length': '8' } },
    ])
  })
})

describe('answers', () => {
  const serve = (headers: Record<string, string>, body: string | Buffer) =>
    site((_, response) => response.writeHead(200, headers).end(body))
  const read = async (headers: Record<string, string>, body: string | Buffer) =>
    testClient().fetch({ url: (await serve(headers, body)).origin }, signal)

  test('are truncated at 100 KB, and the connection is closed', async () => {
    let closed = false
    const { origin } = await site((_, response) => {
      response.writeHead(200, { 'content-type': 'text/plain' })
      response.on('close', () => {
        closed = true
      })
      // The response never ends, so the client must stop reading.
      const more = () => {
        while (!closed && response.write('x'.repeat(65_536)));
      }
      response.on('drain', more)
      more()
    })
    const answer = await testClient().fetch({ url: origin }, signal)
    expect(answer).toMatchObject({ truncated: true })
    expect(answer.text).toHaveLength(100 * 1024)
    await vi.waitFor(() => expect(closed).toBe(true))
  })

  test.each([
    ['gzip', zlib.gzipSync],
    ['br', zlib.brotliCompressSync],
    ['deflate', zlib.deflateSync],
  ] as const)('compressed with %s are decompressed, and decompression bombs are truncated', async (encoding, pack) => {
    const headers = { 'content-type': 'text/plain', 'content-encoding': encoding }
    expect((await read(headers, pack(Buffer.from('hello')))).text).toBe('hello')
    const bomb = await read(headers, pack(Buffer.alloc(8 * 1024 * 1024, 'x')))
    expect(bomb.text).toHaveLength(100 * 1024)
    expect(bomb.truncated).toBe(true)
  })

  test.each([
    ['broken', { 'content-encoding': 'gzip' }, Buffer.from('no gzip'), 'network_error'],
    ['cut', { 'content-encoding': 'gzip' }, zlib.gzipSync('hello '.repeat(1000)).subarray(0, 30), 'network_error'],
    ['compressed twice', { 'content-encoding': 'gzip, gzip' }, zlib.gzipSync(zlib.gzipSync('x')), 'binary_file'],
    ['compressed in an unknown format', { 'content-encoding': 'constructor' }, Buffer.from('x'), 'binary_file'],
  ])('%s are refused', async (_, headers, body, code) => {
    await expect(read({ 'content-type': 'text/plain', ...headers }, body)).rejects.toMatchObject({ code })
  })

  test.each(['image/png', 'application/pdf', 'application/octet-stream', 'application/zip', 'video/mp4', 'font/woff2'])(
    'of type %s are refused with a clear error',
    async (type) => {
      await expect(read({ 'content-type': type }, 'x')).rejects.toMatchObject({
        code: 'binary_file',
        message: expect.stringContaining(type),
      })
    },
  )

  test.each([
    'text/html',
    'text/csv',
    'application/json',
    'application/ld+json',
    'application/xml',
    'image/svg+xml',
    'application/javascript',
    'application/yaml',
    'nonsense',
  ])('of type %s are text', async (type) => {
    expect((await read({ 'content-type': type }, 'x')).text).toBe('x')
  })

  test('without a type are text unless they contain NUL', async () => {
    expect((await read({}, 'plain')).text).toBe('plain')
    await expect(read({}, Buffer.from([1, 0, 2]))).rejects.toMatchObject({ code: 'binary_file' })
  })

  const latin = Buffer.from('fa\xe7ade \x80', 'latin1')
  test.each([
    ['the header', 'text/plain; charset=windows-1252', latin, 'façade €'],
    ['the header, quoted', 'text/plain; charset="ISO-8859-1"', latin, 'façade €'],
    [
      'the meta element',
      'text/html',
      Buffer.concat([Buffer.from('<meta charset=windows-1251>'), Buffer.from([0xcf])]),
      '<meta charset=windows-1251>П',
    ],
    ['the byte order mark, against the header', 'text/plain; charset=windows-1252', Buffer.from('\uFEFFüber'), 'über'],
    ['the byte order mark of UTF-16', 'text/plain', Buffer.from('\uFEFFüber', 'utf16le'), 'über'],
    [
      'the XML declaration',
      'application/xml',
      Buffer.concat([Buffer.from('<?xml version="1.0" encoding="koi8-r"?>'), Buffer.from([0xf0])]),
      '<?xml version="1.0" encoding="koi8-r"?>П',
    ],
    ['the bytes, if the charset of the header is unknown', 'text/plain; charset=klingon', Buffer.from('über'), 'über'],
    ['the bytes, if no charset is declared', 'text/plain', latin, 'façade €'],
    ['the header, for Japanese', 'text/html; charset=shift_jis', Buffer.from([0x93, 0xfa, 0x96, 0x7b]), '日本'],
  ])('are decoded by %s', async (_, type, body, text) => {
    expect((await read({ 'content-type': type }, body)).text).toBe(text)
  })

  test('in an unsupported encoding are refused', async () => {
    await expect(read({ 'content-type': 'text/html; charset=iso-2022-kr' }, 'x')).rejects.toMatchObject({
      code: 'invalid_encoding',
    })
  })

  test('omit a character truncated by the size limit', async () => {
    const { origin } = await serve({ 'content-type': 'text/plain' }, 'aé'.repeat(10))
    expect((await testClient().fetch({ url: origin, maxBytes: 5 }, signal)).text).toBe('aéa')
  })

  test('with oversized headers are refused', async () => {
    await expect(read({ 'x-long': 'a'.repeat(20_000) }, '')).rejects.toMatchObject({ code: 'too_large' })
  })

  test('that are not HTTP are refused', async () => {
    const server = net.createServer((socket) => {
      socket.on('error', () => undefined).end('SSH-2.0-OpenSSH\r\n')
    })
    await new Promise<void>((listening) => {
      server.listen(0, '127.0.0.1', listening)
    })
    onTestFinished(() => void server.close())
    const { port } = server.address() as AddressInfo
    await expect(testClient().fetch({ url: `http://site.test:${port}/` }, signal)).rejects.toMatchObject({
      code: 'network_error',
    })
  })

  test('report an unknown host or a closed port', async () => {
    await expect(testClient().fetch({ url: 'http://nowhere.test/' }, signal)).rejects.toMatchObject({
      code: 'network_error',
      message: expect.stringContaining('does not exist'),
    })
    const gone = await startSite(() => undefined)
    await gone.close()
    await expect(testClient().fetch({ url: gone.origin }, signal)).rejects.toMatchObject({
      code: 'network_error',
      message: expect.stringContaining('was refused'),
    })
    await expect(
      testClient({ resolve: () => Promise.resolve([]) }).fetch({ url: gone.origin }, signal),
    ).rejects.toMatchObject({ code: 'network_error', message: expect.stringContaining('has no address') })
  })
})

describe('time', () => {
  const silent = (): void => undefined
  test.each<[string, Parameters<typeof startSite>[0]]>([
    ['never answers', silent],
    ['never ends', (_, response) => void response.writeHead(200, { 'content-type': 'text/plain' }).write('some')],
  ])('a server that %s times out', async (_, answer) => {
    const { origin } = await site(answer)
    await expect(testClient({ limits: { totalMs: 200 } }).fetch({ url: origin }, signal)).rejects.toMatchObject({
      code: 'timeout',
    })
  })

  test('a name lookup that hangs times out', async () => {
    await expect(
      testClient({ resolve: () => new Promise(() => undefined), limits: { totalMs: 50 } }).fetch(
        { url: 'http://site.test/' },
        signal,
      ),
    ).rejects.toMatchObject({ code: 'timeout' })
  })

  test.each<[string, Parameters<typeof startSite>[0]]>([
    ['before the answer', silent],
    [
      'within the answer',
      (_, response) => void response.writeHead(200, { 'content-type': 'text/plain' }).write('some'),
    ],
  ])('cancelling %s ends the connection', async (_, answer) => {
    const cancel = new AbortController()
    let closed = false
    const { origin, seen } = await site((request, response) => {
      request.socket.on('close', () => {
        closed = true
      })
      answer(request, response)
    })
    const fetched = testClient().fetch({ url: origin }, cancel.signal)
    fetched.catch(() => undefined)
    await vi.waitFor(() => expect(seen).toHaveLength(1))
    cancel.abort()
    await expect(fetched).rejects.toMatchObject({ name: 'AbortError' })
    await vi.waitFor(() => expect(closed).toBe(true))
    await expect(testClient({ resolve: testResolve }).fetch({ url: origin }, cancel.signal)).rejects.toMatchObject({
      name: 'AbortError',
    })
  })
})
