import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { median, type Row } from './row.ts'
import { makeTree } from './tree.ts'

const rounds = 5
const stamp = 'started.txt'
/** A command that may change files, so it waits for the first checkpoint. Records when it starts. */
const command = `date +%s%N > ${stamp}`

/**
 * Measures the wait of `tizona run`'s first command in a folder that Tizona has never opened: from the end of the
 * model's answer to the start of the command, compared with an empty folder.
 */
export async function measure(): Promise<Row[]> {
  const rows: Row[] = []
  // No local model answers sooner: it first processes some thousand tokens and then writes the call.
  for (const [files, after] of [
    [20_000, 0],
    [20_000, 700],
    [100_000, 3000],
  ] as const) {
    const held = await holdOf(files, after)
    // Other preparations, such as checking the sandbox, are included there too.
    const empty = await holdOf(0, after)
    rows.push({
      question: `first command of \`tizona run\` among ${files.toLocaleString('en')} files, model answers after ${after / 1000} s: wait for the checkpoint`,
      value: (median(held) - median(empty)) / 1000,
      unit: 's',
      ...(after > 0 && { goal: 0.1 }),
      how: `median of ${rounds} runs in a folder that was never opened: ${list(held)} ms from the answer to the command, ${list(empty)} ms in an empty folder; \`npm run bench -- first-command\``,
    })
  }
  return rows
}

const list = (values: readonly number[]): string => values.map((value) => value.toFixed(0)).join(', ')

/** @param after milliseconds until the model answers @returns milliseconds from its answer to the command, per run */
async function holdOf(files: number, after: number): Promise<number[]> {
  const tree = await makeTree(files)
  const model = await startModel(after)
  try {
    const held: number[] = []
    for (let round = 0; round < rounds; round++) {
      await run(tree.root, model.url)
      const startedAt = Number(await readFile(join(tree.root, stamp), 'utf8')) / 1e6
      await rm(join(tree.root, stamp))
      held.push(startedAt - model.answeredAt())
    }
    return held
  } finally {
    model.close()
    await tree.remove()
  }
}

async function run(folder: string, url: string): Promise<void> {
  const userData = await mkdtemp(join(tmpdir(), 'tizona-bench-user-'))
  const entry = join(import.meta.dirname, '..', 'out/main/headless.js')
  const options = [
    '--workspace',
    folder,
    '--mode',
    'yolo',
    '--endpoint',
    url,
    '--model',
    'scripted',
    '--kind',
    'openai',
  ]
  const child = spawn(process.execPath, [entry, 'run', 'Go.', ...options], {
    env: { ...process.env, TIZONA_USER_DATA: userData },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let said = ''
  child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString('utf8')))
  const [code] = (await once(child, 'close')) as [number | null]
  await rm(userData, { recursive: true, force: true, maxRetries: 5 })
  if (code !== 0) throw new Error(`tizona run ended with ${code}: ${said.slice(-500)}`)
}

interface Choice {
  index: number
  delta: object
  finish_reason: 'stop' | 'tool_calls'
}

/** Starts a model server whose first answer is the command. @param after milliseconds until it answers */
async function startModel(after: number): Promise<{ url: string; answeredAt(): number; close(): void }> {
  let answeredAt = 0
  const server: Server = createServer((request, response) => {
    if (request.method !== 'POST') {
      response.writeHead(200, { 'content-type': 'application/json' })
      return void response.end(JSON.stringify({ data: [{ id: 'scripted', max_model_len: 32_768 }] }))
    }
    void answer(request).then((choice) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      if (choice.finish_reason === 'tool_calls') answeredAt = Date.now()
      response.end(`data: ${JSON.stringify({ choices: [choice] })}\n\ndata: [DONE]\n\n`)
    })
  })

  async function answer(request: IncomingMessage): Promise<Choice> {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    // Sent by Tizona.
    const { messages } = JSON.parse(Buffer.concat(parts).toString('utf8')) as { messages: { role: string }[] }
    if (messages.some(({ role }) => role === 'tool'))
      return { index: 0, delta: { content: 'Done.' }, finish_reason: 'stop' }
    await delay(after)
    const call = { name: 'run_command', arguments: JSON.stringify({ command }) }
    const delta = { tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: call }] }
    return { index: 0, delta, finish_reason: 'tool_calls' }
  }

  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // A server that listens on a port has an address with it.
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/v1`, answeredAt: () => answeredAt, close: () => server.close() }
}
