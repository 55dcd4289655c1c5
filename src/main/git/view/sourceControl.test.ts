import { chmod, mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { toRepositoryPath, toWorkspacePath } from '../../../shared/git/git.ts'
import { openWorkspace } from '../../workspace/containment.ts'
import { gitFolder, groupsOf, type GitFolder } from './testing/gitFolder.ts'

let folder: GitFolder
beforeEach(async () => {
  folder = await gitFolder()
})
afterEach(() => folder.remove())

const status = () => folder.service.status(folder.id, true)
const plainCommit = { message: 'second', amend: false, signOff: false, all: false, skipHooks: false }

it('stages, unstages and commits files', async () => {
  await folder.write({ 'a.txt': 'one\n2\nthree\n', 'new file.txt': 'new\n' })
  await folder.git('mv', 'sub/b.txt', 'sub/c.txt')
  expect(groupsOf(await status())).toEqual({
    staged: ['renamed sub/c.txt'],
    changes: ['modified a.txt'],
    untracked: ['untracked new file.txt'],
  })
  const staged = await folder.service.stage(folder.id, ['a.txt', 'new file.txt'])
  expect(groupsOf(staged)).toEqual({ staged: ['modified a.txt', 'added new file.txt', 'renamed sub/c.txt'] })
  const unstaged = await folder.service.unstage(folder.id, ['sub/c.txt', 'new file.txt'])
  expect(groupsOf(unstaged)).toEqual({
    staged: ['modified a.txt'],
    changes: ['deleted sub/b.txt'],
    untracked: ['untracked new file.txt', 'untracked sub/c.txt'],
  })
  const { hash, status: after } = await folder.service.commit(folder.id, 'o1', { ...plainCommit, signOff: true })
  expect(after.head).toBe(hash)
  expect(await folder.git('log', '-1', '--format=%B', '--name-only')).toMatch(
    /^second\n\nSigned-off-by: Ana <ana@example.org>\n\n\na.txt\n$/,
  )
})

describe('names and kinds of files', () => {
  it('keeps the bytes of a name that is not UTF-8', async () => {
    await writeFile(Buffer.concat([Buffer.from(`${folder.root}/caf`), Buffer.from([0xe9])]), 'latin\n')
    expect(groupsOf(await status())).toEqual({ untracked: ['untracked caf\udce9'] })
    expect(groupsOf(await folder.service.stage(folder.id, ['caf\udce9']))).toEqual({ staged: ['added caf\udce9'] })
  })

  it('shows a folder in place of a file, a link in place of a file and a rename by case', async () => {
    await rm(path.join(folder.root, 'a.txt'))
    await folder.write({ 'a.txt/inner': 'x\n' })
    await rename(path.join(folder.root, 'sub/b.txt'), path.join(folder.root, 'sub/B.txt'))
    expect(groupsOf(await folder.service.stage(folder.id, undefined))).toEqual({
      staged: ['deleted a.txt', 'added a.txt/inner', 'renamed sub/B.txt'],
    })
    await folder.git('commit', '-q', '-m', 'swap')
    await rm(path.join(folder.root, 'sub/B.txt'))
    await symlink('../a.txt/inner', path.join(folder.root, 'sub/B.txt'))
    expect(groupsOf(await status())).toEqual({ changes: ['type_changed sub/B.txt'] })
    expect(groupsOf(await folder.service.stage(folder.id, ['sub/B.txt']))).toEqual({
      staged: ['type_changed sub/B.txt'],
    })
  })
})

describe('the state of a repository', () => {
  it('before the first commit has a branch, and files can be unstaged', async () => {
    await folder.remove()
    folder = await gitFolder({ empty: true })
    await folder.git('init', '-q', '-b', 'main')
    await folder.write({ 'a.txt': 'a\n' })
    expect(await status()).toMatchObject({ branch: 'main', head: null, upstream: null })
    await folder.service.stage(folder.id, undefined)
    // The file differs from what is staged.
    await folder.write({ 'a.txt': 'changed\n' })
    expect(groupsOf(await folder.service.unstage(folder.id, ['a.txt']))).toEqual({ untracked: ['untracked a.txt'] })
    await folder.service.stage(folder.id, undefined)
    await folder.write({ 'a.txt': 'changed again\n' })
    expect(groupsOf(await folder.service.unstage(folder.id, undefined))).toEqual({ untracked: ['untracked a.txt'] })
  })

  it('shows a detached HEAD, and a merge in progress with its conflicts', async () => {
    await folder.git('switch', '-q', '-c', 'other')
    await folder.write({ 'a.txt': 'theirs\n' })
    await folder.git('commit', '-q', '-a', '-m', 'theirs')
    await folder.git('switch', '-q', '--detach', 'main')
    expect(await status()).toMatchObject({ branch: null, operation: null })
    await folder.write({ 'a.txt': 'ours\n' })
    await folder.git('commit', '-q', '-a', '-m', 'ours')
    await folder.git('merge', 'other').catch(() => undefined)
    const merging = await status()
    expect(merging).toMatchObject({ operation: { kind: 'merge', subject: 'other' }, counts: { merge: 1 } })
    expect(merging.groups.merge).toEqual([{ path: 'a.txt', kind: 'conflict', conflict: 'both_modified' }])
    await expect(folder.service.commit(folder.id, 'o1', plainCommit)).rejects.toMatchObject({ reason: 'conflicts' })
  })

  it.each(['merge', 'cherry-pick', 'revert'])(
    'during a %s keeps its conflicts when everything is staged or unstaged',
    async (command) => {
      await folder.git('switch', '-q', '-c', 'other')
      await folder.write({ 'a.txt': 'theirs\n', 'sub/b.txt': 'theirs\n' })
      await folder.git('commit', '-q', '-a', '-m', 'theirs')
      if (command === 'revert') await folder.write({ 'a.txt': 'ours\n' })
      else {
        await folder.git('switch', '-q', 'main')
        await folder.write({ 'a.txt': 'ours\n' })
      }
      await folder.git('commit', '-q', '-a', '-m', 'ours')
      await folder.git(command, command === 'revert' ? 'HEAD~1' : 'other').catch(() => undefined)
      await folder.write({ 'new.txt': 'new\n' })
      const before = await status()
      expect(before).toMatchObject({ operation: { kind: command.replace('-', '_') }, counts: { merge: 1, staged: 1 } })
      const { operation } = before
      const merge = ['conflict a.txt']
      const staged = await folder.service.stage(folder.id, undefined)
      expect(staged.operation).toEqual(operation)
      expect(groupsOf(staged)).toEqual({ merge, staged: ['added new.txt', 'modified sub/b.txt'] })
      const unstaged = await folder.service.unstage(folder.id, undefined)
      expect(unstaged.operation).toEqual(operation)
      expect(groupsOf(unstaged)).toEqual({ merge, changes: ['modified sub/b.txt'], untracked: ['untracked new.txt'] })
      // An empty list is not a list of all files.
      expect(groupsOf(await folder.service.stage(folder.id, []))).toEqual(groupsOf(unstaged))
    },
  )

  it('compares with the upstream branch, even one that is gone', async () => {
    await folder.git('branch', 'up')
    await folder.git('branch', '--set-upstream-to=up')
    await folder.git('commit', '-q', '--allow-empty', '-m', 'mine')
    expect((await status()).upstream).toEqual({ name: 'up', ahead: 1, behind: 0, gone: false })
    await folder.git('branch', '-D', 'up')
    expect((await status()).upstream).toMatchObject({ name: 'up', gone: true })
  })

  it('of a bare repository is shown, and staging is refused with the reason', async () => {
    await folder.remove()
    folder = await gitFolder({ empty: true })
    await folder.git('init', '-q', '--bare', '-b', 'main')
    expect(await folder.service.repositories.list(false)).toMatchObject([{ kind: 'bare' }])
    expect(await status()).toMatchObject({ branch: 'main', head: null })
    await expect(folder.service.stage(folder.id, undefined)).rejects.toMatchObject({ reason: 'bare' })
  })
})

it('finds nested repositories, worktrees and submodules', async () => {
  await folder.git('init', '-q', 'libs/inner')
  await folder.git('worktree', 'add', '-q', 'tree', '-b', 'side')
  await folder.git(
    '-c',
    'protocol.file.allow=always',
    'submodule',
    'add',
    '-q',
    folder.root,
    'deep/down/in/modules/sub',
  )
  const found = await folder.service.repositories.list(true)
  expect(found.map(({ folder: place, kind }) => `${kind} ${place}`)).toEqual([
    'repository .',
    'submodule deep/down/in/modules/sub',
    'repository libs/inner',
    'worktree tree',
  ])
  expect(found[1]?.parent).toBe(folder.id)
})

it('shows a commit in a submodule as a change of the repository that contains it', async () => {
  await folder.git('-c', 'protocol.file.allow=always', 'submodule', 'add', '-q', folder.root, 'sub2')
  await folder.git('commit', '-q', '-m', 'add')
  const found = await folder.service.repositories.list(true)
  for (const { id } of found) await folder.service.status(id, true)
  const inner = path.join(folder.root, 'sub2')
  await folder.git(
    '-C',
    inner,
    '-c',
    'user.name=Ana',
    '-c',
    'user.email=a@b.c',
    'commit',
    '-q',
    '--allow-empty',
    '-m',
    'c',
  )
  await expect
    .poll(() => folder.statuses.findLast(({ repository }) => repository.id === folder.id)?.groups.changes, {
      timeout: 20_000,
    })
    .toMatchObject([{ path: 'sub2' }])
})

it('a deleted .git folder leaves a folder without repository, and no failure is reported', async () => {
  await folder.service.status(folder.id, true)
  await rm(path.join(folder.root, '.git'), { recursive: true })
  await expect(folder.service.status(folder.id, true)).rejects.toMatchObject({
    message: expect.stringContaining('There is no longer a repository'),
  })
  folder.service.repositories.filesChanged([{ path: 'a.txt', change: 'changed', directory: false }], false)
  await expect.poll(() => folder.repositories.at(-1)).toEqual([])
  expect(folder.problems).toEqual([])
  expect(await folder.service.repositories.list(false)).toEqual([])
})

it('finds a repository that is created later, in its final state', async () => {
  await folder.remove()
  folder = await gitFolder({ empty: true })
  expect(await folder.service.repositories.list(false)).toEqual([])
  await mkdir(path.join(folder.root, '.git'))
  folder.service.repositories.filesChanged([{ path: '.git', change: 'created', directory: true }], false)
  await folder.git('init', '-q')
  await expect.poll(() => folder.repositories.at(-1)?.map(({ id }) => id)).toEqual([folder.id])
  // After the repository is created again, its new git folder is watched.
  await rm(path.join(folder.root, '.git'), { recursive: true })
  await folder.git('init', '-q', '-b', 'again')
  folder.service.repositories.filesChanged([{ path: '.git', change: 'created', directory: true }], false)
  await expect.poll(() => folder.statuses.at(-1)?.branch).toBe('again')
  await folder.git('switch', '-q', '-c', 'third')
  await expect.poll(() => folder.statuses.at(-1)?.branch).toBe('third')
})

it('shows a repository above two folders of a workspace once, with the files of both', async () => {
  await folder.write({ 'lib/c.txt': 'c\n', 'outside.txt': 'x\n' })
  await folder.git('add', '--all')
  await folder.git('commit', '-qm', 'lib')
  await folder.write({ 'sub/b.txt': 'changed\n', 'lib/c.txt': 'changed\n', 'outside.txt': 'changed\n' })
  await folder.write({ 'w.code-workspace': '{"folders": [{"path": "sub"}, {"path": "lib", "name": "code"}]}' })
  const links = path.join(folder.root, '.git', 'links')
  const workspace = await openWorkspace(path.join(folder.root, 'w.code-workspace'), { links })
  const both = await gitFolder({ workspace })

  const [above, ...more] = await both.service.repositories.list(false)

  expect(more).toEqual([])
  expect(above).toMatchObject({
    id: folder.root,
    folder: 'sub',
    prefix: 'sub',
    others: [{ folder: 'code', prefix: 'lib' }],
  })
  if (!above) return
  expect(['sub/b.txt', 'lib/c.txt', 'outside.txt'].map((each) => toWorkspacePath(above, each))).toEqual([
    'sub/b.txt',
    'code/c.txt',
    null,
  ])
  expect(toRepositoryPath(above, 'code/c.txt')).toBe('lib/c.txt')
  const { files } = await both.service.diff(above.id, {}, new AbortController().signal)
  expect(files).toHaveLength(2)
  await both.remove()
})

it('shows the repository above a trusted folder, with the paths of the folder', async () => {
  await folder.write({ 'sub/b.txt': 'changed\n', 'a.txt': 'changed\n' })
  const inner = await gitFolder({ workspace: await openWorkspace(path.join(folder.root, 'sub')) })
  const [above] = await inner.service.repositories.list(false)
  expect(above).toMatchObject({ id: folder.root, folder: '.', prefix: 'sub' })
  if (!above) return
  expect([toWorkspacePath(above, 'sub/b.txt'), toWorkspacePath(above, 'a.txt')]).toEqual(['b.txt', null])
  expect(toRepositoryPath(above, 'b.txt')).toBe('sub/b.txt')
  expect(groupsOf(await inner.service.stage(folder.root, ['sub/b.txt']))).toEqual({
    staged: ['modified sub/b.txt'],
    changes: ['modified a.txt'],
  })
  const { skipped } = await inner.service.discard(folder.root, ['a.txt'], 'changes')
  expect(skipped).toEqual([{ path: 'a.txt', why: 'It is outside the open folder.' }])
  // Programs of the nested repository require trust of their own; its status does not.
  inner.trustedOnly = path.join(folder.root, 'sub')
  expect(groupsOf(await inner.service.status(folder.root, true))).toMatchObject({ staged: ['modified sub/b.txt'] })
  inner.trusted = false
  expect(await inner.service.repositories.list(true)).toEqual([])
  await inner.remove()
})

it('refreshes when files, HEAD or the index change outside', async () => {
  await folder.service.repositories.list(false)
  await folder.service.status(folder.id, false)
  await folder.write({ 'a.txt': 'changed\n' })
  folder.service.repositories.filesChanged([{ path: 'a.txt', change: 'changed', directory: false }], false)
  await expect.poll(() => folder.statuses.at(-1)?.counts.changes).toBe(1)
  await folder.git('add', 'a.txt')
  await expect.poll(() => folder.statuses.at(-1)?.counts).toMatchObject({ staged: 1, changes: 0 })
  await folder.git('switch', '-q', '-c', 'next')
  await expect.poll(() => folder.statuses.at(-1)?.branch).toBe('next')
})

describe('a commit', () => {
  const hook = async (name: string, script: string) => {
    await mkdir(path.join(folder.root, '.git/hooks'), { recursive: true })
    await writeFile(path.join(folder.root, '.git/hooks', name), `#!/bin/sh\n${script}\n`)
    await chmod(path.join(folder.root, '.git/hooks', name), 0o755)
  }
  beforeEach(async () => {
    await folder.write({ 'a.txt': 'changed\n' })
    await folder.service.stage(folder.id, ['a.txt'])
  })

  it('runs the hooks of the user in a trusted folder only', async () => {
    await hook('pre-commit', 'touch hook-ran')
    folder.trusted = false
    await folder.service.commit(folder.id, 'o1', plainCommit)
    expect(groupsOf(await status())).toEqual({})
    folder.trusted = true
    await folder.service.commit(folder.id, 'o2', { ...plainCommit, amend: true, message: '' })
    expect(groupsOf(await status())).toEqual({ untracked: ['untracked hook-ran'] })
    expect(await folder.git('log', '--format=%s')).toBe('second\nfirst\n')
  })

  it('that a hook refuses shows its output and keeps what is staged', async () => {
    await hook('pre-commit', 'printf "\\033[31mline 3 is too long\\033[0m" >&2; exit 1')
    await expect(folder.service.commit(folder.id, 'o1', plainCommit)).rejects.toMatchObject({
      reason: 'hook_failed',
      detail: 'line 3 is too long',
    })
    expect(groupsOf(await status())).toEqual({ staged: ['modified a.txt'] })
    await folder.service.commit(folder.id, 'o2', { ...plainCommit, skipHooks: true })
    expect(await folder.git('log', '-1', '--format=%s')).toBe('second\n')
  })

  it('that a hook refuses is not taken for another failure because of what the hook writes', async () => {
    await hook('pre-commit', 'git status >&2; echo "Connection refused" >&2; exit 1')
    await expect(folder.service.commit(folder.id, 'o1', plainCommit)).rejects.toMatchObject({
      reason: 'hook_failed',
      message: expect.stringContaining('(pre-commit)'),
      detail: expect.stringContaining('Connection refused'),
    })
  })

  it('without hooks that one of them refuses all the same does not offer that again', async () => {
    await hook('prepare-commit-msg', 'exit 1')
    const refused = expect(folder.service.commit(folder.id, 'o1', { ...plainCommit, skipHooks: true })).rejects
    await refused.toMatchObject({ reason: undefined, message: expect.stringContaining('(prepare-commit-msg)') })
  })

  it('that fails after its hooks succeeded has the reason of git', async () => {
    await hook('pre-commit', 'echo fine >&2')
    await folder.write({ '.git/refs/heads/main.lock': '' })
    await expect(folder.service.commit(folder.id, 'o1', plainCommit)).rejects.toMatchObject({ reason: 'locked' })
  })

  it('whose hook hangs can be cancelled, and the hook ends with it', async () => {
    await hook('pre-commit', 'echo started >&2; echo $$ > "$GIT_DIR/hook-pid"; sleep 60')
    const committed = folder.service.commit(folder.id, 'o1', plainCommit)
    const outcome = expect(committed).rejects.toMatchObject({ code: 'cancelled' })
    await expect.poll(() => folder.progress.map(({ text }) => text)).toContain('started')
    folder.service.cancel('o1')
    await outcome
    expect(groupsOf(await status())).toEqual({ staged: ['modified a.txt'] })
    // No lock is left behind.
    await folder.service.commit(folder.id, 'o2', { ...plainCommit, skipHooks: true })
  })

  it('without a name and email address says so', async () => {
    await folder.git('config', '--unset', 'user.name')
    await folder.git('config', '--unset', 'user.email')
    await folder.git('config', 'user.useConfigOnly', 'true')
    await expect(folder.service.commit(folder.id, 'o1', plainCommit)).rejects.toMatchObject({ reason: 'no_identity' })
    const identity = { name: 'Zoë', email: 'zoe@example.org', scope: 'repository' } as const
    await folder.service.setIdentity(folder.id, identity)
    await folder.service.commit(folder.id, 'o2', plainCommit)
    expect(await folder.git('log', '-1', '--format=%an <%ae>')).toBe('Zoë <zoe@example.org>\n')
  })

  it('of nothing is refused', async () => {
    await folder.service.unstage(folder.id, undefined)
    await expect(folder.service.commit(folder.id, 'o1', plainCommit)).rejects.toMatchObject({
      reason: 'nothing_to_commit',
    })
    await folder.service.commit(folder.id, 'o2', { ...plainCommit, all: true })
    expect(groupsOf(await status())).toEqual({})
  })
})

it('reports a lock that another process left behind', async () => {
  await folder.write({ '.git/index.lock': '', 'a.txt': 'changed\n' })
  await expect(folder.service.stage(folder.id, ['a.txt'])).rejects.toMatchObject({ reason: 'locked' })
})

describe('a short action whose hook or filter hangs', () => {
  const actions: Record<string, (operation: string) => Promise<unknown>> = {
    staging: (operation) => folder.service.stage(folder.id, ['a.txt'], operation),
    'staging lines': (operation) =>
      folder.service.applyLines(
        folder.id,
        'a.txt',
        'stage',
        [{ before: { line: 2, text: ['two'] }, after: { line: 2, text: ['2'] } }],
        operation,
      ),
    'creating a branch': (operation) => folder.service.createBranch(folder.id, { name: 'b', switch: true }, operation),
    'creating a tag': (operation) => folder.service.createTag(folder.id, { name: 'v1' }, operation),
    'deleting a branch': (operation) => folder.service.deleteBranch(folder.id, 'old', true, operation),
  }

  it.each(Object.keys(actions))('%s can be cancelled, and later actions run', async (name) => {
    await folder.git('branch', 'old')
    await folder.write({ 'a.txt': 'one\n2\nthree\n', '.git/info/attributes': 'a.txt filter=slow\n' })
    const slow = 'echo started >&2; sleep 60'
    await folder.git('config', 'filter.slow.clean', slow)
    await mkdir(path.join(folder.root, '.git/hooks'), { recursive: true })
    const hook = path.join(folder.root, '.git/hooks/reference-transaction')
    await writeFile(hook, `#!/bin/sh\n${slow}\n`, { mode: 0o755 })
    const outcome = expect(actions[name]?.('o1')).rejects.toMatchObject({ code: 'cancelled' })
    const waiting = expect(folder.service.createTag(folder.id, { name: 'v2' }, 'o2')).rejects.toMatchObject({
      code: 'cancelled',
    })
    await expect.poll(() => folder.progress.map(({ text }) => text)).toContain('started')
    folder.service.cancel('o2')
    folder.service.cancel('o1')
    await outcome
    await waiting
    await rm(hook)
    await folder.git('config', '--unset', 'filter.slow.clean')
    expect(await folder.service.createTag(folder.id, { name: 'v3' })).toMatchObject({ branch: 'main' })
  })
})
