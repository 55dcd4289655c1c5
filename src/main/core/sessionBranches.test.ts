import { execFile } from 'node:child_process'
import { chmod, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { shippedPlaceRules } from '../approval/placeRules.ts'
import { createCore, type Core } from '../core.ts'
import { inProcessIndex } from '../testing/inProcessIndex.ts'
import { createSessionBranches } from './sessionBranches.ts'
import { writeTree } from '../tools/testing/toolContext.ts'

// Branches of real worktrees, merged and rebased by the real git.

const exec = promisify(execFile)
const never = new AbortController().signal
let base: string
let main: string
let core: Core
let session: Awaited<ReturnType<Core['sessions']['create']>>['session']

const git = async (folder: string, ...args: string[]) => (await exec('git', ['-C', folder, ...args])).stdout.trim()
const log = (folder: string, ...args: string[]) => git(folder, 'log', '--format=%s', ...args)

beforeEach(async () => {
  base = await realpath(await mkdtemp(path.join(tmpdir(), 'tizona-branches-')))
  main = path.join(base, 'project')
  await exec('git', ['init', '-q', '-b', 'main', main])
  await git(main, 'config', 'user.name', 'Ana')
  await git(main, 'config', 'user.email', 'ana@example.org')
  await writeTree(main, { 'a.txt': 'one\n', 'b.txt': 'b\n' })
  await git(main, 'add', '-A')
  await git(main, 'commit', '-qm', 'first')
  await open()
  session = (await core.sessions.create({ folder: main, name: 'feature' })).session
})
afterEach(async () => {
  await core.dispose()
  await rm(base, { recursive: true, force: true })
})

async function open(trustWorkspace = true): Promise<void> {
  const resources = path.join(import.meta.dirname, '..', '..', '..', 'resources')
  const platform = { host: 'headless', version: 'test', userData: path.join(base, 'data'), resources } as const
  core = await createCore({ platform: { ...platform, fork: inProcessIndex }, trustWorkspace })
  await core.openWorkspace(main)
}

async function commitIn(folder: string, files: Record<string, string>, subject: string): Promise<void> {
  await writeTree(folder, files)
  await git(folder, 'add', '-A')
  await git(folder, 'commit', '-qm', subject)
}

const changed = async () => (await core.sessions.changes(session.id)).changes.map(({ path: file }) => file)

it('merges the branch of a session, whose uncommitted files are named and committed first', async () => {
  const { id, worktree } = session
  await commitIn(main, { 'b.txt': 'theirs\n' }, 'folder')
  await writeTree(worktree, { 'a.txt': 'two\n', 'new.txt': 'new\n' })
  expect(await core.handlers['sessions.branch']({ id }, never)).toMatchObject({
    source: 'tizona/feature',
    target: 'main',
    ahead: 0,
    behind: 1,
    uncommitted: ['a.txt', 'new.txt'],
    unfinished: false,
  })
  await expect(core.sessions.merge(id)).rejects.toMatchObject({ code: 'no_change' })
  await writeTree(main, { '.git/hooks/commit-msg': '#!/bin/sh\necho "by hook" >> "$1"\n' })
  await chmod(path.join(main, '.git', 'hooks', 'commit-msg'), 0o755)
  await core.handlers['sessions.commit']({ id, message: 'work' }, never)
  expect(await git(worktree, 'log', '-1', '--format=%B')).toBe('work\nby hook')
  await core.sessions.merge(id)
  expect(await readFile(path.join(main, 'a.txt'), 'utf8')).toBe('two\n')
  expect(await readFile(path.join(main, 'b.txt'), 'utf8')).toBe('theirs\n')
  expect(await log(main, '--merges')).toContain("Merge branch 'tizona/feature'")
})

it('a merge that would overwrite changes of the user changes nothing', async () => {
  const { id, worktree } = session
  await commitIn(worktree, { 'a.txt': 'two\n', 'new.txt': 'session\n' }, 'work')
  await writeFile(path.join(main, 'a.txt'), 'mine\n')
  await expect(core.sessions.merge(id)).rejects.toMatchObject({ code: 'conflict', reason: 'local_changes' })
  await git(main, 'checkout', '-q', 'a.txt')
  await writeFile(path.join(main, 'new.txt'), 'mine\n')
  await expect(core.sessions.merge(id)).rejects.toMatchObject({ code: 'conflict', reason: 'untracked_files' })
  expect(await readFile(path.join(main, 'new.txt'), 'utf8')).toBe('mine\n')
  expect(await log(main)).toBe('first')
})

it('conflicts of a merge stay in the folder until they are resolved or the merge is aborted', async () => {
  const { id, worktree } = session
  await commitIn(worktree, { 'a.txt': 'two\n' }, 'work')
  await commitIn(main, { 'a.txt': 'mine\n' }, 'folder')
  await expect(core.sessions.merge(id)).rejects.toMatchObject({
    reason: 'conflicts',
    next: expect.stringContaining('merge --abort'),
  })
  const status = await core.handlers['git.status']({ repository: main, refresh: true }, never)
  expect(status).toMatchObject({ operation: { kind: 'merge' }, counts: { merge: 1 } })
  await core.handlers['git.operation']({ repository: main, operation: 'abort', step: 'abort' }, never)
  expect(await readFile(path.join(main, 'a.txt'), 'utf8')).toBe('mine\n')
})

it('rebases a session, whose changes count from the new base then', async () => {
  const { id, worktree } = session
  await commitIn(worktree, { 'a.txt': 'two\n' }, 'work')
  await expect(core.sessions.rebase(id)).rejects.toMatchObject({ code: 'no_change' })
  await commitIn(main, { 'b.txt': 'mine\n' }, 'folder')
  await writeTree(worktree, { 'new.txt': 'x\n' })
  await expect(core.sessions.rebase(id)).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringContaining('1 uncommitted file, so it was not rebased: new.txt'),
  })
  await core.sessions.commit(id, 'more')
  await core.sessions.rebase(id)
  expect(await log(worktree)).toBe('more\nwork\nfolder\nfirst')
  expect(await changed()).toEqual(['a.txt', 'new.txt'])
  expect((await core.sessions.list(main))[0]?.changed).toEqual(['a.txt', 'new.txt'])
  await expect(core.sessions.remove(id)).rejects.toMatchObject({ code: 'conflict' })
})

