import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, mkdtemp, readFile, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { PassThrough } from 'node:stream'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { hasSandbox } from '../../command/testing/sandboxedJobs.ts'
import { call, say, step, type Scenario } from '../../model/scripted/scenario.ts'
import { startScriptedEndpoint, type ScriptedEndpoint } from '../../model/scripted/scriptedEndpoint.ts'
import { writeTree } from '../../tools/testing/toolContext.ts'
import { runCommand } from './commandDispatch.ts'
import { createOutput } from './standardOutput.ts'

const exec = promisify(execFile)
const scenario: Scenario = {
  name: 'worktree',
  turns: [
    {
      prompt: /.*/,
      steps: [
        step('writes', call('write_file', { path: 'new.txt', content: 'made\n' })),
        step('commits', call('run_command', { command: 'git add -A && git commit -qm made && echo more > more.txt' })),
        step('ends', say('Done.')),
      ],
    },
  ],
}

let home: string
let main: string
let endpoint: ScriptedEndpoint
const spoken: string[] = []

const git = async (folder: string, ...args: string[]) => (await exec('git', ['-C', folder, ...args])).stdout.trim()

beforeEach(async () => {
  home = await realpath(await mkdtemp(path.join(tmpdir(), 'tizona-sessions-')))
  main = path.join(home, 'project')
  await exec('git', ['init', '-q', '-b', 'main', main])
  await git(main, 'config', 'user.name', 'Ana')
  await git(main, 'config', 'user.email', 'ana@example.org')
  await writeTree(main, {
    'a.txt': 'one\n',
    '.gitignore': '*.env\nbuilt\n',
    '.worktreeinclude': '*.env\n',
    'local.env': 'A=1\n',
    '.tizona/settings.json': JSON.stringify({ sessions: { setUp: 'cp a.txt built' } }),
  })
  await git(main, 'add', '-A')
  await git(main, 'commit', '-qm', 'first')
  endpoint = await startScriptedEndpoint(scenario)
  spoken.length = 0
  vi.spyOn(console, 'error').mockImplementation((...words: unknown[]) => void spoken.push(words.join(' ')))
})
afterEach(async () => {
  vi.restoreAllMocks()
  await endpoint.close()
  await rm(home, { recursive: true, force: true })
})

interface Result {
  code: number
  out: string
  events: { event?: string; session?: { name: string; folder: string; branch: string; changed: string[] } }[]
}

async function tizona(...args: string[]): Promise<Result> {
  const stream = new PassThrough()
  let out = ''
  stream.on('data', (chunk: Buffer) => (out += chunk.toString()))
  const code = await runCommand(args, { output: createOutput(stream), userData: path.join(home, 'user') })
  const lines = out.split('\n').filter((line) => line.startsWith('{'))
  return { code, out, events: lines.map((line) => JSON.parse(line) as Result['events'][number]) }
}
function run(...more: string[]): Promise<Result> {
  const model = ['--endpoint', endpoint.url, '--kind', 'openai', '--model', 'scripted']
  return tizona('run', 'go', ...model, '--mode', 'yolo', '--workspace', main, ...more)
}

it('run --worktree works on a branch of its own, prepared once approved, and is listed and removed', async ({
  skip,
}) => {
  if (!(await hasSandbox())) skip('no sandbox')
  const { code, events } = await run('--worktree', '--approve-set-up')
  expect(code).toBe(0)
  expect(events).toContainEqual(expect.objectContaining({ event: 'session.setUp', exitCode: 0 }))
  const session = events.at(-1)?.session
  expect(session).toMatchObject({
    name: 'session-1',
    branch: 'tizona/session-1',
    changed: ['more.txt', 'new.txt'],
  })
  const folder = session?.folder ?? ''
  expect(folder.startsWith(path.join(home, 'user-worktrees'))).toBe(true)
  expect(await readFile(path.join(folder, 'local.env'), 'utf8')).toBe('A=1\n')
  expect(await readFile(path.join(folder, 'built'), 'utf8')).toBe('one\n')
  expect(await git(main, 'log', '--format=%s', 'tizona/session-1')).toBe('made\nfirst')
  expect(await git(main, 'status', '--porcelain')).toBe('')

  // The approval holds for the same command.
  expect((await run('--worktree=two')).events).toContainEqual(expect.objectContaining({ event: 'session.setUp' }))
  const list = await tizona('sessions', 'list', '--workspace', main)
  expect(list.out).toMatch(
    /^session-1 {2}tizona\/session-1 {2}.* {2}ready, 2 changed files, work that is nowhere else\ntwo /,
  )
  expect((await tizona('sessions', 'sweep')).out).toBe('')

  expect(await tizona('sessions', 'remove', 'session-1')).toMatchObject({ code: 1 })
  expect(spoken.at(-1)).toContain('--yes')
  expect(existsSync(folder)).toBe(true)
  const removed = await tizona('sessions', 'remove', 'session-1', '--yes')
  expect(removed).toMatchObject({ code: 0, out: expect.stringContaining('git -C') })
  expect(existsSync(folder)).toBe(false)
  const ref = /refs\/tizona\/\S+/.exec(removed.out)?.[0] ?? ''
  expect(await git(main, 'show', `${ref}:more.txt`)).toBe('more')
})

