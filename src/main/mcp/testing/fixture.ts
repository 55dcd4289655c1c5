import { setTimeout as sleep } from 'node:timers/promises'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import {
  CallToolRequestSchema,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
  type CallToolResult,
  type Tool,
} from '@modelcontextprotocol/sdk/types.js'

const object = (properties: Record<string, object> = {}, required: string[] = []): Tool['inputSchema'] => ({
  type: 'object',
  properties,
  required,
})
const redDot =
  'iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4//8/w38GIAXDIBKE0DHxgljNBAAO9TXL0Y4OHwAAAABJRU5ErkJggg=='

const tools: Tool[] = [
  {
    name: 'shout',
    title: 'Shout',
    description: 'Repeats a text\u202e loudly.\u0007',
    inputSchema: object({ text: { type: 'string', pattern: '^(a+)+$|.' }, times: { type: 'integer', default: 1 } }, [
      'text',
    ]),
    annotations: { readOnlyHint: true },
  },
  {
    name: 'environment',
    inputSchema: object({ text: { type: 'string' } }),
    annotations: { readOnlyHint: true, openWorldHint: false },
  },
  { name: 'erase', description: 'Erases.', inputSchema: object(), annotations: { destructiveHint: true } },
  { name: 'fail', description: 'Fails.', inputSchema: object() },
  { name: 'hang', description: 'Reports progress, then waits to be cancelled.', inputSchema: object() },
  { name: 'exit', description: 'Exits the server.', inputSchema: object() },
  { name: 'huge', description: 'Returns 3 million characters.', inputSchema: object() },
  { name: 'enormous', description: 'Returns 12 million characters.', inputSchema: object() },
  { name: 'picture', description: 'Draws.', inputSchema: object({ text: { type: 'string' } }) },
  {
    name: 'numbers',
    description: 'Returns JSON.',
    inputSchema: object(),
    outputSchema: { type: 'object', properties: { sum: { type: 'string' } } },
  },
  { name: 'ask', description: 'Requests sampling, roots and input from the client.', inputSchema: object() },
  { name: 'grow', description: 'Adds a tool.', inputSchema: object() },
  { name: 'odd name!', description: 'Has a name that model APIs reject.', inputSchema: object() },
]

/** An SDK server with a tool for each behavior that a client must handle. */
export function createFixture(redefined = false): Server {
  const server = new Server(
    { name: 'fixture', version: '1' },
    {
      capabilities: { tools: { listChanged: true }, prompts: { listChanged: true }, resources: { listChanged: true } },
    },
  )
  const listed = tools.map((tool) => (redefined ? { ...tool, description: 'Now it does more.' } : tool))
  let cancelled = 0
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: listed }))
  const resources = [
    { uri: 'guide://start', name: 'Start\u202e', description: 'How to begin.' },
    { uri: 'guide://picture', name: 'Picture' },
    { uri: 'guide://hidden\u202e', name: 'Hidden' },
  ]
  server.setRequestHandler(ListPromptsRequestSchema, ({ params }) =>
    params?.cursor === undefined
      ? {
          prompts: [
            {
              name: 'review',
              description: 'Reviews.',
              arguments: [{ name: 'file', required: true }, { name: 'focus' }],
            },
          ],
          nextCursor: '1',
        }
      : { prompts: [{ name: 'plain' }, { name: 'empty' }] },
  )
  server.setRequestHandler(GetPromptRequestSchema, ({ params: { name, arguments: args = {} } }) => {
    if (name === 'empty') return { messages: [] }
    const text = `Review ${args['file'] ?? 'all'}.\u202e`
    return {
      messages: [
        { role: 'user', content: { type: 'text', text } },
        { role: 'assistant', content: { type: 'text', text: 'I will.' } },
        { role: 'user', content: { type: 'image', mimeType: 'image/png', data: redDot } },
        { role: 'user', content: { type: 'resource', resource: { uri: 'guide://start', text: 'Begin.' } } },
      ],
    }
  })
  server.setRequestHandler(ListResourcesRequestSchema, () => ({ resources }))
  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({
    resourceTemplates: [{ uriTemplate: 'guide://page/{number}', name: 'Page' }],
  }))
  server.setRequestHandler(ReadResourceRequestSchema, ({ params: { uri } }) => {
    if (uri === 'guide://picture') return { contents: [{ uri, mimeType: 'image/png', blob: redDot }] }
    if (uri === 'guide://archive') return { contents: [{ uri, mimeType: 'application/zip', blob: redDot }] }
    if (uri === 'guide://huge') return { contents: [{ uri, mimeType: 'image/png', blob: 'A'.repeat(6_000_000) }] }
    if (uri === 'guide://mixed')
      return {
        contents: [
          { uri, text: 'Words.' },
          { uri, mimeType: 'image/svg+xml', blob: redDot },
          ...Array.from({ length: 9 }, () => ({ uri, mimeType: 'image/png', blob: redDot })),
        ],
      }
    if (uri === 'guide://nothing') return { contents: [] }
    if (uri === 'guide://long') return { contents: [{ uri, text: 'x'.repeat(300_000) }] }
    if (!/^guide:\/\/(start|page\/\d+)$/.test(uri)) throw new Error(`No page ${uri}.`)
    return { contents: [{ uri, text: `Page ${uri}` }] }
  })
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra): Promise<CallToolResult> => {
    const args = params.arguments ?? {}
    const text = (words: string): CallToolResult => ({ content: [{ type: 'text', text: words }] })
    switch (params.name) {
      case 'shout':
        return text(
          String(args.text)
            .toUpperCase()
            .repeat(Number(args.times ?? 1)),
        )
      case 'environment':
        return text(
          JSON.stringify({
            environment: process.env,
            folder: process.cwd(),
            arguments: process.argv.slice(2),
            cancelled,
          }),
        )
      case 'fail':
        return { ...text('There is no such record.'), isError: true }
      case 'hang': {
        const token = params._meta?.progressToken
        if (token !== undefined)
          await extra.sendNotification({
            method: 'notifications/progress',
            params: { progressToken: token, progress: 1, total: 2, message: 'half' },
          })
        await sleep(600_000, undefined, { signal: extra.signal }).catch(() => (cancelled += 1))
        return text('too late')
      }
      case 'exit':
        return process.exit(7)
      case 'huge':
        return text('x'.repeat(3_000_000))
      case 'enormous':
        return text('x'.repeat(12_000_000))
      case 'picture':
        return {
          content: [
            { type: 'image', mimeType: 'image/png', data: redDot },
            { type: 'image', mimeType: 'image/svg+xml', data: 'PHN2Zy8+' },
          ],
        }
      case 'numbers':
        return { content: [], structuredContent: { sum: 3 } }
      case 'ask': {
        const asked = [
          server.createMessage({ messages: [], maxTokens: 1 }),
          server.listRoots(),
          server.elicitInput({ message: 'Password?', requestedSchema: { type: 'object', properties: {} } }),
        ]
        const answers = await Promise.allSettled(asked)
        return text(answers.map(({ status }) => status).join(' '))
      }
      case 'grow':
        listed.push({ name: `extra${listed.length}`, description: 'New.', inputSchema: object() })
        resources.push({ uri: `guide://${listed.length}`, name: 'More' })
        await server.sendToolListChanged()
        await server.sendResourceListChanged()
        return text('grown')
      default:
        return text(`called ${params.name} with ${JSON.stringify(args)}`)
    }
  })
  return server
}
