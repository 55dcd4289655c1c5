import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { availableParallelism, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { collectGarbage } from '../src/main/base/idleMemory.ts'
import { createCore, type Core } from '../src/main/core.ts'
import { createOpenCores } from '../src/main/core/openCores.ts'
import { processMemory, processorTime } from './processMemory.ts'
import { median, time, type Row } from './row.ts'
import { makeTree } from './tree.ts'

const files = 20_000
const worktrees = 5
/** Milliseconds until which the index of a folder must be complete, so that the benchmark ends on a busy machine. */
const maxIndexing = 12 * 60_000
/** Milliseconds after which idle processes have returned their memory (idleMemory.ts). */
const settlingTime = 25_000
const never = new AbortController().signal
const exec = promisify(execFile)

/** Elapsed and processor time of all processes, in seconds. */
interface Cost {
  elapsed: number
  processor: number
}

/** What opening a folder and asking its code index costs. */
interface Opened {
  /** Until the top level is listed. */
  listed: Cost
  /** From the first question for a name to its answer. */
  answered: Cost
  /** From this question until the code index has all symbols. */
  indexed: Cost
}

/**
 * Opens a repository of 20,000 files, then one worktree of it after the other, as a host does: a core for each in one
 * process. Measures the time until each is ready, and the memory of all processes.
 */
export async function measure(): Promise<Row[]> {
  const tree = await makeTree(files)
  const userData = await mkdtemp(join(tmpdir(), 'tizona-bench-user-'))
  const openCores = createOpenCores()
  const platform = { version: 'bench', userData, resources: join(import.meta.dirname, '..', 'resources') }
  const cores: Core[] = []
  const open = async (folder: string): Promise<{ core: Core; listed: Cost }> => {
    const core = await createCore({ platform: { ...platform, host: 'browser' }, openCores, trustWorkspace: true })
    cores.push(core)
    const listed = await costOf(async () => {
      await core.openWorkspace(folder)
      await core.handlers['files.list']({ path: '.' }, never)
    })
    return { core, listed }
  }
  try {
    await makeRepository(tree.root)
    const { core: first, listed } = await open(tree.root)
    const origin = { listed, ...(await askIndex(first)) }
    console.log(`repository: ${JSON.stringify(origin)}`)
    const alone = await settledMemory()
    const made: Cost[] = []
    const plain: Cost[] = []
    const folders: string[] = []
    for (let count = 0; count < worktrees; count++) {
      plain.push(await addPlainWorktree(tree.root, join(userData, `plain-${count}`)))
      made.push(
        await costOf(async () => {
          folders.push((await first.sessions.create({ folder: tree.root })).session.worktree)
        }),
      )
    }
    const unused: { core: Core; listed: Cost }[] = []
    for (const folder of folders) unused.push(await open(folder))
    await askIndex(first)
    const unusedMemory = await settledMemory()
    const opened: Opened[] = []
    for (const each of unused) {
      opened.push({ listed: each.listed, ...(await askIndex(each.core)) })
      console.log(`worktree: ${JSON.stringify(opened.at(-1))}`)
    }
    // Awake as in the first measurement, however long this took.
    await askIndex(first)
    const usedMemory = await settledMemory()
    return rows({ origin, opened, made, plain, memory: { alone, unused: unusedMemory, used: usedMemory } })
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

/**
 * Adds a worktree with git alone. It stays: for some seconds, ext4 passes over each inode that was just deleted, which
 * would make the next worktree four times as slow.
 */
function addPlainWorktree(root: string, worktree: string): Promise<Cost> {
  return costOf(() => exec('git', ['-C', root, 'worktree', 'add', '-q', '--detach', worktree]))
}

async function askIndex(core: Core): Promise<Omit<Opened, 'listed'>> {
  // While the index is incomplete, only the first search reads files for its answer.
  const search = (indexOnly: boolean) =>
    core.handlers['code.symbols']({ query: 'workspace1', limit: 10, indexOnly }, never)
  const answered = await costOf(async () => search(false))
  const completed = await costOf(async () => {
    const end = performance.now() + maxIndexing
    while ((await search(true)).building !== null) {
      if (performance.now() > end)
        throw new Error(`The index was not complete after ${maxIndexing / 60_000} minutes. The machine is too busy.`)
      await delay(250)
    }
  })
  return {
    answered,
    indexed: {
      elapsed: answered.elapsed + completed.elapsed,
      processor: answered.processor + completed.processor,
    },
  }
}

async function costOf(action: () => Promise<unknown>): Promise<Cost> {
  const before = await processorTime(process.pid)
  const elapsed = (await time(action)) / 1000
  return { elapsed, processor: (await processorTime(process.pid)) - before }
}

/** Returns the memory of this process and its children, once they are idle and each has freed what it can. */
async function settledMemory(): Promise<number> {
  // The words of texts are indexed after the symbols.
  const end = performance.now() + maxIndexing
  while ((await costOf(() => delay(5000))).processor > 0.5 && performance.now() < end);
  await delay(settlingTime)
  await collectGarbage()
  await delay(500)
  return (await processMemory(process.pid)).reduce((sum, size) => sum + size, 0)
}

interface Measured {
  origin: Opened
  opened: readonly Opened[]
  made: readonly Cost[]
  /** `git worktree add` alone. */
  plain: readonly Cost[]
  /** Of all processes: with the repository, with unused worktrees, and after a question about each. */
  memory: { alone: number; unused: number; used: number }
}

function rows({ origin, opened, made, plain, memory: { alone, unused, used } }: Measured): Row[] {
  const command = `load ${loadavg()[1]?.toFixed(0)} on ${availableParallelism()} processors; \`npm run bench -- worktrees\``
  const size = `a worktree of a repository of ${files.toLocaleString('en')} files`
  const of = (part: keyof Opened, kind: keyof Cost): number => median(opened.map((one) => one[part][kind]))
  const seconds = (value: number): string => `${value.toFixed(2)} s`
  const both = (what: string, part: keyof Opened): Row[] => {
    const how = (kind: keyof Cost): string =>
      `median of ${worktrees}; the repository itself: ${seconds(origin[part][kind])}; ${command}`
    return [
      { question: `${what} of ${size}`, value: of(part, 'elapsed'), unit: 's', goal: 1, how: how('elapsed') },
      { question: 'the same, processor time', value: of(part, 'processor'), unit: 's', goal: 1, how: how('processor') },
    ]
  }
  const cost = (costs: readonly Cost[], kind: keyof Cost): number => median(costs.map((one) => one[kind]))
  const each = (memory: number): number => (memory - alone) / worktrees
  return [
    {
      question: `making ${size}, beyond \`git worktree add\`: processor time`,
      value: cost(made, 'processor') - cost(plain, 'processor'),
      unit: 's',
      goal: 1,
      how: `${seconds(cost(made, 'processor'))} against ${seconds(cost(plain, 'processor'))}, elapsed ${seconds(cost(made, 'elapsed'))} against ${seconds(cost(plain, 'elapsed'))}; ${command}`,
    },
    ...both('opening and listing the top level', 'listed'),
    ...both('first answer of the code index', 'answered'),
    {
      question: `complete code index of ${size}, processor time`,
      value: of('indexed', 'processor'),
      unit: 's',
      how: `${seconds(origin.indexed.processor)} for the repository, which is parsed; elapsed ${seconds(of('indexed', 'elapsed'))} against ${seconds(origin.indexed.elapsed)}; ${command}`,
    },
    {
      question: `memory of each of ${worktrees} worktrees in use beside their repository`,
      value: each(used),
      unit: 'MB',
      goal: 100,
      how: `each after a question to its code index: ${used.toFixed(0)} MB, ${alone.toFixed(0)} MB with the repository alone; proportional set size of all processes; ${command}`,
    },
    {
      question: 'the same, open without a question to the code index',
      value: each(unused),
      unit: 'MB',
      goal: 100,
      how: `${unused.toFixed(0)} MB; an index rests after 5 minutes without a question; ${command}`,
    },
  ]
}
