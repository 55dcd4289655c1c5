import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { startProcess } from '../base/startProcess.ts'
import { forkNode } from '../base/childProcess.ts'
import { temporaryFolder } from '../tools/testing/toolContext.ts'
import { createJobs } from './jobs.ts'
import type { Jobs } from './jobTypes.ts'
import { scanCount } from './processTree.ts'

// Isolation and cleanup of commands, with real terminals, real processes, and a Tizona that is killed.

const never = new AbortController().signal
let folder: Awaited<ReturnType<typeof temporaryFolder>>
let opened: Jobs[]
beforeEach(async () => {
  folder = await temporaryFolder()
  opened = []
})
afterEach(async () => {
  await Promise.all(opened.map((jobs) => jobs.dispose()))
  await folder.remove()
})

const records = (): string => path.join(folder.root, 'records')

function open(): Jobs {
  const jobs = createJobs({
    workspaceRoot: folder.root,
    graceMs: 500,
    records: records(),
    environment: { ...process.env, HOME: folder.root },
    onChanged: () => undefined,
    onOutput: () => undefined,
    onProblem: (error) => {
      throw error
    },
  })
  opened.push(jobs)
  return jobs
}

/** Whether a process runs. An ended process can still be listed as a zombie, which counts as ended. */
async function alive(pid: number): Promise<boolean> {
  try {
    return !/\) [ZX]/.test(await readFile(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

const allAlive = (...pids: number[]): Promise<boolean[]> => Promise.all(pids.map(alive))

async function pidIn(name: string): Promise<number> {
  return vi.waitFor(
    async () => {
      const text = await readFile(path.join(folder.root, name), 'utf8')
      expect(text).toMatch(/^\d+\n$/)
      return Number(text)
    },
    { timeout: 20_000 },
  )
}

const start = (jobs: Jobs, command: string) => jobs.run({ run: { command }, cwd: folder.root, waitMs: 0 }, never)

test.runIf(process.platform === 'linux')(
  'a command, a program and a terminal inherit no descriptors of other jobs',
  async () => {
    const jobs = open()
    // More than nine descriptors, so that some numbers have two digits.
    for (let count = 0; count < 12; count++) await start(jobs, 'sleep 300')
    const run = async (what: { command: string } | { program: string; args: string[] }): Promise<string> =>
      (await jobs.run({ run: what, cwd: folder.root }, never)).output
    expect(
      (await run({ command: 'for fd in /proc/$$/fd/*; do [ -e "$fd" ] && echo -n "${fd##*/} "; done' })).trim(),
    ).toBe('0 1 2')
    expect(
      (
        await run({
          program: 'node',
          args: [
            '-e',
            'console.log(require("fs").readdirSync("/proc/self/fd").map((fd) => { try { return require("fs").readlinkSync("/proc/self/fd/" + fd) } catch { return "" } }).filter((name) => /ptmx/.test(name)).length)',
          ],
        })
      ).trim(),
    ).toBe('0')
    expect((await run({ command: 'echo "$#" "${_tizona_fd-unset}" "$0"; exit 3' })).trim()).toBe('0 unset bash')
    const terminal = await jobs.openTerminal({ columns: 200, rows: 24 })
    jobs.input(terminal.id, 'echo masters: $(readlink /proc/$$/fd/* | grep -c ptmx)\r')
    await vi.waitFor(() => expect(jobs.backlog(terminal.id)).toMatch(/masters: 0/), { timeout: 20_000 })
  },
)

test.runIf(process.platform === 'linux')(
  'git, ripgrep and MCP servers inherit no terminals, keep their environment, and are reported if missing',
  async () => {
    const jobs = open()
    for (let count = 0; count < 12; count++) await start(jobs, 'sleep 300')
    const list =
      'console.log(JSON.stringify({ terminals: require("fs").readdirSync("/proc/self/fd").map((fd) => { try { return require("fs").readlinkSync("/proc/self/fd/" + fd) } catch { return "" } }).filter((name) => /ptmx/.test(name)).length, given: process.argv.slice(1), a: process.env.A, exported: process.env.BASH_ENV }))'
    const child = startProcess('node', ['-e', list, '$(id)', 'two words'], {
      startedBy: 'tizona',
      cwd: '/',
      env: { PATH: path.dirname(process.execPath), A: 'b', BASH_ENV: '/nowhere' },
    })
    const chunks: Buffer[] = []
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
    expect(await once(child, 'close')).toEqual([0, null])
    expect(JSON.parse(Buffer.concat(chunks).toString())).toEqual({
      terminals: 0,
      given: ['$(id)', 'two words'],
      a: 'b',
      exported: '/nowhere',
    })
    const missing = startProcess('no-such-program', [], { startedBy: 'tizona', cwd: '/' })
    const [error]: unknown[] = await once(missing, 'error').catch((thrown: unknown) => [thrown])
    expect(error).toMatchObject({ code: 'ENOENT' })
  },
)

test.runIf(process.platform === 'linux')(
  'a forked process that starts while terminals are open inherits none of them, and still receives messages',
  async () => {
    const jobs = open()
    for (let count = 0; count < 12; count++) await start(jobs, 'sleep 300')
    const module = path.join(folder.root, 'child.mjs')
    await writeFile(
      module,
      `import { readdirSync, readlinkSync } from 'node:fs'
      const target = (fd) => { try { return readlinkSync('/proc/self/fd/' + fd) } catch { return '' } }
      process.on('message', (question) => process.send({
        question,
        terminals: readdirSync('/proc/self/fd').map(target).filter((name) => name.includes('ptmx')).length,
        given: process.argv.slice(2),
        flags: process.execArgv,
      }))`,
    )
    const answer = Promise.withResolvers<unknown>()
    const ended = Promise.withResolvers<string>()
    const child = forkNode(
      module,
      { name: 'test', args: ['$(id)', 'two words'], execArgv: ['--no-warnings'] },
      { onMessage: answer.resolve, onExit: ended.resolve },
    )
    child.post(new Map([['cloned', 1]]))
    expect(await answer.promise).toEqual({
      question: new Map([['cloned', 1]]),
      terminals: 0,
      given: ['$(id)', 'two words'],
      flags: ['--no-warnings'],
    })
    child.kill()
    expect(await ended.promise).toBe('signal SIGKILL')
  },
)

test.runIf(process.platform !== 'win32')(
  'ending fifty commands takes only a few process scans',
  async () => {
    const jobs = open()
    for (let count = 0; count < 50; count++) await start(jobs, 'sleep 300')
    const before = scanCount()
    await jobs.dispose()
    expect(scanCount() - before).toBeLessThanOrEqual(20)
    expect(jobs.list()).toEqual([])
  },
  60_000,
)

test.runIf(process.platform === 'linux')(
  'the next start ends processes left by the commands of a killed Tizona, and no others',
  async () => {
    const killed = spawn(
      process.execPath,
      [
        '--input-type=module',
        '--no-warnings',
        '-e',
        `
    const { createJobs } = await import(${JSON.stringify(pathToFileURL(path.join(import.meta.dirname, 'jobs.ts')).href)})
    const jobs = createJobs({ workspaceRoot: ${JSON.stringify(folder.root)}, records: ${JSON.stringify(records())}, onChanged() {}, onOutput() {} })
    await jobs.run({ run: { command: 'trap "" HUP; (setsid bash -c "echo \\\\$\\\\$ > daemon; exec sleep 300" &) ; echo $$ > command; sleep 300' }, cwd: ${JSON.stringify(folder.root)} }, new AbortController().signal)
  `,
      ],
      { stdio: 'ignore' },
    )
    const bystander = spawn('sleep', ['300'], { stdio: 'ignore' })
    const other = open()
    await start(other, 'echo $$ > other; sleep 300')
    const [daemon, command, stays] = [await pidIn('daemon'), await pidIn('command'), await pidIn('other')]
    await vi.waitFor(async () => expect(await readdir(records())).toHaveLength(2), { timeout: 20_000 })
    killed.kill('SIGKILL')
    await once(killed, 'exit')
    expect(await allAlive(daemon, command)).toEqual([true, true])

    // The record of an ended process, whose command id now belongs to another process; and an invalid record.
    const stale = {
      owner: { pid: 2 ** 22 - 1, start: '1' },
      mark: 'f'.repeat(16),
      commands: [{ pid: bystander.pid, start: '1' }],
    }
    await mkdir(records(), { recursive: true })
    await writeFile(path.join(records(), 'stale.json'), JSON.stringify(stale))
    await writeFile(path.join(records(), 'half.json'), '{"owner":')

    const next = open()
    await next.dispose()
    expect(await allAlive(daemon, command)).toEqual([false, false])
    expect(await allAlive(stays, bystander.pid ?? 0)).toEqual([true, true])
    expect(await readdir(records())).toHaveLength(1)
    await other.dispose()
    expect(await readdir(records())).toEqual([])
    bystander.kill()
  },
  60_000,
)

test.runIf(process.platform === 'linux')(
  'a process that left its session and cleared its environment ends at the time limit of its command',
  async () => {
    const jobs = open()
    const outcome = jobs.run(
      { run: { command: hiding('hidden') + 'sleep 300' }, cwd: folder.root, timeoutMs: 1500 },
      never,
    )
    const hidden = await pidIn('hidden')
    expect(await alive(hidden)).toBe(true)
    expect((await outcome).job.endedBy).toBe('timeout')
    expect(await alive(hidden)).toBe(false)
  },
)

test.runIf(process.platform === 'linux')(
  'a process that hid from a command which has ended ends with the workspace, and others do not',
  async () => {
    const [jobs, other] = [open(), open()]
    await jobs.run({ run: { command: hiding('hidden') }, cwd: folder.root }, never)
    await other.run({ run: { command: hiding('stays') }, cwd: folder.root }, never)
    const [hidden, stays] = [await pidIn('hidden'), await pidIn('stays')]
    await jobs.dispose()
    expect(await allAlive(hidden, stays)).toEqual([false, true])
  },
)

/**
 * Starts a process without the session, parent, group, terminal and environment of the command. It writes its id to a
 * file.
 */
const hiding = (name: string): string =>
  `(setsid env -i /bin/bash -c 'echo $$ > ${name}; exec sleep 300' < /dev/null > /dev/null 2>&1 &); while [ ! -s ${name} ]; do sleep 0.05; done; `