it('a rebase that stops at conflicts is resolved in the worktree, or aborted', async () => {
  const { id, worktree } = session
  await commitIn(worktree, { 'a.txt': 'two\n' }, 'work')
  await commitIn(main, { 'a.txt': 'mine\n', 'b.txt': 'mine\n' }, 'folder')
  const stopped = { code: 'conflict', reason: 'conflicts', next: expect.stringContaining('rebase --abort') }
  await expect(core.sessions.rebase(id)).rejects.toMatchObject(stopped)
  await expect(core.sessions.rebase(id)).rejects.toMatchObject({ message: expect.stringContaining('unfinished') })
  const discarded = { code: 'conflict', message: expect.stringContaining('would discard changes in a.txt') }
  await expect(core.handlers['sessions.abortRebase']({ id, confirmed: false }, never)).rejects.toMatchObject(discarded)
  await expect(core.sessions.commit(id, 'markers')).rejects.toMatchObject({
    message: expect.stringContaining('unfinished merge or rebase, so it was not committed'),
  })
  await expect(core.sessions.merge(id)).rejects.toMatchObject({ message: expect.stringContaining('was not merged') })
  await core.handlers['sessions.abortRebase']({ id, confirmed: true }, never)
  expect(await log(worktree)).toBe('work\nfirst')
  expect(await git(worktree, 'symbolic-ref', '--short', 'HEAD')).toBe('tizona/feature')
  expect(await changed()).toEqual(['a.txt'])
  await expect(core.sessions.abortRebase(id)).rejects.toMatchObject({ code: 'no_change' })

  await expect(core.sessions.rebase(id)).rejects.toMatchObject(stopped)
  await writeTree(worktree, { 'a.txt': 'both\n' })
  await git(worktree, 'add', '-A')
  await git(worktree, '-c', 'core.editor=true', 'rebase', '--continue')
  expect(await log(worktree)).toBe('work\nfolder\nfirst')
  expect(await changed()).toEqual(['a.txt'])
})

