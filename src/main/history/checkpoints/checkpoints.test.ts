import { execFileSync } from 'node:child_process'
import {
  appendFile,
  chmod,
  lstat,
  mkdir,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { makePlaceholder } from '../../base/placeholderFolder.ts'
import { fakeEditor, temporaryFolder, writeTree, type FakeEditor } from '../../tools/testing/toolContext.ts'
import { createDocuments } from '../../workspace/documents.ts'
import { createFileOperations } from '../../workspace/fileOperations.ts'
import { createRestoreTarget } from '../../workspace/restoreTarget.ts'
import { expectFailure } from '../../workspace/testing/disk.ts'
import { isTemporaryName } from '../../workspace/textFile.ts'
import { openWorkspace } from '../../workspace/containment.ts'
import { openDatabase } from '../database.ts'
import { createReviewRows } from '../storedReviewRows.ts'
import { createBlobs } from './blobs.ts'
import { hashOf } from './entries.ts'
import { createCheckpoints, type CheckpointLimits, type Checkpoints } from './checkpoints.ts'
import { walkTree, type WalkDeps } from './walkTree.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let data: Awaited<ReturnType<typeof temporaryFolder>>
let db: DatabaseSync
let editor: FakeEditor
let checkpoints: Checkpoints

const at = (name: string) => path.join(folder.root, name)
const textOf = (name: string) => readFile(at(name), 'utf8')
const there = (name: string) =>
  lstat(at(name)).then(
    () => true,
    () => false,
  )
const take = (paths?: string[]) => checkpoints.take({ reason: 'test', paths })

async function open(limits: Partial<CheckpointLimits> = {}): Promise<Checkpoints> {
  const workspace = await openWorkspace(folder.root)
  const target = createRestoreTarget(
    workspace,
    createDocuments(workspace, editor),
    createFileOperations(workspace),
    () => undefined,
  )
  return createCheckpoints({ db, root: folder.root, userData: data.root, target, isTransient: isTemporaryName, limits })
}

async function blobFiles(): Promise<string[]> {
  const names = await readdir(path.join(data.root, 'checkpoints'), { recursive: true, withFileTypes: true }).catch(
    () => [],
  )
  return names.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name))
}

beforeEach(async () => {
  folder = await temporaryFolder({
    'a.txt': 'one\n',
    'src/b.ts': 'two\n',
    'src/deep/c.bin': Buffer.from([0, 1, 2, 255]),
  })
  data = await temporaryFolder()
  db = (await openDatabase(data.root)).db
  editor = fakeEditor()
  checkpoints = await open()
})
afterEach(async () => {
  db.close()
  await Promise.all([folder.remove(), data.remove()])
})

