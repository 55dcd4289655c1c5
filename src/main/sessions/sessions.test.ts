import { execFile, execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { lstat, mkdir, mkdtemp, readFile, readdir, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { processOf, thisMachine } from '../base/processIdentity.ts'
import { openJsonFile } from '../settings/jsonFile.ts'
import { writeTree } from '../tools/testing/toolContext.ts'
import { createSessionGit } from '../workspaceServices/sessionServices.ts'
import { sessionFileSchema, type SessionRecord } from './sessionRecords.ts'
import { createSessions, type Sessions } from './sessions.ts'

// With the real git and real files.

const exec = promisify(execFile)
let base: string
let main: string
let sessions: Sessions

const git = async (folder: string, ...args: string[]) => (await exec('git', ['-C', folder, ...args])).stdout.trim()

/** Arguments of git. */
const author = ['-c', 'user.name=a', '-c', 'user.email=b']
const emptyCommit = ['commit', '-q', '--allow-empty', '-m', 'x']

beforeEach(async () => {
  base = await realpath(await mkdtemp(path.join(tmpdir(), 'tizona-sessions-')))
  main = path.join(base, 'project')
  await exec('git', ['init', '-q', '-b', 'main', main])
  await git(main, 'config', 'user.name', 'Ana')
  await git(main, 'config', 'user.email', 'ana@example.org')
  await writeTree(main, { 'a.txt': 'one\n', 'src/b.txt': 'b\n', '.gitignore': '*.env\nout/\nlinks/\n' })
  await git(main, 'add', '-A')
  await git(main, 'commit', '-qm', 'first')
  sessions = await open()
})
afterEach(() => rm(base, { recursive: true, force: true }))

const dataFile = () => path.join(base, 'data', 'sessions.json')

/** @param step called before each step of a change */
async function open(step?: (name: string) => void, worktrees = path.join(base, 'worktrees')): Promise<Sessions> {
  return createSessions({
    records: await openJsonFile(dataFile(), sessionFileSchema, {}, () => undefined),
    ...(step && { step }),
    storage: path.join(base, 'data', 'sessions'),
    worktrees: () => worktrees,
    run: createSessionGit(() => false),
  })
}

/** Adds a commit to a branch, as another process would do meanwhile. */
function commitLate(branch: string): void {
  const commit = execFileSync('git', ['-C', main, ...author, 'commit-tree', 'HEAD^{tree}', '-p', 'HEAD', '-m', 'late'])
  execFileSync('git', ['-C', main, 'update-ref', `refs/heads/${branch}`, commit.toString().trim()])
}

const create = async (name?: string) =>
  (await sessions.create({ folder: main, ...(name !== undefined && { name }) })).session

describe('a session', () => {
  it('has a worktree on a branch of its own outside the repository, from the current commit', async () => {
    const session = await create()
    expect(session).toMatchObject({ name: 'session-1', branch: 'tizona/session-1', state: 'ready' })
    expect(session.base).toBe(await git(main, 'rev-parse', 'HEAD'))
    expect(await git(session.worktree, 'branch', '--show-current')).toBe('tizona/session-1')
    expect(await readFile(path.join(session.worktree, 'src', 'b.txt'), 'utf8')).toBe('b\n')
    expect(session.worktree.startsWith(path.join(base, 'worktrees'))).toBe(true)
    expect((await create()).name).toBe('session-2')
    expect(await git(main, 'status', '--porcelain')).toBe('')
  })

  it('runs no hook and no filter of an untrusted repository', async () => {
    const mark = path.join(base, 'mark')
    await writeFile(path.join(main, '.git', 'hooks', 'post-checkout'), `#!/bin/sh\ntouch ${mark}\n`, { mode: 0o755 })
    await git(main, 'config', 'filter.evil.smudge', `touch ${mark}`)
    await writeTree(main, { '.gitattributes': '*.txt filter=evil\n' })
    await git(main, 'add', '-A')
    await git(main, 'commit', '-qm', 'second')
    await rm(mark, { force: true })
    await create()
    expect(existsSync(mark)).toBe(false)
  })

  it.each(['branch', 'worktree'])('whose creation fails at the step "%s" deletes no branch of others', async (at) => {
    const busy = await open((step) => {
      if (step === at)
        execFileSync('git', ['-C', main, 'worktree', 'add', '-q', '-B', 'tizona/one', path.join(base, 'own')])
    })
    await expect(busy.create({ folder: main, name: 'one' })).rejects.toMatchObject({ code: 'io_error' })
    expect(await git(main, 'rev-parse', 'tizona/one')).toBe(await git(main, 'rev-parse', 'HEAD'))
    expect(await git(path.join(base, 'own'), 'status', '--porcelain')).toBe('')
    expect(await sessions.list()).toEqual([])
    expect(await git(main, 'for-each-ref', 'refs/tizona')).toBe('')
  })

  it('whose creation fails before the worktree leaves no branch', async () => {
    const busy = await open((step) => {
      if (step === 'worktree') throw new Error('full')
    })
    await expect(busy.create({ folder: main })).rejects.toThrow('full')
    expect(await git(main, 'for-each-ref', 'refs/heads/tizona', 'refs/tizona')).toBe('')
  })

  it.each(['../x', 'a b', '-x', 'a..b', 'a.lock', '', 'a/b'])('cannot be named "%s"', async (name) => {
    await expect(create(name)).rejects.toMatchObject({ code: 'invalid_arguments' })
    expect(await sessions.list()).toEqual([])
  })

  it('takes no name of a session, branch or folder that exists', async () => {
    await create('one')
    await git(main, 'branch', 'tizona/two')
    for (const name of ['one', 'two']) await expect(create(name)).rejects.toMatchObject({ code: 'already_exists' })
  })

  it('needs a repository with a commit, opened at its root', async () => {
    await exec('git', ['init', '-q', path.join(base, 'empty')])
    for (const folder of [base, path.join(base, 'empty'), path.join(main, 'src')])
      await expect(sessions.create({ folder })).rejects.toMatchObject({ code: 'not_found' })
  })

  it('is listed with its changed files: committed, uncommitted and untracked', async () => {
    const { worktree } = await create()
    await writeTree(worktree, { 'a.txt': 'two\n' })
    await git(worktree, 'commit', '-qam', 'second')
    await writeTree(worktree, { 'src/b.txt': 'c\n', 'new/file.txt': 'x\n', 'out/ignored.txt': 'x\n' })
    expect(await sessions.list(main)).toMatchObject([
      { changed: ['a.txt', 'new/file.txt', 'src/b.txt'], hasWork: true, inUse: false, state: 'ready' },
    ])
    expect(await sessions.list(path.join(base, 'other'))).toEqual([])
  })

  it('is made below an absolute folder, in which "~" is the home folder', async () => {
    for (const folder of ['trees', './trees', '~other/trees'])
      await expect((await open(undefined, folder)).create({ folder: main })).rejects.toMatchObject({
        code: 'invalid_arguments',
        message: expect.stringContaining(folder),
      })
    const home = `~/${path.relative(homedir(), path.join(base, 'trees'))}`
    const { session } = await (await open(undefined, home)).create({ folder: main })
    expect(session.worktree.startsWith(path.join(base, 'trees'))).toBe(true)
  })

  it('shows changes of many large files, and skips those that are too large', async () => {
    const names = ['1.bin', '2.bin', '3.bin']
    for (const name of names) await writeFile(path.join(main, name), Buffer.alloc(24 * 1024 * 1024))
    await writeFile(path.join(main, 'huge.bin'), Buffer.alloc(33 * 1024 * 1024))
    await git(main, 'add', '-A')
    await git(main, 'commit', '-qm', 'large')
    const { id, worktree } = await create()
    for (const name of [...names, 'huge.bin']) await rm(path.join(worktree, name))
    const { changes, skipped } = await sessions.changes(id)
    expect(changes.map((change) => [change.path, change.base?.content.length])).toEqual(
      names.map((name) => [name, 24 * 1024 * 1024]),
    )
    expect(skipped).toEqual([{ path: 'huge.bin', why: 'It is larger than 32 MB.' }])
  })

  it('that is archived stays as it is', async () => {
    const { id, worktree } = await create()
    await sessions.archive(id, true)
    expect(await sessions.list()).toMatchObject([{ archived: true, state: 'ready' }])
    expect(existsSync(path.join(worktree, 'a.txt'))).toBe(true)
  })
})

describe('.worktreeinclude', () => {
  it('a file that a link replaces after it was checked is not copied', async () => {
    await writeTree(main, { '.worktreeinclude': '*.env\n', 'one.env': 'A=1\n', 'conf/two.env': 'B=1\n' })
    await writeTree(base, { 'secret/two.env': 'secret\n' })
    const late = await open((name) => {
      if (name !== 'copy') return
      rmSync(path.join(main, 'one.env'))
      symlinkSync(path.join(base, 'secret', 'two.env'), path.join(main, 'one.env'))
      renameSync(path.join(main, 'conf'), path.join(main, 'moved'))
      symlinkSync(path.join(base, 'secret'), path.join(main, 'conf'))
    })
    const { session, skipped } = await late.create({ folder: main })
    expect(skipped).toEqual(['conf/two.env', 'one.env'])
    expect(existsSync(path.join(session.worktree, 'one.env'))).toBe(false)
    expect(existsSync(path.join(session.worktree, 'conf', 'two.env'))).toBe(false)
  })

  it('makes no folder through a link in the worktree', async () => {
    await mkdir(path.join(base, 'outside'))
    await symlink(path.join(base, 'outside'), path.join(main, 'links'))
    await git(main, 'add', '-f', 'links')
    await git(main, 'commit', '-qm', 'link')
    await rm(path.join(main, 'links'))
    await writeTree(main, { '.worktreeinclude': '*.env\n', 'links/deep/one.env': 'A=1\n' })
    const { skipped } = await sessions.create({ folder: main })
    expect(skipped).toEqual(['links/deep/one.env'])
    expect(existsSync(path.join(base, 'outside', 'deep'))).toBe(false)
  })

  it('copies what it matches and git ignores, and nothing that leads outside', async () => {
    await writeTree(main, {
      '.worktreeinclude': '*.env\n!skip.env\nout/cache/\na.txt\nlinks/\n',
      'one.env': 'SECRET=1\n',
      'skip.env': 'x\n',
      'out/cache/deep/c.bin': 'c\n',
      'out/other.bin': 'o\n',
      'untracked.txt': 'x\n',
      'links/': '',
    })
    await writeFile(path.join(base, 'private'), 'private')
    await symlink(path.join(base, 'private'), path.join(main, 'links', 'absolute'))
    await symlink('../../private', path.join(main, 'links', 'outward'))
    await symlink('../one.env', path.join(main, 'links', 'inside'))
    const { session, skipped } = await sessions.create({ folder: main })
    const at = (name: string) => path.join(session.worktree, name)
    expect(await readFile(at('one.env'), 'utf8')).toBe('SECRET=1\n')
    expect(await readFile(at('out/cache/deep/c.bin'), 'utf8')).toBe('c\n')
    expect(await readFile(at('links/inside'), 'utf8')).toBe('SECRET=1\n')
    for (const name of ['skip.env', 'out/other.bin', 'untracked.txt', 'links/absolute', 'links/outward'])
      expect(existsSync(at(name))).toBe(false)
    expect(skipped.toSorted()).toEqual(['links/absolute', 'links/outward'])
    expect((await lstat(at('one.env'))).nlink).toBe(1)
    await writeFile(at('one.env'), 'SECRET=2\n')
    expect(await readFile(path.join(main, 'one.env'), 'utf8')).toBe('SECRET=1\n')
  })

  it('does not write through a link that the commit has in place of a folder', async () => {
    await mkdir(path.join(base, 'elsewhere'))
    await symlink(path.join(base, 'elsewhere'), path.join(main, 'conf'))
    await git(main, 'add', '-A')
    await git(main, 'commit', '-qm', 'second')
    await rm(path.join(main, 'conf'))
    await writeTree(main, { '.worktreeinclude': '*.env\n', 'conf/a.env': 'x\n' })
    const { skipped } = await sessions.create({ folder: main })
    expect(skipped).toEqual(['conf/a.env'])
    expect(await readdir(path.join(base, 'elsewhere'))).toEqual([])
  })
})

describe('removing', () => {
  it('a session without work leaves no worktree, branch, folder or record', async () => {
    const { id, worktree } = await create()
    await writeTree(worktree, { 'out/ignored.txt': 'x\n' })
    expect(await sessions.remove(id)).toBeUndefined()
    expect(await git(main, 'worktree', 'list')).not.toContain('worktrees')
    expect(await git(main, 'branch', '--list', 'tizona/*')).toBe('')
    expect(await readdir(path.join(base, 'worktrees'))).toEqual([])
    expect(await sessions.list()).toEqual([])
  })

  it.each<[string, (worktree: string) => Promise<unknown>]>([
    ['an untracked file', (worktree) => writeTree(worktree, { 'new.txt': 'work\n' })],
    ['a changed file', (worktree) => writeTree(worktree, { 'a.txt': 'work\n' })],
    [
      'a staged file',
      async (worktree) => {
        await writeTree(worktree, { 'new.txt': 'work\n' })
        await git(worktree, 'add', '-A')
      },
    ],
    [
      'a commit',
      async (worktree) => {
        await writeTree(worktree, { 'new.txt': 'work\n' })
        await git(worktree, 'add', '-A')
        await git(worktree, 'commit', '-qm', 'work')
      },
    ],
    [
      'a commit on a detached HEAD',
      async (worktree) => {
        await git(worktree, 'checkout', '-q', '--detach')
        await writeTree(worktree, { 'new.txt': 'work\n' })
        await git(worktree, 'add', '-A')
        await git(worktree, 'commit', '-qm', 'work')
      },
    ],
  ])('a session with %s needs confirmation, and keeps it', async (_what, work) => {
    const { id, worktree } = await create()
    await work(worktree)
    await expect(sessions.remove(id)).rejects.toMatchObject({ code: 'conflict' })
    expect(existsSync(worktree)).toBe(true)
    const kept = await sessions.remove(id, { confirmed: true })
    expect(existsSync(worktree)).toBe(false)
    const files = await git(main, 'ls-tree', '-r', '--name-only', kept?.ref ?? '')
    const texts = await Promise.all(files.split('\n').map((file) => git(main, 'show', `${kept?.ref}:${file}`)))
    expect(texts).toContain('work')
    expect(sessions.kept(main)).toEqual([kept])
    expect(kept && (await sessions.hasReference(kept))).toBe(true)
    expect(await git(main, 'status', '--porcelain')).toBe('')
  })

  it('commits on another branch count as kept, and the branch stays', async () => {
    const { id, worktree } = await create()
    await git(worktree, 'checkout', '-q', '-b', 'feature')
    await git(worktree, 'commit', '-q', '--allow-empty', '-m', 'work')
    await sessions.remove(id)
    expect(await git(main, 'log', '-1', '--format=%s', 'feature')).toBe('work')
  })

  it('a copied file that has changed counts as work, and its copy is kept', async () => {
    await writeTree(main, { '.worktreeinclude': '*.env\n', 'one.env': 'A=1\n', 'two.env': 'B=1\n' })
    await git(main, 'add', '-A')
    await git(main, 'commit', '-qm', 'second')
    const { id, worktree } = await create()
    await writeTree(worktree, { 'one.env': 'A=2\n' })
    await expect(sessions.remove(id)).rejects.toMatchObject({ message: expect.stringContaining('git ignores') })
    const kept = await sessions.remove(id, { confirmed: true })
    expect(await readdir(kept?.files ?? '')).toEqual(['one.env'])
    expect(await readFile(path.join(kept?.files ?? '', 'one.env'), 'utf8')).toBe('A=2\n')
    expect(kept && (await sessions.hasReference(kept))).toBe(false)
  })

  it('a nested repository makes git refuse, and the session stays as it was', async () => {
    const { id, worktree } = await create()
    const nested = path.join(worktree, 'nested')
    await exec('git', ['init', '-q', nested])
    await git(nested, ...author, ...emptyCommit)
    await writeTree(worktree, { 'a.txt': 'work\n' })
    await expect(sessions.remove(id, { confirmed: true })).rejects.toMatchObject({ code: 'io_error' })
    expect(await git(worktree, 'branch', '--show-current')).toBe('tizona/session-1')
    expect(await git(worktree, 'status', '--porcelain')).toBe('M a.txt\n?? nested/')
    expect(await sessions.list()).toMatchObject([{ state: 'ready', hasWork: true }])
  })

  it.each(['--skip-worktree', '--assume-unchanged'])('a change that %s hides counts as work', async (flag) => {
    const unchanged = await create()
    await git(unchanged.worktree, 'update-index', flag, 'a.txt')
    await sessions.remove(unchanged.id)
    const { id, worktree } = await create()
    await git(worktree, 'update-index', flag, 'a.txt')
    await writeTree(worktree, { 'a.txt': 'work\n' })
    expect(await git(worktree, 'status', '--porcelain')).toBe('')
    await expect(sessions.remove(id)).rejects.toMatchObject({ code: 'conflict' })
    const kept = await sessions.remove(id, { confirmed: true })
    expect(await git(main, 'show', `${kept?.ref}:a.txt`)).toBe('work')
  })

  it('does not delete a late untracked file that status.showUntrackedFiles hides', async () => {
    await git(main, 'config', 'status.showUntrackedFiles', 'no')
    const { id, worktree } = await create()
    const busy = await open((step) => {
      if (step === 'remove') writeFileSync(path.join(worktree, 'late.txt'), 'late')
    })
    await expect(busy.remove(id)).rejects.toMatchObject({ message: expect.stringContaining('git worktree failed') })
    expect(existsSync(path.join(worktree, 'late.txt'))).toBe(true)
  })

  it.each<[string, string, (worktree: string) => Promise<unknown>]>([
    [
      'files that only an untracked .gitignore hides',
      'reports/day.txt',
      (worktree) => writeTree(worktree, { 'reports/.gitignore': '*\n', 'reports/day.txt': 'work\n' }),
    ],
    [
      'a new file that .worktreeinclude matches',
      'src/new.env',
      (worktree) => writeTree(worktree, { 'src/new.env': 'work\n' }),
    ],
    [
      'a nested repository in an ignored folder',
      'out/nested/file.txt',
      async (worktree) => {
        await exec('git', ['init', '-q', path.join(worktree, 'out', 'nested')])
        await writeTree(worktree, { 'out/nested/file.txt': 'work\n' })
        await symlink('file.txt', path.join(worktree, 'out', 'nested', 'link'))
      },
    ],
  ])('a session with %s needs confirmation, and keeps copies', async (_what, file, work) => {
    await writeTree(main, { '.worktreeinclude': '*.env\n', 'one.env': 'A=1\n' })
    const { id, worktree } = await create()
    await writeTree(worktree, { 'out/built.bin': 'x\n', 'out/other.bin': 'x\n' })
    await work(worktree)
    await expect(sessions.remove(id)).rejects.toMatchObject({
      code: 'conflict',
      next: expect.stringContaining('2 other files that git ignores will be deleted'),
    })
    const kept = await sessions.remove(id, { confirmed: true })
    expect(await readFile(path.join(kept?.files ?? '', file), 'utf8')).toBe('work\n')
    expect(existsSync(path.join(kept?.files ?? '', 'out', 'built.bin'))).toBe(false)
  })

  it.each(['remove', 'branch'])('keeps a commit that is made at the step "%s"', async (at) => {
    const { id, branch } = await create()
    const busy = await open((step) => {
      if (step !== at) return
      commitLate(branch)
    })
    const kept = await busy.remove(id)
    expect(await git(main, 'log', '--format=%s', kept?.ref ?? '')).toContain('late')
    expect(await git(main, 'branch', '--list', 'tizona/*')).toBe('')
  })

  it('keeps a late commit beside files that are kept', async () => {
    const { id, worktree, branch } = await create()
    await writeTree(worktree, { 'new.txt': 'work\n' })
    const busy = await open((step) => {
      if (step !== 'branch') return
      commitLate(branch)
    })
    const kept = await busy.remove(id, { confirmed: true })
    expect(await git(main, 'log', '--format=%s', kept?.ref ?? '')).toContain('late')
    expect(await git(main, 'show', `${kept?.ref}:new.txt`)).toBe('work')
  })

  describe('that fails', () => {
    const staged = 'M  a.txt\n?? nested/'

    async function detached(worktree: string): Promise<string> {
      await git(worktree, 'checkout', '-q', '--detach')
      await git(worktree, 'commit', '-q', '--allow-empty', '-m', 'work')
      await writeTree(worktree, { 'a.txt': 'staged\n' })
      await git(worktree, 'add', 'a.txt')
      await exec('git', ['init', '-q', path.join(worktree, 'nested')])
      return git(worktree, 'rev-parse', 'HEAD')
    }

    it('before HEAD moves leaves a detached HEAD and the index', async () => {
      const { id, worktree } = await create()
      const head = await detached(worktree)
      await expect(sessions.remove(id, { confirmed: true })).rejects.toMatchObject({ code: 'io_error' })
      expect(await git(worktree, 'rev-parse', 'HEAD')).toBe(head)
      expect(await git(worktree, 'branch', '--show-current')).toBe('')
      expect(await git(worktree, 'status', '--porcelain')).toBe(staged)
    })

    it('after HEAD has moved restores a detached HEAD and the index', async () => {
      const { id, worktree } = await create()
      const head = await detached(worktree)
      await git(path.join(worktree, 'nested'), ...author, ...emptyCommit)
      await expect(sessions.remove(id, { confirmed: true })).rejects.toMatchObject({ code: 'io_error' })
      expect(await git(worktree, 'rev-parse', 'HEAD')).toBe(head)
      expect(await git(worktree, 'branch', '--show-current')).toBe('')
      expect(await git(worktree, 'status', '--porcelain')).toBe(staged)
    })
  })

  it('a session whose submodules are checked out is refused before anything changes', async () => {
    const other = path.join(base, 'other')
    await exec('git', ['init', '-q', other])
    await git(other, ...author, ...emptyCommit)
    await git(main, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', other, 'module')
    await git(main, 'commit', '-qm', 'second')
    const unused = await create()
    await sessions.remove(unused.id)
    const { id, worktree } = await create()
    await git(worktree, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'update', '--init')
    await writeTree(worktree, { 'a.txt': 'staged\n' })
    await git(worktree, 'add', 'a.txt')
    await expect(sessions.remove(id, { confirmed: true })).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('None of them has work that is nowhere else: module.'),
      next: expect.stringContaining('worktree remove --force'),
    })
    expect(await git(worktree, 'status', '--porcelain')).toBe('M  a.txt')
    await writeTree(worktree, { 'module/new.txt': 'x\n' })
    await expect(sessions.remove(id, { confirmed: true })).rejects.toMatchObject({
      message: expect.stringContaining('Uncommitted files or commits that are not pushed are in module.'),
      next: expect.stringContaining('commit and push'),
    })
    expect(sessions.kept()).toEqual([])
  })

  it('a commit on a detached HEAD between the check and the removal is kept', async () => {
    const { id, worktree } = await create()
    await git(worktree, 'checkout', '-q', '--detach')
    const late = await open((name) => {
      if (name !== 'remove') return
      execFileSync('git', ['-C', worktree, ...author, ...emptyCommit.slice(0, -1), 'late'])
    })
    const kept = await late.remove(id)
    expect(existsSync(worktree)).toBe(false)
    expect(await git(main, 'log', '-1', '--format=%s', kept?.ref ?? '')).toBe('late')
  })

  it('a lock that an interrupted removal left does not prevent the next one', async () => {
    const { id, worktree } = await create()
    await writeTree(worktree, { 'new.txt': 'x\n' })
    const gitFolder = await git(worktree, 'rev-parse', '--absolute-git-dir')
    await writeTree(gitFolder, { 'HEAD.lock': 'tizona\n' })
    const kept = await sessions.remove(id, { confirmed: true })
    expect(await git(main, 'show', `${kept?.ref}:new.txt`)).toBe('x')
  })

  it('a session in which another program holds HEAD is not removed', async () => {
    const { id, worktree } = await create()
    const gitFolder = await git(worktree, 'rev-parse', '--absolute-git-dir')
    await writeTree(gitFolder, { 'HEAD.lock': 'other\n' })
    await expect(sessions.remove(id)).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('HEAD'),
    })
    expect(existsSync(path.join(worktree, 'a.txt'))).toBe(true)
    expect(await readFile(path.join(gitFolder, 'HEAD.lock'), 'utf8')).toBe('other\n')
  })

  it.skipIf(process.platform === 'win32')('pipes in place of its files do not stop a removal for good', async () => {
    const { id, worktree } = await create()
    await writeTree(worktree, { 'new.txt': 'x\n' })
    const gitFolder = await git(worktree, 'rev-parse', '--absolute-git-dir')
    const pipes = ['HEAD.lock', 'tizona-head', 'tizona-head.new', 'tizona-index.new']
    for (const name of pipes) execFileSync('mkfifo', [path.join(gitFolder, name)])
    await expect(sessions.remove(id, { confirmed: true })).rejects.toThrow(/HEAD|lock/)
    await rm(path.join(gitFolder, 'HEAD.lock'))
    const kept = await sessions.remove(id, { confirmed: true })
    expect(await git(main, 'show', `${kept?.ref}:new.txt`)).toBe('x')
  })

  it('a session that a process works in is refused, even if confirmed', async () => {
    const { id, worktree } = await create()
    const ended = await sessions.use(worktree)
    await expect((await open()).remove(id, { confirmed: true })).rejects.toMatchObject({ code: 'conflict' })
    expect(await sessions.sweepable(() => false)).toEqual([])
    await ended()
    await (await open()).remove(id)
  })

  it('a worktree that two windows use is in use until both have closed it', async () => {
    const { id, worktree } = await create()
    const first = await sessions.use(worktree)
    const second = await (await open()).use(worktree)
    await first()
    await expect(sessions.remove(id)).rejects.toMatchObject({ code: 'conflict' })
    await second()
    await sessions.remove(id)
  })

  it('a worktree that was deleted by hand leaves nothing but its commits', async () => {
    const { id, worktree } = await create()
    await git(worktree, 'commit', '-q', '--allow-empty', '-m', 'work')
    await rm(worktree, { recursive: true })
    expect(await sessions.list()).toMatchObject([{ state: 'missing', hasWork: true }])
    const kept = await sessions.remove(id, { confirmed: true })
    expect(await git(main, 'log', '-1', '--format=%s', kept?.ref ?? '')).toBe('work')
    expect(await git(main, 'worktree', 'list', '--porcelain')).not.toContain('prunable')
  })

  it('a worktree without its .git file is repaired first, so that its work counts', async () => {
    const { id, worktree } = await create()
    await writeTree(worktree, { 'a.txt': 'work\n' })
    await rm(path.join(worktree, '.git'))
    await expect(sessions.remove(id)).rejects.toMatchObject({ code: 'conflict' })
    const kept = await sessions.remove(id, { confirmed: true })
    expect(await git(main, 'show', `${kept?.ref}:a.txt`)).toBe('work')
  })

  it('a folder that has become another repository stays', async () => {
    const { id, worktree } = await create()
    await rm(path.join(worktree, '.git'))
    await exec('git', ['init', '-q', worktree])
    await expect(sessions.remove(id, { confirmed: true })).rejects.toMatchObject({ code: 'conflict' })
    expect(existsSync(path.join(worktree, 'a.txt'))).toBe(true)
    expect(await sessions.list()).toMatchObject([{ state: 'missing' }])
  })

  it('never touches a worktree that the user made or moved', async () => {
    const other = path.join(base, 'worktrees', 'mine')
    await git(main, 'worktree', 'add', '-q', '-b', 'mine', other)
    const { id, worktree } = await create()
    await git(main, 'worktree', 'move', worktree, path.join(base, 'moved'))
    await writeTree(path.join(base, 'moved'), { 'a.txt': 'work\n' })
    await sessions.remove(id, { confirmed: true })
    expect(await readFile(path.join(base, 'moved', 'a.txt'), 'utf8')).toBe('work\n')
    expect(await git(path.join(base, 'moved'), 'branch', '--show-current')).toBe('tizona/session-1')
    expect(existsSync(path.join(other, 'a.txt'))).toBe(true)
  })

  it('leaves a folder whose repository is gone', async () => {
    const { id, worktree } = await create()
    await rename(main, path.join(base, 'renamed'))
    expect(await sessions.list()).toMatchObject([{ state: 'orphaned' }])
    await expect(sessions.remove(id)).rejects.toMatchObject({ code: 'conflict' })
    await sessions.remove(id, { confirmed: true })
    expect(existsSync(path.join(worktree, 'a.txt'))).toBe(true)
  })
})

