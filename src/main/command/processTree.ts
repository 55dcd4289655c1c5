import { readFileSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { uptime } from 'node:os'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { runProgram } from '../base/startProcess.ts'
import { isJobTagLimit, parseLocksLimit } from './jobTagLimit.ts'

/** Environment variable with the job tag of a command, used to find daemons that left its group, session and parent. */
export const jobVariable = 'TIZONA_JOB'

interface Process {
  pid: number
  parent: number
  group: number
  session: number
  /** Start time, which distinguishes a process from a later one with the same pid. */
  started: string
  zombie: boolean
}

/** Selects a process tree: the descendants of `root`, and processes whose job tag starts with `jobTag`. */
export interface Tree {
  /** Session leader. */
  root?: number
  jobTag?: string
}

/**
 * Ends a process tree: sends `signal` to all processes, and SIGKILL to the remaining ones after `graceMs`. With
 * `spareRoot` the root only gets SIGKILL.
 * @returns pids of processes that cannot be killed, e.g. of another user through sudo
 */
export async function endTree(
  tree: Tree,
  options: { signal: 'SIGTERM' | 'SIGHUP'; graceMs: number; spareRoot?: boolean },
): Promise<number[]> {
  if (process.platform === 'win32') return endWindowsTree(tree.root)
  const known = new Map<string, Process>()
  const remaining = async (): Promise<Process[]> => {
    const scan = await nextScan()
    const { all } = scan
    for (const member of membersOf(tree, all, await taggedPids(tree, scan), known)) known.set(key(member), member)
    return all.filter((process) => !process.zombie && known.has(key(process)))
  }

  let left = await remaining()
  for (const member of left) {
    if (options.spareRoot && member.pid === tree.root) continue
    send(member.pid, options.signal)
    // A stopped process handles the signal only after it continues.
    send(member.pid, 'SIGCONT')
  }
  const deadline = performance.now() + options.graceMs
  while (left.length > 0 && performance.now() < deadline) {
    await sleep(25)
    left = await remaining()
  }
  // A process may have started others before it was killed.
  for (let round = 0; left.length > 0 && round < 40; round += 1) {
    for (const member of left) send(member.pid, 'SIGKILL')
    await sleep(25)
    left = await remaining()
  }
  return left.map((member) => member.pid)
}

function key(member: Process): string {
  return `${member.pid} ${member.started}`
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    // Exited already, or not permitted: endTree scans again and returns the remaining ones.
    if (!(error instanceof Error && 'code' in error && (error.code === 'ESRCH' || error.code === 'EPERM'))) throw error
  }
}

interface Scan {
  all: Process[]
  /** Values of `TIZONA_JOB` by pid. Read on first use. */
  jobTags(): Promise<ReadonlyMap<number, string>>
  /** Limits on file locks by pid, where set. Read on first use. */
  limits(): Promise<ReadonlyMap<number, number>>
}

let running: Promise<Scan> | undefined
let waiting: Promise<Scan> | undefined

/**
 * Returns a scan that starts after this call. Calls during a running scan share the next one, so fifty jobs that end
 * together need no more scans than one.
 */
function nextScan(): Promise<Scan> {
  if (running === undefined) {
    running = scan().finally(() => {
      running = undefined
    })
    return running
  }
  const after = (): Promise<Scan> => {
    waiting = undefined
    return nextScan()
  }
  return (waiting ??= running.then(after, after))
}

async function scan(): Promise<Scan> {
  scans += 1
  const all = await listProcesses()
  let jobTags: Promise<Map<number, string>> | undefined
  let limits: Promise<Map<number, number>> | undefined
  return { all, jobTags: () => (jobTags ??= readJobTags(all)), limits: () => (limits ??= readLimits(all)) }
}

let scans = 0

/** Number of scans so far, for tests. */
export function scanCount(): number {
  return scans
}

const readJobTags = createMarkReader(async (pid) => {
  const start = `\0${jobVariable}=`
  const environment = `\0${await environmentOf(pid)}`
  const at = environment.indexOf(start)
  return at < 0 ? undefined : (environment.slice(at + start.length).split('\0', 1)[0] ?? '')
})

// Empty if the process has exited.
const readLimits = createMarkReader(async (pid) =>
  parseLocksLimit(await readFile(`/proc/${pid}/limits`, 'latin1').catch(() => '')),
)

/** Seconds after which a process without a mark stays unmarked: marks are set when a command starts, and inherited. */
const maxMarkingTime = 10

/**
 * Returns a function that reads a mark of all processes, by pid. Remembers unmarked processes, because reading the
 * marks of the whole machine takes longer than all other steps of ending a command.
 */
function createMarkReader<Mark>(
  read: (pid: number) => Promise<Mark | undefined>,
): (all: readonly Process[]) => Promise<Map<number, Mark>> {
  let unmarked = new Set<string>()
  return async (all) => {
    const found = new Map<number, Mark>()
    if (process.platform !== 'linux') return found
    const now = uptime()
    const without = new Set<string>()
    await Promise.all(
      all.map(async (each) => {
        if (each.zombie) return
        const mark = unmarked.has(key(each)) ? undefined : await read(each.pid)
        if (mark !== undefined) found.set(each.pid, mark)
        else if (now - Number(each.started) / ticksPerSecond > maxMarkingTime) without.add(key(each))
      }),
    )
    unmarked = without
    return found
  }
}

