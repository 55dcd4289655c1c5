import { readFile, rm, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { gitFolder, groupsOf, type GitFolder } from './testing/gitFolder.ts'

let folder: GitFolder
beforeEach(async () => {
  folder = await gitFolder()
})
afterEach(() => folder.remove())

const signal = new AbortController().signal
const at = (line: number, ...text: string[]) => ({ line, text })
const disk = (name: string) => readFile(path.join(folder.root, name), 'latin1')
const apply = (
  name: string,
  action: 'stage' | 'unstage' | 'discard',
  before: ReturnType<typeof at>,
  after: ReturnType<typeof at>,
) => folder.service.applyLines(folder.id, name, action, [{ before, after }])
const status = () => folder.service.status(folder.id, true)

describe('a version of a file', () => {
  const read = (name: string, version: Parameters<typeof folder.service.fileAt>[2]) =>
    folder.service.fileAt(folder.id, name, version, signal)

  it('is read from HEAD, the index, a commit and the disk', async () => {
    await folder.write({ 'a.txt': 'staged\r\n' })
    await folder.git('add', 'a.txt')
    await folder.write({ 'a.txt': 'working' })
    const text = async (version: Parameters<typeof read>[1]) => (await read('a.txt', version)) as { text?: string }
    expect((await text('head')).text).toBe('one\ntwo\nthree\n')
    expect(await text('index')).toMatchObject({ text: 'staged\n', eol: '\r\n' })
    expect((await text('working')).text).toBe('working')
    expect((await text({ commit: 'main' })).text).toBe('one\ntwo\nthree\n')
    expect(await read('missing.txt', 'head')).toEqual({ kind: 'missing' })
    expect(await read('sub', 'head')).toEqual({ kind: 'missing' })
    expect(await read('a.txt', 'ours')).toEqual({ kind: 'missing' })
  })

  it('at HEAD follows a commit and the index follows staging', async () => {
    await status()
    expect(await read('a.txt', 'head')).toMatchObject({ text: 'one\ntwo\nthree\n' })
    await folder.write({ 'a.txt': 'next\n' })
    await folder.service.stage(folder.id, ['a.txt'])
    expect(await read('a.txt', 'index')).toMatchObject({ text: 'next\n' })
    expect(await read('a.txt', 'head')).toMatchObject({ text: 'one\ntwo\nthree\n' })
    await folder.git('commit', '-q', '-m', 'next')
    await status()
    expect(await read('a.txt', 'head')).toMatchObject({ text: 'next\n' })
  })

  it('that is binary, a link, a submodule or has a name in another encoding is told apart', async () => {
    await folder.write({ 'b.bin': Buffer.from([0, 1, 2]) })
    await symlink('a.txt', path.join(folder.root, 'link'))
    await writeFile(Buffer.concat([Buffer.from(`${folder.root}/caf`), Buffer.from([0xe9])]), 'latin\n')
    await folder.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', folder.root, 'inner')
    await folder.service.stage(folder.id, undefined)
    expect(await read('b.bin', 'index')).toMatchObject({ kind: 'binary', size: 3 })
    expect(await read('link', 'index')).toMatchObject({ kind: 'text', text: 'a.txt' })
    expect(await read('link', 'working')).toMatchObject({ kind: 'text', text: 'a.txt' })
    expect(await read('caf\udce9', 'index')).toMatchObject({ kind: 'text', text: 'latin\n' })
    expect(await read('inner', 'index')).toMatchObject({ kind: 'submodule' })
  })
})

describe('staging lines', () => {
  it('stages one of two hunks, and unstages it again', async () => {
    await folder.write({ 'a.txt': 'ONE\ntwo\nTHREE\n' })
    await apply('a.txt', 'stage', at(3, 'three'), at(3, 'THREE'))
    expect(await folder.git('show', ':a.txt')).toBe('one\ntwo\nTHREE\n')
    expect(groupsOf(await status())).toEqual({ staged: ['modified a.txt'], changes: ['modified a.txt'] })
    await apply('a.txt', 'unstage', at(3, 'three'), at(3, 'THREE'))
    expect(await folder.git('show', ':a.txt')).toBe('one\ntwo\nthree\n')
    expect(await disk('a.txt')).toBe('ONE\ntwo\nTHREE\n')
  })

  it('uses the unsaved text of a tab', async () => {
    folder.editor.tabs.set('a.txt', { text: 'one\ntyped\ntwo\nthree\n', dirty: true })
    await apply('a.txt', 'stage', at(2), at(2, 'typed'))
    expect(await folder.git('show', ':a.txt')).toBe('one\ntyped\ntwo\nthree\n')
    expect(await disk('a.txt')).toBe('one\ntwo\nthree\n')
  })

  it('converts line endings as git add does, and keeps mixed ones', async () => {
    await folder.git('config', 'core.autocrlf', 'true')
    await folder.write({ 'a.txt': 'one\r\nTWO\r\nthree\r\n' })
    await apply('a.txt', 'stage', at(2, 'two'), at(2, 'TWO'))
    expect(await folder.git('show', ':a.txt')).toBe('one\nTWO\nthree\n')
    await folder.git('config', 'core.autocrlf', 'false')
    await folder.write({ 'm.txt': 'a\r\nb\nc\r\n' })
    await folder.git('add', 'm.txt')
    await folder.write({ 'm.txt': 'a\r\nb\nC\r\nd\n' })
    await apply('m.txt', 'stage', at(4), at(4, 'd'))
    expect(await folder.git('show', ':m.txt')).toBe('a\r\nb\nc\r\nd\n')
  })

  it('works without a line break at the end, and for a part of a new file', async () => {
    await folder.write({ 'a.txt': 'one\ntwo\nthree' })
    await apply('a.txt', 'stage', at(4, ''), at(4))
    expect(await folder.git('show', ':a.txt')).toBe('one\ntwo\nthree')
    await folder.write({ 'new.txt': 'x\ny\n' })
    await apply('new.txt', 'stage', at(1), at(1, 'x'))
    expect(await folder.git('show', ':new.txt')).toBe('x\n')
  })

  it('of a new file stages, unstages and discards exactly those, as the editor sends them', async () => {
    await folder.write({ 'new.txt': 'x\ny\nz\n' })
    // Without lines in the index, the editor compares with one empty line.
    await apply('new.txt', 'stage', at(2), at(2, 'y'))
    expect(await folder.git('show', ':new.txt')).toBe('y\n')
    await apply('new.txt', 'unstage', at(1, ''), at(1, 'y', ''))
    expect(groupsOf(await status())).toEqual({ untracked: ['untracked new.txt'] })
    await apply('new.txt', 'stage', at(1, ''), at(1, 'x', 'y', 'z', ''))
    expect(await folder.git('show', ':new.txt')).toBe('x\ny\nz\n')
    await apply('new.txt', 'unstage', at(1, ''), at(1, 'x'))
    expect(await folder.git('show', ':new.txt')).toBe('y\nz\n')
    await folder.git('rm', '-qf', '--cached', 'new.txt')
    await apply('new.txt', 'discard', at(2), at(2, 'y'))
    expect(await disk('new.txt')).toBe('x\nz\n')
  })

  it('of a new file leaves it untracked if the lines cannot be staged', async () => {
    await folder.write({ 'new.txt': 'x\ny\n' })
    await expect(apply('new.txt', 'stage', at(1, ''), at(1, 'old'))).rejects.toMatchObject({ code: 'conflict' })
    await folder.write({ '.git/index.lock': '' })
    await expect(apply('new.txt', 'stage', at(1, ''), at(1, 'x'))).rejects.toMatchObject({ reason: 'locked' })
    await rm(path.join(folder.root, '.git/index.lock'))
    expect(groupsOf(await status())).toEqual({ untracked: ['untracked new.txt'] })
  })

  it('of a file that "git add -N" announced stages those', async () => {
    await folder.write({ 'new.txt': 'x\ny\n' })
    await folder.git('add', '-N', 'new.txt')
    await apply('new.txt', 'stage', at(2), at(2, 'y'))
    expect(await folder.git('show', ':new.txt')).toBe('y\n')
  })

  it('does nothing if the file has changed since, and refuses binary files', async () => {
    await folder.write({ 'a.txt': 'one\ntwo\nother\n', 'b.bin': Buffer.from([0, 1, 2]) })
    await expect(apply('a.txt', 'stage', at(3, 'three'), at(3, 'THREE'))).rejects.toMatchObject({ code: 'conflict' })
    await expect(apply('b.bin', 'stage', at(1), at(1, 'x'))).rejects.toThrow()
    expect(groupsOf(await status())).toEqual({ changes: ['modified a.txt'], untracked: ['untracked b.bin'] })
  })
})

describe('discarding', () => {
  it('restores changed and deleted files, deletes untracked ones, and can be undone and redone', async () => {
    await folder.write({ 'a.txt': 'mine\n', 'new/file.txt': 'new\n' })
    await rm(path.join(folder.root, 'sub/b.txt'))
    const discarded = await folder.service.discard(folder.id, ['a.txt', 'sub/b.txt'], 'changes')
    expect(groupsOf(discarded.status)).toEqual({ untracked: ['untracked new/file.txt'] })
    const removed = await folder.service.discard(folder.id, ['new/file.txt'], 'untracked')
    expect(groupsOf(removed.status)).toEqual({})
    await expect(disk('new')).rejects.toThrow('ENOENT')

    await folder.service.undoDiscard(folder.id, removed.backup ?? 0)
    const undone = await folder.service.undoDiscard(folder.id, discarded.backup ?? 0)
    expect(groupsOf(undone.status)).toEqual({
      changes: ['modified a.txt', 'deleted sub/b.txt'],
      untracked: ['untracked new/file.txt'],
    })
    expect(await disk('a.txt')).toBe('mine\n')
    const redone = await folder.service.undoDiscard(folder.id, undone.backup ?? 0)
    expect(groupsOf(redone.status)).toEqual({ untracked: ['untracked new/file.txt'] })
  })

  it('is undone without overwriting a file that has changed since, unless that is what the user wants', async () => {
    await folder.write({ 'a.txt': 'experiment\n', 'sub/b.txt': 'other\n' })
    const { backup } = await folder.service.discard(folder.id, ['a.txt', 'sub/b.txt'], 'changes')
    await folder.write({ 'a.txt': 'new work\n' })
    const undone = await folder.service.undoDiscard(folder.id, backup ?? 0)
    expect(undone).toMatchObject({ changed: ['a.txt'], skipped: [] })
    expect([await disk('a.txt'), await disk('sub/b.txt')]).toEqual(['new work\n', 'other\n'])
    const forced = await folder.service.undoDiscard(folder.id, backup ?? 0, ['a.txt'])
    expect(await disk('a.txt')).toBe('experiment\n')
    await folder.service.undoDiscard(folder.id, forced.backup ?? 0)
    expect(await disk('a.txt')).toBe('new work\n')
  })

  it('of lines restores them from the index, with the line endings of the file', async () => {
    await folder.git('config', 'core.autocrlf', 'true')
    await folder.write({ 'a.txt': 'ONE\r\ntwo\r\nTHREE\r\n' })
    const { backup } = await apply('a.txt', 'discard', at(1, 'one'), at(1, 'ONE'))
    expect(await disk('a.txt')).toBe('one\r\ntwo\r\nTHREE\r\n')
    await folder.service.undoDiscard(folder.id, backup ?? 0)
    expect(await disk('a.txt')).toBe('ONE\r\ntwo\r\nTHREE\r\n')
  })

  it('of a file that became a folder, or a folder that became a file, loses neither', async () => {
    await rm(path.join(folder.root, 'a.txt'))
    await rm(path.join(folder.root, 'sub'), { recursive: true })
    await folder.write({ 'a.txt/inner': 'inner\n', sub: 'a file\n' })
    const { backup } = await folder.service.discard(folder.id, ['a.txt', 'sub/b.txt'], 'changes')
    expect([await disk('a.txt'), await disk('sub/b.txt')]).toEqual(['one\ntwo\nthree\n', 'b\n'])
    const { skipped } = await folder.service.undoDiscard(folder.id, backup ?? 0)
    expect(skipped).toEqual([])
    expect([await disk('a.txt/inner'), await disk('sub')]).toEqual(['inner\n', 'a file\n'])
  })

  it('leaves what cannot be stored for undo, and says why', async () => {
    await writeFile(Buffer.concat([Buffer.from(`${folder.root}/caf`), Buffer.from([0xe9])]), 'latin\n')
    await folder.git('init', '-q', 'inner')
    const { backup, skipped } = await folder.service.discard(folder.id, ['caf\udce9', 'inner/'], 'untracked')
    expect(backup).toBeNull()
    expect(skipped.map(({ why }) => why)).toEqual(['Its name is not valid UTF-8.', 'It is a separate repository.'])
  })

  it('does not delete a file with unsaved text', async () => {
    await folder.write({ 'new.txt': 'new\n' })
    folder.editor.tabs.set('new.txt', { text: 'typed\n', dirty: true })
    const { skipped } = await folder.service.discard(folder.id, ['new.txt'], 'untracked')
    expect(skipped).toMatchObject([{ path: 'new.txt' }])
    expect(await disk('new.txt')).toBe('new\n')
  })
})

describe('conflicts', () => {
  beforeEach(async () => {
    await folder.git('switch', '-q', '-c', 'other')
    await folder.write({ 'a.txt': 'theirs\n' })
    await folder.git('rm', '-q', 'sub/b.txt')
    await folder.git('commit', '-q', '-a', '-m', 'theirs')
    await folder.git('switch', '-q', 'main')
    await folder.write({ 'a.txt': 'ours\n', 'sub/b.txt': 'changed\n' })
    await folder.git('commit', '-q', '-a', '-m', 'ours')
  })
  const merge = () => folder.service.merge(folder.id, 'm', 'other')

  it('of a merge have three versions, are resolved by a side and end in a commit', async () => {
    await expect(merge()).rejects.toMatchObject({ reason: 'conflicts' })
    const texts = ['base', 'ours', 'theirs'] as const
    const versions = await Promise.all(texts.map((side) => folder.service.fileAt(folder.id, 'a.txt', side, signal)))
    expect(versions).toMatchObject([{ text: 'one\ntwo\nthree\n' }, { text: 'ours\n' }, { text: 'theirs\n' }])
    await folder.service.resolve(folder.id, 'a.txt', 'theirs')
    await expect(folder.service.resolve(folder.id, 'sub/b.txt', 'theirs')).rejects.toMatchObject({ code: 'not_found' })
    const { status: after } = await folder.service.resolve(folder.id, 'sub/b.txt', 'delete')
    expect(groupsOf(after)).toEqual({ staged: ['modified a.txt', 'deleted sub/b.txt'] })
    const ended = await folder.service.step(folder.id, 's', 'continue')
    expect(ended.status.operation).toBeNull()
    expect(await folder.git('log', '-1', '--format=%s')).toBe("Merge branch 'other'\n")
  })

  it('of a merge do not appear if the branch has other commits than those that were checked', async () => {
    const checked = (await folder.git('rev-parse', 'other~')).trim()
    await expect(folder.service.merge(folder.id, 'm', 'other', { checked })).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('"other" has other commits than those that were checked'),
    })
    expect(groupsOf(await status())).toEqual({})
    expect((await status()).operation).toBeNull()
  })

  it('that were resolved return, with the text of the working files', async () => {
    await expect(merge()).rejects.toMatchObject({ reason: 'conflicts' })
    const merged = await disk('a.txt')
    const conflicts = groupsOf(await status())
    await folder.service.resolve(folder.id, 'a.txt', 'theirs')
    await folder.service.resolve(folder.id, 'sub/b.txt', 'delete')
    await folder.service.unresolve(folder.id, ['a.txt'])
    expect(await disk('a.txt')).toBe(merged)
    const { status: after } = await folder.service.unresolve(folder.id, ['sub/b.txt'])
    expect(groupsOf(after)).toEqual(conflicts)
    expect(await disk('sub/b.txt')).toBe('changed\n')
    // Marked as resolved by staging: the file stays as the user edited it.
    await folder.write({ 'a.txt': 'mine\n' })
    await folder.service.stage(folder.id, ['a.txt', 'sub/b.txt'])
    const again = await folder.service.unresolve(folder.id, ['a.txt', 'sub/b.txt'])
    expect(groupsOf(again.status)).toEqual(conflicts)
    expect(await disk('a.txt')).toBe('mine\n')
    await expect(folder.service.unresolve(folder.id, ['a.txt'])).rejects.toMatchObject({ code: 'not_found' })
  })

  it('of a rebase can be skipped, and aborting keeps a copy of what the user edited', async () => {
    await folder.git('rebase', 'other').catch(() => undefined)
    expect((await status()).operation).toMatchObject({ kind: 'rebase', subject: 'main', step: 1, steps: 1 })
    await folder.write({ 'a.txt': 'half resolved\n' })
    const { status: after, backup } = await folder.service.step(folder.id, 's', 'abort')
    expect(after).toMatchObject({ branch: 'main', operation: null })
    await folder.service.undoDiscard(folder.id, backup ?? 0)
    expect(await disk('a.txt')).toBe('half resolved\n')
  })

  it('are not aborted in a restricted folder, because an autostash is merged then', async () => {
    await expect(merge()).rejects.toMatchObject({ reason: 'conflicts' })
    folder.trusted = false
    await expect(folder.service.step(folder.id, 's', 'abort')).rejects.toMatchObject({ reason: 'restricted' })
    expect((await status()).operation).toMatchObject({ kind: 'merge' })
  })

  it('do not begin in a restricted folder, because a merge can start drivers of the repository', async () => {
    folder.trusted = false
    await expect(merge()).rejects.toMatchObject({ reason: 'restricted' })
  })
})