it('a session that works is not changed', async () => {
  const branches = createSessionBranches({
    sessions: core.sessions,
    trust: { isTrusted: () => true, isDecided: () => true },
    trustAll: true,
    operations: { run: () => Promise.reject(new Error('Git ran.')) },
    current: () => Promise.reject(new Error('The folder was used.')) as never,
    places: () => shippedPlaceRules,
    isWorking: (folder) => Promise.resolve(folder === session.worktree),
  })
  const refusal = { code: 'conflict', message: expect.stringContaining('is working') }
  await expect(branches.rebase(session.id)).rejects.toMatchObject(refusal)
  await expect(branches.commit(session.id, 'x')).rejects.toMatchObject(refusal)
})

it('a restricted repository is neither merged nor rebased, and its hooks do not run', async () => {
  const { id, worktree } = session
  await commitIn(worktree, { 'a.txt': 'two\n' }, 'work')
  await commitIn(main, { 'b.txt': 'mine\n' }, 'folder')
  await core.dispose()
  await open(false)
  const { merge, rebase, commit } = core.sessions
  for (const action of [merge, rebase, (each: string) => commit(each, 'x')])
    await expect(action(id)).rejects.toMatchObject({ code: 'untrusted_folder' })
  expect(await log(main)).toBe('folder\nfirst')
})

/** Adds a hook to the commits of the session without a file in its worktree. */
async function commitHook(folder: string, file: string): Promise<void> {
  await writeTree(base, { hook: '#!/bin/sh\ntouch "$(git rev-parse --git-common-dir)/hook-ran"\n' })
  const blob = await git(folder, 'hash-object', '-w', path.join(base, 'hook'))
  await git(folder, 'update-index', '--add', '--cacheinfo', `100755,${blob},${file}`)
  await git(folder, 'update-index', '--skip-worktree', file)
  await git(folder, 'commit', '-qm', 'hook')
}

it.each(['.githooks', 'tools/hooks'])(
  'hooks in commits of a session need a confirmation and do not run: %s',
  async (hooks) => {
    const { id, worktree } = session
    await git(main, 'config', 'core.hooksPath', hooks)
    await commitHook(worktree, `${hooks}/post-merge`)
    await commitHook(worktree, `${hooks}/prepare-commit-msg`)
    await commitIn(main, { 'b.txt': 'mine\n' }, 'folder')
    const protectedPaths = [`${hooks}/post-merge`, `${hooks}/prepare-commit-msg`]
    expect(await core.handlers['sessions.branch']({ id }, never)).toMatchObject({ protectedPaths })
    const refusal = { code: 'conflict', message: expect.stringContaining(protectedPaths.join(', ')) }
    await expect(core.sessions.rebase(id)).rejects.toMatchObject(refusal)
    await expect(core.sessions.merge(id)).rejects.toMatchObject(refusal)
    const branch = { repository: main, operation: 'm', branch: 'tizona/feature', allowProtected: false }
    await expect(core.handlers['git.merge'](branch, never)).rejects.toMatchObject(refusal)
    await core.sessions.rebase(id, { allowProtected: true })
    await commitIn(main, { 'b.txt': 'more\n' }, 'later')
    const { head } = await core.handlers['sessions.branch']({ id }, never)
    // Those of an earlier commit are not these.
    const earlier = core.handlers['git.merge']({ ...branch, allowProtected: '0'.repeat(40) }, never)
    await expect(earlier).rejects.toMatchObject({ reason: 'protected_files' })
    await core.handlers['git.merge']({ ...branch, allowProtected: head }, never)
    expect(await log(main, '--merges')).toContain("Merge branch 'tizona/feature'")
    await expect(readFile(path.join(main, '.git', 'hook-ran'))).rejects.toMatchObject({ code: 'ENOENT' })
  },
)

it.each(['merge', 'rebase'] as const)(
  'hooks that a %s would bring do not run when it stops and goes on',
  async (how) => {
    const { id, worktree } = session
    await git(main, 'config', 'core.hooksPath', '.githooks')
    for (const hook of ['pre-commit', 'prepare-commit-msg', 'post-commit'])
      await commitHook(worktree, `.githooks/${hook}`)
    await commitIn(worktree, { 'b.txt': 'work\n' }, 'work')
    await commitIn(main, { 'b.txt': 'mine\n' }, 'folder')
    await expect(core.sessions[how](id, { allowProtected: true })).rejects.toMatchObject({ reason: 'conflicts' })
    const repository = how === 'merge' ? main : worktree
    if (how === 'merge')
      await expect(core.sessions.remove(id, { confirmed: true })).rejects.toMatchObject({ code: 'conflict' })
    if (how === 'rebase') {
      // Another process continues it in the worktree's window.
      await core.dispose()
      await open()
      await core.openWorkspace(worktree)
    }
    await writeFile(path.join(repository, 'b.txt'), 'both\n')
    await git(repository, 'add', 'b.txt')
    await core.handlers['git.operation']({ repository, operation: 'c', step: 'continue' }, never)
    expect(await log(repository, '-1')).toBe(how === 'merge' ? "Merge branch 'tizona/feature'" : 'work')
    await expect(readFile(path.join(main, '.git', 'hook-ran'))).rejects.toMatchObject({ code: 'ENOENT' })
    // Others run again.
    await commitIn(repository, { 'c.txt': 'c\n' }, 'later')
    expect(await readFile(path.join(main, '.git', 'hook-ran'), 'utf8')).toBe('')
  },
)

