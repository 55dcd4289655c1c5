import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { JobInfo } from '../../shared/commands/jobs.ts'
import type { CommandRequest } from './commandTypes.ts'
import { createJobs } from './jobs.ts'
import type { Jobs } from './jobTypes.ts'

let root: string
let jobs: Jobs
let raw: string
let changes: JobInfo[]
const never = new AbortController().signal

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'tizona-jobs-')))
  raw = ''
  changes = []
  jobs = createJobs({
    workspaceRoot: root,
    graceMs: 300,
    // Interactive shells read start files of the user, which should not affect these tests.
    environment: { ...process.env, HOME: root },
    onChanged: (job) => changes.push(job),
    onOutput: (_, data) => {
      raw += data
    },
  })
})

afterEach(async () => {
  await jobs.dispose()
  await rm(root, { recursive: true, force: true })
})

const shell = (command: string, rest: Partial<CommandRequest> = {}, signal = never) =>
  jobs.run({ run: { command }, cwd: root, ...rest }, signal)
const program = (name: string, args: string[], rest: Partial<CommandRequest> = {}) =>
  jobs.run({ run: { program: name, args }, cwd: root, ...rest }, never)

/** Whether a process runs. An ended process can still be listed as a zombie, which counts as ended. */
async function alive(pid: number): Promise<boolean> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
    return !/\) [ZX]/.test(stat)
  } catch {
    return false
  }
}

async function pidIn(file: string): Promise<number> {
  for (;;) {
    const text = await readFile(join(root, file), 'utf8').catch(() => '')
    if (text.endsWith('\n')) return Number(text)
    await sleep(20)
  }
}

async function gone(...pids: number[]): Promise<void> {
  for (const pid of pids) while (await alive(pid)) await sleep(20)
}

describe('running a command', () => {
  it('returns output, exit code, times and folder', async () => {
    const { job, output } = await shell('echo hello; exit 3')
    expect(output).toBe('hello\n')
    expect(job).toMatchObject({
      kind: 'command',
      command: 'echo hello; exit 3',
      cwd: '.',
      state: 'exited',
      exitCode: 3,
    })
    expect(job.endedAt).toBeGreaterThanOrEqual(job.startedAt)
    expect(changes.map(({ state }) => state)).toEqual(['running', 'exited'])
  })

  it('waits for a program that closes its streams before it ends', async () => {
    const { job } = await shell(`bash -c 'exec 0<&- 1>&- 2>&-; sleep 0.3; exit 5'`)
    expect(job).toMatchObject({ state: 'exited', exitCode: 5 })
  })

  it('reports the signal that ended it', async () => {
    const { job } = await shell('kill -USR1 $$')
    expect(job).toMatchObject({ state: 'killed', signal: 'SIGUSR1' })
    expect(job.exitCode).toBeUndefined()
  })

  it('runs in a terminal with its own session', async () => {
    const { output } = await shell(
      'test -t 0 && test -t 1 && echo tty; echo $TERM $PAGER; ps -o sess= -p $$ | tr -d " "; echo $$',
    )
    const [tty, term, session, pid] = output.split('\n')
    expect([tty, term]).toEqual(['tty', 'xterm-256color cat'])
    expect(session).toBe(pid)
  })

  it('runs a program without a shell, so its arguments are never interpreted', async () => {
    const { job, output } = await program('printf', ['%s\n', '$HOME; ls', 'two words'])
    expect(output).toBe('$HOME; ls\ntwo words\n')
    expect(job.command).toBe("printf '%s\n' '$HOME; ls' 'two words'")
  })

  it('runs a program by its path in the folder', async () => {
    await writeFile(join(root, 'tool'), '#!/bin/sh\necho ran $1\n', { mode: 0o755 })
    expect((await program('./tool', ['here'])).output).toBe('ran here\n')
  })

  it.each([
    ['pyhton3', /python3/],
    ['no-such-program-at-all', /Install it/],
    ['./missing', /relative to `cwd`/],
    ['ls -la', /args/],
  ])('suggests what to do if %s does not exist', async (name, advice) => {
    await expect(program(name, [])).rejects.toMatchObject({
      code: 'command_not_found',
      next: expect.stringMatching(advice),
    })
    expect(jobs.list()).toEqual([])
  })

  it('removes variables of Electron, npm, Node and Tizona, and keys', async () => {
    await jobs.dispose()
    jobs = createJobs({
      workspaceRoot: root,
      onChanged: () => undefined,
      onOutput: () => undefined,
      environment: {
        PATH: `/app/node_modules/.bin:/usr/lib/npm/node-gyp-bin:${process.env.PATH ?? ''}`,
        HOME: root,
        CARGO_HOME: '/kept',
        OPENAI_API_KEY: 'sk-1',
        CARGO_REGISTRY_TOKEN: 'ct-1',
        npm_lifecycle_event: 'start',
        npm_config_x: '1',
        ELECTRON_RUN_AS_NODE: '1',
        NODE_OPTIONS: '--inspect',
        TIZONA_TOKEN: 'secret',
        BASH_ENV: '/tmp/x',
        'BASH_FUNC_git%%': '() { echo evil; }',
      },
    })
    const { output } = await shell('env')
    expect(output).toContain('CARGO_HOME=/kept')
    expect(output).not.toMatch(
      /ELECTRON_RUN_AS_NODE|NODE_OPTIONS|TIZONA_TOKEN|npm_|BASH_ENV|BASH_FUNC|sk-1|ct-1|^PATH=\/app/m,
    )
  })
})

