import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { fakeEditor, temporaryFolder, writeTree } from '../../tools/testing/toolContext.ts'
import { openWorkspace } from '../../workspace/containment.ts'
import { createDocuments } from '../../workspace/documents.ts'
import { createFileOperations } from '../../workspace/fileOperations.ts'
import { createRestoreTarget } from '../../workspace/restoreTarget.ts'
import { openDatabase } from '../database.ts'
import { createCheckpoints, type CheckpointDeps, type Checkpoints } from './checkpoints.ts'

// Files change while a checkpoint of them is taken.

const never = new AbortController().signal
let folder: Awaited<ReturnType<typeof temporaryFolder>>
let data: Awaited<ReturnType<typeof temporaryFolder>>
let db: DatabaseSync
let checkpoints: Checkpoints
/** Ids saved for the message, the latest last. */
let saved: number[]

const at = (name: string) => path.join(folder.root, name)
const begin = () => checkpoints.pending.begin({ reason: 'test' }, (id) => void saved.push(id), never)
/** Begins a checkpoint and waits until its scan can be disturbed. */
async function beginScan() {
  const complete = begin()
  await checkpoints.pending.beforeChange([])
  return complete
}

/** Returns all files with their contents. */
async function state(): Promise<Record<string, string>> {
  const names = await readdir(folder.root, { recursive: true, withFileTypes: true })
  const files = names.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name))
  const texts = await Promise.all(
    files.map(async (file) => [path.relative(folder.root, file), await readFile(file, 'utf8')]),
  )
  return Object.fromEntries(texts) as Record<string, string>
}

async function open(deps?: Pick<CheckpointDeps, 'limits' | 'isTransient'>): Promise<Checkpoints> {
  const workspace = await openWorkspace(folder.root)
  const documents = createDocuments(workspace, fakeEditor())
  const target = createRestoreTarget(workspace, documents, createFileOperations(workspace), () => undefined)
  return createCheckpoints({ db, root: folder.root, userData: data.root, target, ...deps })
}

beforeEach(async () => {
  const files = Array.from({ length: 400 }, (_, index) => [`d${index % 20}/f${index}.txt`, `${index}\n`])
  folder = await temporaryFolder({ 'a.txt': 'one\n', 'z/z.txt': 'last\n', ...(Object.fromEntries(files) as object) })
  data = await temporaryFolder()
  db = (await openDatabase(data.root)).db
  checkpoints = await open()
  saved = []
})
afterEach(async () => {
  await checkpoints.close()
  db.close()
  await Promise.all([folder.remove(), data.remove()])
})

it('known paths change during a checkpoint, and it restores their state before', async () => {
  const before = await state()
  const complete = begin()
  const change = async (paths: string[], act: () => Promise<unknown>) => {
    await checkpoints.pending.beforeChange(paths)
    await act()
  }
  await change(['a.txt'], () => writeFile(at('a.txt'), 'changed'))
  await change(['a.txt'], () => writeFile(at('a.txt'), 'changed again'))
  await change(['new/deep/file.txt'], async () => {
    await mkdir(at('new/deep'), { recursive: true })
    await writeFile(at('new/deep/file.txt'), 'new')
  })
  await change(['new/other.txt'], () => writeFile(at('new/other.txt'), 'new'))
  await change(['z/z.txt', 'd19/moved.txt'], () => rename(at('z/z.txt'), at('d19/moved.txt')))
  await change(['d7/f7.txt'], () => writeFile(at('d7/f7.txt'), 'changed, then deleted with its folder'))
  await change(['d7'], () => rm(at('d7'), { recursive: true }))
  const { id, paths } = await complete
  expect(paths).toBeUndefined()
  const outcome = await checkpoints.restore(id)
  expect(outcome.skipped).toEqual([])
  expect(await state()).toEqual(before)
  expect((await readdir(folder.root)).includes('new')).toBe(false)
})

it('what changed before a kill is restored from the checkpoint of the changed paths', async () => {
  const before = await state()
  const complete = beginScan()
  await checkpoints.pending.beforeChange(['a.txt'])
  await writeFile(at('a.txt'), 'changed')
  await checkpoints.pending.beforeChange(['new/file.txt'])
  await mkdir(at('new'))
  await writeFile(at('new/file.txt'), 'new')
  expect(checkpoints.list()).toMatchObject([{ id: saved.at(-1), paths: ['a.txt', 'new'] }])
  // Closing cancels the scan, as a kill would.
  await checkpoints.close()
  await expect(complete).rejects.toThrow()
  checkpoints = await open()
  await checkpoints.restore(saved.at(-1) ?? 0)
  expect(await state()).toEqual(before)
})

