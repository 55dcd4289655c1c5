import { execFileSync, spawnSync } from 'node:child_process'
import { mkdir, rm, symlink, unlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { FileChange } from '../../shared/files/files.ts'
import { makePlaceholder } from '../base/placeholderFolder.ts'
import { temporaryFolder } from '../tools/testing/toolContext.ts'
import { readBranch } from './branch.ts'
import { writeTextFile } from './textFile.ts'
import { watchWorkspace, type WorkspaceWatcher } from './watcher.ts'
import { watchInThread } from './watchThread.ts'
import { openWorkspace } from './containment.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let watcher: WorkspaceWatcher | undefined
let batches: FileChange[][]
let branches: number
let problems: string[]
let overflows: number
const at = (name: string) => path.join(folder.root, name)
const seen = () => batches.flat()
const eventually = <T>(check: () => T) => vi.waitFor(check, { timeout: 10_000, interval: 20 })
const git = (...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', '-c', 'init.defaultBranch=main', ...args], {
    cwd: folder.root,
    stdio: 'pipe',
  })

async function start(): Promise<void> {
  watcher = watchWorkspace(await openWorkspace(folder.root), {
    onChanges(changes, overflow) {
      batches.push(changes)
      if (overflow) overflows += 1
    },
    onBranch: () => {
      branches += 1
    },
    onProblem: (message) => problems.push(message),
  })
  await watcher.ready
}

/** Watches a folder of its own. */
async function watchedFolder() {
  const { root, remove } = await temporaryFolder({ 'a.txt': 'a' })
  const paths: string[] = []
  const watching = watchWorkspace(await openWorkspace(root), {
    onChanges: (changes) => void paths.push(...changes.map((change) => change.path)),
    onProblem: (message) => expect.unreachable(message),
  })
  await watching.ready
  return {
    root,
    seen: () => paths,
    async [Symbol.asyncDispose]() {
      await watching.close()
      await remove()
    },
  }
}

/** Waits for the events of all earlier writes: those of a file written last arrive last. */
async function settle(): Promise<void> {
  const name = `settled-${seen().length}-${batches.length}.mark`
  await writeFile(at(name), '')
  await eventually(() => expect(seen().map((change) => change.path)).toContain(name))
}

beforeEach(async () => {
  folder = await temporaryFolder({ 'a.txt': 'a', 'src/b.txt': 'b', 'node_modules/lib/index.js': 'x' })
  batches = []
  branches = 0
  problems = []
  overflows = 0
})
afterEach(async () => {
  await watcher?.close()
  watcher = undefined
  await folder.remove()
})

