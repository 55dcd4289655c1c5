import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, writeFileSync } from 'node:fs'
import { chmod, lstat, mkdtemp, readdir, readFile, readlink, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createPlaceRules } from '../approval/placeRules.ts'
import { createCore, type Core } from '../core.ts'
import { chosenCases } from '../testing/longForm.ts'
import { inProcessIndex } from '../testing/inProcessIndex.ts'
import { fakeEditor, writeTree } from '../tools/testing/toolContext.ts'
import { createBuffers } from '../workspace/buffers.ts'
import { openWorkspace } from '../workspace/containment.ts'
import { createDocuments } from '../workspace/documents.ts'
import { createFileOperations } from '../workspace/fileOperations.ts'
import { createRestoreTarget } from '../workspace/restoreTarget.ts'
import { takeOver } from './takeOver.ts'

// Changes of a real worktree, taken over by the real core.

const exec = promisify(execFile)
const never = new AbortController().signal
const scope = { kind: 'pending' } as const
const lines = (...changed: [number, string][]) =>
  Array.from({ length: 20 }, (_, index) => `${changed.find(([at]) => at === index + 1)?.[1] ?? index + 1}\n`).join('')

let base: string
let main: string
let core: Core
let session: Awaited<ReturnType<Core['sessions']['create']>>['session']

const git = async (folder: string, ...args: string[]) => (await exec('git', ['-C', folder, ...args])).stdout.trim()
const text = (name: string) => readFile(path.join(main, name), 'utf8')
const pending = async () => (await core.handlers['review.list']({ scope }, never)).files.map(({ path: file }) => file)

beforeEach(async () => {
  base = await realpath(await mkdtemp(path.join(tmpdir(), 'tizona-take-over-')))
  main = path.join(base, 'project')
  await exec('git', ['init', '-q', '-b', 'main', main])
  await git(main, 'config', 'user.name', 'Ana')
  await git(main, 'config', 'user.email', 'ana@example.org')
  await writeTree(main, {
    'a.txt': lines(),
    'gone.txt': 'x\n',
    'run.sh': 'true\n',
    'binary.bin': Buffer.from([0, 1, 2]),
  })
  await git(main, 'add', '-A')
  await git(main, 'commit', '-qm', 'first')
  await open()
  session = (await core.sessions.create({ folder: main })).session
})
const platform = () => {
  const resources = path.join(import.meta.dirname, '..', '..', '..', 'resources')
  return { host: 'headless' as const, version: 'test', userData: path.join(base, 'data'), resources }
}
async function open(): Promise<void> {
  core = await createCore({ platform: { ...platform(), fork: inProcessIndex } })
  await core.openWorkspace(main)
}
afterEach(async () => {
  await core.dispose()
  await rm(base, { recursive: true, force: true })
})

it('brings chosen hunks as the window showed them, and refuses what has changed since', async () => {
  const { worktree, id } = session
  await writeFile(path.join(worktree, 'a.txt'), lines([2, 'zwö'], [4, 'vier'], [15, 'XV']))
  await writeFile(path.join(worktree, 'new.txt'), 'n\n')
  const { files } = await core.handlers['sessions.changes']({ id }, never)
  const [file, created] = files
  expect(files.map(({ path: name, change, divisible, hunks }) => [name, change, divisible, hunks.length])).toEqual([
    ['a.txt', 'modified', true, 3],
    ['new.txt', 'created', false, 1],
  ])
  // Context ends before the next hunk.
  expect(file?.hunks[0]?.lines.map(({ kind, text: line }) => [kind, line])).toEqual([
    ['context', '1'],
    ['removed', '2'],
    ['added', 'zwö'],
    ['context', '3'],
  ])
  const chosen = (hunks: number[]) => [{ path: 'a.txt', revision: file?.revision ?? '', hunks }]
  await core.handlers['sessions.takeOver']({ id, selection: chosen([0, 2]) }, never)
  expect(await text('a.txt')).toBe(lines([2, 'zwö'], [15, 'XV']))
  expect(existsSync(path.join(main, 'new.txt'))).toBe(false)

  await writeFile(path.join(worktree, 'new.txt'), 'other\n')
  const late = [{ path: 'new.txt', revision: created?.revision ?? '', hunks: null }]
  await expect(core.handlers['sessions.takeOver']({ id, selection: late }, never)).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringContaining('new.txt since it was shown'),
  })
})