describe('output', () => {
  it('keeps 2,000 lines whole', async () => {
    const { output } = await shell('for i in $(seq 1 2000); do echo "line $i of 2000"; done')
    expect(output).toBe(Array.from({ length: 2000 }, (_, index) => `line ${index + 1} of 2000\n`).join(''))
  })

  it('keeps all of a large output at the end of the command', async () => {
    const { output } = await shell("head -c 1500000 /dev/zero | tr '\\0' x; echo; echo END")
    expect(output.length).toBe(1_500_000 + 1 + 4)
    expect(output.endsWith('x\nEND\n')).toBe(true)
  })

  it('keeps colors for the panel and removes them for the model', async () => {
    const { job, output } = await shell("printf '\\033[31mred\\033[0m plain\\n'")
    expect(output).toBe('red plain\n')
    expect(raw).toContain('\u001b[31mred\u001b[0m')
    expect(jobs.backlog(job.id)).toContain('\u001b[31mred')
  })

  it('shows a progress line in its last state', async () => {
    const { output } = await shell("for i in 10 50 100; do printf '\\rDone %s%%' $i; done; echo; echo ok")
    expect(output).toBe('Done 100%\nok\n')
  })

  it('does not wrap long lines', async () => {
    const { output } = await shell("printf '%0500d\\n' 7")
    expect(output).toBe(`${'0'.repeat(499)}7\n`)
  })

  it('joins characters that arrive in parts', async () => {
    const { output } = await shell(
      "printf '\\xe6\\x97'; sleep 0.1; printf '\\xa5\\xf0\\x9f'; sleep 0.1; printf '\\x91\\x8d\\n'",
    )
    expect(output).toBe('日👍\n')
  })

  it('is shown completely if a megabyte arrives at once', async () => {
    await shell("head -c 900000 /dev/zero | tr '\\0' x; echo END")
    expect(raw).toBe(`${'x'.repeat(900_000)}END\r\n`)
  })

  it('does not slow down a program: fast output is skipped in the panel with a note, and counted completely for the model', async () => {
    const { output, missing } = await shell('seq 1 2000000')
    const [, head = '', tail = ''] = /^([\s\S]*)\[[\d,]+ characters of output omitted\]\n([\s\S]*)$/.exec(output) ?? []
    expect(head.startsWith('1\n2\n')).toBe(true)
    expect(tail.endsWith('1999999\n2000000\n')).toBe(true)
    const lines = (text: string) => text.split('\n').length - 1
    expect(lines(head) + lines(tail) + (missing?.lines ?? 0)).toBe(2_000_000)
    expect(head.length + tail.length + (missing?.bytes ?? 0)).toBe(14_888_896)
    const marks = [...raw.matchAll(/\r\n.{6}\[… ([\d,]+) characters skipped: output too fast …\].{4}\r\n/g)]
    // The amount of skipped output depends on the machine. It can be zero on a slow one.
    const left = marks.reduce((sum, [mark, count = '']) => sum + Number(count.replaceAll(',', '')) - mark.length, 0)
    // A newline is two characters in a terminal.
    expect(raw.length + left).toBe(14_888_896 + 2_000_000)
    expect(raw.endsWith('1999999\r\n2000000\r\n')).toBe(true)
  })

  it('endless output uses bounded memory and the process stays responsive', async () => {
    const started = await shell('yes 0123456789', { waitMs: 100 })
    expect(started.job.state).toBe('running')
    let ticks = 0
    const ticking = setInterval(() => {
      ticks += 1
    }, 5)
    while (raw.length < 8 * 1024 * 1024) await sleep(20)
    clearInterval(ticking)
    expect(ticks).toBeGreaterThan(50)
    await jobs.stop(started.job.id)
    expect(jobs.backlog(started.job.id).length).toBeLessThanOrEqual(1024 * 1024)
    const { output } = await jobs.readOutput(started.job.id, { waitMs: 1000 })
    expect(output.length).toBeLessThan(6 * 1024 * 1024)
    expect(output).toMatch(/\[[\d,]+ characters of output omitted\]/)
  })
})

