import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { answer, say, waitForGate } from '../../model/scripted/scenario.ts'
import { startScriptedEndpoint, type ScriptedEndpoint } from '../../model/scripted/scriptedEndpoint.ts'
import { createDesktopModels, type HostModels } from '../../core/remoteModels/desktopModels.ts'
import { unreadBytes } from '../../core/remoteModels/modelMessages.ts'
import type { RemoteCore } from './remoteCore.ts'
import { openRemote, type OpenedRemote } from './testing/remoteWindow.ts'
import { openScriptedHost } from './testing/scriptedHost.ts'
import { writeSmallBundle } from './testing/smallBundle.ts'
import { missingSshProgram, startSshServer, type SshServer } from './testing/sshServer.ts'

// Model servers on the computer of a window that works on a host.

const never = new AbortController().signal
const key = 'a key of the desktop'

/** Writes the settings of a desktop with one endpoint, whose key is stored. */
async function writeDesktop(userData: string, baseUrl: string): Promise<void> {
  await mkdir(userData, { recursive: true })
  const endpoints = [{ id: 'mine', name: 'Mine', kind: 'openai', baseUrl, hasKey: true }]
  await writeFile(join(userData, 'settings.json'), JSON.stringify({ endpoints }))
  await writeFile(join(userData, 'secrets.json'), JSON.stringify({ mine: key }), { mode: 0o600 })
}

