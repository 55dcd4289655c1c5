import { mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { install, peers, type Peer } from './agents/peers.ts'
import { startScriptedServer, type ScriptedServer } from './agents/scriptedServer.ts'
import { startPeer } from './agents/startPeer.ts'
import { median, type Row } from './row.ts'

const reads = 20
const rounds = Number(process.env['BENCH_ROUNDS'] ?? 7)
/** Time limit of one run in milliseconds. */
const runTimeout = 60_000
/** Clock ticks per second in /proc. */
const ticks = 100

interface Run {
  /** Milliseconds from the start of the process to its first request. */
  start: number
  /** CPU time of its processes until then, in milliseconds. */
  startCpu: number
  /** Medians of the milliseconds between an answer and the next request, and of the CPU time per step. */
  gap: number
  gapCpu: number
  /** Sum of the peak memory of its processes, in KB. */
  memory: number
}

/**
 * Measures headless agents side by side, each with the same scripted endpoint and 20 files to read one after another.
 */
export async function measure(): Promise<Row[]> {
  const home = await realpath(await mkdtemp(join(tmpdir(), 'tizona-bench-agents-')))
  const workspace = join(home, 'workspace')
  await mkdir(workspace)
  for (let file = 0; file < reads; file++)
    await writeFile(join(workspace, `file${file}.txt`), `line of file ${file}\n`.repeat(40))
  const server = await startScriptedServer(reads)
  const named = process.env['BENCH_AGENTS']?.split(',')
  // Parts of names, because Tizona's names contain commas.
  const chosen = peers.filter(({ name }) => named === undefined || named.some((part) => name.includes(part)))
  const runs = new Map<Peer, Run[]>()
  const missing = new Map<Peer, string>()
  try {
    for (const peer of chosen) {
      const problem = await install(peer)
      if (problem === undefined) runs.set(peer, [])
      else missing.set(peer, problem)
    }
    // Interleaved, so that other load affects all of them. The first round fills caches.
    for (let round = -1; round < rounds; round++)
      for (const [peer, done] of runs) {
        const run = await runAgent(peer, { home: join(home, peer.name), workspace, server }).catch((error: unknown) => {
          missing.set(peer, String(error))
          runs.delete(peer)
        })
        if (run && round >= 0) done.push(run)
      }
  } finally {
    await server.close()
    await rm(home, { recursive: true, force: true, maxRetries: 5 })
  }
  return rowsOf(runs, missing)
}

interface AgentPlace {
  home: string
  workspace: string
  server: ScriptedServer
}

async function runAgent(peer: Peer, { home, workspace, server }: AgentPlace): Promise<Run> {
  let started = 0
  let pid = 0
  let first = { at: 0, cpu: 0 }
  let last = { cpu: 0, memory: 0 }
  server.begin({
    folder: workspace,
    onFirst: async () => void (first = { at: performance.now(), cpu: (await usage(pid)).cpu }),
    onLast: async () => void (last = await usage(pid)),
  })
  const child = await startPeer(
    peer,
    { home, workspace, url: server.url },
    runTimeout,
    () => (started = performance.now()),
  )
  pid = child.pid
  const said = await child.ended
  const requests = server.requests()
  if (requests.length !== reads + 1)
    throw new Error(`${peer.name} sent ${requests.length} of ${reads + 1} requests: ${said}`)
  const gaps = requests.slice(1).map(({ arrived }, at) => arrived - (requests[at]?.ended ?? 0))
  return {
    start: first.at - started,
    startCpu: first.cpu,
    gap: median(gaps),
    gapCpu: (last.cpu - first.cpu) / reads,
    memory: last.memory,
  }
}

/** Returns CPU time in milliseconds and peak memory in KB of a process and its descendants. */
async function usage(pid: number): Promise<{ cpu: number; memory: number }> {
  const parents = new Map<number, { parent: number; cpu: number }>()
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue
    const stat = await readFile(`/proc/${name}/stat`, 'utf8').catch(() => '')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    if (fields.length < 14) continue
    const ended = Number(fields[13]) + Number(fields[14])
    parents.set(Number(name), {
      parent: Number(fields[1]),
      cpu: ((Number(fields[11]) + Number(fields[12]) + ended) * 1000) / ticks,
    })
  }
  const belongs = (id: number): boolean => {
    for (let at: number | undefined = id; at !== undefined && at > 1; at = parents.get(at)?.parent)
      if (at === pid) return true
    return false
  }
  let cpu = 0
  let memory = 0
  for (const [id, process] of parents) {
    if (!belongs(id)) continue
    cpu += process.cpu
    const status = await readFile(`/proc/${id}/status`, 'utf8').catch(() => '')
    memory += Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1] ?? 0)
  }
  return { cpu, memory }
}

/** Goals for Tizona. It must also start faster than its peers and use the least memory. */
const goals = { start: 0.25, gap: 3 }

function rowsOf(runs: ReadonlyMap<Peer, readonly Run[]>, missing: ReadonlyMap<Peer, string>): Row[] {
  const of = (field: keyof Run) =>
    [...runs].map(([peer, done]) => ({ peer, value: median(done.map((run) => run[field])) }))
  const notRun = [...missing].map(([{ name }, why]) => `${name} not run: ${why}`)
  const beside = (field: keyof Run, cpuField: keyof Run | undefined, show: (value: number) => string): string => {
    const cpu = cpuField && of(cpuField)
    const values = of(field).map(({ peer, value }) => {
      const used = cpu?.find((other) => other.peer === peer)
      return `${peer.name} ${show(value)}${used ? ` (CPU ${show(used.value)})` : ''}`
    })
    return [...values, ...notRun].join('; ')
  }
  const ours = (field: keyof Run): number =>
    of(field).find(({ peer }) => peer.package === undefined)?.value ?? Number.NaN
  const leastOfPeers = (field: keyof Run): number =>
    Math.min(...of(field).flatMap(({ peer, value }) => (peer.package === undefined ? [] : [value])))
  const how = `medians of ${rounds} runs, alternately; \`npm run bench -- agents\``
  return [
    {
      question: 'headless: start to the first request',
      value: ours('start') / 1000,
      unit: 's',
      goal: Math.min(goals.start, leastOfPeers('start') / 1000),
      how: `${beside('start', 'startCpu', (value) => `${(value / 1000).toFixed(2)} s`)}; the goal is ${goals.start} s and the least of the others; ${how}`,
    },
    {
      question: 'headless: end of an answer to the next request',
      value: ours('gap'),
      unit: 'ms',
      goal: goals.gap,
      how: `${reads} reads of a file; ${beside('gap', 'gapCpu', (value) => `${value.toFixed(1)} ms`)}; ${how}`,
    },
    {
      question: 'headless: peak memory after 20 reads',
      value: ours('memory') / 1024,
      unit: 'MB',
      goal: leastOfPeers('memory') / 1024,
      how: `sum of VmHWM of the agent's processes; ${beside('memory', undefined, (value) => `${(value / 1024).toFixed(0)} MB`)}; the goal is the least of the others; ${how}`,
    },
  ]
}