/** Changes the only record, as another process would. */
function rewrite(change: Partial<SessionRecord>): void {
  const file = sessionFileSchema.parse(JSON.parse(readFileSync(dataFile(), 'utf8')))
  writeFileSync(
    dataFile(),
    JSON.stringify({ ...file, sessions: file.sessions.map((each) => ({ ...each, ...change })) }),
  )
}

describe('a session that another process', () => {
  let other: ChildProcess
  const living = () => ({ ...processOf(other.pid ?? 0), machine: thisMachine() })
  const dead = () => ({ ...living(), start: '1' })

  beforeEach(() => {
    other = spawn('sleep', ['60'], { cwd: '/', stdio: 'ignore' })
  })
  afterEach(() => other.kill())

  it('uses is not removed by a recovery', async () => {
    const { worktree } = await create()
    rewrite({ state: 'removing', by: dead(), users: [living()] })
    await sessions.recover()
    expect(existsSync(path.join(worktree, 'a.txt'))).toBe(true)
    rewrite({ users: [dead()] })
    await sessions.recover()
    expect(existsSync(worktree)).toBe(false)
  })

  it.each<[string, () => Partial<SessionRecord>]>([
    ['begins to use', () => ({ users: [living()] })],
    ['begins to remove', () => ({ state: 'removing', by: living() })],
  ])('%s after the check is not removed', async (_what, change) => {
    const { id, worktree } = await create()
    const late = await open((name) => {
      if (name === 'removing') rewrite(change())
    })
    await expect(late.remove(id)).rejects.toMatchObject({ code: 'conflict' })
    expect(existsSync(path.join(worktree, 'a.txt'))).toBe(true)
    expect(await sessions.list()).toMatchObject([change().state ? { state: 'removing' } : { state: 'ready' }])
  })

  it('removes cannot be used', async () => {
    const { worktree } = await create()
    rewrite({ state: 'removing', by: living() })
    await expect(sessions.use(worktree)).rejects.toMatchObject({ code: 'conflict' })
  })
})