it('a set-up command that is not approved, or has changed since, is skipped', async () => {
  const { events } = await run('--worktree=one')
  expect(events.map(({ event }) => event)).not.toContain('session.setUp')
  expect(spoken.join('\n')).toContain('the set-up command "cp a.txt built" is not approved')
  expect(existsSync(path.join(events.at(-1)?.session?.folder ?? '', 'built'))).toBe(false)
})

it('a sweep removes sessions whose conversation is gone, unless they have work', async () => {
  const { events } = await run('--worktree=one')
  await run('--worktree=two')
  const file = path.join(home, 'user', 'sessions.json')
  const text = await readFile(file, 'utf8')
  await writeTree(path.join(home, 'user'), {
    'sessions.json': text.replaceAll(/"conversation": "[^"]+"/g, '"conversation": "gone"'),
  })
  const folder = events.at(-1)?.session?.folder ?? ''
  await git(folder, 'reset', '-q', '--hard', 'main')
  await git(folder, 'clean', '-fdq')
  const swept = await tizona('sessions', 'sweep', '--yes')
  expect(swept.out).toMatch(/^one .*\n {2}removed\ntwo .*work that is nowhere else\n$/)
  expect(existsSync(folder)).toBe(false)
})

it('take-over brings chosen hunks into the folder, where review undoes them, and refuses on a conflict', async () => {
  const { events } = await run('--worktree=one')
  const folder = events.at(-1)?.session?.folder ?? ''
  await writeTree(main, { 'lines.txt': '1\n2\n3\n' })
  await git(main, 'add', '-A')
  await writeTree(folder, { 'a.txt': 'two\n', 'lines.txt': 'x\n' })
  expect((await tizona('sessions', 'show', 'one')).out).toBe('M a.txt  1 hunk\nA lines.txt\nA more.txt\nA new.txt\n')
  expect(await tizona('sessions', 'take-over', 'one')).toMatchObject({ code: 1, out: '' })
  expect(spoken.at(-1)).toContain('\nlines.txt: The session created it, and another file exists here.')
  const taken = await tizona('sessions', 'take-over', 'one', '--only', 'a.txt:1', '--only', 'new.txt')
  expect(taken).toMatchObject({ code: 0, out: 'a.txt\nnew.txt\n' })
  expect(await tizona('sessions', 'take-over', 'one', '--only', 'a.txt:2')).toMatchObject({ code: 2 })
  expect(await tizona('sessions', 'take-over', 'one', '--only', 'none.txt')).toMatchObject({ code: 2 })
  expect(await readFile(path.join(main, 'a.txt'), 'utf8')).toBe('two\n')
  expect((await tizona('review', '--workspace', main, '--undo', 'a.txt:1')).out).toBe('A new.txt  +1 -0, 1 hunk\n')
  expect(await readFile(path.join(main, 'a.txt'), 'utf8')).toBe('one\n')
})

it('merge and rebase act like git in a trusted folder, and name what is not committed', async () => {
  const { events } = await run('--worktree=one')
  const folder = events.at(-1)?.session?.folder ?? ''
  await git(folder, 'add', '-A')
  await git(folder, 'commit', '-qm', 'work')
  await writeTree(folder, { 'later.txt': 'x\n' })
  expect(await tizona('sessions', 'merge', 'one')).toMatchObject({ code: 1 })
  expect(spoken.at(-1)).toContain('Merging is disabled in a restricted folder.')
  expect(await tizona('sessions', 'merge', 'one', '--trust')).toMatchObject({ code: 0 })
  expect(spoken.at(-1)).toBe('Not merged, because it is not committed: later.txt')
  expect(await readFile(path.join(main, 'new.txt'), 'utf8')).toBe('made\n')
  await git(main, 'commit', '-qm', 'folder', '--allow-empty')
  expect(await tizona('sessions', 'rebase', 'one', '--trust')).toMatchObject({ code: 1 })
  expect(spoken.at(-1)).toContain('1 uncommitted file, so it was not rebased: later.txt')
  await rm(path.join(folder, 'later.txt'))
  expect(await tizona('sessions', 'rebase', 'one', '--trust')).toMatchObject({ code: 0 })
  expect(await git(folder, 'log', '-1', '--format=%s')).toBe('folder')
})