/** Unit of start times in /proc on the architectures that Tizona supports. */
const ticksPerSecond = 100

/** Processes with a tree's job tag, in their environment or limits. */
async function taggedPids({ jobTag }: Tree, scan: Scan): Promise<number[]> {
  if (jobTag === undefined) return []
  const [jobTags, limits] = await Promise.all([scan.jobTags(), scan.limits()])
  return [
    ...[...jobTags].filter(([, other]) => other.startsWith(jobTag)),
    ...[...limits].filter(([, limit]) => isJobTagLimit(limit, jobTag)),
  ].map(([pid]) => pid)
}

function membersOf(
  tree: Tree,
  all: Process[],
  tagged: readonly number[],
  known: ReadonlyMap<string, Process>,
): Process[] {
  const pids = new Set([...known.values()].map((member) => member.pid))
  if (tree.root !== undefined) {
    for (const member of all) {
      if (member.pid === tree.root || member.session === tree.root || member.group === tree.root) pids.add(member.pid)
    }
  }
  for (const pid of tagged) pids.add(pid)
  for (let before = -1; before !== pids.size;) {
    before = pids.size
    for (const member of all) if (pids.has(member.parent)) pids.add(member.pid)
  }
  pids.delete(process.pid)
  return all.filter((member) => pids.has(member.pid))
}

async function environmentOf(pid: number): Promise<string> {
  try {
    return await readFile(`/proc/${pid}/environ`, 'latin1')
  } catch {
    return '' // exited, or of another user: not started by Tizona
  }
}

async function listProcesses(): Promise<Process[]> {
  if (process.platform !== 'linux') return listWithPs()
  return (await statFieldsOfAll()).map(([pid, fields]) => processOf(pid, fields))
}

/** Returns the fields of /proc/PID/stat by their number in proc(5), without the first two. */
export async function statFields(pid: number): Promise<string[] | undefined> {
  return readStatFields(pid)
}

/** Returns the fields of all processes by pid. */
async function statFieldsOfAll(): Promise<[pid: number, fields: string[]][]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number)
  const found: [number, string[]][] = []
  for (const [index, pid] of pids.entries()) {
    // Reads for a few milliseconds at most before yielding to the event loop.
    if (index % 100 === 99) await nextTurn()
    const fields = readStatFields(pid)
    if (fields !== undefined) found.push([pid, fields])
  }
  return found
}

/**
 * Synchronous, because it is kernel memory and not a file on disk. An asynchronous read takes ten times the processor
 * time and a buffer of 64 kB that only garbage collection frees.
 */
function readStatFields(pid: number): string[] | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return text.slice(text.lastIndexOf(')') + 2).split(' ')
  } catch {
    return undefined // exited
  }
}

/** Returns the number of processes of each tree, and their resident memory in bytes. Linux only. @param roots pids */
export async function processUsage(
  roots: readonly number[],
): Promise<Map<number, { processes: number; memory: number }>> {
  const parents = new Map<number, number>()
  const resident = new Map<number, number>()
  for (const [pid, fields] of await statFieldsOfAll()) {
    if (fields[0] === 'Z') continue
    parents.set(pid, Number(fields[1]))
    resident.set(pid, Number(fields[21]) * pageSize)
  }
  const usage = new Map(roots.map((root) => [root, { processes: 0, memory: 0 }]))
  for (const pid of parents.keys()) {
    let ancestor: number | undefined = pid
    while (ancestor !== undefined && !usage.has(ancestor)) ancestor = parents.get(ancestor)
    const tree = ancestor === undefined ? undefined : usage.get(ancestor)
    if (tree === undefined) continue
    tree.processes += 1
    tree.memory += resident.get(pid) ?? 0
  }
  return usage
}

/** Memory page size on the architectures that Tizona supports. */
const pageSize = 4096

function processOf(pid: number, fields: readonly string[]): Process {
  const [state = '', parent, group, session] = fields
  const zombie = state === 'Z' || state === 'X'
  return {
    pid,
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    started: fields[19] ?? '',
    zombie,
  }
}

/**
 * Lists processes on macOS and the BSDs. Their `sess` is an address, so a session is derived from groups and parents.
 */
async function listWithPs(): Promise<Process[]> {
  const { stdout } = await runProgram('ps', ['-A', '-o', 'pid=,ppid=,pgid=,stat=,lstart='])
  return stdout.split('\n').flatMap((line) => {
    const [pid, parent, group, state = '', ...started] = line.trim().split(/\s+/)
    if (!pid) return []
    const zombie = state.startsWith('Z')
    return [
      {
        pid: Number(pid),
        parent: Number(parent),
        group: Number(group),
        session: 0,
        started: started.join(' '),
        zombie,
      },
    ]
  })
}

async function endWindowsTree(root: number | undefined): Promise<number[]> {
  if (root === undefined) return []
  try {
    await runProgram('taskkill', ['/pid', String(root), '/t', '/f'])
    return []
  } catch {
    // taskkill fails if the process has exited, which is fine, or if access is denied and the process remains.
    try {
      process.kill(root, 0)
      return [root]
    } catch {
      return []
    }
  }
}
