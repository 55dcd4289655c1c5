import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { hasSandbox } from '../command/testing/sandboxedJobs.ts'
import { createCore, type Core } from '../core.ts'
import { inProcessIndex } from '../testing/inProcessIndex.ts'

// A worktree that Tizona made, with the real git and the real sandbox.

const never = new AbortController().signal
const exec = promisify(execFile)
let base: string
let main: string
let tree: string
let core: Core | undefined

const git = async (folder: string, ...args: string[]) => (await exec('git', ['-C', folder, ...args])).stdout.trim()

beforeEach(async () => {
  base = await realpath(await mkdtemp(path.join(tmpdir(), 'tizona-worktree-')))
  main = path.join(base, 'main')
  tree = path.join(base, 'tree')
  await exec('git', ['init', '-q', '-b', 'main', main])
  await git(main, 'config', 'user.name', 'Ana')
  await git(main, 'config', 'user.email', 'ana@example.org')
  await writeFile(path.join(main, 'a.txt'), 'one\n')
  await git(main, 'add', '-A')
  await git(main, 'commit', '-qm', 'first')
  await git(main, 'worktree', 'add', '-q', '-b', 'session', tree)
  await mkdir(path.join(base, 'data'))
})
afterEach(async () => {
  await core?.dispose()
  core = undefined
  await rm(base, { recursive: true, force: true })
})

async function record(state: 'ready' | 'removing' = 'ready'): Promise<void> {
  const by = { pid: process.pid, start: '', machine: '' }
  const session = {
    id: 's',
    name: 's',
    folder: main,
    common: path.join(main, '.git'),
    worktree: tree,
    branch: 'session',
  }
  const file = { sessions: [{ ...session, base: 'x', createdAt: 0, state, by }] }
  await writeFile(path.join(base, 'data', 'sessions.json'), JSON.stringify(file))
}

async function open(folder: string): Promise<Core> {
  const resources = path.join(import.meta.dirname, '..', '..', '..', 'resources')
  const platform = { host: 'headless', version: 'test', userData: path.join(base, 'data'), resources } as const
  core = await createCore({ platform: { ...platform, fork: inProcessIndex } })
  await core.openWorkspace(folder)
  return core
}

const call = (made: Core, name: string, args: Record<string, unknown>, toolset: 'blade' | 'rustant') =>
  made.executor.call({
    callId: 'c',
    name,
    arguments: args,
    toolset,
    mode: 'yolo',
    attended: false,
    signal: never,
  })

it('commits by a tool and by a command in the sandbox', async ({ skip }) => {
  if (!(await hasSandbox())) skip('no sandbox')
  await record()
  const made = await open(tree)
  await writeFile(path.join(tree, 'b.txt'), 'two\n')
  const command = {
    command: 'git add -A && git -c core.hooksPath=x commit -qm second && echo three > c.txt && git add -A',
  }
  expect(await call(made, 'run_command', command, 'blade')).toMatchObject({ ok: true })
  expect(await call(made, 'git_commit', { message: 'third' }, 'rustant')).toMatchObject({ ok: true })
  expect(await git(main, 'log', '--format=%s', 'session')).toBe('third\nsecond\nfirst')
  expect(await git(main, 'status', '--porcelain')).toBe('')
})

it('refuses git stash, and names the branch as the alternative', async () => {
  await record()
  const made = await open(tree)
  await writeFile(path.join(tree, 'a.txt'), 'two\n')
  const refused = await call(made, 'run_command', { command: 'git add . && git stash' }, 'blade')
  expect(refused).toMatchObject({ ok: false, error: { code: 'refused' } })
  expect(JSON.stringify(refused)).toContain('git commit')
  expect(await readFile(path.join(tree, 'a.txt'), 'utf8')).toBe('two\n')
})

