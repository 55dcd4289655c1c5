import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { request as httpRequest } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text as textOf } from 'node:stream/consumers'
import { install, peers, tizona, type Peer } from './agents/peers.ts'
import { startScriptedServer } from './agents/scriptedServer.ts'
import { startPeer } from './agents/startPeer.ts'
import { startLlamaServer } from './llamaServer.ts'
import type { Row } from './row.ts'

/** Paths of a llama-server, a model file and a chat template with tools, separated by spaces. */
const serverVariable = 'TIZONA_COST_SERVER'
const reads = 20
const window = 32_768
/** Lines per file. */
const lines = 10
/** Time limit of one run in milliseconds. */
const runTimeout = 5 * 60_000
/** Maximum number of computed tokens relative to the last prompt, which contains everything new. */
const maxComputed = 1.05

/** What llama-server reports about one request. */
interface Cost {
  /** Tokens of the prompt, and how many of them were computed instead of taken from the cache. */
  prompt: number
  computed: number
  ms: number
}

/**
 * Measures what the prompts of headless agents cost a real llama-server: each request is sent to it for one token,
 * while the agent gets a scripted answer that reads 20 files one after another.
 */
export async function measure(): Promise<Row[]> {
  const [binary, model, template] = (process.env[serverVariable] ?? '').split(' ')
  if (!binary || !model || !template) {
    console.log(`not run: ${serverVariable} names no "llama-server MODEL.gguf TEMPLATE.jinja"`)
    return []
  }
  const home = await realpath(await mkdtemp(join(tmpdir(), 'tizona-bench-cost-')))
  const workspace = join(home, 'workspace')
  await mkdir(workspace)
  for (let file = 0; file < reads; file++) await writeFile(join(workspace, `file${file}.txt`), linesOf(file))
  // Parts of the agents' names.
  const named = process.env['BENCH_AGENTS']?.split(',')
  const chosen = [...peers, tizona('ultrasushitron'), tizona('rustant'), tizona('blade', 'full')]
  const costs = new Map<Peer, readonly Cost[]>()
  try {
    for (const peer of chosen.filter(({ name }) => named === undefined || named.some((part) => name.includes(part)))) {
      const problem = await install(peer)
      // A separate server, so that no agent finds another one's prompt in the cache.
      const llama = await startLlamaServer(binary, model, template, window)
      try {
        if (problem !== undefined) throw new Error(problem)
        const requests = await costsOf(peer, { home: join(home, peer.name), workspace, llama: llama.baseUrl })
        costs.set(peer, requests)
        console.log(`${peer.name}: ${sum(requests.map(({ computed }) => computed))} tokens computed`)
      } catch (error) {
        console.log(`${peer.name} not run: ${error instanceof Error ? error.message : String(error)}`)
      } finally {
        llama.process.kill()
      }
    }
  } finally {
    await rm(home, { recursive: true, force: true, maxRetries: 5 })
  }
  return rowsOf(costs)
}

/** Lines of code, each different. */
function linesOf(file: number): string {
  const names = ['open', 'close', 'merge', 'split', 'render', 'parse', 'store', 'load', 'check', 'trim']
  return Array.from({ length: lines }, (_, line) => {
    const name = names[(line * 3 + file) % names.length] ?? ''
    return `export const ${name}${line} = (value: string) => ${name}At(value, ${file * 31 + line * 7}) // step ${line}\n`
  }).join('')
}

async function costsOf(
  peer: Peer,
  { home, workspace, llama }: { home: string; workspace: string; llama: string },
): Promise<Cost[]> {
  const requests: { path: string; body: string }[] = []
  const server = await startScriptedServer(reads, {
    window,
    onRequest: async (path, body) => void requests.push({ path, body }),
  })
  try {
    server.begin({ folder: workspace, onFirst: async () => {}, onLast: async () => {} })
    const said = await (await startPeer(peer, { home, workspace, url: server.url }, runTimeout)).ended
    const sent = server.requests().length
    if (sent !== reads + 1) throw new Error(`it sent ${sent} of ${reads + 1} requests: ${said}`)
  } finally {
    await server.close()
  }
  const costs: Cost[] = []
  // Only now, because an agent that waits too long would resend a request.
  for (const { path, body } of requests) costs.push(await costOf(llama, path, body))
  return costs
}

/** Sends an agent's request to llama-server for one token. @throws Error if the server refuses it */
async function costOf(llama: string, path: string, body: string): Promise<Cost> {
  const isResponses = path.endsWith('/responses')
  // Sent by an agent.
  const request = JSON.parse(body) as Record<string, unknown>
  // The last one is llama-server's own field and overrides the agent's value.
  const limit = isResponses ? { max_output_tokens: 1 } : { max_tokens: 1, n_predict: 1 }
  const started = performance.now()
  const { status, text } = await post(`${llama}/v1/${isResponses ? 'responses' : 'chat/completions'}`, {
    ...request,
    ...limit,
    stream: false,
    stream_options: undefined,
    max_completion_tokens: undefined,
  })
  if (status !== 200) throw new Error(`llama-server answered ${status}: ${text.slice(0, 300)}`)
  const { usage } = JSON.parse(text) as { usage: Usage }
  const prompt = usage.prompt_tokens ?? usage.input_tokens ?? Number.NaN
  const cached = (usage.prompt_tokens_details ?? usage.input_tokens_details)?.cached_tokens ?? Number.NaN
  return { prompt, computed: prompt - cached, ms: performance.now() - started }
}

/** Sends JSON without a time limit. `fetch` has one of 5 minutes, and a long prompt takes longer on a busy machine. */
function post(url: string, body: object): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    httpRequest(url, { method: 'POST', headers: { 'content-type': 'application/json' } }, (response) => {
      textOf(response).then((text) => resolve({ status: response.statusCode ?? 0, text }), reject)
    })
      .on('error', reject)
      .end(JSON.stringify(body))
  })
}

/** The fields of both APIs. */
interface Usage {
  prompt_tokens?: number
  prompt_tokens_details?: { cached_tokens: number }
  input_tokens?: number
  input_tokens_details?: { cached_tokens: number }
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)

function rowsOf(costs: ReadonlyMap<Peer, readonly Cost[]>): Row[] {
  const all = [...costs].map(([peer, requests]) => ({
    peer,
    requests: requests.length,
    first: requests[0]?.prompt ?? Number.NaN,
    last: Math.max(...requests.map(({ prompt }) => prompt)),
    computed: sum(requests.map(({ computed }) => computed)),
    seconds: sum(requests.map(({ ms }) => ms)) / 1000,
  }))
  const others = all.filter(({ peer }) => peer.package !== undefined)
  const best = (field: 'first' | 'computed') => Math.min(...others.map((other) => other[field]))
  return all.flatMap(({ peer, requests, first, last, computed, seconds }): Row[] => {
    const isOurs = peer.package === undefined
    const how = `${requests} requests, ${seconds.toFixed(1)} s; \`npm run bench -- cost\``
    return [
      {
        question: `${peer.name}: tokens that llama-server computes for ${reads} reads`,
        value: computed,
        unit: 'tokens',
        ...(isOurs && others.length > 0 && { goal: best('computed') }),
        how,
      },
      {
        question: `${peer.name}: tokens of the first request`,
        value: first,
        unit: 'tokens',
        ...(isOurs && others.length > 0 && { goal: best('first') }),
        how: 'instructions, tools and one sentence',
      },
      {
        question: `${peer.name}: computed tokens against the last prompt`,
        value: computed / last,
        unit: '×',
        ...(isOurs && { goal: maxComputed }),
        how: `the last prompt has ${last} tokens`,
      },
    ]
  })
}
