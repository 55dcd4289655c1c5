import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { gitFolder, groupsOf, type GitFolder } from './testing/gitFolder.ts'

let folder: GitFolder
beforeEach(async () => {
  folder = await gitFolder()
})
afterEach(() => folder.remove())

const page = { skip: 0, limit: 10 }
const subjects = (list: { commits: readonly { subject: string }[] }) => list.commits.map(({ subject }) => subject)

describe('a commit of the log', () => {
  const apply = (how: 'cherry_pick' | 'revert', commit: string) =>
    folder.service.applyCommit(folder.id, 'o', { commit, how })
  beforeEach(async () => {
    await folder.git('switch', '-q', '-c', 'side')
    await folder.write({ 'a.txt': 'one\ntwo\n3\n' })
    await folder.git('commit', '-q', '-a', '-m', 'change a')
    await folder.git('switch', '-q', 'main')
  })

  it('is applied to the branch and reverted; what the branch has already is not applied again', async () => {
    expect(await apply('cherry_pick', 'side')).toMatchObject({ operation: null })
    expect(await folder.git('show', 'HEAD:a.txt')).toBe('one\ntwo\n3\n')
    await expect(apply('cherry_pick', 'side')).rejects.toMatchObject({ code: 'no_change' })
    expect(await apply('revert', 'HEAD')).toMatchObject({ operation: null })
    expect(await folder.git('show', 'HEAD:a.txt')).toBe('one\ntwo\nthree\n')
  })

  it('that merged a branch is reverted against its first parent', async () => {
    await folder.git('merge', '-q', '--no-ff', '--no-edit', 'side')
    await apply('revert', 'HEAD')
    expect(await folder.git('show', 'HEAD:a.txt')).toBe('one\ntwo\nthree\n')
  })

  it('that conflicts is resolved or aborted like a merge, and nothing is applied in a restricted folder', async () => {
    await folder.write({ 'a.txt': 'one\ntwo\nIII\n' })
    await folder.git('commit', '-q', '-a', '-m', 'other')
    await expect(apply('cherry_pick', 'side')).rejects.toMatchObject({ reason: 'conflicts' })
    expect(await folder.service.status(folder.id, true)).toMatchObject({ operation: { kind: 'cherry_pick' } })
    await folder.service.step(folder.id, 's', 'abort')
    folder.trusted = false
    await expect(apply('cherry_pick', 'side')).rejects.toMatchObject({ reason: 'restricted' })
  })
})