describe('ending a command', () => {
  const family =
    'echo $$ > leader; (echo $BASHPID > child; exec sleep 300) & setsid bash -c "echo \\$\\$ > own-session; exec sleep 300" & wait'

  it('at its time limit ends the whole tree, including a child in its own session', async () => {
    const { job } = await shell(family, { timeoutMs: 1500 })
    expect(job).toMatchObject({ state: 'killed', signal: 'SIGTERM', endedBy: 'timeout' })
    await gone(await pidIn('leader'), await pidIn('child'), await pidIn('own-session'))
  })

  it('when cancelled ends the whole tree before it rejects', async () => {
    const controller = new AbortController()
    const running = shell(family, {}, controller.signal)
    const pids = await Promise.all(['leader', 'child', 'own-session'].map(pidIn))
    controller.abort()
    await expect(running).rejects.toMatchObject({ code: 'cancelled' })
    expect(await Promise.all(pids.map(alive))).toEqual([false, false, false])
    expect(jobs.list()[0]).toMatchObject({ endedBy: 'cancel', state: 'killed' })
  })

  it('kills a program that ignores TERM', async () => {
    const { job } = await shell('trap "" TERM; echo $$ > leader; while :; do sleep 1; done', { timeoutMs: 500 })
    expect(job).toMatchObject({ signal: 'SIGKILL', endedBy: 'timeout' })
    await gone(await pidIn('leader'))
  })

  it('is not delayed by a process in the background that keeps the terminal open', async () => {
    const { job, output } = await shell('setsid sleep 300 & echo started')
    expect(output).toBe('started\n')
    expect(job).toMatchObject({ state: 'exited', exitCode: 0 })
  })

  it('does not start a command that was cancelled before', async () => {
    await expect(shell('touch ran', {}, AbortSignal.abort())).rejects.toMatchObject({ name: 'AbortError' })
    expect(jobs.list()).toEqual([])
  })
})