it('takes over no hunk that the window has not shown', async () => {
  const { worktree, id } = session
  const many = Array.from({ length: 2600 }, (_, index) => `${index}\n`).join('')
  await writeTree(main, { 'many.txt': many })
  await git(main, 'add', '-A')
  await git(main, 'commit', '-qm', 'many')
  session = (await core.sessions.create({ folder: main })).session
  await writeTree(session.worktree, {
    'a.txt': lines([2, 'two'], [15, 'XV']),
    'binary.bin': Buffer.from([0, 9]),
    'many.txt': many.replaceAll(/\n/g, '!\n'),
    'new.txt': 'n\n',
  })
  const { files } = await core.handlers['sessions.changes']({ id: session.id }, never)
  const take = (name: string, hunks: number[]) => {
    const revision = files.find((file) => file.path === name)?.revision ?? ''
    const selection = [{ path: name, revision, hunks }]
    return Promise.all([
      expect(core.handlers['sessions.conflicts']({ id: session.id, selection }, never)).rejects.toThrow(name),
      expect(core.handlers['sessions.takeOver']({ id: session.id, selection }, never)).rejects.toMatchObject({
        code: 'conflict',
        message: expect.stringContaining(name),
      }),
    ])
  }
  // Too long to show.
  await take('many.txt', [0])
  await writeTree(session.worktree, { 'many.txt': many })
  // One more than there are.
  await take('a.txt', [0, 2])
  // No text, and created: only the whole change can be chosen.
  for (const name of ['binary.bin', 'new.txt']) await take(name, [0])
  // The same hunk, of the state before another change of the session.
  await writeFile(path.join(session.worktree, 'a.txt'), lines([2, 'deux'], [15, 'XV']))
  await take('a.txt', [1])
  // A session of before is not mixed up with another one.
  await writeFile(path.join(worktree, 'a.txt'), lines([2, 'other'], [15, 'XV']))
  const selection = [{ path: 'a.txt', revision: files[0]?.revision ?? '', hunks: [1] }]
  await expect(core.handlers['sessions.takeOver']({ id, selection }, never)).rejects.toMatchObject({ code: 'conflict' })
  expect(await text('a.txt')).toBe(lines())
  expect(await pending()).toEqual([])
})

it('brings committed, uncommitted and untracked changes as a reviewed change, which is undone by the hunk', async () => {
  const { worktree, id } = session
  await writeTree(worktree, { 'a.txt': lines([2, 'two']), 'new/b.txt': 'b\n', 'binary.bin': Buffer.from([0, 9]) })
  await git(worktree, 'rm', '-q', 'gone.txt')
  await git(worktree, 'add', '-A')
  await git(worktree, 'commit', '-qm', 'work')
  await writeTree(worktree, { 'a.txt': lines([2, 'two'], [15, 'fifteen']), 'untracked.txt': 'u\n' })
  await chmod(path.join(worktree, 'run.sh'), 0o755)
  await symlink('a.txt', path.join(worktree, 'link'))
  // The folder has moved on, in other lines.
  await writeTree(main, { 'a.txt': lines([9, 'nine']) })

  const { changed } = await core.sessions.takeOver(id)
  expect(changed).toEqual(['a.txt', 'binary.bin', 'gone.txt', 'link', 'new/b.txt', 'run.sh', 'untracked.txt'])
  expect(await text('a.txt')).toBe(lines([2, 'two'], [9, 'nine'], [15, 'fifteen']))
  expect(await text('new/b.txt')).toBe('b\n')
  expect(existsSync(path.join(main, 'gone.txt'))).toBe(false)
  expect(await readFile(path.join(main, 'binary.bin'))).toEqual(Buffer.from([0, 9]))
  expect((await lstat(path.join(main, 'run.sh'))).mode & 0o100).toBe(0o100)
  expect(await readlink(path.join(main, 'link'))).toBe('a.txt')
  expect(await git(main, 'log', '--format=%s')).toBe('first')

  expect(await pending()).toEqual(changed)
  const { hunkList, revision } = await core.handlers['review.hunks']({ scope, path: 'a.txt' }, never)
  expect(hunkList).toHaveLength(2)
  const targets = [
    { path: 'a.txt', hunks: [hunkList[1]?.id ?? ''], revision },
    { path: 'gone.txt' },
    { path: 'new/b.txt' },
  ]
  await core.handlers['review.undo']({ scope, targets }, never)
  expect(await text('a.txt')).toBe(lines([2, 'two'], [9, 'nine']))
  expect(await text('gone.txt')).toBe('x\n')
  expect(existsSync(path.join(main, 'new'))).toBe(false)

  // A second time brings back what was undone, and leaves the rest.
  const again = await core.sessions.takeOver(id)
  expect(again.changed).toEqual(['a.txt', 'gone.txt', 'new/b.txt'])
  expect(again.same).toHaveLength(4)
})