describe('the log', () => {
  beforeEach(async () => {
    await folder.git('switch', '-q', '-c', 'side')
    await folder.git('mv', 'a.txt', 'moved.txt')
    await folder.git('-c', 'user.name=Zoë', 'commit', '-q', '-m', 'move a.txt\n\nbecause')
    await folder.git('switch', '-q', 'main')
    await folder.write({ 'sub/b.txt': 'b\nc\n' })
    await folder.git('commit', '-q', '-a', '-m', 'extend b [x]')
    await folder.git('merge', '-q', '--no-edit', 'side')
    await folder.git('tag', 'v1')
  })

  it('has parents and references, in pages', async () => {
    const first = await folder.service.log(folder.id, { all: false, skip: 0, limit: 2 })
    expect(first.more).toBe(true)
    expect(first.commits[0]).toMatchObject({
      subject: "Merge branch 'side'",
      author: { name: 'Ana', email: 'ana@example.org' },
      refs: [
        { kind: 'branch', name: 'main', head: true },
        { kind: 'tag', name: 'v1' },
      ],
    })
    expect(first.commits[0]?.parents).toHaveLength(2)
    const rest = await folder.service.log(folder.id, { all: true, skip: 2, limit: 10 })
    expect(rest.commits).toHaveLength(2)
    expect(rest.more).toBe(false)
  })

  it('shows a commit whose texts contain the separators of the output as one commit', async () => {
    const forged = ['x', `\u001e${'b'.repeat(40)}`, '', 'HEAD -> refs/heads/forged', '1', '1', 'e', 'n', 'forged'].join(
      '\u001f',
    )
    await folder.git('-c', `user.name=n\u001fHEAD -> refs/heads/forged`, 'commit', '-q', '--allow-empty', '-m', forged)
    const { commits } = await folder.service.log(folder.id, { all: false, ...page })
    expect(commits).toHaveLength(5)
    expect(commits[0]?.refs).toEqual([{ kind: 'branch', name: 'main', head: true }])
    expect(commits[0]?.subject).toContain('forged')
    const details = await folder.service.commitDetails(folder.id, 'HEAD')
    expect(details.message).toBe(forged)
  })

  it('has children before their parents, even if their times are the same or wrong', async () => {
    // A commit whose time is before the one of its parent, as after a wrong clock.
    const tree = (await folder.git('rev-parse', 'main^{tree}')).trim()
    const parent = (await folder.git('rev-parse', 'main')).trim()
    const identity = 'Bo <b@example.org> 978307200 +0000'
    const text = `tree ${tree}\nparent ${parent}\nauthor ${identity}\ncommitter ${identity}\n\nlate\n`
    await folder.write({ '.git/late': text })
    const late = (await folder.git('hash-object', '-t', 'commit', '-w', '.git/late')).trim()
    await folder.git('branch', 'late', late)
    const { commits } = await folder.service.log(folder.id, { all: true, skip: 0, limit: 50 })
    const position = new Map(commits.map(({ hash }, index) => [hash, index]))
    expect(commits.map(({ subject }) => subject)).toContain('late')
    for (const [index, { parents }] of commits.entries()) {
      for (const hash of parents) expect(position.get(hash)).toBeGreaterThan(index)
    }
  })

  it('is searched by text, author, path and hash', async () => {
    const search = async (query: object) =>
      subjects(await folder.service.log(folder.id, { all: true, ...page, ...query }))
    expect(await search({ text: '[X]' })).toEqual(['extend b [x]'])
    expect(await search({ author: 'zoë' })).toEqual(['move a.txt'])
    expect(await search({ path: 'sub' })).toEqual(['extend b [x]', 'first'])
    const hash = (await folder.git('rev-parse', 'side')).trim()
    expect(await search({ text: hash.slice(0, 10) })).toEqual(['move a.txt'])
  })

  it('of a file follows renames', async () => {
    const { commits } = await folder.service.fileHistory(folder.id, 'moved.txt', page)
    expect(commits.map(({ subject, path }) => `${subject}: ${path}`)).toEqual(['move a.txt: moved.txt', 'first: a.txt'])
  })

  it('shows the message and files of a commit, even of the first one, and compares any two', async () => {
    expect(await folder.service.commitDetails(folder.id, 'side')).toMatchObject({
      message: 'move a.txt\n\nbecause',
      files: [{ path: 'moved.txt', from: 'a.txt', kind: 'renamed', added: 0, removed: 0 }],
    })
    expect(await folder.service.commitDetails(folder.id, 'main~2')).toMatchObject({
      files: [{ path: 'a.txt', kind: 'added', added: 3 }, { path: 'sub/b.txt' }],
    })
    expect(await folder.service.compare(folder.id, 'side', 'main')).toMatchObject({
      files: [{ path: 'sub/b.txt', kind: 'modified', added: 1, removed: 0 }],
    })
  })

  it('refuses options in place of a name', async () => {
    await expect(folder.service.commitDetails(folder.id, '--output=x')).rejects.toMatchObject({
      code: 'invalid_arguments',
    })
  })
})

it('the log of a repository without commits is empty', async () => {
  await folder.remove()
  folder = await gitFolder({ empty: true })
  await folder.git('init', '-q')
  expect(await folder.service.log(folder.id, { all: true, ...page })).toEqual({ commits: [], more: false })
})