it('merge and rebase ask for --yes if commits change protected files', async () => {
  const { events } = await run('--worktree=one')
  const folder = events.at(-1)?.session?.folder ?? ''
  await git(main, 'config', 'core.hooksPath', '.githooks')
  await writeTree(folder, { '.githooks/post-merge': '#!/bin/sh\ntouch hook-ran\n' })
  await chmod(path.join(folder, '.githooks', 'post-merge'), 0o755)
  await git(folder, 'add', '-A')
  await git(folder, 'commit', '-qm', 'hook')
  await git(main, 'commit', '-qm', 'folder', '--allow-empty')
  for (const action of ['rebase', 'merge']) {
    expect(await tizona('sessions', action, 'one', '--trust')).toMatchObject({ code: 1 })
    expect(spoken.at(-1)).toContain('.githooks/post-merge')
    expect(spoken.at(-1)).toContain('--yes')
  }
  expect(await git(main, 'log', '-1', '--format=%s')).toBe('folder')
  expect(await git(folder, 'log', '--format=%s')).not.toContain('folder')
  expect(await tizona('sessions', 'rebase', 'one', '--trust', '--yes')).toMatchObject({ code: 0 })
  expect(await git(folder, 'log', '--format=%s', '-2')).toContain('hook')
  expect(await git(folder, 'log', '--format=%s')).toContain('folder')
  expect(await tizona('sessions', 'merge', 'one', '--trust', '--yes')).toMatchObject({ code: 0 })
  expect(existsSync(path.join(main, '.githooks', 'post-merge'))).toBe(true)
  expect(existsSync(path.join(main, 'hook-ran'))).toBe(false)
})

it('a folder that is no repository, and options that contradict each other, make no session', async () => {
  expect(await tizona('sessions', 'remove')).toMatchObject({ code: 2 })
  expect(await run('--worktree', '--continue', 'last')).toMatchObject({ code: 2 })
  await rm(path.join(main, '.git'), { recursive: true })
  expect(await run('--worktree')).toMatchObject({ code: 1 })
  expect((await tizona('sessions', 'list')).out).toBe('')
})

it('tries gives one prompt to several sessions at once and compares them', async ({ skip }) => {
  if (!(await hasSandbox())) skip('no sandbox')
  const model = ['--endpoint', endpoint.url, '--kind', 'openai', '--model', 'scripted']
  const check = 'test -f new.txt && test -f missing.txt'
  const options = `--mode yolo --name fix --try temperature=0 --workspace ${main}`.split(' ')
  const tries = ['--try', 'temperature=0.8 toolset=blade', '--try', 'nothing', '--test', check]
  const { code, out } = await tizona('tries', 'go', ...model, ...options, ...tries)
  expect(code).toBe(0)
  const cells = out.split('\n').map((line) => line.split(/ {2,}/))
  const [tokens, seconds] = [expect.stringMatching(/^[\d,]+$/), expect.stringMatching(/^\d+ s$/)]
  expect(cells.slice(0, 4)).toEqual([
    ['try', 'model', 'temperature', 'toolset', 'outcome', 'test', 'lines', 'tokens', 'time', 'session'],
    ['1', 'scripted', '0', 'done', 'failed (1)', '+2 -0', tokens, seconds, 'fix-1'],
    ['2', 'scripted', '0.8', 'blade', 'done', 'failed (1)', '+2 -0', tokens, seconds, 'fix-2'],
    ['3', 'nothing', 'done', 'failed (1)', '+2 -0', tokens, seconds, 'fix-3'],
  ])
  expect(await git(main, 'status', '--porcelain')).toBe('')
  expect((await tizona('sessions', 'take-over', 'fix-2', '--workspace', main)).code).toBe(0)
  expect(existsSync(path.join(main, 'new.txt'))).toBe(true)
})

it('tries names the worktree of a try that fails before its turn', async ({ skip }) => {
  if (!(await hasSandbox())) skip('no sandbox')
  await run('--worktree', '--approve-set-up')
  await git(main, 'rm', '-q', 'a.txt')
  await git(main, 'commit', '-qm', 'The set-up command fails')
  const options = `--endpoint ${endpoint.url} --kind openai --name fix --try scripted --workspace ${main}`.split(' ')
  const { code, out } = await tizona('tries', 'go', ...options)
  expect(code).toBe(1)
  const failed = out.split('\n')[1]?.split(/ {2,}/)
  expect(failed).toEqual(['1', 'scripted', 'failed', '+0 -0', '–', '–', 'fix-1'])
})

it.each([
  ['without --try', [], '--try is missing.'],
  ['without a model', ['--kind', 'openai', '--try', 'temperature=0'], '--model is missing.'],
  ['with an unknown option', ['--try', 'm top=1'], '--try "m top=1" is not a model and options.'],
])('tries %s is refused', async (_, tries, problem) => {
  const { code } = await tizona('tries', 'go', '--endpoint', endpoint.url, '--workspace', main, ...tries)
  expect(code).toBe(2)
  expect(spoken.join('\n')).toContain(problem)
  expect((await tizona('sessions', 'list')).out).toBe('')
})
