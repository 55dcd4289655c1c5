import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { startGateway, type Gateway } from './fleet/gateway.ts'
import { median, type Row } from './row.ts'

const agents = 50
const slots = 8
const reads = 3
/** Number of agents to stop with SIGINT as soon as the gateway has their first request. */
const interruptedAgents = 5
const chunks = 8
const chunkMs = 25

const headless = join(import.meta.dirname, '../out/main/headless.js')

interface AgentResult {
  name: string
  exitCode: number | null
  /** Maximum resident memory in KB. */
  memory?: number
  /** When SIGINT was sent, in milliseconds of `performance.now()`. */
  interruptedAt?: number
}

/**
 * Measures 50 headless agents, each a process with its own data folder, against one gateway with 8 slots: whether all
 * finish, how evenly they wait, and what a cancellation frees.
 */
export async function measure(): Promise<Row[]> {
  const home = await realpath(await mkdtemp(join(tmpdir(), 'tizona-bench-fleet-')))
  const workspace = join(home, 'workspace')
  await mkdir(workspace)
  for (let file = 0; file < reads; file++)
    await writeFile(join(workspace, `file${file}.txt`), `line of file ${file}\n`.repeat(40))
  const gateway = await startGateway({ slots, reads, chunks, chunkMs })
  try {
    const results = await Promise.all(
      Array.from({ length: agents }, (_, at) =>
        runAgent(`agent${at}`, { home, workspace, gateway, interrupt: at % (agents / interruptedAgents) === 0 }),
      ),
    )
    // Connections end after their processes. A slot that is never released would keep this waiting.
    for (let rest = 500; gateway.running + gateway.waiting > 0 && rest > 0; rest--) await delay(20)
    return rowsOf(gateway, results)
  } finally {
    await gateway.close()
    await rm(home, { recursive: true, force: true, maxRetries: 5 })
  }
}

interface AgentOptions {
  home: string
  workspace: string
  gateway: Gateway
  interrupt: boolean
}

async function runAgent(name: string, { home, workspace, gateway, interrupt }: AgentOptions): Promise<AgentResult> {
  const args = ['run', 'Read the files and sum them up.', '--workspace', workspace, '--endpoint', gateway.url]
  const child = spawn(process.execPath, [headless, ...args, '--model', 'shared', '--kind', 'openai'], {
    env: {
      ...process.env,
      TIZONA_USER_DATA: join(home, name),
      TIZONA_NO_DISCOVERY: '1',
      TIZONA_API_KEY: name,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const result: AgentResult = { name, exitCode: null }
  const exited = once(child, 'exit')
  createInterface({ input: child.stdout }).on('line', (line) => {
    if (!line.includes('"conversation.item"') || child.pid === undefined) return
    void peakMemory(child.pid).then((kilobytes) => {
      if (kilobytes !== undefined) result.memory = kilobytes
    })
  })
  if (interrupt) {
    while (child.exitCode === null && !gateway.requests.some(({ agent }) => agent === name)) await delay(5)
    result.interruptedAt = performance.now()
    child.kill('SIGINT')
  }
  await exited
  result.exitCode = child.exitCode
  return result
}

async function peakMemory(pid: number): Promise<number | undefined> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  const kilobytes = /^VmHWM:\s+(\d+) kB/m.exec(status)?.[1]
  return kilobytes === undefined ? undefined : Number(kilobytes)
}

function rowsOf(gateway: Gateway, results: readonly AgentResult[]): Row[] {
  const interrupted = results.filter(({ interruptedAt }) => interruptedAt !== undefined)
  const working = results.filter(({ interruptedAt }) => interruptedAt === undefined)
  const finished = working.filter(
    ({ name, exitCode }) =>
      exitCode === 0 &&
      gateway.requests.filter(({ agent, canceled }) => agent === name && !canceled).length === reads + 1,
  )
  const started = gateway.requests.filter((request) => request.started !== undefined)
  const waitOf = (name: string) =>
    started
      .filter(({ agent }) => agent === name)
      .reduce((sum, { arrived, started: begun = arrived, ended = begun }) => sum + ended - arrived, 0)
  const waits = working.map(({ name }) => waitOf(name)).toSorted((a, b) => a - b)
  const freed = interrupted.flatMap(({ name, interruptedAt = 0 }) => {
    const ended = gateway.requests.findLast(({ agent }) => agent === name)?.ended
    return ended === undefined ? [] : [Math.max(0, ended - interruptedAt)]
  })
  const first = Math.min(...gateway.requests.map(({ arrived }) => arrived))
  const last = Math.max(...gateway.requests.map(({ ended = 0 }) => ended))
  const ideal = (started.length * chunks * chunkMs) / slots
  const memories = results.flatMap(({ memory }) => (memory === undefined ? [] : [memory]))
  const how = `${agents} processes, ${slots} slots, ${reads + 1} requests each of ${chunks * chunkMs} ms; \`npm run bench -- fleet\``
  const seconds = (value = 0) => `${(value / 1000).toFixed(1)} s`
  return [
    {
      question: 'fleet: agents that finish their turn',
      value: (100 * finished.length) / working.length,
      unit: '%',
      goal: 100,
      how: `${finished.length} of ${working.length}; ${how}`,
    },
    {
      question: "fleet: fairness of the time until answers (Jain's index)",
      value: 100 * fairness(waits),
      unit: '%',
      goal: 90,
      how: `sum of each agent from request to end of answer: least ${seconds(waits[0])}, median ${seconds(median(waits))}, most ${seconds(waits.at(-1))}`,
    },
    {
      question: 'fleet: from SIGINT until the gateway has the slot or place back',
      value: median(freed),
      unit: 'ms',
      goal: 1000,
      how: `median of ${freed.length} canceled agents, most ${Math.max(...freed).toFixed(0)} ms; exit codes ${interrupted.map(({ exitCode }) => exitCode).join(', ')}; ${gateway.running + gateway.waiting} requests left over`,
    },
    {
      question: 'fleet: first request to last answer against slots that are never idle',
      value: (last - first) / ideal,
      unit: '×',
      how: `${seconds(last - first)} against ${seconds(ideal)}; the agents start at the same time and share this machine with the gateway`,
    },
    {
      question: 'fleet: peak memory of an agent',
      value: median(memories),
      unit: 'KB',
      how: `median of ${memories.length} processes (VmHWM), most ${Math.max(...memories)} KB`,
    },
  ]
}

/** Jain's index: 1 if all values are equal, 1/n if one has everything. */
function fairness(values: readonly number[]): number {
  const sum = values.reduce((total, value) => total + value, 0)
  const squares = values.reduce((total, value) => total + value * value, 0)
  return squares === 0 ? 1 : sum ** 2 / (values.length * squares)
}