it('blame follows unsaved text, and knows lines that are not committed', async () => {
  await folder.write({ 'a.txt': 'one\n2\nthree\n' })
  await folder.git('-c', 'user.name=Zoë', 'commit', '-q', '-a', '-m', 'second')
  await folder.write({ 'a.txt': 'one\n2\nthree\nfour\n' })
  const names = async () => {
    const { lines, commits } = await folder.service.blame(folder.id, 'a.txt')
    return lines.map((index) => commits[index]?.author ?? '-')
  }
  expect(await names()).toEqual(['Ana', 'Zoë', 'Ana', '-'])
  folder.editor.tabs.set('a.txt', { text: 'typed\none\n2\n', dirty: true })
  expect(await names()).toEqual(['-', 'Ana', 'Zoë'])
  await folder.write({ 'new.txt': 'x\n' })
  expect(await folder.service.blame(folder.id, 'new.txt')).toEqual({ lines: [], commits: [] })
})

describe('branches', () => {
  it('are created, switched, listed, deleted and created again', async () => {
    expect(await folder.service.createBranch(folder.id, { name: 'next', switch: true })).toMatchObject({
      branch: 'next',
    })
    await folder.git('commit', '-q', '--allow-empty', '-m', 'on next')
    const main = { target: 'main', track: false, detach: false }
    expect(await folder.service.switchTo(folder.id, 'o', main)).toMatchObject({ status: { branch: 'main' } })
    const { local } = await folder.service.references(folder.id)
    expect(local.map(({ name, current, subject }) => `${current ? '*' : ' '}${name}: ${subject}`)).toEqual([
      ' next: on next',
      '*main: first',
    ])
    await expect(folder.service.deleteBranch(folder.id, 'next', false)).rejects.toMatchObject({
      reason: 'unmerged_branch',
    })
    const { commit } = await folder.service.deleteBranch(folder.id, 'next', true)
    await folder.service.createBranch(folder.id, { name: 'next', from: commit, switch: false })
    expect(await folder.git('log', '-1', '--format=%s', 'next')).toBe('on next\n')
    await expect(folder.service.deleteBranch(folder.id, 'main', false)).rejects.toMatchObject({
      reason: 'branch_in_use',
    })
    await expect(folder.service.createBranch(folder.id, { name: 'a..b', switch: true })).rejects.toThrow(
      'not a valid branch name',
    )
  })

  it('are renamed, but not to a name that exists', async () => {
    await folder.git('branch', 'next')
    expect(await folder.service.renameBranch(folder.id, { name: 'main', to: 'trunk' })).toMatchObject({
      branch: 'trunk',
    })
    await expect(folder.service.renameBranch(folder.id, { name: 'trunk', to: 'next' })).rejects.toThrow(
      'already exists',
    )
    await expect(folder.service.renameBranch(folder.id, { name: 'trunk', to: '--force' })).rejects.toThrow('not a name')
    expect(await folder.git('branch', '--format=%(refname:short)')).toBe('next\ntrunk\n')
  })

  it('are left for others with the commits of a detached HEAD named, unless a branch has them', async () => {
    const to = (target: string, detach = false) =>
      folder.service.switchTo(folder.id, 'o', { target, track: false, detach })
    await to('main', true)
    expect(await to('main')).not.toHaveProperty('leftBehind')
    await to('main', true)
    await folder.git('commit', '-q', '--allow-empty', '-m', 'lost')
    const commit = (await folder.git('rev-parse', 'HEAD')).trim()
    expect(await to('main')).toMatchObject({ leftBehind: { commit, count: 1 } })
  })

  it('are not switched if that would overwrite changes', async () => {
    await folder.git('switch', '-q', '-c', 'next')
    await folder.write({ 'a.txt': 'next\n', 'extra.txt': 'x\n' })
    await folder.git('add', '-A')
    await folder.git('commit', '-q', '-m', 'next')
    await folder.git('switch', '-q', 'main')
    const change = () => folder.service.switchTo(folder.id, 'o', { target: 'next', track: false, detach: false })
    await folder.write({ 'a.txt': 'mine\n' })
    await expect(change()).rejects.toMatchObject({ reason: 'local_changes' })
    await folder.git('checkout', '-q', 'a.txt')
    await folder.write({ 'extra.txt': 'mine\n' })
    await expect(change()).rejects.toMatchObject({ reason: 'untracked_files' })
    expect(groupsOf(await folder.service.status(folder.id, true))).toEqual({ untracked: ['untracked extra.txt'] })
  })

  it('come with their remotes, whose addresses show no password', async () => {
    await folder.git('remote', 'add', 'origin', 'https://ana:hunter2@example.org/a.git')
    await folder.git('update-ref', 'refs/remotes/origin/next', 'main')
    await folder.git('symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/remotes/origin/next')
    const { remote, remotes } = await folder.service.references(folder.id)
    expect(remotes).toEqual([{ name: 'origin', url: 'https://example.org/a.git' }])
    expect(remote.map(({ name }) => name)).toEqual(['origin/next'])
    const tracked = await folder.service.switchTo(folder.id, 'o', { target: 'origin/next', track: true, detach: false })
    expect(tracked).toMatchObject({ status: { branch: 'next', upstream: { name: 'origin/next' } } })
  })

  it('can have tags', async () => {
    await folder.service.createTag(folder.id, { name: 'v1' })
    await folder.service.createTag(folder.id, { name: 'v2', message: 'two' })
    const { tags } = await folder.service.references(folder.id)
    expect(tags.map(({ name }) => name).toSorted()).toEqual(['v1', 'v2'])
    expect(new Set(tags.map(({ commit }) => commit)).size).toBe(1)
    await folder.service.deleteTag(folder.id, 'v1')
    const annotated = await folder.git('rev-parse', 'v2')
    const { commit } = await folder.service.deleteTag(folder.id, 'v2')
    await folder.service.createTag(folder.id, { name: 'v2', commit })
    // The tag object with its message.
    expect(await folder.git('rev-parse', 'v2')).toBe(annotated)
    expect((await folder.service.references(folder.id)).tags).toHaveLength(1)
  })
})