describe('a checkpoint', () => {
  test('restores changed and deleted files byte for byte and removes created ones', async () => {
    const { id } = await take()
    await writeFile(at('a.txt'), 'changed')
    await rm(at('src'), { recursive: true })
    await writeTree(folder.root, { 'new/deep/file.txt': 'x' })
    expect(await checkpoints.changes(id)).toEqual([
      { path: 'a.txt', change: 'changed' },
      { path: 'new/deep/file.txt', change: 'created' },
      { path: 'src/b.ts', change: 'deleted' },
      { path: 'src/deep/c.bin', change: 'deleted' },
    ])
    const outcome = await checkpoints.restore(id)
    expect(outcome.skipped).toEqual([])
    expect(await textOf('a.txt')).toBe('one\n')
    expect([...(await readFile(at('src/deep/c.bin')))]).toEqual([0, 1, 2, 255])
    expect(await there('new')).toBe(false)
    expect(await checkpoints.changes(id)).toEqual([])
  })

  test('can be undone, because a restore first takes a checkpoint of the current state', async () => {
    const { id } = await take()
    await writeTree(folder.root, { 'a.txt': 'changed', 'new.txt': 'x' })
    const { before } = await checkpoints.restore(id)
    await checkpoints.restore(before)
    expect([await textOf('a.txt'), await textOf('new.txt')]).toEqual(['changed', 'x'])
    expect(checkpoints.list().map(({ reason }) => reason)).toEqual([
      'before restoring: before restoring: test',
      'before restoring: test',
      'test',
    ])
  })

  test('can be restored, or taken, for some paths only', async () => {
    const whole = await take()
    const some = await take(['src'])
    await writeTree(folder.root, { 'a.txt': 'A', 'src/b.ts': 'B', 'src/new.ts': 'N' })
    expect((await checkpoints.changes(some.id)).map((change) => change.path)).toEqual(['src/b.ts', 'src/new.ts'])
    expect((await checkpoints.restore(whole.id, { paths: ['src/b.ts'] })).written).toEqual(['src/b.ts'])
    expect([await textOf('a.txt'), await textOf('src/new.ts')]).toEqual(['A', 'N'])
    expect((await checkpoints.restore(whole.id, { paths: [] })).written).toEqual([])
    await checkpoints.restore(some.id)
    expect([await textOf('a.txt'), await there('src/new.ts')]).toEqual(['A', false])
  })

  test('of a missing file removes it again', async () => {
    const { id, files } = await take(['made/later.txt'])
    expect(files).toBe(0)
    await writeTree(folder.root, { 'made/later.txt': 'x' })
    expect((await checkpoints.restore(id)).removed).toEqual(['made/later.txt'])
  })

  test('keeps permission bits, and links unchanged, including those out of the workspace', async () => {
    await writeTree(data.root, { 'outside/secret.txt': 'secret' })
    await symlink(path.join(data.root, 'outside'), at('out-link'))
    await symlink('nowhere', at('dangling'))
    await chmod(at('src/b.ts'), 0o751)
    const { id } = await take()
    await rm(at('out-link'))
    await rm(at('dangling'))
    await chmod(at('src/b.ts'), 0o600)
    await checkpoints.restore(id)
    expect([await readlink(at('out-link')), await readlink(at('dangling'))]).toEqual([
      path.join(data.root, 'outside'),
      'nowhere',
    ])
    expect((await stat(at('src/b.ts'))).mode & 0o777).toBe(0o751)
    const kept = await checkpoints.fileAt(id, 'out-link/secret.txt')
    expect(kept).toBeNull()
    // Nor for a path through the link.
    const through = await take(['out-link/secret.txt'])
    expect(await checkpoints.fileAt(through.id, 'out-link/secret.txt')).toBeNull()
  })

  test('does not write through a folder that became a link out of the workspace', async () => {
    const { id } = await take()
    await rm(at('src'), { recursive: true })
    await symlink(data.root, at('src'))
    await checkpoints.restore(id)
    expect((await lstat(at('src'))).isDirectory()).toBe(true)
    expect(await textOf('src/b.ts')).toBe('two\n')
    expect(await readdir(data.root)).not.toContain('b.ts')
  })

  test('restores a file that became a folder, and a folder that became a file', async () => {
    const { id } = await take()
    await rm(at('a.txt'))
    await writeTree(folder.root, { 'a.txt/inside.txt': 'x' })
    await rm(at('src'), { recursive: true })
    await writeFile(at('src'), 'file')
    expect((await checkpoints.restore(id)).skipped).toEqual([])
    expect([await textOf('a.txt'), await textOf('src/b.ts')]).toEqual(['one\n', 'two\n'])
  })

  test('does not change git data and includes untracked and ignored files and nested repositories', async () => {
    const git = (cwd: string, ...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.org', ...args], { cwd, encoding: 'utf8' })
    await writeTree(folder.root, { '.gitignore': 'ignored.txt\n', 'ignored.txt': 'i', 'nested/inner.txt': 'n' })
    git(folder.root, 'init', '-q')
    git(folder.root, 'add', 'a.txt')
    git(folder.root, 'commit', '-qm', 'first')
    git(at('nested'), 'init', '-q')
    const { id } = await take()
    const [head, nestedHead] = [await textOf('.git/HEAD'), await textOf('nested/.git/HEAD')]
    await writeTree(folder.root, { 'ignored.txt': 'I', 'nested/inner.txt': 'N', 'untracked.txt': 'u' })
    git(folder.root, 'checkout', '-q', '-b', 'other')
    await checkpoints.restore(id)
    expect([await textOf('ignored.txt'), await textOf('nested/inner.txt'), await there('untracked.txt')]).toEqual([
      'i',
      'n',
      false,
    ])
    expect(await textOf('.git/HEAD')).toBe('ref: refs/heads/other\n')
    expect([head, await textOf('nested/.git/HEAD')]).not.toEqual(['ref: refs/heads/other\n', ''])
    expect(await textOf('nested/.git/HEAD')).toBe(nestedHead)
    expect(await checkpoints.fileAt(id, '.git/HEAD')).toBeNull()
  })

  test('excludes and reports generated folders and large files, which a restore does not change', async () => {
    checkpoints = await open({ fileBytes: 1000 })
    await writeTree(folder.root, {
      'node_modules/p/index.js': 'x',
      'cached/CACHEDIR.TAG': 'Signature',
      'cached/x': '',
      'large.bin': Buffer.alloc(1001),
      'shrinks.bin': Buffer.alloc(1001),
    })
    const taken = await take()
    expect(taken.omittedCount).toBe(4)
    expect(taken.omitted.map(({ path: name }) => name).toSorted()).toEqual([
      'cached',
      'large.bin',
      'node_modules',
      'shrinks.bin',
    ])
    await expectFailure(checkpoints.fileAt(taken.id, 'large.bin'), 'not_found')
    await writeTree(folder.root, { 'node_modules/p/more.js': 'y', 'shrinks.bin': 'small', 'a.txt': Buffer.alloc(2000) })
    await rm(at('large.bin'))
    const outcome = await checkpoints.restore(taken.id)
    expect([await there('node_modules/p/more.js'), await textOf('shrinks.bin')]).toEqual([true, 'small'])
    expect(outcome.skipped).toEqual([
      { path: 'a.txt', why: expect.stringContaining('could not be stored') },
      { path: 'large.bin', why: expect.stringContaining('not stored') },
    ])
    expect((await stat(at('a.txt'))).size).toBe(2000)
  })

  test('does not change files with unsaved changes and updates clean tabs', async () => {
    const { id } = await take()
    await writeTree(folder.root, { 'a.txt': 'changed', 'src/b.ts': 'changed', 'typed.txt': 'new' })
    editor.tabs.set('a.txt', { text: 'typed', dirty: true })
    editor.tabs.set('typed.txt', { text: 'typed', dirty: true })
    editor.tabs.set('src/b.ts', { text: 'changed', dirty: false })
    const { skipped } = await checkpoints.restore(id)
    expect(skipped.map(({ path: name }) => name).toSorted()).toEqual(['a.txt', 'typed.txt'])
    expect(skipped[0]?.why).toContain('unsaved changes')
    expect([await textOf('a.txt'), await textOf('typed.txt')]).toEqual(['changed', 'new'])
    expect(editor.tabs.get('src/b.ts')).toMatchObject({ text: 'two\n', dirty: false })
  })

  test('rejects an unknown id, and paths out of the workspace', async () => {
    await expectFailure(checkpoints.changes(99), 'not_found')
    await expectFailure(checkpoints.restore(99), 'not_found')
    await expectFailure(take(['../x']), 'outside_workspace')
  })
})

describe('a workspace scan', () => {
  test('of 5,000 files reads each file once, and then only changed ones', async () => {
    const names = Array.from({ length: 5_000 }, (_, index) => `many/${index % 50}/${index}.txt`)
    await writeTree(folder.root, Object.fromEntries(names.map((name) => [name, `content of ${name}`])))
    // Files that were just written would be read again.
    await delay(150)
    expect((await take()).hashed).toBe(5_003)
    expect((await take()).hashed).toBe(0)
    await appendFile(at('many/7/7.txt'), '!')
    const third = await take()
    expect([third.hashed, third.files]).toEqual([1, 5_003])
    expect(String(await checkpoints.fileAt(third.id, 'many/7/7.txt'))).toBe('content of many/7/7.txt!')
  }, 60_000)

  test('reads a changed file again even if its modification time was reset', async () => {
    await take()
    const { atime, mtime } = await stat(at('a.txt'))
    await writeFile(at('a.txt'), 'ONE\n')
    await utimes(at('a.txt'), atime, mtime)
    expect(String(await checkpoints.fileAt((await take()).id, 'a.txt'))).toBe('ONE\n')
  })

  test('continues if files are deleted in the meantime, and records entries that are not files', async () => {
    await writeTree(folder.root, Object.fromEntries(Array.from({ length: 400 }, (_, index) => [`many/${index}`, 'm'])))
    await writeTree(folder.root, { 'z.txt': 'z' })
    await mkdir(at('pipes'))
    execFileSync('mkfifo', [at('pipes/p')])
    const { tree } = await walkTree({
      workspace: { root: folder.root },
      before: new Map(),
      isTransient: () => false,
      limits: { fileBytes: 1000, files: 1000, readBytes: 1000 },
      contents: {
        has: async () => false,
        hasAll: async () => false,
        // Reading the first files of `many` deletes the others, which were listed before.
        put: async (_, content) => {
          if (String(content) === 'm') await rm(at('many'), { recursive: true, force: true })
        },
        flush: async () => undefined,
      },
    })
    expect([...tree.keys()]).toContain('z.txt')
    expect([...tree.keys()].filter((name) => name.startsWith('many/')).length).toBeLessThan(400)
    expect(tree.get('many/0')?.kind ?? 'gone').not.toBe('omitted')
    expect(tree.get('pipes/p')).toMatchObject({ kind: 'omitted' })
  })

  test('does not contain the empty folders of a running sandboxed command', async () => {
    makePlaceholder(at('.vscode'))
    const { id } = await take()
    await rm(at('.vscode'), { recursive: true })
    await checkpoints.restore(id)
    expect(await there('.vscode')).toBe(false)
  })

  test('stores nothing when it is cancelled', async () => {
    await expect(checkpoints.take({ reason: 'test' }, AbortSignal.abort())).rejects.toThrow()
    expect(checkpoints.list()).toEqual([])
  })

  test.skipIf(process.getuid?.() !== 0)('records unreadable entries, which a restore reports', async () => {
    const script = `
      const { walkTree } = await import(${JSON.stringify(path.join(import.meta.dirname, 'walkTree.ts'))})
      process.setgroups([]); process.setgid(65534); process.setuid(65534)
      const parts = { workspace: { root: ${JSON.stringify(folder.root)} }, before: new Map(), isTransient: () => false, limits: { fileBytes: 1000, files: 10, readBytes: 1000 }, contents: { has: async () => false, hasAll: async () => false, put: async () => {}, flush: async () => {} } }
      process.stdout.write(JSON.stringify([...(await walkTree(parts)).tree]))`
    await chmod(folder.root, 0o755)
    await chmod(at('a.txt'), 0o600)
    await chmod(at('src/deep'), 0o700)
    const out = execFileSync(process.execPath, ['--input-type=module', '--no-warnings', '-e', script], {
      cwd: '/',
      encoding: 'utf8',
    })
    const tree = new Map(JSON.parse(out) as [string, { kind: string; why?: string }][]) // Written by the script above.
    expect(tree.get('a.txt')).toMatchObject({ kind: 'omitted', why: 'The system reports EACCES.' })
    expect(tree.get('src/deep')).toMatchObject({ kind: 'omitted' })
    expect(tree.get('src/b.ts')).toMatchObject({ kind: 'file' })
  })
})

describe('the store', () => {
  test('stores equal contents once and persists', async () => {
    await writeTree(folder.root, { 'same.txt': 'one\n' })
    const { id } = await take()
    expect(await blobFiles()).toHaveLength(3)
    await take()
    expect(await blobFiles()).toHaveLength(3)
    await rm(at('a.txt'))
    checkpoints = await open()
    await checkpoints.restore(id)
    expect(await textOf('a.txt')).toBe('one\n')
  })

  test('contents of a process that ended before its checkpoint was written are deleted', async () => {
    checkpoints = await open({ grace: 0, count: 3 })
    const store = path.dirname(path.dirname((await take().then(blobFiles))[0] ?? ''))
    const content = Buffer.from('written by a process that was killed')
    const hash = await hashOf(content)
    await createBlobs(store, 0).put(hash, content)
    await writeFile(path.join(store, hash.slice(0, 2), `${hash.slice(2)}-x.part`), 'half')
    checkpoints = await open({ grace: 0, count: 3 })
    expect(checkpoints.list()).toHaveLength(1)
    for (let round = 0; round < 4; round++) await take()
    expect(await blobFiles()).toHaveLength(3)
  })

  test('deletes the oldest checkpoints beyond its limits, with unreferenced contents', async () => {
    checkpoints = await open({ grace: 0, count: 4 })
    const { id } = await take()
    for (let round = 0; round < 6; round++) {
      await writeFile(at('a.txt'), `round ${round}`)
      await take()
    }
    expect(checkpoints.list().length).toBeLessThanOrEqual(4)
    await expectFailure(checkpoints.fileAt(id, 'a.txt'), 'not_found')
    const newest = checkpoints.list()[0]?.id ?? 0
    expect(String(await checkpoints.fileAt(newest, 'a.txt'))).toBe('round 5')
    expect(String(await checkpoints.fileAt(newest, 'src/b.ts'))).toBe('two\n')

    checkpoints = await open({ grace: 0, bytes: 1 })
    await take()
    expect(checkpoints.list()).toHaveLength(2)
  })

  test('keeps contents that a review references, and deletes them with it', async () => {
    checkpoints = await open({ grace: 0, count: 4 })
    const content = Buffer.from('base of a review')
    const hash = await hashOf(content)
    await checkpoints.contents.put(hash, content)
    const rows = createReviewRows(db, folder.root)
    rows.set('file', 'a.txt', JSON.stringify({ base: { kind: 'text', hash } }))
    await checkpoints.forget([], true)
    expect(String(await checkpoints.contents.get(hash))).toBe('base of a review')
    rows.remove('file', 'a.txt')
    await checkpoints.forget([], true)
    await expectFailure(checkpoints.contents.get(hash), 'not_found')
  })

  test('a scan stores contents without a checkpoint, and reads only changed files again', async () => {
    const hash = await hashOf(Buffer.from('one\n'))
    const first = await checkpoints.scan(undefined)
    expect(first.get('a.txt')).toMatchObject({ kind: 'file', hash })
    expect(String(await checkpoints.contents.get(hash))).toBe('one\n')
    expect(checkpoints.list()).toEqual([])
    await writeFile(at('a.txt'), 'changed')
    expect([...(await checkpoints.scan(['a.txt'], undefined, first)).keys()]).toEqual(['a.txt'])
  })

  test('keeps recent contents, which another process may be about to reference', async () => {
    checkpoints = await open({ count: 2 })
    for (let round = 0; round < 5; round++) {
      await writeFile(at('a.txt'), `round ${round}`)
      await take()
    }
    expect(checkpoints.list().length).toBe(2)
    expect((await blobFiles()).length).toBeGreaterThan(4)
  })

  test('a damaged or missing content is reported and not restored', async () => {
    const { id } = await take()
    const hash = await hashOf(Buffer.from('one\n'))
    const [blob = ''] = (await blobFiles()).filter((file) => file.endsWith(hash.slice(2)))
    await writeFile(blob, 'damaged')
    await writeFile(at('a.txt'), 'changed')
    const { skipped } = await checkpoints.restore(id)
    expect(skipped).toEqual([{ path: 'a.txt', why: expect.stringContaining('damaged') }])
    expect(await textOf('a.txt')).toBe('changed')
    await rm(blob)
    await expectFailure(checkpoints.fileAt(id, 'a.txt'), 'not_found')
  })

  test('a workspace whose folder is gone is not recorded as empty, and nothing is restored', async () => {
    const { id } = await take()
    const moved = `${folder.root}-moved`
    await rename(folder.root, moved)
    try {
      const begun = checkpoints.pending.begin({ reason: 'test' }, () => undefined, new AbortController().signal)
      const { message } = await expectFailure(begun, 'not_found')
      expect(message).toContain('moved, deleted or unmounted')
      for (const paths of [undefined, ['src/b.ts']]) await expectFailure(take(paths), 'not_found')
      await expectFailure(checkpoints.changes(id), 'not_found')
      await expectFailure(checkpoints.restore(id), 'not_found')
      await expectFailure(checkpoints.scan(['a.txt']), 'not_found')
      expect(checkpoints.list()).toHaveLength(1)
    } finally {
      await rename(moved, folder.root)
    }
    expect((await take()).files).toBe(3)
    expect(await checkpoints.changes(id)).toEqual([])
  })

  test('a folder that was unmounted during a scan, or before it, is not recorded as empty', async () => {
    const deps: WalkDeps = {
      workspace: { root: folder.root },
      limits: { fileBytes: 1000, files: 10, readBytes: 1000 },
      before: new Map(),
      isTransient: () => false,
      contents: createBlobs(path.join(data.root, 'contents'), 0).batch(),
    }
    // Where a file system was mounted there is now another one.
    const devices = new Map([[folder.root, -1]])
    expect((await walkTree({ ...deps, devices })).tree.size).toBe(5)
    for (const name of ['a.txt', 'src']) await rm(at(name), { recursive: true })
    expect((await walkTree(deps)).tree.size).toBe(0)
    await expectFailure(walkTree({ ...deps, devices }), 'not_found')
    await writeTree(folder.root, { 'a.txt': 'one' })
    const contents = { ...deps.contents, put: async () => rm(folder.root, { recursive: true }) }
    await expectFailure(walkTree({ ...deps, contents }), 'not_found')
  })

  test('separates workspaces', async () => {
    const { id } = await take()
    const other = createCheckpoints({
      db,
      root: data.root,
      userData: data.root,
      target: {
        exclusively: (_path, act) => act(),
        write: expect.fail,
        link: expect.fail,
        makeFolder: expect.fail,
        remove: expect.fail,
        removeFolder: expect.fail,
      },
    })
    expect(other.list()).toEqual([])
    await expectFailure(other.restore(id), 'not_found')
  })
})