describe.skipIf(missingSshProgram !== undefined)('a window on a host behind sshd', () => {
  let server: SshServer
  let folder: string
  let endpoint: ScriptedEndpoint
  let window: OpenedRemote
  const cores: RemoteCore[] = []

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tizona-desktop-models-'))
    await writeSmallBundle(join(folder, 'bundles'))
    server = await startSshServer()
    process.env['TIZONA_SSH_CONFIG'] = server.config
    endpoint = await startScriptedEndpoint({
      name: 'desktop',
      turns: [
        {
          prompt: /middle/,
          steps: [{ title: 'hold', play: () => answer(say('I begin '), waitForGate('go'), say('and I end.')) }],
        },
        { prompt: /forever/, steps: [{ title: 'hold', play: () => answer(say('I begin '), waitForGate('never')) }] },
        { prompt: /./, steps: [{ title: 'answer', play: () => answer(say('From the desktop.')) }] },
      ],
    })
    await writeDesktop(join(folder, 'desktop'), endpoint.url)
    window = await connect()
  }, 60_000)
  afterAll(async () => {
    for (const core of cores) await core.dispose()
    delete process.env['TIZONA_SSH_CONFIG']
    await endpoint.close()
    await server.stop()
    await rm(folder, { recursive: true, force: true })
  })

  const connect = (): Promise<OpenedRemote> =>
    openRemote(
      {
        address: 'box',
        bundles: join(folder, 'bundles'),
        userData: join(folder, 'desktop'),
        folder: join(server.home, 'project'),
      },
      (core) => cores.push(core),
    )
  const mine = async (from: OpenedRemote) =>
    (await from.request('endpoints.list', { probe: true })).find((status) => status.endpoint.id === 'desktop-mine')
  /** Sends a message in a new conversation. */
  async function send(text: string): Promise<string> {
    const { info } = await window.request('conversations.create', {})
    await window.request('conversations.send', { id: info.id, text })
    return info.id
  }
  const ended = (id: string) => window.event('conversation.turnEnded', (each) => each.conversationId === id)
  const begun = (id: string) =>
    vi.waitFor(
      async () =>
        expect((await window.request('conversations.open', { id })).items.at(-1)).toMatchObject({
          kind: 'assistant',
          text: expect.stringContaining('I begin'),
        }),
      { timeout: 10_000 },
    )

  it('is offered the servers of this computer, and uses one only after the user allows it', async () => {
    const offered = await mine(window)
    expect(offered).toMatchObject({
      offered: true,
      models: [],
      endpoint: { name: 'Mine on this computer', on: 'desktop', hasKey: false },
      problem: expect.stringContaining('Its models: scripted.'),
    })
    await window.request('endpoints.allow', { id: 'desktop-mine' })
    const allowed = await mine(window)
    expect(allowed).toMatchObject({ reachable: true, models: [{ id: 'scripted' }] })
    expect(allowed?.offered).toBeUndefined()
    await window.request('settings.set', { model: { endpointId: 'desktop-mine', model: 'scripted' } })
    const id = await send('hello')
    expect(await ended(id)).toMatchObject({ outcome: 'done' })
    const { items } = await window.request('conversations.open', { id })
    expect(items.at(-1)).toMatchObject({ text: 'From the desktop.' })
  }, 60_000)

  it('sends its requests from this computer, whose key the host never has', async () => {
    // No machine has this name, so the host could not have sent them itself.
    expect((await mine(window))?.endpoint.baseUrl).toMatch(/^http:\/\/this-computer:\d+$/)
    const chats = endpoint.requests.filter(({ path }) => path === '/v1/chat/completions')
    expect(chats.length).toBeGreaterThan(0)
    expect(chats.every(({ headers }) => headers.authorization === `Bearer ${key}`)).toBe(true)
    expect(chats.every(({ headers }) => headers.host === new URL(endpoint.url).host)).toBe(true)
    for (const name of ['settings.json', 'secrets.json'])
      expect(await readFile(join(server.home, 'data', name), 'utf8').catch(() => '')).not.toContain(key)
  }, 60_000)

  it('continues an answer after a cut in the middle, and the next request works', async () => {
    const id = await send('the middle')
    await begun(id)
    server.isDown = true
    server.cut()
    await window.event('remote.changed', ({ connection }) => connection === 'reconnecting')
    endpoint.release('go')
    server.isDown = false
    await window.request('remote.reconnect', {})
    expect(await ended(id)).toMatchObject({ outcome: 'done' })
    const { items } = await window.request('conversations.open', { id })
    expect(items.at(-1)).toMatchObject({ text: 'I begin and I end.' })
    expect(await ended(await send('hello'))).toMatchObject({ outcome: 'done' })
    expect(window.events.some(({ name }) => name === 'app.reconnected')).toBe(false)
  }, 60_000)

  it('ends the request at the server when the turn is stopped', async () => {
    const id = await send('forever')
    await begun(id)
    const request = endpoint.requests.findLast(({ path }) => path === '/v1/chat/completions')
    await window.request('conversations.stop', { id })
    expect(await request?.ended).toBe('broken')
    expect(await ended(id)).toMatchObject({ outcome: 'cancelled' })
  }, 60_000)

  it('stores a new endpoint on this computer, with its key', async () => {
    const draft = {
      name: 'Added',
      kind: 'openai' as const,
      baseUrl: endpoint.url,
      on: 'desktop' as const,
      hasKey: false,
    }
    expect(await window.request('endpoints.test', { endpoint: draft, key: 'second' })).toMatchObject({
      models: [{ id: 'scripted' }],
    })
    const { endpoint: saved } = await window.request('endpoints.save', { endpoint: draft, key: 'second' })
    expect(saved).toMatchObject({
      id: expect.stringMatching(/^desktop-/),
      name: 'Added on this computer',
      hasKey: false,
    })
    const stored = await readFile(join(folder, 'desktop', 'settings.json'), 'utf8')
    expect(stored).toContain('"Added"')
    expect(await readFile(join(folder, 'desktop', 'secrets.json'), 'utf8')).toContain('second')
    const statuses = await window.request('endpoints.list', { probe: false })
    expect(statuses.find((status) => status.endpoint.id === saved.id)).toMatchObject({ models: [{ id: 'scripted' }] })
    await window.request('endpoints.remove', { id: saved.id })
  }, 60_000)

  it('may no longer use a server that the user removes, which stays on this computer', async () => {
    await window.request('endpoints.remove', { id: 'desktop-mine' })
    expect(await mine(window)).toMatchObject({ offered: true })
    expect(await readFile(join(folder, 'desktop', 'settings.json'), 'utf8')).toContain('"mine"')
    await window.request('settings.set', { model: { endpointId: 'desktop-mine', model: 'scripted' } })
    const before = endpoint.requests.filter(({ path }) => path === '/v1/chat/completions').length
    const id = await send('hello')
    expect((await ended(id)).outcome).toBe('endpoint_failed')
    expect(endpoint.requests.filter(({ path }) => path === '/v1/chat/completions')).toHaveLength(before)
  }, 60_000)
})

