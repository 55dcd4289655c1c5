import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'

// A model that does what the first word of a message says, over the agents' APIs: Chat Completions, Responses and
// Gemini.

export interface ModelServer {
  url: string
  /** Number of requests so far that offered tools. */
  requests(): number
  close(): Promise<void>
}

/** What the model should do, from the user's last message. */
interface Task {
  /** `hold` never answers. */
  kind: 'hello' | 'read' | 'write' | 'edit' | 'run' | 'outside' | 'hold'
  /** Text of the latest tool result after the message. */
  result: string | undefined
}

interface Tool {
  name: string
  properties: string[]
}
interface Call {
  name: string
  arguments: Record<string, unknown>
  /** Text that replaces the arguments, for tools of the Responses API without a schema. */
  input?: string
}

/** @param folder the workspace of the agents */
export async function startModelServer(folder: string): Promise<ModelServer> {
  let requests = 0

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    // Sent by an agent.
    const body = JSON.parse(Buffer.concat(parts).toString('utf8')) as Record<string, unknown>
    const url = request.url ?? ''
    const api = url.includes('enerateContent') ? gemini : url.endsWith('/responses') ? responses : chat
    const tools = api.tools(body)
    const task = tools.length === 0 ? { kind: 'hello' as const, result: undefined } : api.task(body)
    if (tools.length > 0) requests += 1
    const call = task.result === undefined ? callFor(task.kind, tools, folder) : undefined
    const text = task.result === undefined ? 'Hello from the model.' : `Result: ${task.result.slice(0, 200)}`
    const streamed = body.stream === true || url.includes('streamGenerateContent')
    response.writeHead(200, { 'content-type': streamed ? 'text/event-stream' : 'application/json' })
    if (task.kind === 'hold') response.flushHeaders()
    else response.end(streamed ? api.events(text, call) : JSON.stringify(api.whole(text)))
  }

  const server = createServer((request, response) => {
    if (request.method === 'POST') {
      answer(request, response).catch((error: unknown) => {
        console.error('The model server failed:', error)
        response.destroy()
      })
      return
    }
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ object: 'list', data: [{ id: 'scripted', object: 'model' }], models: [] }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // A server that listens on a port has an address object.
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    requests: () => requests,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}

/** Returns the task of the last word. Some agents join the text of a cancelled message with the next one. */
function kindOf(text: string): Task['kind'] {
  const word = [...text.matchAll(/\b(?:READ|WRITE|EDIT|RUN|OUTSIDE|HOLD|HELLO)\b/g)].at(-1)?.[0]
  return word === undefined ? 'hello' : (word.toLowerCase() as Task['kind'])
}

/** Returns the call of the agent's own tool for a task. */
function callFor(kind: Task['kind'], tools: readonly Tool[], folder: string): Call | undefined {
  const a = join(folder, 'a.txt')
  const b = join(folder, 'b.txt')
  switch (kind) {
    case 'read':
      return fileCall(['read_file', 'read'], a, {}, tools) ?? shell('cat a.txt', tools)
    case 'write':
      return (
        fileCall(['write_file', 'write'], b, { content: 'by the model\n' }, tools) ??
        patch('*** Add File: b.txt\n+by the model', tools)
      )
    case 'edit':
      return (
        fileCall(
          ['edit', 'replace'],
          a,
          { old_string: 'one', new_string: 'two', oldString: 'one', newString: 'two', instruction: 'Replace.' },
          tools,
        ) ?? patch('*** Update File: a.txt\n@@\n-one\n+two', tools)
      )
    case 'run':
      return shell('echo ran > c.txt && cat c.txt', tools)
    case 'outside':
      return (
        fileCall(['write_file', 'write'], join(folder, '..', 'outside.txt'), { content: 'out\n' }, tools) ??
        shell(`echo out > ${join(folder, '..', 'outside.txt')}`, tools)
      )
    default:
      return undefined
  }
}

