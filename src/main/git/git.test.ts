import { execFile } from 'node:child_process'
import { appendFile, mkdir, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { makePlaceholder } from '../base/placeholderFolder.ts'
import { temporaryFolder, writeTree } from '../tools/testing/toolContext.ts'
import { openWorkspace } from '../workspace/containment.ts'
import { createGit, type Git } from './git.ts'
import { openRepository } from './gitRepository.ts'
import { gitEnvironment } from './runGit.ts'

const signal = new AbortController().signal
const run = promisify(execFile)

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let outside: Awaited<ReturnType<typeof temporaryFolder>>
let git: Git

/** Runs the user's own git, before the repository becomes hostile. */
const plain = (...args: string[]) =>
  run('git', args, { cwd: folder.root, env: { ...gitEnvironment(process.env, {}), GIT_ALLOW_PROTOCOL: 'file' } })

beforeEach(async () => {
  outside = await temporaryFolder({ 'marks/': '' })
  folder = await temporaryFolder({ 'a.txt': 'one\n', 'sub/b.txt': 'b\n' })
  await plain('init', '-q', '-b', 'main')
  await plain('config', 'user.name', 'Ana')
  await plain('config', 'user.email', 'ana@example.org')
  git = createGit(await openWorkspace(folder.root))
})
afterEach(async () => {
  await folder.remove()
  await outside.remove()
})

async function firstCommit(): Promise<void> {
  await plain('add', '-A')
  await plain('commit', '-q', '-m', 'first')
}

describe('a hostile repository', () => {
  const marks = () => readdir(path.join(outside.root, 'marks'))
  /** Creates a program that records its start in a marker file. */
  async function trap(name: string): Promise<string> {
    const file = path.join(outside.root, name)
    await writeFile(file, `#!/bin/sh\ntouch "${path.join(outside.root, 'marks', name)}"\n`, { mode: 0o755 })
    return file
  }

  async function spring(): Promise<void> {
    await writeTree(folder.root, { 'c.txt': 'c\n' })
    await firstCommit()
    await writeTree(folder.root, { 'a.txt': 'two\n' })
    await plain('add', 'a.txt')
    await plain('config', 'core.fsmonitor', await trap('fsmonitor'))
    await plain('config', 'core.pager', await trap('pager'))
    await plain('config', 'core.editor', await trap('editor'))
    await plain('config', 'diff.external', await trap('external'))
    await plain('config', 'diff.d.textconv', await trap('textconv'))
    await plain('config', 'diff.d.command', await trap('command'))
    await plain('config', 'filter.f.clean', await trap('clean'))
    await plain('config', 'filter.f.required', 'true')
    await plain('config', 'filter.a=b.clean', await trap('other-clean'))
    await plain('config', 'filter.p.process', await trap('process'))
    await plain('config', 'commit.gpgSign', 'true')
    await plain('config', 'gpg.program', await trap('gpg'))
    await plain('config', 'log.showSignature', 'true')
    // Git runs these since version 2.54, and older versions ignore them.
    await plain('config', 'hook.configured.command', await trap('configured'))
    for (const event of ['pre-commit', 'post-commit', 'reference-transaction', 'post-index-change'])
      await plain('config', '--add', 'hook.configured.event', event)
    // Gives the name of an event to a hook, so that turning off the event has no effect.
    await plain('config', 'hook.pre-commit.command', await trap('event-name'))
    for (const hook of [
      'pre-commit',
      'commit-msg',
      'prepare-commit-msg',
      'post-commit',
      'reference-transaction',
      'post-index-change',
      'pre-auto-gc',
    ]) {
      await run('cp', [await trap(hook), path.join(folder.root, '.git/hooks', hook)])
    }
    await writeTree(folder.root, {
      '.gitattributes': 'a.txt filter=f diff=d\nsub/* filter=a=b diff=d\nc.txt filter=p\n',
      'a.txt': 'two\nthree\n',
      'sub/b.txt': 'changed\n',
      'c.txt': 'changed\n',
    })
  }

  it('starts its programs under plain git, which shows that the test can fail', async () => {
    await spring()
    await run('git', ['status'], { cwd: folder.root }).catch(() => undefined)
    await run('git', ['diff', '--', 'sub/b.txt'], { cwd: folder.root }).catch(() => undefined)
    await run('git', ['diff', '--', 'c.txt'], { cwd: folder.root }).catch(() => undefined)
    expect(await marks()).toEqual(expect.arrayContaining(['command', 'fsmonitor', 'process']))
  })

  it('starts no program through status, diff and commit', async () => {
    await spring()
    await git.diff('.', {}, signal)
    await git.diff('.', { commit: 'HEAD' }, signal)
    expect((await git.status('.', signal)).filters.toSorted()).toEqual(['a=b', 'f', 'p'])
    await git.diff('.', { staged: true }, signal)
    expect((await git.commit('.', 'second', signal)).files).toEqual([{ path: 'a.txt', added: 1, removed: 1 }])
    expect(await marks()).toEqual([])
  })

  it('cannot name hooks in its configuration, which git runs since version 2.54', async () => {
    await plain('config', 'hook.a.b.command', await trap('dotted'))
    await plain('config', '--file', path.join(folder.root, 'included'), 'hook.Other.event', 'pre-commit')
    await plain('config', 'include.path', '../included')
    const { config } = await openRepository(await openWorkspace(folder.root), '.', signal)
    expect(config).toMatchObject({
      'hook.a.b.event': '',
      'hook.a.b.enabled': 'false',
      'hook.Other.event': '',
      'hook.Other.enabled': 'false',
    })
  })

  it('does not enter submodules, because git would follow their configuration', async () => {
    await firstCommit()
    await run('git', ['clone', '-q', folder.root, path.join(outside.root, 'clone')])
    await plain(
      '-c',
      'protocol.file.allow=always',
      'submodule',
      '--quiet',
      'add',
      path.join(outside.root, 'clone'),
      'module',
    )
    await run('git', ['config', 'core.fsmonitor', await trap('fsmonitor')], { cwd: path.join(folder.root, 'module') })
    await plain('config', 'submodule.module.ignore', 'none')
    await writeFile(path.join(folder.root, 'module/a.txt'), 'changed\n')
    await git.status('.', signal)
    await git.diff('.', {}, signal)
    await git.commit('.', 'module', signal)
    expect(await marks()).toEqual([])
    expect((await git.status('module', signal)).groups.changes).toEqual([{ path: 'a.txt', kind: 'modified' }])
    expect(await marks()).toEqual([])
  })

  it('does not fetch missing objects of a partial clone', async () => {
    await firstCommit()
    const { stdout } = await plain('rev-parse', 'HEAD:a.txt')
    const blob = stdout.trim()
    await run('rm', ['-f', path.join(folder.root, '.git/objects', blob.slice(0, 2), blob.slice(2))])
    await plain('config', 'core.repositoryFormatVersion', '1')
    await plain('config', 'extensions.partialClone', 'origin')
    await plain('config', 'remote.origin.promisor', 'true')
    await plain('config', 'remote.origin.url', outside.root)
    await plain('config', 'remote.origin.uploadpack', await trap('uploadpack'))
    await plain('config', 'protocol.file.allow', 'always')
    await writeFile(path.join(folder.root, 'a.txt'), 'changed\n')
    await expect(git.diff('.', {}, signal)).rejects.toMatchObject({ code: 'io_error' })
    expect(await marks()).toEqual([])
  })

  it('is rejected if part of it is outside the workspace', async () => {
    await firstCommit()
    await plain('config', 'core.worktree', outside.root)
    await expect(git.status('.', signal)).rejects.toMatchObject({
      code: 'outside_workspace',
      message: expect.stringContaining('core.worktree'),
    })
    await writeTree(folder.root, {
      'linked/.git': `gitdir: ${outside.root}\n`,
      'shared/.git/commondir': `${outside.root}\n`,
    })
    await expect(git.status('linked', signal)).rejects.toMatchObject({
      code: 'outside_workspace',
      next: expect.stringContaining('open the folder'),
    })
    await expect(git.status('shared', signal)).rejects.toMatchObject({ code: 'outside_workspace' })
    await expect(git.status('..', signal)).rejects.toMatchObject({ code: 'outside_workspace' })
  })

  it('cannot redirect a commit to a file outside', async () => {
    await firstCommit()
    await run('rm', ['-rf', path.join(folder.root, '.git/logs')])
    await mkdir(path.join(folder.root, '.git/logs'))
    await symlink(path.join(outside.root, 'profile'), path.join(folder.root, '.git/logs/HEAD'))
    await writeFile(path.join(folder.root, 'a.txt'), 'two\n')
    await plain('-c', 'core.logAllRefUpdates=false', 'add', 'a.txt')
    await expect(git.commit('.', 'x', signal)).rejects.toMatchObject({
      code: 'outside_workspace',
      message: expect.stringContaining('HEAD'),
    })
    expect(await readdir(outside.root)).toEqual(['marks'])
  })
})

it('an empty .git folder of the sandbox does not hide the repository that contains the folder', async () => {
  makePlaceholder(path.join(folder.root, 'sub', '.git'))
  const { relative } = await openRepository(await openWorkspace(folder.root), 'sub', signal)
  expect(relative).toBe('.')
})

it('environment variables that change how git behaves are removed', () => {
  const environment = gitEnvironment(
    {
      GIT_DIR: '/x',
      GIT_EXTERNAL_DIFF: '/x',
      HOME: '/home/ana',
      PATH: ['bin', '.', '/usr/bin', ''].join(path.delimiter),
    },
    {},
  )
  expect(environment).toMatchObject({ HOME: '/home/ana', PATH: '/usr/bin', GIT_TERMINAL_PROMPT: '0' })
  expect(environment).not.toHaveProperty('GIT_DIR')
  expect(environment).not.toHaveProperty('GIT_EXTERNAL_DIFF')
})

it('a configuration that is too large to read completely is rejected, because it could hide a filter', async () => {
  await appendFile(path.join(folder.root, '.git/config'), `[x]\n${`y = ${'z'.repeat(1000)}\n`.repeat(1200)}`)
  await expect(git.status('.', signal)).rejects.toMatchObject({ code: 'too_large' })
})

it('a repository whose commondir is too large to read is rejected, because git would read it', async () => {
  await writeFile(path.join(folder.root, '.git', 'commondir'), `../../elsewhere${'\n'.repeat(2 * 1024 * 1024)}`)
  await expect(git.status('.', signal)).rejects.toMatchObject({ code: 'outside_workspace' })
})

it('a linked hooks folder does not prevent a commit', async () => {
  await run('rm', ['-rf', path.join(folder.root, '.git/hooks')])
  await symlink('../sub', path.join(folder.root, '.git/hooks'))
  await plain('add', 'a.txt')
  expect((await git.commit('.', 'x', signal)).files).toHaveLength(1)
})

it('a cancelled call rejects with an abort error', async () => {
  await expect(git.status('.', AbortSignal.abort())).rejects.toThrow(expect.objectContaining({ name: 'AbortError' }))
})

describe('a repository with parts outside the workspace', () => {
  /** Another repository of the user, which is not open. */
  async function otherRepository(): Promise<{ objects: string; hash: string }> {
    const other = path.join(outside.root, 'other')
    await writeTree(other, { 'private.txt': 'a private line\n' })
    const at = (...args: string[]) => run('git', ['-C', other, '-c', 'user.name=A', '-c', 'user.email=a@b', ...args])
    await at('init', '-q')
    await at('add', '.')
    await at('commit', '-q', '-m', 'private')
    return { objects: path.join(other, '.git/objects'), hash: (await at('rev-parse', 'HEAD')).stdout.trim() }
  }
  const refused = { code: 'outside_workspace' }

  it.each(['objects/info/alternates', 'a chain of alternates'])('through %s is refused', async (how) => {
    await firstCommit()
    const { objects, hash } = await otherRepository()
    const direct = how === 'objects/info/alternates'
    if (!direct) await writeTree(folder.root, { 'store/info/alternates': `${objects}\n` })
    await writeTree(folder.root, {
      '.git/objects/info/alternates': direct ? `# a comment\n${objects}\n` : '../../store\n',
    })
    await expect(git.diff('.', { commit: hash }, signal)).rejects.toMatchObject(refused)
    await expect(git.status('.', signal)).rejects.toMatchObject(refused)
  })

  it('through alternates inside the workspace is accepted', async () => {
    await firstCommit()
    await writeTree(folder.root, { 'store/info/packs': '', '.git/objects/info/alternates': '../../store\n' })
    expect((await git.status('.', signal)).branch).toBe('main')
  })

  it.each(['refs/heads/linked', 'objects/pack/other', 'objects/ab', 'packed-refs', 'info/exclude'])(
    'through a link at %s is refused',
    async (name) => {
      await firstCommit()
      const { objects } = await otherRepository()
      // git has a folder of this name if the hash of an object begins with it.
      await rm(path.join(folder.root, '.git', name), { recursive: true, force: true })
      await mkdir(path.dirname(path.join(folder.root, '.git', name)), { recursive: true })
      await symlink(objects, path.join(folder.root, '.git', name))
      await expect(git.status('.', signal)).rejects.toMatchObject(refused)
      await expect(git.diff('.', {}, signal)).rejects.toMatchObject(refused)
    },
  )

  it('through an included configuration file is refused; one inside is accepted', async () => {
    await firstCommit()
    await writeTree(folder.root, { 'shared.config': '[user]\n\tname = Bo\n' })
    await plain('config', 'include.path', '../shared.config')
    expect((await git.status('.', signal)).branch).toBe('main')
    await writeTree(outside.root, { config: '[alias]\n\ta = status\n' })
    await plain('config', 'includeIf.onbranch:main.path', path.join(outside.root, 'config'))
    await expect(git.status('.', signal)).rejects.toMatchObject(refused)
  })

  it.each([
    ['.git', 'gitdir: ../elsewhere\n'],
    ['.git/commondir', '../../elsewhere/.git\n'],
  ])('through %s is refused', async (name, content) => {
    if (name === '.git') await rm(path.join(folder.root, '.git'), { recursive: true })
    await writeTree(folder.root, { [name]: content })
    await expect(git.status('.', signal)).rejects.toMatchObject(refused)
  })
})

it('a diff names changed secret files and leaves out their content', async () => {
  git = createGit(await openWorkspace(folder.root), { isSecret: (name) => name.endsWith('.env') })
  await writeTree(folder.root, { 'sub/.env': 'TOKEN=1\n', '.env': 'TOKEN=1\n' })
  await firstCommit()
  await writeTree(folder.root, { 'sub/.env': 'TOKEN=hidden\n', '.env': 'TOKEN=hidden\n', 'a.txt': 'two\n' })
  const { text, files, secret } = await git.diff('sub', {}, signal)
  expect(secret).toEqual(['.env', 'sub/.env'])
  expect(files.map((file) => file.path)).toEqual(['a.txt'])
  expect(text).not.toContain('TOKEN')
})