describe('a file that git ignores is not overwritten', () => {
  const never = { message: expect.stringContaining('secret') }
  beforeEach(async () => {
    await folder.git('switch', '-q', '-c', 'other')
    await folder.write({ secret: 'theirs\n' })
    await folder.git('add', '-A')
    await folder.git('commit', '-q', '-m', 'secret')
    await folder.git('switch', '-q', 'main')
    await folder.write({ '.gitignore': 'secret\n' })
    await folder.git('add', '-A')
    await folder.git('commit', '-q', '-m', 'ignore')
    await folder.write({ secret: 'mine\n' })
  })
  afterEach(async () => {
    expect(await disk('secret')).toBe('mine\n')
    expect(groupsOf(await status())).toEqual({})
  })

  it('by a switch', async () => {
    const options = { target: 'other', track: false, detach: false }
    const switched = folder.service.switchTo(folder.id, 'o', options)
    // A stash would not help.
    await expect(switched).rejects.toMatchObject({ ...never, reason: undefined })
    const branch = { name: 'new', from: 'other', switch: true }
    await expect(folder.service.createBranch(folder.id, branch)).rejects.toMatchObject({ code: 'conflict' })
  })

  it('by a commit that is applied or undone', async () => {
    const applied = folder.service.applyCommit(folder.id, 'o', { commit: 'other', how: 'cherry_pick' })
    await expect(applied).rejects.toMatchObject(never)
    await folder.git('rm', '-q', '--cached', 'a.txt')
    await folder.write({ '.gitignore': 'secret\na.txt\n', 'a.txt': 'mine\n' })
    await folder.git('commit', '-q', '-a', '-m', 'without a')
    const undone = folder.service.applyCommit(folder.id, 'o', { commit: 'HEAD', how: 'revert' })
    await expect(undone).rejects.toMatchObject({ message: expect.stringContaining('a.txt') })
    expect(await disk('a.txt')).toBe('mine\n')
  })

  it('by the first commit of another history', async () => {
    const tree = (await folder.git('rev-parse', 'other^{tree}')).trim()
    const first = (await folder.git('commit-tree', tree, '-m', 'first')).trim()
    const applied = folder.service.applyCommit(folder.id, 'o', { commit: first, how: 'cherry_pick' })
    await expect(applied).rejects.toMatchObject(never)
  })

  it('by a stash', async () => {
    await rm(path.join(folder.root, 'secret'))
    await folder.write({ secret: 'stashed\n' })
    await folder.git('add', '--force', 'secret')
    await folder.git('stash', 'push', '-q')
    await folder.write({ secret: 'mine\n' })
    const [stash] = await folder.service.stashes(folder.id)
    await expect(folder.service.applyStash(folder.id, 'o', stash?.hash ?? '', true)).rejects.toMatchObject(never)
  })

  it.each(['merge', 'rebase', undefined] as const)('by a pull, %s', async (strategy) => {
    // A local branch as upstream needs no remote.
    await folder.git('branch', '-q', '--set-upstream-to=other')
    if (strategy === undefined) await folder.git('config', 'pull.rebase', 'true')
    await expect(folder.service.pull(folder.id, 'o', strategy)).rejects.toMatchObject(never)
  })
})