describe('in the background', () => {
  it('returns while it runs; its output can be read, and stopping ends it', async () => {
    const started = await shell(
      'echo one; while [ ! -e go ]; do sleep 0.05; done; echo two; echo $$ > leader; sleep 300',
      { waitMs: 300 },
    )
    expect(started).toMatchObject({ output: 'one\n', job: { state: 'running' } })
    await writeFile(join(root, 'go'), '')
    expect(await jobs.readOutput(started.job.id, { waitMs: 15_000 })).toMatchObject({
      output: 'two\n',
      job: { state: 'running' },
    })
    expect((await jobs.readOutput(started.job.id, { waitMs: 100 })).output).toBe('')
    expect(await jobs.stop(started.job.id)).toMatchObject({ state: 'killed', endedBy: 'stop' })
    await gone(await pidIn('leader'))
  })

  it('returns the result if it ends before the waiting time is over', async () => {
    expect(await shell('echo quick', { waitMs: 15_000 })).toMatchObject({
      output: 'quick\n',
      job: { state: 'exited', exitCode: 0 },
    })
  })

  it('reading waits for the end', async () => {
    const { job } = await shell('while [ ! -e go ]; do sleep 0.05; done; exit 4', { waitMs: 0 })
    const reading = jobs.readOutput(job.id, { waitMs: 15_000 })
    await writeFile(join(root, 'go'), '')
    expect(await reading).toMatchObject({ output: '', job: { state: 'exited', exitCode: 4 } })
  })

  it('cancelling a read does not affect the job', async () => {
    const { job } = await shell('sleep 300', { waitMs: 0 })
    await expect(jobs.readOutput(job.id, { waitMs: 15_000, signal: AbortSignal.timeout(50) })).rejects.toThrow()
    expect(jobs.list()[0]?.state).toBe('running')
  })

  it('an unknown id causes an error that lists the known jobs', async () => {
    const { job } = await shell('true')
    await expect(jobs.readOutput('job-x', { waitMs: 0 })).rejects.toMatchObject({
      code: 'unknown_job',
      next: expect.stringContaining(job.id),
    })
    expect(() => jobs.input('job-x', 'a')).toThrow(expect.objectContaining({ code: 'unknown_job' }))
  })

  it('belongs to the conversation that started it, or to the console; others can neither read nor stop it', async () => {
    const mine = (await shell('echo mine; sleep 300', { waitMs: 0, conversationId: 'a' })).job.id
    const consoles = (await shell('echo console; sleep 300', { waitMs: 0 })).job.id
    for (const [id, conversationId] of [
      [mine, 'b'],
      [mine, undefined],
      [consoles, 'a'],
    ] as const) {
      await expect(jobs.stop(id, { conversationId })).rejects.toMatchObject({
        code: 'unknown_job',
        next: expect.not.stringContaining(id),
      })
      await expect(jobs.readOutput(id, { waitMs: 0, conversationId })).rejects.toMatchObject({ code: 'unknown_job' })
    }
    expect(jobs.list().map(({ state }) => state)).toEqual(['running', 'running'])
    expect(await jobs.stop(mine, { conversationId: 'a' })).toMatchObject({ endedBy: 'stop' })
    expect(await jobs.stop(consoles)).toMatchObject({ endedBy: 'stop' })
  })

  it('forgetting ends a job and removes it from the list', async () => {
    const { job } = await shell('echo $$ > leader; sleep 300', { waitMs: 0 })
    const pid = await pidIn('leader')
    await jobs.forget(job.id)
    expect(jobs.list()).toEqual([])
    expect(await alive(pid)).toBe(false)
  })

  it('disposing ends all processes, including a daemon of an ended command', async () => {
    await shell(
      '(setsid bash -c "echo \\$\\$ > daemon; exec sleep 300" &) ; while [ ! -s daemon ]; do sleep 0.02; done',
    )
    await shell('echo $$ > leader; sleep 300', { waitMs: 0 })
    const pids = await Promise.all(['leader', 'daemon'].map(pidIn))
    expect(await Promise.all(pids.map(alive))).toEqual([true, true])
    await jobs.dispose()
    expect(await Promise.all(pids.map(alive))).toEqual([false, false])
    await expect(shell('true')).rejects.toMatchObject({ code: 'cancelled' })
  })
})