it('inherits the trust of its repository only while both refer to each other', async () => {
  await record()
  const made = await open(main)
  await made.handlers['trust.decide']({ choice: 'folder' }, never)
  expect(await made.openWorkspace(tree)).not.toHaveProperty('restricted')
  await rm(tree, { recursive: true })
  await mkdir(tree)
  await writeFile(path.join(tree, '.git'), `gitdir: ${base}/elsewhere\n`)
  expect(await made.openWorkspace(tree)).toMatchObject({ restricted: { decided: false } })
})

it('is one of several folders: git works in it, git stash is refused, and it is not removed', async () => {
  await record()
  await mkdir(path.join(base, 'other'))
  const file = path.join(base, 'all.code-workspace')
  await writeFile(file, '{"folders": [{"path": "tree"}, {"path": "other"}]}')
  const made = await open(file)
  expect(await call(made, 'git_status', { path: 'tree' }, 'rustant')).toMatchObject({ ok: true })
  const stash = await call(made, 'run_command', { command: 'git add . && git stash', cwd: 'tree' }, 'blade')
  expect(stash).toMatchObject({ ok: false, error: { code: 'refused' } })

  const platform = { host: 'headless', version: 'test', userData: path.join(base, 'data'), resources: base } as const
  const beside = await createCore({ platform: { ...platform, fork: inProcessIndex } })
  try {
    await beside.openWorkspace(main)
    const remove = async () => beside.handlers['sessions.remove']({ id: 's', confirmed: true }, never)
    await expect(remove()).rejects.toMatchObject({ code: 'conflict' })
    expect(await readFile(path.join(tree, 'a.txt'), 'utf8')).toBe('one\n')
    await made.dispose()
    core = undefined
    await remove()
    await expect(readFile(path.join(tree, 'a.txt'))).rejects.toThrow('ENOENT')
  } finally {
    await beside.dispose()
  }
})

it('is not opened while it is removed, and the open folder stays', async () => {
  await record('removing')
  const made = await open(main)
  await expect(made.openWorkspace(tree)).rejects.toMatchObject({ code: 'conflict' })
  expect((await made.handlers['sessions.list']({}, never)).map(({ name }) => name)).toEqual(['s'])
})

it.each([
  ['a folder that is not recorded', async () => undefined],
  [
    'a .git file that names another worktree',
    async () => {
      await record()
      await git(main, 'worktree', 'add', '-q', '-b', 'other', path.join(base, 'other'))
      await writeFile(path.join(tree, '.git'), `gitdir: ${main}/.git/worktrees/other\n`)
    },
  ],
  [
    'a .git file that names the repository',
    async () => {
      await record()
      await writeFile(path.join(tree, '.git'), `gitdir: ${main}/.git\n`)
    },
  ],
  [
    'a git folder whose common folder is another one',
    async () => {
      await record()
      await exec('git', ['init', '-q', path.join(base, 'private')])
      await writeFile(path.join(main, '.git', 'worktrees', 'tree', 'commondir'), `${base}/private/.git\n`)
    },
  ],
  [
    'another repository with a worktree of the same path',
    async () => {
      await record()
      const other = path.join(base, 'private')
      await exec('git', ['init', '-q', other])
      await mkdir(path.join(other, '.git', 'worktrees', 'tree'), { recursive: true })
      for (const [name, text] of Object.entries({ HEAD: 'x', gitdir: `${tree}/.git\n`, commondir: '../..\n' }))
        await writeFile(path.join(other, '.git', 'worktrees', 'tree', name), text)
      await writeFile(path.join(tree, '.git'), `gitdir: ${other}/.git/worktrees/tree\n`)
    },
  ],
  [
    'references that are a link to another repository',
    async () => {
      await record()
      await mkdir(path.join(base, 'elsewhere'))
      await symlink(path.join(base, 'elsewhere'), path.join(main, '.git', 'refs', 'x'))
    },
  ],
])('tools refuse %s', async (_what, prepare) => {
  await prepare()
  const made = await open(tree)
  expect(await call(made, 'git_status', {}, 'rustant')).toMatchObject({
    ok: false,
    error: { code: 'outside_workspace' },
  })
})
