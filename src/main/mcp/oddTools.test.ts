import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { ListToolsRequestSchema, type ListToolsResult } from '@modelcontextprotocol/sdk/types.js'
import { expect, test } from 'vitest'
import { createServerLog } from '../base/serverLog.ts'
import { defaultMcpTimeouts } from './mcpTimeouts.ts'
import { listServer, openClient } from './protocolClient.ts'

const good = { name: 'good', inputSchema: { type: 'object', properties: { a: { type: 'string' } } } }

test.each<[what: string, tool: Record<string, unknown>, isUsed: boolean]>([
  ['anyOf at the top of its schema', { name: 'odd', inputSchema: { anyOf: [{ properties: {} }] } }, true],
  ['only $schema', { name: 'odd', inputSchema: { $schema: 'http://json-schema.org/draft-07/schema#' } }, true],
  ['no schema', { name: 'odd' }, true],
  ['null as schema', { name: 'odd', inputSchema: null }, true],
  ['a list as schema', { name: 'odd', inputSchema: [] }, true],
  ['null as description', { name: 'odd', description: null, inputSchema: { type: 'object' } }, true],
  ['null as title and annotations', { name: 'odd', title: null, annotations: null, inputSchema: {} }, true],
  ['an odd output schema', { name: 'odd', inputSchema: {}, outputSchema: { type: 'array' } }, true],
  ['a number as description', { name: 'odd', description: 5, inputSchema: {} }, false],
  ['no name', { inputSchema: {} }, false],
])('a tool with %s costs that tool at most', async (_what, tool, isUsed) => {
  const [mine, theirs] = InMemoryTransport.createLinkedPair()
  const server = new Server({ name: 'odd', version: '1' }, { capabilities: { tools: {} } })
  // Servers send what the types of the SDK do not allow.
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [tool, good] }) as unknown as ListToolsResult)
  await server.connect(theirs)
  const log = createServerLog()
  const options = { version: '1', times: defaultMcpTimeouts, log, transports: async () => ({ first: mine }) }
  const signal = new AbortController().signal
  const { client } = await openClient(options, signal, () => undefined)
  try {
    const { tools } = await listServer(client, options, signal)
    expect(tools.map(({ name }) => name)).toEqual(isUsed ? ['odd', 'good'] : ['good'])
    const notice = log.lines().join('\n')
    if (isUsed) expect(notice).toBe('')
    else expect(notice).toMatch(/The tool "?(?:odd|without a name)"? cannot be used: /)
  } finally {
    await client.close()
  }
})
