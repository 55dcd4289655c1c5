import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

// A model that reads some files and then answers, over the two APIs that agents use: Chat Completions and Responses.

/**
 * When a request for an answer arrived and when its answer was completely sent, in milliseconds of `performance.now()`.
 */
export interface AnsweredRequest {
  arrived: number
  ended: number
}

export interface ScriptedServer {
  url: string
  /** Starts a new run. @param onLast called when the last request has arrived, before it is answered */
  begin(run: { folder: string; onFirst(): Promise<void>; onLast(): Promise<void> }): void
  /** The requests of the run. */
  requests(): readonly AnsweredRequest[]
  close(): Promise<void>
}

interface ToolSchema {
  name: string
  properties: string[]
}

/** The fields of both APIs that are used. */
interface RequestBody {
  model: string
  stream?: boolean
  tools?: { name?: string; parameters?: Schema; function?: { name: string; parameters?: Schema } }[]
}
interface Schema {
  properties?: Record<string, unknown>
}

export interface ScriptedServerOptions {
  /** Context size in tokens that the model list reports. */
  window?: number
  /** Awaited before each request is answered. @param path of the request @param body JSON text */
  onRequest?(path: string, body: string): Promise<void>
}

/** @param reads number of files, `file0.txt` and so on, that the model reads one after another */
export async function startScriptedServer(
  reads: number,
  { window = 131_072, onRequest }: ScriptedServerOptions = {},
): Promise<ScriptedServer> {
  let requests: AnsweredRequest[] = []
  let run: Parameters<ScriptedServer['begin']>[0] | undefined

  async function answer(request: IncomingMessage, response: ServerResponse, arrived: number): Promise<void> {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    // Sent by an agent.
    const text = Buffer.concat(parts).toString('utf8')
    const body = JSON.parse(text) as RequestBody
    await onRequest?.(request.url ?? '', text)
    const usage = usageOf(text)
    const tools = (body.tools ?? []).map(toSchema)
    // Requests without tools ask for a title or a summary.
    const counted = tools.length > 0
    const record: AnsweredRequest = { arrived, ended: Number.POSITIVE_INFINITY }
    const step = requests.length
    if (counted) requests.push(record)
    if (counted && step === 0) await run?.onFirst()
    if (counted && step === reads) await run?.onLast()
    const call = counted && step < reads ? readCall(tools, run?.folder ?? '', step) : undefined
    const isResponses = request.url?.endsWith('/responses') === true
    if (body.stream === true) {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(
        isResponses ? responseEvents(body.model, step, call, usage) : chatEvents(body.model, step, call, usage),
      )
      record.ended = performance.now()
      response.end()
    } else {
      response.writeHead(200, { 'content-type': 'application/json' })
      const message = { role: 'assistant', content: 'Done.' }
      response.end(JSON.stringify({ model: body.model, choices: [{ index: 0, message, finish_reason: 'stop' }] }))
    }
  }

  const server = createServer((request, response) => {
    const arrived = performance.now()
    if (request.method === 'POST' && /\/(chat\/completions|responses)$/.test(request.url ?? ''))
      return void answer(request, response, arrived)
    if (request.url?.endsWith('/models')) {
      response.writeHead(200, { 'content-type': 'application/json' })
      const model = { id: 'scripted', object: 'model', max_model_len: window }
      return void response.end(JSON.stringify({ object: 'list', data: [model], models: [] }))
    }
    response.writeHead(404).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // A server that listens on a port has an address object.
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    begin(next) {
      requests = []
      run = next
    },
    requests: () => requests,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}

function toSchema(tool: NonNullable<RequestBody['tools']>[number]): ToolSchema {
  const { name = '', parameters } = tool.function ?? tool
  return { name, properties: Object.keys(parameters?.properties ?? {}) }
}

interface ReadCall {
  id: string
  name: string
  arguments: string
}

/** Reads a file with one of the agent's tools: a read tool if it has one, else a shell. */
function readCall(tools: readonly ToolSchema[], folder: string, step: number): ReadCall {
  const file = `file${step}.txt`
  const id = `call_${step}`
  for (const name of ['read_file', 'file_read', 'read', 'Read', 'exec_command', 'shell_command', 'shell']) {
    const tool = tools.find((known) => known.name === name)
    if (!tool) continue
    const given = (value: object): ReadCall => ({ id, name, arguments: JSON.stringify(value) })
    if (tool.properties.includes('cmd')) return given({ cmd: `cat ${file}` })
    if (tool.properties.includes('command')) return given({ command: `cat ${file}` })
    const field = tool.properties.find((property) => property === 'path' || property.endsWith('_path')) ?? 'path'
    return given({ [field]: field === 'path' ? file : `${folder}/${file}` })
  }
  throw new Error(`No tool reads a file: ${tools.map(({ name }) => name).join(', ')}`)
}

/** A plausible count: agents warn if a server reports fewer tokens than they sent. */
function usageOf(body: string): { prompt_tokens: number; completion_tokens: number; total_tokens: number } {
  const prompt = Math.ceil(body.length / 4)
  return { prompt_tokens: prompt, completion_tokens: 20, total_tokens: prompt + 20 }
}

type Usage = ReturnType<typeof usageOf>

function chatEvents(model: string, step: number, call: ReadCall | undefined, usage: Usage): string {
  const event = (delta: object, finish: string | null = null, rest: object = {}): string =>
    `data: ${JSON.stringify({ id: `chat${step}`, object: 'chat.completion.chunk', created: 1, model, choices: [{ index: 0, delta, finish_reason: finish }], ...rest })}\n\n`
  const content = call
    ? {
        tool_calls: [
          { index: 0, id: call.id, type: 'function', function: { name: call.name, arguments: call.arguments } },
        ],
      }
    : { content: 'Done.' }
  return [
    event({ role: 'assistant', content: '' }),
    event(content),
    event({}, call ? 'tool_calls' : 'stop', { usage }),
    'data: [DONE]\n\n',
  ].join('')
}

function responseEvents(model: string, step: number, call: ReadCall | undefined, usage: Usage): string {
  const id = `resp_${step}`
  const event = (type: string, rest: object): string => `event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`
  const item = call
    ? {
        type: 'function_call',
        id: `fc_${step}`,
        call_id: call.id,
        name: call.name,
        arguments: call.arguments,
        status: 'completed',
      }
    : {
        type: 'message',
        id: `msg_${step}`,
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text: 'Done.', annotations: [] }],
      }
  const used = {
    input_tokens: usage.prompt_tokens,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: usage.completion_tokens,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: usage.total_tokens,
  }
  return [
    event('response.created', { response: { id, model, status: 'in_progress', output: [] } }),
    event('response.output_item.added', { output_index: 0, item: { ...item, status: 'in_progress' } }),
    event('response.output_item.done', { output_index: 0, item }),
    event('response.completed', { response: { id, model, status: 'completed', output: [item], usage: used } }),
  ].join('')
}
