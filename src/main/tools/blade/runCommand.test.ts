import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createJobs } from '../../command/jobs.ts'
import type { Jobs } from '../../command/jobTypes.ts'
import { truncateBlade } from './bladeTruncation.ts'
import { runTool, temporaryFolder, testContext, type TestContext } from '../testing/toolContext.ts'
import { readCommandOutput } from './readCommandOutput.ts'
import { runCommand } from './runCommand.ts'
import { stopCommand } from './stopCommand.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let jobs: Jobs
let context: TestContext

beforeEach(async () => {
  folder = await temporaryFolder({ 'sub/file.txt': 'text\n' })
  jobs = createJobs({ workspaceRoot: folder.root, graceMs: 300, onChanged: () => undefined, onOutput: () => undefined })
  context = await testContext(folder.root, { jobs })
})
afterEach(async () => {
  await jobs.dispose()
  await folder.remove()
})

/** Returns the job id in the result for the model. */
const jobIn = (text: string) => /job-[\da-f]{6}/.exec(text)?.[0] ?? ''
const commandLineOf = async (args: Record<string, unknown>) =>
  runCommand.commandLine?.(runCommand.schema.parse(args), context)

describe('run_command', () => {
  it('returns the output, then exit code, time and folder', async () => {
    const { text, view } = await runTool(runCommand, { command: 'echo hi; exit 2', cwd: 'sub' }, context)
    expect(text).toMatch(/^hi\n\[exit 2 after \d+\.\d s in sub\]$/)
    expect(view).toMatchObject({
      kind: 'command',
      job: { state: 'exited', exitCode: 2, cwd: 'sub', command: 'echo hi; exit 2' },
    })
    expect(context.progressed.map((progress) => progress.kind === 'job' && progress.job.state)).toEqual([
      'running',
      'exited',
    ])
  })

  it('reports a command without output', async () => {
    expect((await runTool(runCommand, { command: 'true' }, context)).text).toMatch(/^\(no output\)\n\[exit 0 /)
  })

  it.each(['command', 'Command', 'command_line', 'CommandLine'])('accepts the command line as %s', async (name) => {
    expect((await runTool(runCommand, { [name]: 'echo $((1+1))' }, context)).text).toMatch(/^2\n/)
  })

  it('accepts program, args and cwd in both casings, and runs them without a shell', async () => {
    expect((await runTool(runCommand, { program: 'echo', args: ['$HOME', 'a  b'] }, context)).text).toMatch(
      /^\$HOME a {2}b\n/,
    )
    expect(
      (await runTool(runCommand, { Program: 'cat', Args: ['file.txt'], Cwd: 'sub', Shell: false }, context)).text,
    ).toMatch(/^text\n/)
  })

  it('quotes args when program runs through the shell', async () => {
    expect(
      (await runTool(runCommand, { program: 'x=1; echo $x', args: ['$x', "it's"], Shell: true }, context)).text,
    ).toMatch(/^1 \$x it's\n/)
  })

  it('accepts blocking: false in both casings and returns a job, which can be read and stopped', async () => {
    const started = await runTool(
      runCommand,
      { command: 'echo up; sleep 300', Blocking: false, WaitMsBeforeAsync: 1500 },
      context,
    )
    expect(started.text).toMatch(/^up\n\[still running after .* as job-[\da-f]{6}; read on with read_command_output/)
    const job_id = jobIn(started.text)
    expect((await runTool(readCommandOutput, { job_id, wait_ms: 50 }, context)).text).toMatch(
      /^\(no output\)\n\[still running/,
    )
    const stopped = await runTool(stopCommand, { job_id }, context)
    expect(stopped.text).toMatch(/\[stopped on request after .* \(SIGTERM\)\]$/)
    expect(stopped.view).toMatchObject({ kind: 'command', job: { endedBy: 'stop', state: 'killed' } })
    expect((await runTool(readCommandOutput, { job_id }, context)).text).toContain('stopped on request')
  })

  it('returns the result at once if the command ends before the wait', async () => {
    expect(
      (await runTool(runCommand, { command: 'echo done', blocking: false, wait_ms_before_async: 20_000 }, context))
        .text,
    ).toMatch(/^done\n\[exit 0/)
  })

  it('ends at its time limit with the output so far', async () => {
    const { text } = await runTool(runCommand, { command: 'echo before; sleep 300', timeout_ms: 500 }, context)
    expect(text).toMatch(/^before\n\[stopped by its time limit after .* \(SIGTERM\); pass a higher timeout_ms/)
  })

  it('states how much of a large output is omitted, and how to read it', async () => {
    const { text } = truncateBlade(await runTool(runCommand, { command: 'seq 1 3000000' }, context))
    expect(text).toMatch(/^1\n2\n/)
    expect(text).toMatch(
      /2,999,851 of 3,000,001 lines, 22,88\d,\d{3} bytes are missing here\. .*tail or grep, or redirect it to a file/,
    )
    expect(text).toMatch(/\n3000000\n\[exit 0 after/)
  })

  it('returns when the program waits for input, and the job continues', async () => {
    const { text } = await runTool(runCommand, { command: 'read -p "Name? " x; echo $x > answer; cat answer' }, context)
    expect(text).toMatch(/^Name\? \n\[waiting_for_input after/)
    jobs.input(jobIn(text), 'Ada\r')
    const { text: rest } = await runTool(readCommandOutput, { job_id: jobIn(text) }, context)
    expect(rest).toContain('Ada\n')
    expect(await readFile(join(folder.root, 'answer'), 'utf8')).toBe('Ada\n')
  })

  it.each(['```bash\necho one\necho two\n```', '```\necho one\necho two\n```\n', '~~~sh\necho one\necho two\n~~~'])(
    'runs a fenced command, and shows it for approval without the fence: %j',
    async (command) => {
      expect((await runTool(runCommand, { command }, context)).text).toMatch(/^one\ntwo\n\[exit 0/)
      expect((await commandLineOf({ command }))?.command).toBe('echo one\necho two')
    },
  )

  it('names no panel for a waiting program where no user is present', async () => {
    const { text } = await runTool(runCommand, { command: 'read -p "Name? " x' }, { ...context, attended: false })
    expect(text).toContain('nobody can type here')
    expect(text).not.toContain('panel')
    await jobs.stop(jobIn(text), { conversationId: undefined })
  })

  it.each<[string, Record<string, unknown>, RegExp]>([
    ['neither', {}, /is missing/],
    ['both', { command: 'ls', program: 'ls' }, /only one is allowed/],
    ['args without program', { command: 'ls', args: ['-a'] }, /belong to `program`/],
    ['an empty command', { command: '  ' }, /is missing/],
    ['a NUL', { command: 'ls \0' }, /NUL/],
    ['a bare shell', { command: 'bash' }, /interactive shell/],
    ['a bare shell in a fence', { command: '```\nsh -i\n```' }, /interactive shell/],
    ['a bare shell as program', { program: '/bin/bash' }, /interactive shell/],
  ])('refuses %s before approval and start', async (_, args, message) => {
    await expect(commandLineOf(args)).rejects.toMatchObject({
      code: 'invalid_arguments',
      message: expect.stringMatching(message),
      next: expect.stringMatching(/./),
    })
    await expect(runTool(runCommand, args, context)).rejects.toMatchObject({ code: 'invalid_arguments' })
    expect(jobs.list()).toEqual([])
  })

  it.each([
    ['../', 'outside_workspace'],
    ['/', 'outside_workspace'],
    ['sub/file.txt', 'not_a_directory'],
    ['none', 'not_found'],
  ])('refuses to run in %s', async (cwd, code) => {
    await expect(runTool(runCommand, { command: 'ls', cwd }, context)).rejects.toMatchObject({ code })
    expect(jobs.list()).toEqual([])
  })

  it('suggests a similar name for a missing program', async () => {
    await expect(runTool(runCommand, { program: 'pyhton3' }, context)).rejects.toMatchObject({
      code: 'command_not_found',
      next: expect.stringContaining('python3'),
    })
  })

  it.each([{ timeout_ms: 600_001 }, { timeout_ms: 0 }, { wait_ms_before_async: -1 }])('refuses %j', async (args) => {
    expect(runCommand.schema.safeParse({ command: 'ls', ...args }).success).toBe(false)
  })

  it('is previewed with its complete command line and folder', async () => {
    expect(await commandLineOf({ command: 'a && b' })).toEqual({ command: 'a && b', cwd: '.' })
    expect(await commandLineOf({ program: 'git', args: ['commit', '-m', "it's"], cwd: 'sub' })).toEqual({
      command: "git commit -m 'it'\\''s'",
      cwd: 'sub',
    })
  })

  it('an edited command line replaces program and args and keeps the other arguments', () => {
    const args = runCommand.schema.parse({
      program: 'npm',
      args: ['test'],
      cwd: 'sub',
      timeout_ms: 5000,
      blocking: false,
    })
    const edited = runCommand.withCommand?.(args, 'npm run lint')
    expect(edited).toEqual({
      command: 'npm run lint',
      cwd: 'sub',
      blocking: false,
      wait_ms_before_async: 500,
      timeout_ms: 5000,
    })
    expect(runCommand.schema.safeParse(edited).success).toBe(true)
  })
})

describe('read_command_output and stop_command', () => {
  it('reach only jobs of the same conversation', async () => {
    const first = { ...context, conversationId: 'one' }
    const started = await runTool(runCommand, { command: 'sleep 300', blocking: false, wait_ms_before_async: 0 }, first)
    const job_id = jobIn(started.text)
    for (const other of [context, { ...context, conversationId: 'two' }]) {
      await expect(runTool(stopCommand, { job_id }, other)).rejects.toMatchObject({ code: 'unknown_job' })
      await expect(runTool(readCommandOutput, { job_id, wait_ms: 0 }, other)).rejects.toMatchObject({
        code: 'unknown_job',
      })
    }
    expect(jobs.list()).toMatchObject([{ state: 'running' }])
    expect((await runTool(readCommandOutput, { job_id, wait_ms: 0 }, first)).text).toContain('still running')
    expect((await runTool(stopCommand, { job_id }, first)).text).toContain('stopped on request')
  })

  it.each([readCommandOutput, stopCommand])('reach only jobs of commands', async (tool) => {
    const terminal = await jobs.openTerminal({ columns: 80, rows: 24 })
    for (const job_id of ['job-none', terminal.id]) {
      await expect(runTool(tool, { job_id }, context)).rejects.toMatchObject({ code: 'unknown_job' })
    }
    expect(jobs.list()).toMatchObject([{ id: terminal.id, state: 'running' }])
  })

  it('wait for wait_ms, at most a minute', () => {
    expect(readCommandOutput.schema.parse({ job_id: 'a' })).toEqual({ job_id: 'a', wait_ms: 10_000 })
    expect(readCommandOutput.schema.safeParse({ job_id: 'a', wait_ms: 60_001 }).success).toBe(false)
  })
})