it('in the window of a worktree, a new session belongs to the repository', async () => {
  await core.openWorkspace(session.worktree)
  const { worktree } = await core.handlers['sessions.create']({ name: 'two' }, never)
  expect((await core.sessions.list(main)).map((each) => each.worktree)).toEqual([session.worktree, worktree])
})

it('takes over chosen hunks and files only', async () => {
  await writeTree(session.worktree, { 'a.txt': lines([2, 'two'], [15, 'fifteen']), 'b.txt': 'b\n', 'c.txt': 'c\n' })
  const selection = new Map<string, Set<number> | 'all'>([
    ['a.txt', new Set([1])],
    ['c.txt', 'all'],
  ])
  expect((await core.sessions.takeOver(session.id, selection)).changed).toEqual(['a.txt', 'c.txt'])
  expect(await text('a.txt')).toBe(lines([15, 'fifteen']))
  expect(existsSync(path.join(main, 'b.txt'))).toBe(false)
})

it('reports every conflict by file and writes nothing', async () => {
  const { worktree, id } = session
  await writeTree(worktree, { 'a.txt': lines([2, 'two']), 'b.txt': 'theirs\n', 'fine.txt': 'x\n', 'gone.txt': 'y\n' })
  await writeTree(worktree, { 'binary.bin': Buffer.from([0, 9]) })
  await rm(path.join(worktree, 'run.sh'))
  await writeTree(main, { 'a.txt': lines([2, 'zwei']), 'b.txt': 'mine\n', 'run.sh': 'false\n' })
  await writeFile(path.join(main, 'binary.bin'), Buffer.from([0, 8]))
  await rm(path.join(main, 'gone.txt'))
  const failure = await core.sessions.takeOver(id).catch((error: unknown) => error)
  expect(failure).toMatchObject({ code: 'conflict' })
  const message = failure instanceof Error ? failure.message : ''
  for (const file of ['a.txt', 'b.txt', 'binary.bin', 'gone.txt', 'run.sh']) expect(message).toContain(`\n${file}: `)
  expect(existsSync(path.join(main, 'fine.txt'))).toBe(false)
  expect(await text('a.txt')).toBe(lines([2, 'zwei']))
  expect(await pending()).toEqual([])
})