it.each(['creating', 'removing'] as const)('a failure that left "%s" in this process is mended', async (state) => {
  const by = { ...processOf(process.pid), machine: thisMachine() }
  const { id, worktree } = await create()
  rewrite({ state, by })
  await sessions.recover()
  expect(existsSync(worktree)).toBe(state === 'creating')
  if (state === 'removing') return
  rewrite({ state, by })
  await sessions.remove(id)
  expect(existsSync(worktree)).toBe(false)
})

it('two windows of a process that remove a session do not disturb each other', async () => {
  const { id, worktree } = await create()
  await writeTree(worktree, { 'a.txt': 'work\n' })
  const results = await Promise.allSettled([sessions, await open()].map((each) => each.remove(id, { confirmed: true })))
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
  expect(await git(main, 'show', `${sessions.kept()[0]?.ref}:a.txt`)).toBe('work')
})

it('a sweep offers only sessions whose recorded conversation is gone', async () => {
  const names = ['alive', 'gone', 'archived', 'missing']
  for (const name of names) await sessions.setConversation((await create(name)).id, name)
  await create('window')
  await sessions.archive((await sessions.find('archived')).id, true)
  await rm((await sessions.find('missing')).worktree, { recursive: true })
  const offered = await sessions.sweepable((conversation) => conversation === 'alive')
  expect(offered.map(({ name }) => name)).toEqual(['gone'])
})