function fileCall(
  names: readonly string[],
  path: string,
  rest: Record<string, unknown>,
  tools: readonly Tool[],
): Call | undefined {
  const tool = tools.find(({ name }) => names.includes(name))
  if (!tool) return undefined
  const field = tool.properties.find((name) => /^(?:absolute_|file_?)?path$/i.test(name)) ?? 'path'
  const wanted = Object.entries(rest).filter(([name]) => tool.properties.includes(name))
  return { name: tool.name, arguments: { [field]: path, ...Object.fromEntries(wanted) } }
}

function shell(command: string, tools: readonly Tool[]): Call | undefined {
  const tool = tools.find(({ name }) =>
    ['run_shell_command', 'bash', 'exec_command', 'shell_command', 'shell'].includes(name),
  )
  if (!tool) return undefined
  // Without `sandbox_permissions`, Codex runs the command in its own sandbox and does not ask.
  const asks = { sandbox_permissions: 'require_escalated', justification: 'It writes a file.' }
  const extra = { description: 'Runs a command.', is_background: false, ...(!command.startsWith('cat ') && asks) }
  const wanted = Object.fromEntries(Object.entries(extra).filter(([name]) => tool.properties.includes(name)))
  if (tool.properties.includes('cmd')) return { name: tool.name, arguments: { cmd: command, ...wanted } }
  const line = tool.name === 'shell' ? ['bash', '-lc', command] : command
  return { name: tool.name, arguments: { command: line, ...wanted } }
}

function patch(body: string, tools: readonly Tool[]): Call | undefined {
  const input = `*** Begin Patch\n${body}\n*** End Patch`
  return tools.some(({ name }) => name === 'apply_patch')
    ? { name: 'apply_patch', arguments: { input }, input }
    : shell(`apply_patch <<'EOF'\n${input}\nEOF`, tools)
}

/** An API: how to parse requests and write answers. */
interface Api {
  tools(body: Record<string, unknown>): Tool[]
  task(body: Record<string, unknown>): Task
  events(text: string, call: Call | undefined): string
  whole(text: string): unknown
}

interface Schema {
  properties?: Record<string, unknown>
}
type Part = { text?: string; functionResponse?: unknown }

const propertiesOf = (schema: Schema | undefined): string[] => Object.keys(schema?.properties ?? {})
const textOf = (content: unknown): string => (typeof content === 'string' ? content : JSON.stringify(content ?? ''))

/** Finds the user's last message, and the latest result after it. */
function taskOf<T>(
  messages: readonly T[],
  user: (message: T) => string | undefined,
  result: (message: T) => string | undefined,
): Task {
  const last = messages.findLastIndex((message) => user(message) !== undefined)
  const message = messages[last]
  const results = messages.slice(last + 1).map(result)
  return { kind: kindOf((message && user(message)) ?? ''), result: results.findLast((each) => each !== undefined) }
}

const usage = { prompt_tokens: 1000, completion_tokens: 20, total_tokens: 1020 }

const chat: Api = {
  tools: ({ tools = [] }) =>
    (tools as { function: { name: string; parameters?: Schema } }[]).map(({ function: { name, parameters } }) => ({
      name,
      properties: propertiesOf(parameters),
    })),
  task: ({ messages = [] }) =>
    taskOf(
      messages as { role: string; content?: unknown }[],
      ({ role, content }) => (role === 'user' ? textOf(content) : undefined),
      ({ role, content }) => (role === 'tool' ? textOf(content) : undefined),
    ),
  events(text, call) {
    const event = (delta: object, finish: string | null = null, rest: object = {}): string =>
      `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'scripted', choices: [{ index: 0, delta, finish_reason: finish }], ...rest })}\n\n`
    const content = call
      ? {
          tool_calls: [
            {
              index: 0,
              id: `call_${Date.now()}`,
              type: 'function',
              function: { name: call.name, arguments: JSON.stringify(call.arguments) },
            },
          ],
        }
      : { content: text }
    return [
      event({ role: 'assistant', content: '' }),
      event(content),
      event({}, call ? 'tool_calls' : 'stop', { usage }),
      'data: [DONE]\n\n',
    ].join('')
  },
  whole: (text) => ({
    id: 'c',
    object: 'chat.completion',
    created: 1,
    model: 'scripted',
    choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }],
    usage,
  }),
}