it('takes over a resolution of a conflict, with the line ends of the folder, unless the file has changed', async () => {
  const { worktree, id } = session
  await writeFile(path.join(main, 'a.txt'), lines([4, 'mine']).replaceAll('\n', '\r\n'))
  await writeFile(path.join(worktree, 'a.txt'), lines([4, 'theirs'], [15, 'XV']))
  await writeFile(path.join(main, 'gone.txt'), 'changed\n')
  await rm(path.join(worktree, 'gone.txt'))
  await writeFile(path.join(main, 'binary.bin'), Buffer.from([0, 1, 3]))
  await writeFile(path.join(worktree, 'binary.bin'), Buffer.from([0, 1, 4]))
  await writeFile(path.join(worktree, 'new.txt'), 'n\n')
  const { files } = await core.handlers['sessions.changes']({ id }, never)
  const selection = files.map(({ path: file, revision }) => ({ path: file, revision, hunks: null }))
  const found = await core.handlers['sessions.conflicts']({ id, selection }, never)
  expect(found.map(({ path: file, texts, replaceable }) => [file, texts !== null, replaceable])).toEqual([
    ['a.txt', true, true],
    ['binary.bin', false, true],
    ['gone.txt', false, true],
  ])
  expect(found[0]?.texts?.merged).toContain(
    '3\n<<<<<<< this folder\nmine\n||||||| base\n4\n=======\ntheirs\n>>>>>>> session\n5\n',
  )
  expect(await text('a.txt')).toContain('mine')

  const resolved = selection.map((each) => {
    const current = found.find(({ path: file }) => file === each.path)?.current
    const merged = each.path === 'a.txt' ? lines([4, 'both'], [15, 'XV']) : null
    return current === undefined ? each : { ...each, resolution: { current, text: merged } }
  })
  await writeFile(path.join(main, 'gone.txt'), 'again\n')
  await expect(core.handlers['sessions.takeOver']({ id, selection: resolved }, never)).rejects.toMatchObject({
    message: expect.stringContaining('gone.txt: It or the chosen changes are others than when you resolved it.'),
  })
  expect(await text('a.txt')).toContain('mine')
  await writeFile(path.join(main, 'gone.txt'), 'changed\n')
  await core.handlers['sessions.takeOver']({ id, selection: resolved }, never)
  expect(await text('a.txt')).toBe(lines([4, 'both'], [15, 'XV']).replaceAll('\n', '\r\n'))
  expect(existsSync(path.join(main, 'gone.txt'))).toBe(false)
  expect(await readFile(path.join(main, 'binary.bin'))).toEqual(Buffer.from([0, 1, 4]))
  expect(await pending()).toEqual(['a.txt', 'binary.bin', 'gone.txt', 'new.txt'])
})

it('offers no editor for text that it would change', async () => {
  const { worktree, id } = session
  const texts: [string, string | Buffer, string | Buffer][] = [
    ['latin.txt', Buffer.from('\xe4\n', 'latin1'), 'x\n'],
    ['mixed.txt', 'a\r\nb\n', 'x\n'],
    ['return.txt', 'a\rb\n', 'x\n'],
    ['both.txt', 'a\n', 'x\n'],
  ]
  for (const [file, mine, theirs] of texts) {
    await writeFile(path.join(main, file), mine)
    await writeFile(path.join(worktree, file), theirs)
  }
  const { files } = await core.handlers['sessions.changes']({ id }, never)
  const selection = files.map(({ path: file, revision }) => ({ path: file, revision, hunks: null }))
  const found = await core.handlers['sessions.conflicts']({ id, selection }, never)
  expect(found.map(({ path: file, texts: shown }) => [file, shown?.merged ?? null])).toEqual([
    ['both.txt', '<<<<<<< this folder\na\n||||||| base\n=======\nx\n>>>>>>> session\n'],
    ['latin.txt', null],
    ['mixed.txt', null],
    ['return.txt', null],
  ])
})

it('overwrites nothing that is saved while it writes, and undoes only its own', async () => {
  await writeTree(session.worktree, {
    'a.txt': lines([2, 'two']),
    'b.txt': 'b\n',
    'c.txt': 'c\n',
    'gone.txt': 'theirs\n',
  })
  const { changes } = await core.sessions.changes(session.id)
  const workspace = await openWorkspace(main)
  const target = createRestoreTarget(
    workspace,
    createDocuments(workspace, fakeEditor()),
    createFileOperations(workspace),
    // After the third file, the user saves the second and the last one.
    (file) => {
      if (file !== 'c.txt' || existsSync(path.join(main, 'saved'))) return
      for (const name of ['saved', 'b.txt', 'gone.txt']) writeFileSync(path.join(main, name), 'mine\n')
    },
  )
  const review = { begin: () => Promise.resolve({ end: () => Promise.resolve() }) }
  await expect(
    takeOver({ workspace, buffers: createBuffers(), target, review }, createPlaceRules(), changes),
  ).rejects.toMatchObject({ code: 'conflict', message: expect.stringContaining('gone.txt') })
  expect([await text('b.txt'), await text('gone.txt')]).toEqual(['mine\n', 'mine\n'])
  expect(await text('a.txt')).toBe(lines())
  expect(existsSync(path.join(main, 'c.txt'))).toBe(false)
})