describe('waiting for input', () => {
  it.each([
    ['a question', 'read -p "Name? " x; echo "Hi $x"', 'Name? '],
    ['a read without a prompt', 'python3 -c "print(\'Hi \' + input())"', ''],
    ['a password prompt', 'python3 -c "import getpass; print(\'Hi \' + getpass.getpass())"', 'Password: '],
    [
      'a question from Node',
      `node -e 'require("readline").createInterface({input:process.stdin,output:process.stdout}).question("Name: ",(x)=>{console.log("Hi "+x);process.exit()})'`,
      'Name: ',
    ],
    ['cat', 'cat | sed -u "s/^/Hi /"', ''],
  ])('%s returns the job, which continues after input', async (_, command, prompt) => {
    const { job, output } = await shell(command, { timeoutMs: 60_000 })
    expect(job.state).toBe('waiting_for_input')
    expect(output).toBe(prompt)
    jobs.input(job.id, 'Ada\r')
    let more = ''
    while (!more.includes('Hi Ada')) more += (await jobs.readOutput(job.id, { waitMs: 5000 })).output
    expect(changes.some(({ state }) => state === 'waiting_for_input')).toBe(true)
  })

  it('a full-screen editor counts as waiting', async () => {
    const { job, output } = await shell(
      `python3 -c 'import select, sys; print("\\033[?1049h~", end="", flush=True); select.select([sys.stdin], [], [])'`,
    )
    expect(job.state).toBe('waiting_for_input')
    expect(output).toBe('')
  })

  it.each([
    'sleep 3; echo done',
    'echo -n "Compiling: "; sleep 3; echo done',
    'python3 -c "import time; time.sleep(3); print(\'done\')"',
  ])('silence does not count as waiting: %s', async (command) => {
    const { job, output } = await shell(command)
    expect(job.state).toBe('exited')
    expect(output).toContain('done')
    expect(changes.map(({ state }) => state)).not.toContain('waiting_for_input')
  })

  it('pauses the time limit, because users type slowly', async () => {
    const { job } = await shell('read x; echo got $x', { timeoutMs: 4000 })
    expect(job.state).toBe('waiting_for_input')
    while (Date.now() < job.startedAt + 4200) await sleep(50)
    jobs.input(job.id, 'it\r')
    const { output } = await jobs.readOutput(job.id, { waitMs: 10_000 })
    expect(output).toContain('got it')
  })

  it('the time limit continues when the program does', async () => {
    const { job } = await shell('read x; sleep 300', { timeoutMs: 3000 })
    expect(job.state).toBe('waiting_for_input')
    jobs.input(job.id, 'go\r')
    const ended = () => jobs.list()[0]?.endedAt !== undefined
    while (!ended()) await jobs.readOutput(job.id, { waitMs: 1000 })
    expect(jobs.list()[0]).toMatchObject({ endedBy: 'timeout', state: 'killed' })
  })
})

describe("the user's terminal", () => {
  it('is interactive, can be resized, and is hidden from the model', async () => {
    const terminal = await jobs.openTerminal({ columns: 80, rows: 24 })
    expect(terminal).toMatchObject({ kind: 'terminal', state: 'running' })
    jobs.resize(terminal.id, 101, 24)
    jobs.input(terminal.id, 'echo size $(stty size) flags $-\r')
    while (!/size 24 101 flags \S*i/.test(jobs.backlog(terminal.id))) await sleep(20)
    await expect(jobs.readOutput(terminal.id, { waitMs: 0 })).rejects.toMatchObject({ code: 'unknown_job' })
    await expect(jobs.stop(terminal.id, { conversationId: undefined })).rejects.toMatchObject({ code: 'unknown_job' })
    expect((await jobs.stop(terminal.id)).endedBy).toBe('stop')
    expect(() => jobs.input(terminal.id, 'x')).toThrow(expect.objectContaining({ code: 'conflict' }))
  })
})