it('a session whose worktree is missing is only removed if this is confirmed', async () => {
  const { id, worktree } = await create()
  await rename(worktree, `${worktree}-moved`)
  await expect(sessions.remove(id)).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringContaining('missing'),
  })
  await rename(`${worktree}-moved`, worktree)
  expect(await sessions.list()).toMatchObject([{ state: 'ready' }])
  await rm(worktree, { recursive: true })
  await sessions.remove(id, { confirmed: true })
  expect(await sessions.list()).toEqual([])
})

it('kept work is forgotten after its time', async () => {
  await writeTree(main, { '.worktreeinclude': '*.env\n', 'one.env': 'A=1\n' })
  const { id, worktree } = await create()
  await writeTree(worktree, { 'a.txt': 'work\n', 'one.env': 'A=2\n' })
  const kept = await sessions.remove(id, { confirmed: true })
  await sessions.recover()
  // By hand.
  await rm(kept?.files ?? '', { recursive: true })
  expect(await git(main, 'rev-parse', kept?.ref ?? '')).toBe(kept?.commit)
  const file = dataFile()
  await writeFile(file, (await readFile(file, 'utf8')).replace(String(kept?.until), '1'))
  const later = await open()
  await later.recover()
  expect(later.kept()).toEqual([])
  expect(await git(main, 'for-each-ref', 'refs/tizona')).toBe('')
})