it('takes over no protected file unless it is named, and follows no link that leads elsewhere', async () => {
  await writeTree(session.worktree, { '.vscode/tasks.json': '{}\n', 'dir/a.txt': 'x\n' })
  const { changed, protectedPaths } = await core.sessions.takeOver(session.id, undefined)
  expect([changed, protectedPaths]).toEqual([['dir/a.txt'], ['.vscode/tasks.json']])
  await rm(path.join(main, 'dir'), { recursive: true })
  await symlink(base, path.join(main, 'dir'))
  await expect(core.sessions.takeOver(session.id)).rejects.toMatchObject({
    code: expect.stringMatching(/conflict|outside/),
  })
  expect(existsSync(path.join(base, 'a.txt'))).toBe(false)
  await core.sessions.takeOver(session.id, new Map([['.vscode/tasks.json', 'all' as const]]))
  expect(await text('.vscode/tasks.json')).toBe('{}\n')
})

it('keeps Windows line ends where the folder has them', async () => {
  await writeTree(main, { '.gitattributes': '*.txt text eol=crlf\n', 'crlf.txt': '1\r\n2\r\n3\r\n4\r\n' })
  await git(main, 'add', '-A')
  await git(main, 'commit', '-qm', 'second')
  const { session: other } = await core.sessions.create({ folder: main })
  await writeTree(other.worktree, { 'crlf.txt': '1\r\ntwo\r\n3\r\n4\r\n' })
  await writeTree(main, { 'crlf.txt': '1\r\n2\r\n3\r\nfour\r\n' })
  await core.sessions.takeOver(other.id)
  expect(await text('crlf.txt')).toBe('1\r\ntwo\r\n3\r\nfour\r\n')
})

it('takes over the chosen hunk only, with the line ends of the folder, if the session has others', async () => {
  const { worktree, id } = session
  await writeFile(path.join(worktree, 'a.txt'), lines([2, 'two'], [15, 'fifteen']).replaceAll('\n', '\r\n'))
  const { files } = await core.handlers['sessions.changes']({ id }, never)
  expect(files[0]?.hunks).toHaveLength(2)
  const selection = [{ path: 'a.txt', revision: files[0]?.revision ?? '', hunks: [0] }]
  await core.handlers['sessions.takeOver']({ id, selection }, never)
  expect(await text('a.txt')).toBe(lines([2, 'two']))
  // Beside a change of the folder.
  await writeFile(path.join(main, 'a.txt'), lines([2, 'two'], [9, 'nine']))
  await core.handlers['sessions.takeOver']({ id, selection: selection.map((each) => ({ ...each, hunks: [1] })) }, never)
  expect(await text('a.txt')).toBe(lines([2, 'two'], [9, 'nine'], [15, 'fifteen']))
  // The whole change has the line ends of the session.
  await core.handlers['sessions.takeOver'](
    { id, selection: selection.map((each) => ({ ...each, hunks: null })) },
    never,
  )
  expect(await text('a.txt')).toBe(lines([2, 'two'], [9, 'nine'], [15, 'fifteen']).replaceAll('\n', '\r\n'))
})

it('takes over a change of permissions or of line ends alone, and permissions with a chosen hunk', async () => {
  const { worktree, id } = session
  await chmod(path.join(worktree, 'run.sh'), 0o755)
  await writeFile(path.join(worktree, 'gone.txt'), 'x\r\n')
  await writeFile(path.join(worktree, 'a.txt'), lines([2, 'two'], [15, 'fifteen']))
  await chmod(path.join(worktree, 'a.txt'), 0o755)
  const { files } = await core.handlers['sessions.changes']({ id }, never)
  expect(files).toMatchObject([
    { path: 'a.txt', divisible: true, executable: true, lineEnds: null },
    { path: 'gone.txt', divisible: false, executable: null, lineEnds: 'CRLF', hunks: [] },
    { path: 'run.sh', divisible: false, executable: true, lineEnds: null, hunks: [] },
  ])
  const selection = files.map(({ path: file, revision, divisible }) => ({
    path: file,
    revision,
    hunks: divisible ? [0] : null,
  }))
  await core.handlers['sessions.takeOver']({ id, selection }, never)
  expect([await text('a.txt'), await text('gone.txt')]).toEqual([lines([2, 'two']), 'x\r\n'])
  for (const name of ['a.txt', 'run.sh']) expect((await lstat(path.join(main, name))).mode & 0o100).toBe(0o100)
})

