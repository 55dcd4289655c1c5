import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** The variable that marks a command's processes, so that a daemon which left group, session and parent is found again. */
export const jobVariable = 'TIZONA_JOB'

interface Process {
  pid: number
  parent: number
  group: number
  session: number
  /** Told apart from a later process with the same pid. */
  started: string
  zombie: boolean
}

/** Which processes belong together: those under `root`, and those whose mark begins with `mark`. */
export interface Tree {
  /** The leader of the session. */
  root?: number
  mark?: string
}

/**
 * Ends a process tree: `signal` to all of it, SIGKILL to what is left after `graceMs`. Resolves when nothing is left, or
 * with the pids that we may not end (another user's, through sudo for example).
 */
export async function endTree(tree: Tree, options: { signal: 'SIGTERM' | 'SIGHUP'; graceMs: number }): Promise<number[]> {
  if (process.platform === 'win32') return endWindowsTree(tree.root)
  const known = new Map<string, Process>()
  const remaining = async (): Promise<Process[]> => {
    const all = await listProcesses()
    for (const member of await membersOf(tree, all, known)) known.set(key(member), member)
    return all.filter((process) => !process.zombie && known.has(key(process)))
  }

  let left = await remaining()
  for (const member of left) {
    send(member.pid, options.signal)
    // A stopped process takes the signal only once it goes on.
    send(member.pid, 'SIGCONT')
  }
  const deadline = performance.now() + options.graceMs
  while (left.length > 0 && performance.now() < deadline) {
    await sleep(25)
    left = await remaining()
  }
  // What is killed may have started more in the meantime.
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
    // Gone already, or not ours to end: endTree looks again and reports what is left.
    if (!(error instanceof Error && 'code' in error && (error.code === 'ESRCH' || error.code === 'EPERM'))) throw error
  }
}

async function membersOf(tree: Tree, all: Process[], known: ReadonlyMap<string, Process>): Promise<Process[]> {
  const pids = new Set([...known.values()].map((member) => member.pid))
  if (tree.root !== undefined) {
    for (const member of all) {
      if (member.pid === tree.root || member.session === tree.root || member.group === tree.root) pids.add(member.pid)
    }
  }
  if (tree.mark !== undefined && process.platform === 'linux') {
    const wanted = `\0${jobVariable}=${tree.mark}`
    await Promise.all(all.map(async (member) => {
      if (!pids.has(member.pid) && !member.zombie && `\0${await environmentOf(member.pid)}`.includes(wanted)) pids.add(member.pid)
    }))
  }
  for (let before = -1; before !== pids.size; ) {
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
    return '' // gone, or another user's: not one we started
  }
}

async function listProcesses(): Promise<Process[]> {
  if (process.platform !== 'linux') return listWithPs()
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number)
  const found = await Promise.all(pids.map(readStat))
  return found.filter((entry) => entry !== undefined)
}

/** Fields of /proc/PID/stat by their number in proc(5), less the first two. */
export async function statFields(pid: number): Promise<string[] | undefined> {
  try {
    const text = await readFile(`/proc/${pid}/stat`, 'utf8')
    return text.slice(text.lastIndexOf(')') + 2).split(' ')
  } catch {
    return undefined // it ended
  }
}

async function readStat(pid: number): Promise<Process | undefined> {
  const fields = await statFields(pid)
  if (fields === undefined) return undefined
  const [state = '', parent, group, session] = fields
  const zombie = state === 'Z' || state === 'X'
  return { pid, parent: Number(parent), group: Number(group), session: Number(session), started: fields[19] ?? '', zombie }
}

/** macOS and the BSDs. Their `sess` is an address, so a session is known by its groups and parents only. */
async function listWithPs(): Promise<Process[]> {
  const { stdout } = await run('ps', ['-A', '-o', 'pid=,ppid=,pgid=,stat=,lstart='])
  return stdout.split('\n').flatMap((line) => {
    const [pid, parent, group, state = '', ...started] = line.trim().split(/\s+/)
    if (!pid) return []
    const zombie = state.startsWith('Z')
    return [{ pid: Number(pid), parent: Number(parent), group: Number(group), session: 0, started: started.join(' '), zombie }]
  })
}

async function endWindowsTree(root: number | undefined): Promise<number[]> {
  if (root === undefined) return []
  try {
    await run('taskkill', ['/pid', String(root), '/t', '/f'])
    return []
  } catch {
    // taskkill fails when the process is gone, which is what was wanted, and when it may not: then the process still answers.
    try {
      process.kill(root, 0)
      return [root]
    } catch {
      return []
    }
  }
}