const responses: Api = {
  tools: ({ tools = [] }) =>
    (tools as { name?: string; parameters?: Schema }[]).map(({ name = '', parameters }) => ({
      name,
      properties: propertiesOf(parameters),
    })),
  task: ({ input = [] }) =>
    taskOf(
      input as { type: string; role?: string; content?: unknown; output?: unknown }[],
      ({ type, role, content }) => (type === 'message' && role === 'user' ? textOf(content) : undefined),
      ({ type, output }) => (type.endsWith('_call_output') ? textOf(output) : undefined),
    ),
  events(text, call) {
    const event = (type: string, rest: object): string =>
      `event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`
    const id = `${Date.now()}`
    const item =
      call === undefined
        ? {
            type: 'message',
            id: `msg_${id}`,
            role: 'assistant',
            status: 'completed',
            content: [{ type: 'output_text', text, annotations: [] }],
          }
        : call.input === undefined
          ? {
              type: 'function_call',
              id: `fc_${id}`,
              call_id: `call_${id}`,
              name: call.name,
              arguments: JSON.stringify(call.arguments),
              status: 'completed',
            }
          : {
              type: 'custom_tool_call',
              id: `fc_${id}`,
              call_id: `call_${id}`,
              name: call.name,
              input: call.input,
              status: 'completed',
            }
    const used = {
      input_tokens: 1000,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: 20,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 1020,
    }
    const response = { id: `resp_${id}`, model: 'scripted' }
    return [
      event('response.created', { response: { ...response, status: 'in_progress', output: [] } }),
      event('response.output_item.added', { output_index: 0, item: { ...item, status: 'in_progress' } }),
      event('response.output_item.done', { output_index: 0, item }),
      event('response.completed', { response: { ...response, status: 'completed', output: [item], usage: used } }),
    ].join('')
  },
  whole: (text) => ({ id: 'r', model: 'scripted', status: 'completed', output: [], output_text: text }),
}

const gemini: Api = {
  tools: ({ tools = [] }) =>
    (tools as { functionDeclarations?: { name: string; parametersJsonSchema?: Schema; parameters?: Schema }[] }[])
      .flatMap(({ functionDeclarations = [] }) => functionDeclarations)
      .map(({ name, parametersJsonSchema, parameters }) => ({
        name,
        properties: propertiesOf(parametersJsonSchema ?? parameters),
      })),
  task: ({ contents = [] }) =>
    taskOf(
      contents as { role: string; parts: Part[] }[],
      ({ role, parts }) =>
        role === 'user' && parts.some(({ text }) => text !== undefined) && !parts.some((each) => each.functionResponse)
          ? parts.map(({ text = '' }) => text).join('')
          : undefined,
      ({ parts }) => {
        const found = parts.find((each) => each.functionResponse !== undefined)
        return found && textOf(found.functionResponse)
      },
    ),
  events: (text, call) =>
    `data: ${JSON.stringify(geminiAnswer(call ? { functionCall: { name: call.name, args: call.arguments } } : { text }))}\n\n`,
  whole: (text) => geminiAnswer({ text }),
}

function geminiAnswer(part: object): object {
  return {
    candidates: [{ index: 0, content: { role: 'model', parts: [part] }, finishReason: 'STOP' }],
    usageMetadata: { promptTokenCount: 1000, candidatesTokenCount: 20, totalTokenCount: 1020 },
    modelVersion: 'scripted',
  }
}