it('names binary files, and where links lead', async () => {
  const { worktree, id } = session
  await writeFile(path.join(worktree, 'binary.bin'), Buffer.from([0, 9]))
  await writeTree(worktree, { 'dir/x.txt': 'x\n' })
  await symlink('../a.txt', path.join(worktree, 'dir/inside'))
  await symlink('../../elsewhere', path.join(worktree, 'dir/outside'))
  await symlink('/etc/hosts', path.join(worktree, 'root'))
  const { files } = await core.handlers['sessions.changes']({ id }, never)
  expect(files.map(({ path: file, binary, link }) => [file, binary, link])).toEqual([
    ['binary.bin', true, null],
    ['dir/inside', false, { target: '../a.txt', leadsOutside: false }],
    ['dir/outside', false, { target: '../../elsewhere', leadsOutside: true }],
    ['dir/x.txt', false, null],
    ['root', false, { target: '/etc/hosts', leadsOutside: true }],
  ])
})

describe('a kill while changes are taken over loses nothing, and a second time completes them', () => {
  const files = 60

  /** Takes over in a separate process, which is killed once this many files are written. */
  async function killedAt(count: number): Promise<void> {
    const url = JSON.stringify(pathToFileURL(path.join(import.meta.dirname, '../core.ts')).href)
    const script = `
      const { createCore } = await import(${url})
      const { readdirSync } = await import('node:fs')
      const core = await createCore({ platform: ${JSON.stringify(platform())} })
      await core.openWorkspace(${JSON.stringify(main)})
      setInterval(() => {
        let written = 0
        try {
          written = readdirSync(${JSON.stringify(path.join(main, 'new'))}).length
        } catch {}
        if (written >= ${count}) process.kill(process.pid, 'SIGKILL')
      }, 1)
      await core.sessions.takeOver(${JSON.stringify(session.id)})`
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    await once(child, 'close')
    expect(child.signalCode).toBe('SIGKILL')
  }

  const counts = Array.from({ length: files }, (_, index) => index + 1)
  it.each(chosenCases(counts, 5))('after %i files', async (count) => {
    const { worktree } = session
    const names = Array.from({ length: files }, (_, index) => `new/${index}.txt`)
    await writeTree(worktree, Object.fromEntries(names.map((name) => [name, `${name}\n`])))
    await writeTree(worktree, { 'a.txt': lines([2, 'two']) })
    await writeTree(main, { 'a.txt': lines([9, 'nine']) })
    await core.dispose()
    await killedAt(count)
    await open()
    for (const name of names) {
      const found = await readFile(path.join(main, name), 'utf8').catch(() => `${name}\n`)
      expect(found).toBe(`${name}\n`)
    }
    expect([lines([9, 'nine']), lines([2, 'two'], [9, 'nine'])]).toContain(await text('a.txt'))
    const { changed, same } = await core.sessions.takeOver(session.id)
    expect(changed.length + same.length).toBe(files + 1)
    expect(await text('a.txt')).toBe(lines([2, 'two'], [9, 'nine']))
    // Everything is in the review, the part before the kill too.
    expect(await pending()).toHaveLength(files + 1)
    await core.handlers['review.undo']({ scope, targets: 'all' }, never)
    expect(await text('a.txt')).toBe(lines([9, 'nine']))
    // The folder itself, which the killed process made, may stay.
    const left = await readdir(path.join(main, 'new')).catch(() => [])
    expect(left.filter((name) => name.endsWith('.txt'))).toEqual([])
  })
})