it('ignored files are not overwritten by a merge or a rebase', async () => {
  const { id, worktree } = session
  await commitIn(main, { '.gitignore': '.env\nout\n' }, 'ignore')
  await writeTree(main, { '.env': 'SECRET=1\n', out: 'mine\n' })
  await writeTree(worktree, { 'out/a.txt': 'session\n' })
  await commitIn(worktree, { '.env': 'SECRET=2\n' }, 'env')
  await expect(core.sessions.merge(id)).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringContaining('would be overwritten, so nothing was changed: .env, out.'),
  })
  expect(await readFile(path.join(main, '.env'), 'utf8')).toBe('SECRET=1\n')
  await rm(path.join(main, '.env'))
  await rm(path.join(main, 'out'))
  await core.sessions.merge(id)
  expect(await readFile(path.join(main, '.env'), 'utf8')).toBe('SECRET=2\n')

  await writeTree(worktree, { '.git-ignored': 'x' })
  await writeTree(main, { '.git/info/exclude': '.git-ignored\n' })
  await commitIn(main, { 'new.txt': 'x\n' }, 'more')
  await git(main, 'add', '-f', '.gitignore')
  await writeTree(main, { '.git-ignored': 'mine' })
  await git(main, 'add', '-f', '.git-ignored')
  await git(main, 'commit', '-qm', 'ignored')
  await expect(core.sessions.rebase(id)).rejects.toMatchObject({ message: expect.stringContaining(': .git-ignored.') })
  expect(await readFile(path.join(worktree, '.git-ignored'), 'utf8')).toBe('x')
})

it('a rebase onto another line of history leaves out commits that are not of the session', async () => {
  await git(main, 'switch', '-qc', 'topic')
  await commitIn(main, { 'topic.txt': 'x\n' }, 'topic')
  const { id, worktree } = (await core.sessions.create({ folder: main, name: 'other' })).session
  await commitIn(worktree, { 'a.txt': 'two\n' }, 'work')
  await git(main, 'switch', '-q', 'main')
  await commitIn(main, { 'b.txt': 'mine\n' }, 'folder')
  await core.sessions.rebase(id)
  expect(await log(worktree)).toBe('work\nfolder\nfirst')
})

it('a branch of the user that is checked out in the worktree is not changed', async () => {
  const { id, worktree } = session
  await git(worktree, 'switch', '-qc', 'mine')
  await commitIn(main, { 'b.txt': 'mine\n' }, 'folder')
  const refusal = { code: 'conflict', message: expect.stringContaining('has mine checked out, and not tizona/feature') }
  await expect(core.sessions.rebase(id)).rejects.toMatchObject(refusal)
  await expect(core.sessions.commit(id, 'x')).rejects.toMatchObject(refusal)
  const merge = { repository: main, operation: 'm', branch: 'mine', session: id, allowProtected: true }
  await expect(core.handlers['git.merge'](merge, never)).rejects.toMatchObject(refusal)
  expect(await log(worktree)).toBe('first')
})

it('changes count from the shared commit after two rebases that are undone', async () => {
  const { id, worktree } = session
  await commitIn(worktree, { 'a.txt': 'two\n' }, 'work')
  const before = await git(worktree, 'rev-parse', 'HEAD')
  for (const text of ['one', 'more']) {
    await commitIn(main, { 'b.txt': text }, text)
    await core.sessions.rebase(id)
  }
  await git(worktree, 'reset', '-q', '--hard', before)
  expect(await changed()).toEqual(['a.txt'])
})
