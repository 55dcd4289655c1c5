import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createCore, type Core } from '../src/main/core.ts'
import { createOpenCores } from '../src/main/core/openCores.ts'
import { defaultIdleTime } from '../src/main/code/process/restingIndexClient.ts'
import { processMemory } from './processMemory.ts'
import { median, time, type Row } from './row.ts'
import { makeTree } from './tree.ts'

const files = 20_000
const worktrees = 5
const never = new AbortController().signal
const exec = promisify(execFile)

/** What a worktree costs beside the repository that is open. Milliseconds and MB. */
interface Opened {
  /** Until the top level is listed. */
  listed: number
  /** Until the code index answers a search for a name. */
  answered: number
  /** Until the code index has read all files. */
  indexed: number
}

/**
 * Opens a repository of 20,000 files, then one worktree of it and four more, as a host does: a core for each in one
 * process. Measures the time until each is ready, and the memory of all processes.
 */
export async function measure(): Promise<Row[]> {
  const tree = await makeTree(files)
  const userData = await mkdtemp(join(tmpdir(), 'tizona-bench-user-'))
  const openCores = createOpenCores()
  const platform = { version: 'bench', userData, resources: join(import.meta.dirname, '..', 'resources') }
  const cores: Core[] = []
  const open = async (folder: string): Promise<{ core: Core; cost: Opened }> => {
    const core = await createCore({ platform: { ...platform, host: 'browser' }, openCores, trustWorkspace: true })
    cores.push(core)
    const cost = await openIn(core, folder)
    console.log(`${folder}: ${JSON.stringify(cost)}`)
    return { core, cost }
  }
  try {
    await makeRepository(tree.root)
    const { core: first, cost: origin } = await open(tree.root)
    const alone = await settledMemory()
    const opened: Opened[] = []
    const made: number[] = []
    const sizes: number[] = []
    for (let count = 1; count <= worktrees; count++) {
      let worktree = ''
      made.push(
        await time(async () => {
          worktree = (await first.sessions.create({ folder: tree.root })).session.worktree
        }),
      )
      opened.push((await open(worktree)).cost)
      if (count === 1 || count === worktrees) sizes.push(await settledMemory())
    }
    await delay(defaultIdleTime + 10_000)
    const idle = await settledMemory()
    return rows({ origin, alone, opened, made, sizes, idle })
  } finally {
    await Promise.all(cores.map((core) => core.dispose()))
    await tree.remove()
    await rm(userData, { recursive: true, force: true, maxRetries: 5 })
    await rm(`${userData}-worktrees`, { recursive: true, force: true, maxRetries: 5 })
  }
}

async function makeRepository(root: string): Promise<void> {
  const git = (...args: string[]) => exec('git', ['-C', root, '-c', 'user.name=B', '-c', 'user.email=b@e', ...args])
  await git('init', '-q')
  await git('add', '-A')
  await git('commit', '-qm', 'bench')
}

async function openIn(core: Core, folder: string): Promise<Opened> {
  const start = performance.now()
  const since = () => performance.now() - start
  // While the index is incomplete, only the first search reads files for its answer.
  const search = (indexOnly: boolean) =>
    core.handlers['code.symbols']({ query: 'workspace1', limit: 10, indexOnly }, never)
  await core.openWorkspace(folder)
  await core.handlers['files.list']({ path: '.' }, never)
  const listed = since()
  await search(false)
  const answered = since()
  while ((await search(true)).building !== null) await delay(250)
  return { listed, answered, indexed: since() }
}

/** Returns the memory of this process and its children, after it has freed what it can. */
async function settledMemory(): Promise<number> {
  setFlagsFromString('--expose-gc')
  await delay(3000)
  const collect: unknown = runInNewContext('gc')
  if (typeof collect === 'function') collect()
  await delay(500)
  return (await processMemory(process.pid)).reduce((sum, size) => sum + size, 0)
}

interface Measured {
  origin: Opened
  opened: readonly Opened[]
  made: readonly number[]
  /** Memory before, with one and five worktrees, and when their index processes have ended. */
  alone: number
  sizes: readonly number[]
  idle: number
}

function rows({ origin, opened, made, alone, sizes, idle }: Measured): Row[] {
  const each = (part: keyof Opened) => median(opened.map((one) => one[part]))
  const [first = 0, all = 0] = sizes
  const command = '`npm run bench -- worktrees`'
  const ready = (what: string, part: keyof Opened): Row => ({
    question: `${what} of a worktree of a repository of ${files.toLocaleString('en')} files`,
    value: each(part) / 1000,
    unit: 's',
    how: `median of ${worktrees}; the repository itself: ${(origin[part] / 1000).toFixed(2)} s, so ${(each(part) / origin[part]).toFixed(2)}×; ${command}`,
  })
  return [
    { ...ready('top level', 'listed'), goal: 1 },
    { ...ready('first answer of the code index', 'answered'), goal: 1 },
    ready('complete code index', 'indexed'),
    {
      question: `memory of each of ${worktrees} open worktrees beside their repository`,
      value: (all - alone) / worktrees,
      unit: 'MB',
      goal: 100,
      how: `all processes, proportional set size: ${alone.toFixed(0)} MB with the repository, ${first.toFixed(0)} MB with one worktree, ${all.toFixed(0)} MB with ${worktrees} (${(all / alone).toFixed(2)}×); ${((idle - alone) / worktrees).toFixed(0)} MB each after ${defaultIdleTime / 60_000} minutes without use; ${command}`,
    },
    {
      question: 'making such a worktree',
      value: median(made) / 1000,
      unit: 's',
      how: `\`git worktree add\` and the records; ${command}`,
    },
  ]
}