describe('the watcher', () => {
  it('reports an empty folder of the sandbox only once something else has filled it', async () => {
    await start()
    for (const name of ['.vscode', '.idea']) makePlaceholder(at(name))
    await mkdir(at('.zed'))
    await settle()
    await rm(at('.idea'), { recursive: true })
    await settle()
    const ofFolders = () => seen().filter(({ path: name }) => name.startsWith('.'))
    expect(ofFolders()).toEqual([{ path: '.zed', change: 'created', directory: true }])
    await writeFile(at('.vscode/settings.json'), '{}')
    await eventually(() => expect(ofFolders()).toHaveLength(3))
    expect(ofFolders()).toEqual(
      expect.arrayContaining([
        { path: '.vscode', change: 'created', directory: true },
        { path: '.vscode/settings.json', change: 'created', directory: false },
      ]),
    )
  })

  it('reports files and folders created, changed and deleted', async () => {
    await start()
    await writeFile(at('a.txt'), 'changed')
    await mkdir(at('new'))
    await writeFile(at('new/c.txt'), 'c')
    await unlink(at('src/b.txt'))
    await eventually(() => {
      expect(seen()).toContainEqual({ path: 'a.txt', change: 'changed', directory: false })
      expect(seen()).toContainEqual({ path: 'new', change: 'created', directory: true })
      expect(seen()).toContainEqual({ path: 'new/c.txt', change: 'created', directory: false })
      expect(seen()).toContainEqual({ path: 'src/b.txt', change: 'deleted', directory: false })
    })
    await rm(at('new'), { recursive: true })
    await eventually(() => expect(seen()).toContainEqual({ path: 'new', change: 'deleted', directory: true }))
    expect(problems).toEqual([])
  })

  it.skipIf(process.platform !== 'linux')(
    'watches in a thread, so that a large folder does not block this one',
    async () => {
      for (let index = 0; index < 20; index += 1) await mkdir(at(`folder-${index}`))
      await start()
      expect(process.getActiveResourcesInfo().filter((name) => name === 'FSEventWrap')).toEqual([])
      await writeFile(at('folder-19/late.txt'), '')
      await eventually(() => expect(seen().map((change) => change.path)).toEqual(['folder-19/late.txt']))
    },
  )

  it('reports several folders apart, and goes on when one of them is closed', async () => {
    await using other = await watchedFolder()
    await start()
    await writeFile(at('here.txt'), '')
    await writeFile(path.join(other.root, 'there.txt'), '')
    await eventually(() => expect(other.seen()).toEqual(['there.txt']))
    await eventually(() => expect(seen().map((change) => change.path)).toEqual(['here.txt']))
    await watcher?.close()
    await writeFile(at('unseen.txt'), '')
    await writeFile(path.join(other.root, 'later.txt'), '')
    await eventually(() => expect(other.seen()).toEqual(['there.txt', 'later.txt']))
    expect(seen().map((change) => change.path)).toEqual(['here.txt'])
    await start()
    await writeFile(at('again.txt'), '')
    await eventually(() => expect(seen().map((change) => change.path)).toEqual(['here.txt', 'again.txt']))
  })

  it('can be closed while it starts and another folder is watched', async () => {
    await using other = await watchedFolder()
    const starting = watchWorkspace(await openWorkspace(folder.root), {
      onChanges: () => expect.unreachable(),
      onProblem: () => expect.unreachable(),
    })
    await starting.close()
    await starting.ready
    await writeFile(path.join(other.root, 'there.txt'), '')
    await eventually(() => expect(other.seen()).toEqual(['there.txt']))
  })

  it('reports each file of a burst of thousands or an overflow, and single changes after it', async () => {
    await start()
    for (let index = 0; index < 40; index += 1) await mkdir(at(`burst-${index}`))
    const names = Array.from({ length: 4000 }, (_, index) => `burst-${index % 40}/${index}.txt`)
    await Promise.all(names.map((name) => writeFile(at(name), '')))
    const listed = () => new Set(seen().map((change) => change.path))
    await vi.waitFor(() => expect(overflows > 0 || names.every((name) => listed().has(name))).toBe(true), {
      timeout: 60_000,
      interval: 100,
    })
    await writeFile(at('burst-7/7.txt'), 'changed')
    await eventually(() =>
      expect(seen()).toContainEqual({ path: 'burst-7/7.txt', change: 'changed', directory: false }),
    )
    expect(problems).toEqual([])
  })

  it('does not report existing files', async () => {
    await start()
    await settle()
    expect(seen().filter(({ path: name }) => !name.endsWith('.mark'))).toEqual([])
  })

  it('reports an atomic write as one change, without its temporary file', async () => {
    await start()
    await writeTextFile(at('a.txt'), 'a.txt', 'new', { encoding: 'utf8', eol: '\n' })
    await eventually(() => expect(seen()).toContainEqual({ path: 'a.txt', change: 'changed', directory: false }))
    await settle()
    expect(
      seen()
        .map((change) => change.path)
        .filter((name) => !name.endsWith('.mark')),
    ).toEqual(['a.txt'])
  })

  it('reports every file of a burst in few messages', async () => {
    await start()
    const names = Array.from({ length: 300 }, (_, index) => `burst/${index}.txt`)
    await mkdir(at('burst'))
    await Promise.all(names.map((name) => writeFile(at(name), '')))
    await eventually(() => expect(seen().map((change) => change.path)).toEqual(expect.arrayContaining(names)))
    expect(batches.length).toBeLessThan(names.length / 2)
  })

  it('reports an excluded folder but not changes inside it or inside .git', async () => {
    await start()
    await writeFile(at('node_modules/lib/index.js'), 'changed')
    await mkdir(at('src/node_modules/deep'), { recursive: true })
    await writeFile(at('src/node_modules/deep/x.js'), '')
    git('init')
    await eventually(() =>
      expect(seen()).toContainEqual({ path: 'src/node_modules', change: 'created', directory: true }),
    )
    await settle()
    expect(
      seen()
        .map((change) => change.path)
        .filter((name) => /node_modules\/|\.git\//.test(name)),
    ).toEqual([])
  })

  it.skipIf(process.platform === 'win32')('does not follow links out of the workspace', async () => {
    const other = await temporaryFolder({ 'far.txt': '' })
    try {
      await symlink(other.root, at('door'))
      await start()
      await writeFile(path.join(other.root, 'far.txt'), 'changed')
      await settle()
      expect(seen().map((change) => change.path)).not.toContain('door/far.txt')
    } finally {
      await other.remove()
    }
  })

  it('reports another branch after a checkout and in a new repository', async () => {
    await start()
    git('init')
    await eventually(() => expect(branches).toBe(1))
    git('commit', '--allow-empty', '-m', 'first')
    git('checkout', '-b', 'feature/x')
    await eventually(() => expect(branches).toBe(2))
    git('checkout', 'main')
    await eventually(() => expect(branches).toBe(3))
    expect(problems).toEqual([])
  })

  it('starts again after a crash of its thread, for each folder, and reports what may have changed', async () => {
    await start()
    await using other = await watchedFolder()
    // Not a path, so the thread, which all folders share, throws.
    const ended = Promise.withResolvers<unknown>()
    watchInThread(5 as never, (message) => message.kind === 'ended' && ended.resolve(message.error))
    expect(await ended.promise).toBeInstanceOf(TypeError)
    await writeFile(at('meanwhile.txt'), '')
    await eventually(() => expect(overflows).toBe(1))
    await writeFile(at('later.txt'), '')
    await writeFile(path.join(other.root, 'later.txt'), '')
    await eventually(() => expect(seen().map((change) => change.path)).toContain('later.txt'))
    await eventually(() => expect(other.seen()).toContain('later.txt'))
    expect(problems).toEqual([])
  })

  it('reports nothing after it is closed', async () => {
    await start()
    await watcher?.close()
    await writeFile(at('late.txt'), '')
    const other = watchWorkspace(await openWorkspace(folder.root), {
      onChanges: (changes) => batches.push(changes),
      onProblem: () => undefined,
    })
    await other.ready
    await writeFile(at('later.txt'), '')
    await eventually(() => expect(seen().map((change) => change.path)).toEqual(['later.txt']))
    await other.close()
  })
})

describe.each([
  ['watched folders', 'max_inotify_watches', 5, 'fs.inotify.max_user_watches'],
  ['watchers', 'max_inotify_instances', 0, 'fs.inotify.max_user_instances'],
])("at the system's limit of %s", (_, setting, limit, remedy) => {
  it('the problem is reported once with a hint and nothing crashes', async (test) => {
    // A user namespace has its own limits, so other processes are not affected.
    const inside = (command: string, ...args: string[]) =>
      spawnSync('unshare', ['-Ur', 'sh', '-c', `echo ${limit} > /proc/sys/user/${setting} && ${command}`, ...args], {
        encoding: 'utf8',
      })
    if (inside('true').status !== 0) test.skip('user namespaces are not available here')
    for (let index = 0; index < 20; index += 1) await mkdir(at(`folder-${index}`))
    const module = (name: string) => JSON.stringify(pathToFileURL(path.join(import.meta.dirname, name)).href)
    const script = `
      const { openWorkspace } = await import(${module('containment.ts')})
      const { watchWorkspace } = await import(${module('watcher.ts')})
      const watcher = watchWorkspace(await openWorkspace(${JSON.stringify(folder.root)}), { onChanges() {}, onProblem: (message) => console.log(message) })
      await watcher.ready
      await watcher.close()
    `
    const { stdout, stderr, status } = inside(
      'exec "$0" --no-warnings --input-type=module -e "$1"',
      process.execPath,
      script,
    )
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout.trim().split('\n')).toEqual([expect.stringContaining(remedy)])
  })
})

describe('the branch', () => {
  it('is undefined outside a repository', async () => expect(await readBranch(folder.root)).toBeUndefined())
  it('is that of the repository that contains the folder, even before the first commit', async () => {
    git('init')
    expect(await readBranch(at('src'))).toBe('main')
    git('checkout', '-b', 'feature/x')
    expect(await readBranch(folder.root)).toBe('feature/x')
  })
  it('is a short commit for a detached HEAD, and its own in a worktree', async () => {
    git('init')
    git('commit', '--allow-empty', '-m', 'first')
    git('worktree', 'add', at('tree'), '-b', 'other')
    expect(await readBranch(at('tree'))).toBe('other')
    git('checkout', '--detach')
    expect(await readBranch(folder.root)).toBe(git('rev-parse', 'HEAD').toString().slice(0, 7))
  })
})