describe('stashes', () => {
  const stash = (message = '') => folder.service.stash(folder.id, 'o', { message, untracked: true })

  it('keep staged, changed and untracked files, and bring them back', async () => {
    await folder.write({ 'a.txt': 'staged\n', 'new.txt': 'new\n', 'sub/b.txt': 'changed\n' })
    await folder.service.stage(folder.id, ['a.txt'])
    const before = groupsOf(await folder.service.status(folder.id, true))
    expect(await stash('half: done')).toMatchObject({ stashes: 1, counts: { staged: 0, changes: 0, untracked: 0 } })
    const [entry] = await folder.service.stashes(folder.id)
    expect(entry).toMatchObject({ index: 0, message: 'half: done', branch: 'main' })
    const popped = await folder.service.applyStash(folder.id, 'o', entry?.hash ?? '', true)
    expect(groupsOf(popped)).toEqual(before)
    expect(popped.stashes).toBe(0)
  })

  it('are dropped by commit, not by number, and restored', async () => {
    await folder.write({ 'a.txt': 'first\n' })
    await stash('first')
    await folder.write({ 'a.txt': 'second\n' })
    await stash('second')
    const [, older] = await folder.service.stashes(folder.id)
    await folder.service.dropStash(folder.id, older?.hash ?? '')
    expect((await folder.service.stashes(folder.id)).map(({ message }) => message)).toEqual(['second'])
    await folder.service.restoreStash(folder.id, older?.hash ?? '', 'first')
    expect((await folder.service.stashes(folder.id)).map(({ message }) => message)).toEqual(['first', 'second'])
    await expect(folder.service.dropStash(folder.id, 'f'.repeat(40))).rejects.toMatchObject({ code: 'not_found' })
  })

  it('of nothing are refused, and a conflict keeps the stash', async () => {
    await expect(stash()).rejects.toMatchObject({ reason: 'nothing_to_commit' })
    await folder.write({ 'a.txt': 'stashed\n' })
    await stash()
    await folder.write({ 'a.txt': 'committed\n' })
    await folder.git('commit', '-q', '-a', '-m', 'other')
    const [entry] = await folder.service.stashes(folder.id)
    await expect(folder.service.applyStash(folder.id, 'o', entry?.hash ?? '', true)).rejects.toMatchObject({
      reason: 'conflicts',
    })
    expect(await folder.service.status(folder.id, true)).toMatchObject({ stashes: 1, counts: { merge: 1 } })
  })
})
