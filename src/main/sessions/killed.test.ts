import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openJsonFile } from '../settings/jsonFile.ts'
import { chosenCases } from '../testing/longForm.ts'
import { writeTree } from '../tools/testing/toolContext.ts'
import { createSessionGit } from '../workspaceServices/sessionServices.ts'
import { sessionFileSchema } from './sessionRecords.ts'
import { createSessions, type Sessions } from './sessions.ts'
import { hasProcesses } from './worktreeProcesses.ts'

// A separate process creates or removes a session and is killed with SIGKILL; another one recovers.

const exec = promisify(execFile)
const files = 120
let base: string
let main: string

const git = async (folder: string, ...args: string[]) => (await exec('git', ['-C', folder, ...args])).stdout.trim()

beforeEach(async () => {
  base = await realpath(await mkdtemp(path.join(tmpdir(), 'tizona-killed-')))
  main = path.join(base, 'project')
  await exec('git', ['init', '-q', '-b', 'main', main])
  await git(main, 'config', 'user.name', 'Ana')
  await git(main, 'config', 'user.email', 'ana@example.org')
  const many = Object.fromEntries(
    Array.from({ length: files }, (_, index) => [`src/d${index % 12}/${index}.txt`, `${index}\n`]),
  )
  await writeTree(main, { ...many, '.gitignore': '*.env\n', '.worktreeinclude': '*.env\n', 'a.env': 'A=1\n' })
  await git(main, 'add', '-A')
  await git(main, 'commit', '-qm', 'first')
})
afterEach(() => rm(base, { recursive: true, force: true }))

const dataFile = () => path.join(base, 'data', 'sessions.json')

async function open(): Promise<Sessions> {
  return createSessions({
    records: await openJsonFile(dataFile(), sessionFileSchema, {}, () => undefined),
    storage: path.join(base, 'data', 'sessions'),
    worktrees: () => path.join(base, 'worktrees'),
    run: createSessionGit(() => false),
  })
}

/** Where the process is killed: before its nth step, or milliseconds after its first one. */
type Kill = { step: number } | { afterMs: number }

/** Runs `body` with `sessions` in a separate process. @returns whether it was killed */
async function killed(body: string, kill: Kill): Promise<boolean> {
  const url = (name: string) => JSON.stringify(pathToFileURL(path.join(import.meta.dirname, name)).href)
  const script = `
    const { openJsonFile } = await import(${url('../settings/jsonFile.ts')})
    const { sessionFileSchema } = await import(${url('sessionRecords.ts')})
    const { createSessions } = await import(${url('sessions.ts')})
    const { createSessionGit } = await import(${url('../workspaceServices/sessionServices.ts')})
    const kill = ${JSON.stringify(kill)}
    const die = () => process.kill(process.pid, 'SIGKILL')
    let steps = 0
    const sessions = createSessions({
      records: await openJsonFile(${JSON.stringify(dataFile())}, sessionFileSchema, {}, () => undefined),
      storage: ${JSON.stringify(path.join(base, 'data', 'sessions'))},
      worktrees: () => ${JSON.stringify(path.join(base, 'worktrees'))},
      run: createSessionGit(() => false),
      step() {
        if (kill.step === steps) die()
        if (kill.afterMs !== undefined && steps === 0) setTimeout(die, kill.afterMs)
        steps += 1
      },
    })
    ${body}`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'ignore', 'pipe'] })
  let errors = ''
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString()
  })
  await once(child, 'close')
  if (child.signalCode !== 'SIGKILL' && child.exitCode !== 0) throw new Error(errors)
  return child.signalCode === 'SIGKILL'
}

/** Waits for what the killed process left running, and recovers like the next start. */
async function recover(): Promise<Sessions> {
  const sessions = await open()
  for (const { worktree } of await sessions.list())
    await expect.poll(() => hasProcesses(worktree), { timeout: 20_000 }).toBe(false)
  await sessions.recover()
  return sessions
}

/** Checks that git, the records and the folders agree, and that the repository is as before. */
async function expectConsistent(sessions: Sessions): Promise<void> {
  const listed = await sessions.list()
  const worktrees = (await git(main, 'worktree', 'list', '--porcelain'))
    .split('\n')
    .flatMap((line) => (line.startsWith('worktree ') ? [line.slice('worktree '.length)] : []))
  expect(worktrees.slice(1)).toEqual(listed.map(({ worktree }) => worktree))
  expect(await git(main, 'worktree', 'list', '--porcelain')).not.toMatch(/prunable|locked/)
  for (const session of listed) expect(session).toMatchObject({ state: 'ready', inUse: false })
  const branches = await git(main, 'for-each-ref', '--format=%(refname:short)', 'refs/heads/tizona')
  expect(branches.split('\n').filter(Boolean)).toEqual(listed.map(({ branch }) => branch))
  expect(await git(main, 'status', '--porcelain')).toBe('')
  expect(await git(main, 'fsck', '--connectivity-only')).not.toMatch(/error|broken|missing/)
}