it('the complete checkpoint replaces the ones of single paths', async () => {
  const complete = begin()
  await checkpoints.pending.beforeChange(['a.txt'])
  await checkpoints.pending.beforeChange(['d1/f1.txt'])
  const { id } = await complete
  expect(saved).toHaveLength(3)
  expect(saved.at(-1)).toBe(id)
  expect(checkpoints.list().map((checkpoint) => checkpoint.id)).toEqual([id])
})

it('a change of unknown paths waits until everything has been read', async () => {
  const before = await state()
  const complete = begin()
  await checkpoints.pending.beforeChange(undefined)
  await Promise.all(Object.keys(before).map((name) => writeFile(at(name), 'changed')))
  const { id, files } = await complete
  expect(files).toBe(402)
  await checkpoints.restore(id)
  expect(await state()).toEqual(before)
})

it('the next checkpoint has what changed during the one before', async () => {
  await writeTree(
    folder.root,
    Object.fromEntries(Array.from({ length: 600 }, (_, index) => [`m/${index}`, `${index}`])),
  )
  for (let round = 0; round < 5; round++) {
    const complete = begin()
    await checkpoints.pending.beforeChange(['a.txt', 'new'])
    await writeFile(at('a.txt'), `changed ${round}`)
    await writeTree(folder.root, { [`new/${round}.txt`]: `new ${round}` })
    await complete
    const next = await (round % 2 === 0 ? begin() : checkpoints.take({ reason: 'next' }))
    expect((await checkpoints.fileAt(next.id, 'a.txt'))?.toString()).toBe(`changed ${round}`)
    expect((await checkpoints.fileAt(next.id, `new/${round}.txt`))?.toString()).toBe(`new ${round}`)
    expect(next.files).toBe(402 + 600 + round + 1)
  }
})

it('a change protects the running checkpoints of all conversations', async () => {
  const before = await state()
  const [one, other] = [begin(), begin()]
  await checkpoints.pending.beforeChange(['a.txt'])
  await writeFile(at('a.txt'), 'changed')
  for (const { id } of await Promise.all([one, other]))
    expect((await checkpoints.fileAt(id, 'a.txt'))?.toString()).toBe(before['a.txt'])
})

it('a first checkpoint does not read prepared files again', async () => {
  // Files that were just written may change without a new time, so they would be read again.
  await new Promise((resolve) => setTimeout(resolve, 150))
  await checkpoints.pending.prepare()
  expect(checkpoints.list()).toEqual([])
  expect((await begin()).hashed).toBe(0)
})

it('the state that a checkpoint read is known, unless known paths changed during it', async () => {
  const since = performance.now()
  expect(checkpoints.latest(since)).toBeUndefined()
  await begin()
  expect(checkpoints.latest(since)?.size).toBe(402 + 21)
  expect(checkpoints.latest(performance.now())).toBeUndefined()
  const complete = begin()
  await checkpoints.pending.beforeChange(['a.txt'])
  await writeFile(at('a.txt'), 'changed')
  await complete
  expect(checkpoints.latest(since)).toBeUndefined()
})

it('a preparation that is interrupted by the first change keeps what it has read', async () => {
  void checkpoints.pending.prepare()
  const complete = begin()
  await checkpoints.pending.beforeChange(['a.txt'])
  await writeFile(at('a.txt'), 'changed')
  const { id, files } = await complete
  expect(files).toBe(402)
  expect((await checkpoints.fileAt(id, 'a.txt'))?.toString()).toBe('one\n')
})

it('a checkpoint has the contents that a clean-up deleted while they were prepared again', async () => {
  const more = Array.from({ length: 600 }, (_, index) => [`m${index % 20}/f${index}.txt`, `more ${index}\n`])
  // Enough that a thread reads and watches them.
  await writeTree(folder.root, Object.fromEntries(more) as Record<string, string>)
  await checkpoints.pending.prepare()
  await checkpoints.close()
  // No checkpoint has these contents, and they are old enough.
  let seen = 0
  let cleanUp: Promise<void> | undefined
  const isTransient = () => {
    if (++seen === 900) cleanUp = checkpoints.forget([], true)
    return false
  }
  checkpoints = await open({ limits: { grace: 0 }, isTransient })
  await checkpoints.pending.prepare()
  await cleanUp
  expect(cleanUp).toBeDefined()
  const { id } = await begin()
  const missing: string[] = []
  for (const [place, entry] of await checkpoints.treeAt(id))
    if (entry.kind === 'file' && !(await checkpoints.fileAt(id, place).catch(() => null))) missing.push(place)
  expect(missing).toEqual([])
})

it('a restore waits for running checkpoints', async () => {
  const { id } = await checkpoints.take({ reason: 'first' })
  await writeFile(at('a.txt'), 'changed')
  const complete = beginScan()
  const [, taken] = await Promise.all([checkpoints.restore(id), complete])
  expect((await checkpoints.fileAt(taken.id, 'a.txt'))?.toString()).toBe('changed')
})