describe('a host that somebody has taken over', () => {
  let userData: string
  let other: Server
  /** Paths of the requests that the other service of this computer has received. */
  let received: string[]
  let model: Server
  let modelRequests: string[]
  /** Bodies that the model server has received. */
  let bodies: string[]
  let models: HostModels
  let host: Awaited<ReturnType<typeof openScriptedHost>>
  const portOf = (server: Server): number => (server.address() as AddressInfo).port

  beforeEach(async () => {
    userData = await mkdtemp(join(tmpdir(), 'tizona-desktop-models-'))
    received = []
    modelRequests = []
    bodies = []
    other = createServer((request, response) => {
      received.push(request.url ?? '')
      response.end('secret')
    }).listen(0, '127.0.0.1')
    model = createServer((request, response) => {
      modelRequests.push(`${request.method} ${request.url} ${request.headers.host}`)
      request.setEncoding('utf8').on('data', (text: string) => bodies.push(text))
      if (request.url === '/v1/models') return void response.end('{"data":[{"id":"m"}]}')
      if (request.url === '/get_server_info')
        return void response.end('{"max_total_num_tokens":5,"context_length":7,"api_key":"K","model_path":"/home/me"}')
      if (request.url === '/tokenize') return void response.end('{"tokens":[]}')
      if (request.url === '/api/show')
        return void response.writeHead(302, { location: `http://127.0.0.1:${portOf(other)}/` }).end()
      if (request.url !== '/v1/chat/completions') return void response.writeHead(404).end()
      // Without an end.
      const write = (): void => {
        while (response.write(Buffer.alloc(64 * 1024)));
      }
      response.on('drain', write).on('close', () => model.emit('closed answer'))
      write()
    }).listen(0, '127.0.0.1')
    await Promise.all([once(other, 'listening'), once(model, 'listening')])
    await writeDesktop(userData, `http://127.0.0.1:${portOf(model)}`)
    models = createDesktopModels({ userData, discovery: false })('box')
    await models.offers(true, never)
    await models.allow('desktop-mine')
    modelRequests = []
    host = await openScriptedHost({ models })
  })
  afterEach(async () => {
    await host.core.dispose()
    for (const server of [other, model]) {
      server.closeAllConnections()
      server.close()
    }
    await rm(userData, { recursive: true, force: true })
  })

  const answers = (id: number, step: string): { step: string; status?: number; data?: string }[] =>
    host.received.filter(
      (message): message is { step: string } =>
        (message as { id?: number; step?: string }).id === id && (message as { step?: string }).step === step,
    )
  const send = (id: number, change: object = {}): void =>
    host.send({
      kind: 'model',
      id,
      step: 'send',
      endpoint: 'desktop-mine',
      method: 'GET',
      path: '/v1/models',
      ...change,
    })

  it('reaches no other path of an allowed server', async () => {
    const paths = [
      '/',
      '/admin',
      '/api/pull',
      '/slots/0?action=save',
      '/v1/models/../../admin',
      '@127.0.0.1:1/',
      '//a/',
      '',
    ]
    for (const [n, path] of paths.entries()) send(n + 1, { path, method: 'POST', body: '{}' })
    for (const [n] of paths.entries())
      await vi.waitFor(() => expect(answers(n + 1, 'head')).toMatchObject([{ status: 404 }]))
    send(20)
    await vi.waitFor(() => expect(answers(20, 'end')).toHaveLength(1))
    expect(modelRequests.map((each) => each.split(' ')[1])).toEqual(['/v1/models'])
    expect(received).toEqual([])
  })

  it('reaches no server that the user has not allowed, and no port that it names', async () => {
    const port = portOf(other)
    const names = [`desktop-local-${port}`, `local-${port}`, `http://127.0.0.1:${port}`, 'desktop-', '', '../mine']
    for (const [n, endpoint] of names.entries()) send(n + 1, { endpoint })
    for (const [n] of names.entries()) await vi.waitFor(() => expect(answers(n + 1, 'failed')).toHaveLength(1))
    await expect(
      Promise.resolve(host.core.handlers['endpoints.allow']({ id: `desktop-local-${port}` }, never)),
    ).rejects.toMatchObject({
      code: 'not_found',
    })
    expect(received).toEqual([])
  })

  it('does not follow a redirection to another server', async () => {
    send(1, { path: '/api/show', method: 'POST', body: '{}' })
    await vi.waitFor(() => expect(answers(1, 'head')).toMatchObject([{ status: 302 }]))
    expect(received).toEqual([])
  })

  it('cannot change a server by another method', async () => {
    send(1, { path: '/props', method: 'POST', body: '{}' })
    send(2, { path: '/v1/chat/completions' })
    for (const id of [1, 2]) await vi.waitFor(() => expect(answers(id, 'head')).toMatchObject([{ status: 404 }]))
    expect(modelRequests).toEqual([])
  })

  it('learns no option of the server but the sizes of its model', async () => {
    send(1, { path: '/get_server_info' })
    await vi.waitFor(() => expect(answers(1, 'end')).toHaveLength(1))
    const [{ data = '' } = {}] = answers(1, 'data')
    expect(JSON.parse(Buffer.from(data, 'base64').toString())).toEqual({ max_total_num_tokens: 5, context_length: 7 })
  })

  it('cannot let the server load an address', async () => {
    const image = (url: unknown) => ({
      messages: [{ role: 'user', content: [{ type: 'image_url', image_url: url }] }],
    })
    const refused = [
      image({ url: 'http://intranet/a.png' }),
      image('http://intranet/a.png'),
      image({ url: 'file:///etc/passwd' }),
      { messages: [{ role: 'user', content: [{ type: 'video_url', video_url: { URL: ' http://intranet' } }] }] },
    ]
    for (const [n, body] of refused.entries())
      send(n + 1, { path: '/tokenize', method: 'POST', body: JSON.stringify(body) })
    send(10, { path: '/tokenize', method: 'POST', body: '{"image_url":"data:","image_url":"http://intranet"}' })
    send(11, { path: '/tokenize', method: 'POST', body: 'no JSON' })
    for (const id of [1, 2, 3, 4, 10])
      await vi.waitFor(() => expect(answers(id, 'head')).toMatchObject([{ status: 400 }]))
    await vi.waitFor(() => expect(answers(11, 'failed')).toHaveLength(1))
    expect(bodies).toEqual([])
    const sent = {
      ...image({ url: 'data:image/png;base64,AAAA' }),
      tools: [{ function: { parameters: { properties: { url: { default: 'http://a' } }, url: 'http://a' } } }],
      assistant: [{ tool_calls: [{ function: { arguments: { url: 'http://a' } } }] }],
    }
    send(20, { path: '/tokenize', method: 'POST', body: JSON.stringify(sent) })
    await vi.waitFor(() => expect(answers(20, 'end')).toHaveLength(1))
    expect(bodies.map((text): unknown => JSON.parse(text))).toEqual([sent])
  })

  it('loses an endpoint at once, also if it does not answer, in all its windows, with the requests that run', async () => {
    const second = await openScriptedHost({ models })
    send(1, { path: '/v1/chat/completions', method: 'POST', body: '{}' })
    await vi.waitFor(() => expect(answers(1, 'data').length).toBeGreaterThan(0))
    const ended = once(model, 'closed answer')
    void Promise.resolve(second.core.handlers['endpoints.remove']({ id: 'desktop-mine' }, never)).catch(() => undefined)
    await ended
    send(2)
    await vi.waitFor(() => expect(answers(2, 'failed')).toMatchObject([{ failure: { code: 'unreachable' } }]))
    const told = (each: typeof host) =>
      each.received.findLast((message) => (message as { step?: string }).step === 'endpoints')
    for (const each of [host, second]) await vi.waitFor(() => expect(told(each)).toMatchObject({ endpoints: [] }))
    await second.core.dispose()
  })

  it('gets neither the address of a server nor what the user types for it', async () => {
    await host.core.dispose()
    const baseUrl = `http://127.0.0.1:${portOf(model)}/k/token`
    const draft = { name: 'Gateway', kind: 'openai' as const, baseUrl, hasKey: false }
    const { endpoint } = await models.add({ ...draft, on: 'desktop' }, 'key', never)
    expect(endpoint.baseUrl).toBe('http://this-computer')
    host = await openScriptedHost({ models })
    const typed = {
      ...endpoint,
      baseUrl,
      caFile: '/home/me/ca.pem',
      headers: ['X-A'],
      headerValues: { 'X-A': 'value' },
    }
    for (const name of ['endpoints.save', 'endpoints.test'] as const)
      void Promise.resolve(host.core.handlers[name]({ endpoint: typed, key: 'typed' }, never)).catch(() => undefined)
    await vi.waitFor(() =>
      expect(host.received.filter((message) => (message as { method?: string }).method !== undefined)).toHaveLength(2),
    )
    const received = JSON.stringify(host.received)
    expect(received).toContain('http://this-computer')
    for (const secret of ['token', 'typed', 'X-A', 'value', 'ca.pem', '127.0.0.1'])
      expect(received).not.toContain(secret)
  })

  it('chooses neither headers nor the name of the server', async () => {
    send(1, { headers: { host: 'intranet', cookie: 'a=b' } })
    await vi.waitFor(() => expect(answers(1, 'end')).toHaveLength(1))
    expect(modelRequests.at(-1)).toBe(`GET /v1/models 127.0.0.1:${portOf(model)}`)
  })

  it('cannot fill the memory of the desktop: what it does not read stays at the server, and requests are few', async () => {
    for (let id = 1; id <= 40; id++) send(id, { path: '/v1/chat/completions', method: 'POST', body: '{}' })
    await vi.waitFor(() => expect(answers(40, 'failed')).toHaveLength(1))
    const bytes = (id: number): number =>
      answers(id, 'data').reduce((sum, { data = '' }) => sum + Buffer.from(data, 'base64').length, 0)
    await vi.waitFor(() => expect(bytes(1)).toBe(unreadBytes))
    // More credit than was used gives no more.
    host.send({ kind: 'model', id: 1, step: 'read', bytes: 1_000_000_000 })
    await vi.waitFor(() => expect(bytes(1)).toBe(2 * unreadBytes))
    const accepted = () => host.received.filter((message) => (message as { step?: string }).step === 'accepted')
    await vi.waitFor(() => expect(accepted()).toHaveLength(32))
    host.send({ kind: 'model', id: 1, step: 'cancel' })
  })

  it('shows no name of its own for a server of this computer', async () => {
    const endpoint = { id: 'desktop-mine', name: 'Free', kind: 'openai', baseUrl: 'http://evil', hasKey: false }
    host.send({
      kind: 'event',
      name: 'endpoints.changed',
      payload: [{ endpoint }, { endpoint: { id: 'x' }, offered: true }],
    })
    await vi.waitFor(() => expect(host.events.at(-1)?.name).toBe('endpoints.changed'))
    expect(host.events.at(-1)?.payload).toMatchObject([{ endpoint: { name: 'Mine on this computer' } }])
    expect(host.events.at(-1)?.payload).toHaveLength(1)
  })
})