const kills = (steps: number, delays: number, every: number): Kill[] => [
  ...Array.from({ length: steps }, (_, step) => ({ step })),
  ...Array.from({ length: delays }, (_, index) => ({ afterMs: index * every })),
]

describe('a kill while a session is created leaves a whole worktree or nothing', () => {
  it.each(chosenCases(kills(7, 43, 6), 10))('%o', async (kill) => {
    await killed(`await sessions.create({ folder: ${JSON.stringify(main)} })`, kill)
    const sessions = await recover()
    await expectConsistent(sessions)
    for (const session of await sessions.list()) {
      expect(session).toMatchObject({ changed: [], hasWork: false })
      expect(await readFile(path.join(session.worktree, 'a.env'), 'utf8')).toBe('A=1\n')
      await sessions.remove(session.id)
    }
    await sessions.create({ folder: main })
    expect(existsSync(path.join(base, 'worktrees'))).toBe(true)
  })
})

describe('a copy that changes after a kill while a session is created counts as work', () => {
  // From the list of copies on.
  it.each([4, 5, 6])('before step %i', async (step) => {
    expect(await killed(`await sessions.create({ folder: ${JSON.stringify(main)} })`, { step })).toBe(true)
    const [left] = await (await open()).list()
    if (left === undefined) throw new Error('There is no session.')
    await writeTree(left.worktree, { 'a.env': 'A=2\n' })
    const sessions = await recover()
    await expect(sessions.remove(left.id)).rejects.toMatchObject({ code: 'conflict' })
    const kept = await sessions.remove(left.id, { confirmed: true })
    expect(await readFile(path.join(kept?.files ?? '', 'a.env'), 'utf8')).toBe('A=2\n')
    await expectConsistent(sessions)
  })
})

describe('a kill while a session is removed loses no work', () => {
  it.each(chosenCases(kills(9, 41, 8), 10))('%o', async (kill) => {
    const before = await open()
    const { session } = await before.create({ folder: main })
    const { worktree } = session
    await git(worktree, 'rm', '-q', 'src/d1/1.txt')
    await writeTree(worktree, { 'src/d2/2.txt': 'committed\n' })
    await git(worktree, 'commit', '-qam', 'work')
    await writeTree(worktree, { 'src/d3/3.txt': 'changed\n', 'new/file.txt': 'untracked\n', 'a.env': 'A=2\n' })
    await killed(`await sessions.remove(${JSON.stringify(session.id)}, { confirmed: true })`, kill)

    const sessions = await recover()
    await expectConsistent(sessions)
    const [left] = await sessions.list()
    const kept = left ? await sessions.remove(left.id, { confirmed: true }) : sessions.kept()[0]
    if (kept?.files === undefined) throw new Error('Nothing was kept.')
    const show = (file: string) => git(main, 'show', `${kept.ref}:${file}`)
    expect(await show('src/d2/2.txt')).toBe('committed')
    expect(await show('src/d3/3.txt')).toBe('changed')
    expect(await show('new/file.txt')).toBe('untracked')
    expect(await git(main, 'log', '--format=%s', kept.ref)).toContain('work')
    expect(await git(main, 'ls-tree', '-r', '--name-only', kept.ref)).not.toContain('src/d1/1.txt')
    expect(await readFile(path.join(kept.files, 'a.env'), 'utf8')).toBe('A=2\n')
    expect(existsSync(worktree)).toBe(false)
    await expectConsistent(sessions)
  })
})

it('a file that appears after a kill is kept as well', async () => {
  const before = await open()
  const { session } = await before.create({ folder: main })
  await writeTree(session.worktree, { 'new.txt': 'first\n' })
  // Before git removes the worktree.
  expect(await killed(`await sessions.remove(${JSON.stringify(session.id)}, { confirmed: true })`, { step: 4 })).toBe(
    true,
  )
  await writeFile(path.join(session.worktree, 'later.txt'), 'later\n')
  const sessions = await recover()
  const [kept] = sessions.kept()
  expect(await git(main, 'show', `${kept?.ref}:later.txt`)).toBe('later')
  expect(await git(main, 'show', `${kept?.ref}:new.txt`)).toBe('first')
})
