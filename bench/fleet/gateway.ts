import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'

// A scripted gateway: an OpenAI-compatible API with a few slots and a queue, like llama-swap, LiteLLM or vLLM in front
// of a model. Each agent reads some files and then answers.

export interface GatewayOptions {
  /** Number of requests that are answered concurrently. */
  slots: number
  /** Calls of `read_file` before the answer. */
  reads: number
  /** Chunks of an answer, and milliseconds between them. */
  chunks: number
  chunkMs: number
}

/** One chat request. Times are in milliseconds of `performance.now()`. */
export interface GatewayRequest {
  /** The bearer token of the agent. */
  agent: string
  arrived: number
  /** When a slot became free; undefined while it waits. */
  started?: number
  /** When the answer was complete, or the agent closed the connection. */
  ended?: number
  canceled?: boolean
}

export interface Gateway {
  url: string
  requests: GatewayRequest[]
  /** Numbers of requests that are being answered, and that wait. */
  readonly running: number
  readonly waiting: number
  close(): Promise<void>
}

interface Job {
  record: GatewayRequest
  response: ServerResponse
  step: number
  model: string
}

export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const requests: GatewayRequest[] = []
  // One queue per agent, served in turns, so that an agent with many requests does not delay the others.
  const queues = new Map<string, Job[]>()
  let running = 0

  function next(): void {
    for (const [agent, queue] of queues) {
      if (running >= options.slots) return
      const job = queue.shift()
      // The agent moves to the end of the queue.
      queues.delete(agent)
      if (queue.length > 0) queues.set(agent, queue)
      if (job) void run(job)
    }
  }

  async function run({ record, response, step, model }: Job): Promise<void> {
    running++
    record.started = performance.now()
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (let chunk = 0; chunk < options.chunks && !response.destroyed; chunk++) {
      response.write(event({ content: 'word ' }, model))
      await delay(options.chunkMs)
    }
    if (!response.destroyed) {
      if (step < options.reads) response.write(event(readCall(step), model))
      response.write(event({}, model, step < options.reads ? 'tool_calls' : 'stop'))
      response.end('data: [DONE]\n\n')
    }
    running--
    next()
  }

  function accept(request: IncomingMessage, response: ServerResponse, text: string): void {
    // Sent by Tizona.
    const body = JSON.parse(text) as { model: string; messages: { role: string }[] }
    const agent = String(request.headers.authorization).replace('Bearer ', '')
    const record: GatewayRequest = { agent, arrived: performance.now() }
    requests.push(record)
    const job: Job = {
      record,
      response,
      model: body.model,
      step: body.messages.filter(({ role }) => role === 'assistant').length,
    }
    response.on('close', () => {
      record.ended = performance.now()
      record.canceled = !response.writableFinished
      const queue = queues.get(agent)
      const at = queue?.indexOf(job) ?? -1
      if (at !== -1) queue?.splice(at, 1)
    })
    queues.set(agent, [...(queues.get(agent) ?? []), job])
    next()
  }

  const server = createServer((request, response) => {
    if (request.url?.endsWith('/models')) {
      response.writeHead(200, { 'content-type': 'application/json' })
      return void response.end(JSON.stringify({ object: 'list', data: [{ id: 'shared', max_model_len: 32_768 }] }))
    }
    if (!request.url?.endsWith('/chat/completions')) return void response.writeHead(404).end()
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => accept(request, response, Buffer.concat(parts).toString('utf8')))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // A server that listens on a port has an address object.
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    get running() {
      return running
    },
    get waiting() {
      return [...queues.values()].reduce((sum, queue) => sum + queue.length, 0)
    },
    async close() {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}

const readCall = (step: number): object => ({
  tool_calls: [
    {
      index: 0,
      id: `call${step}`,
      type: 'function',
      function: { name: 'read_file', arguments: JSON.stringify({ path: `file${step}.txt` }) },
    },
  ],
})

function event(delta: object, model: string, finish: string | null = null): string {
  return `data: ${JSON.stringify({ object: 'chat.completion.chunk', model, choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`
}
