import { createServer, type Server } from 'node:http'
import { describe, expect, onTestFinished, test } from 'vitest'
import { chatRequest, collect, delta, modelError } from '../testing/modelServer.ts'
import { endpointsWith } from '../testing/testEndpoints.ts'

const signal = new AbortController().signal
const choice = { endpointId: 'e', model: 'm' }
const tools = [{ name: 'look', description: 'Looks.', parameters: { type: 'object', properties: {} } }]
const otherTools = [{ ...tools[0], name: 'find' }] as typeof tools

/** A server that can be stopped, and started again with other options. */
async function restartable() {
  const state = { refusal: 'm does not support tools' as string | undefined, models: ['m'], slots: 1 }
  const native: boolean[] = []
  let server: Server | undefined
  let port = 0
  async function start(): Promise<void> {
    const started = createServer((request, response) => {
      const parts: Buffer[] = []
      request.on('data', (part: Buffer) => parts.push(part))
      request.on('end', () => {
        if (request.url === '/v1/models')
          return response.end(JSON.stringify({ data: state.models.map((id) => ({ id, owned_by: 'llamacpp' })) }))
        if (request.url === '/props') return response.end(JSON.stringify({ total_slots: state.slots }))
        if (request.url !== '/v1/chat/completions') return response.writeHead(404).end('{}')
        const isNative = Buffer.concat(parts).includes('"tools"')
        native.push(isNative)
        if (isNative && state.refusal !== undefined)
          return response.writeHead(400).end(JSON.stringify({ error: { message: state.refusal } }))
        return response
          .writeHead(200, { 'content-type': 'text/event-stream', connection: 'close' })
          .end(`data: ${JSON.stringify(delta({ content: 'Hi' }, 'stop'))}\n\ndata: [DONE]\n\n`)
      })
    })
    await new Promise<void>((resolve) => started.listen(port, '127.0.0.1', resolve))
    // A server that listens on a port has an address object.
    port = (started.address() as { port: number }).port
    server = started
  }
  async function stop(): Promise<void> {
    const stopped = new Promise((resolve) => server?.close(resolve))
    server?.closeAllConnections()
    await stopped
  }
  await start()
  onTestFinished(stop)
  return { state, native, url: `http://127.0.0.1:${port}`, start, stop }
}

/** A session in which the server has rejected native tools. @param models what it lists at first */
async function session(models = ['m']) {
  const server = await restartable()
  server.state.models = models
  const made = await endpointsWith(
    { kind: 'openai', baseUrl: server.url },
    {
      textPrompt: () => 'Tools: look.',
      timeouts: { retryMs: 1 },
      discovery: { ports: [], budgetMs: 500, env: {} },
    },
  )
  const { endpoints } = made
  await endpoints.list({ probe: true }, signal)
  const ask = async (offered = tools) =>
    collect((await endpoints.model(choice)).client, chatRequest({ tools: offered }))
  await ask()
  await ask()
  expect(server.native).toEqual([true, false, false])
  return { ...made, server, ask }
}

describe('what a server taught is learned again', () => {
  test.each<[string, (made: Awaited<ReturnType<typeof session>>) => Promise<unknown>, string[]?]>([
    ['after the user searched for servers again', ({ endpoints }) => endpoints.list({ probe: true }, signal)],
    [
      'after the endpoint was saved',
      ({ endpoints, server }) =>
        endpoints.save(
          { id: 'e', name: 'Mine', kind: 'openai', baseUrl: server.url, hasKey: false },
          undefined,
          signal,
        ),
    ],
    [
      'after the options of its models changed',
      ({ endpoints }) => endpoints.change('e', () => ({ models: { m: { temperature: 1 } }, settings: {} }), signal),
    ],
    [
      'after a request found no server',
      async ({ server, ask }) => {
        await server.stop()
        expect((await modelError(ask())).code).toBe('unreachable')
        await server.start()
      },
    ],
    [
      'after the server has other models',
      async ({ endpoints, server }) => {
        server.state.models = ['m', 'n']
        await endpoints.poll()
      },
      [],
    ],
  ])('%s', async (_, change, models) => {
    const made = await session(models)
    const forgotten: (string | undefined)[] = []
    made.endpoints.onForgotten((id) => forgotten.push(id))
    const { hasPrompt, tokens } = await made.endpoints.model(choice)
    expect(hasPrompt()).toBe(true)
    made.server.state.refusal = undefined
    await change(made)
    // Neither does what its slots and its counts taught.
    const again = await made.endpoints.model(choice)
    expect(again.hasPrompt()).toBe(false)
    expect(again.tokens).not.toBe(tokens)
    made.server.native.length = 0
    await made.ask()
    expect(made.server.native).toEqual([true])
    expect(forgotten.length).toBeGreaterThan(0)
  })

  test('and until then, neither a cached list nor an answer changes that', async () => {
    const { endpoints, server, ask } = await session()
    const { cache } = await endpoints.model(choice)
    await endpoints.list({ probe: false }, signal)
    await endpoints.poll()
    await ask()
    expect(server.native).toEqual([true, false, false, false])
    expect((await endpoints.model(choice)).cache).toBe(cache)
  })
})

test('a grammar that fails turns off only the tools that it was for', async () => {
  const server = await restartable()
  server.state.refusal = undefined
  const { endpoints } = await endpointsWith({ kind: 'openai', baseUrl: server.url }, { textPrompt: () => 'Tools.' })
  const ask = async (offered: typeof tools) =>
    collect((await endpoints.model(choice)).client, chatRequest({ tools: offered }))
  const noticesOf = (events: Awaited<ReturnType<typeof ask>>) => events.filter(({ kind }) => kind === 'toolsAsText')
  server.state.refusal = 'Failed to initialize samplers: failed to parse grammar'
  expect(noticesOf(await ask([...tools, ...otherTools]))).toHaveLength(1)
  server.state.refusal = undefined
  // As after an MCP server was turned off, and on again.
  expect(noticesOf(await ask(tools))).toEqual([])
  expect(noticesOf(await ask([...tools, ...otherTools]))).toHaveLength(1)
  expect(server.native).toEqual([true, false, true, false])
})
