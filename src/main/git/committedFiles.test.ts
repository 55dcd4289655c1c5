import { execFileSync } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { temporaryFolder, writeTree } from '../tools/testing/toolContext.ts'
import { compareWithCommit, type ReadGit } from './committedFiles.ts'
import { runGitProcess } from './gitProcess.ts'
import { gitEnvironment } from './runGit.ts'

const signal = new AbortController().signal
let folder: Awaited<ReturnType<typeof temporaryFolder>>

const git = (...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@b.c', ...args], {
    cwd: folder.root,
    env: gitEnvironment(process.env, {}),
    encoding: 'utf8',
  }).trim()

beforeEach(async () => {
  folder = await temporaryFolder({ 'a.txt': 'one\n', 'sub/b ü.txt': 'b\n', 'old.txt': 'moved\n' })
  git('init', '-q', '-b', 'main')
})
afterEach(() => folder.remove())

/** Commits all files. @returns the id of the commit */
function commit(): string {
  git('add', '-A')
  git('commit', '-qm', 'commit')
  return git('rev-parse', 'HEAD')
}

const read: ReadGit = (args, options) =>
  runGitProcess({
    maxBytes: 1024 * 1024,
    ...options,
    args,
    folder: folder.root,
    env: gitEnvironment(process.env, {}),
    signal,
  })

async function compare(known: string | undefined, head: string, files: Record<string, string | null>, own = false) {
  const contents = new Map(
    Object.entries(files).map(([path, text]) => [path, text === null ? null : Buffer.from(text)] as const),
  )
  return Object.fromEntries(await compareWithCommit(read, { known, head, own, files: contents }))
}

it('compares only the files that the new commits changed', async () => {
  const known = commit()
  await writeTree(folder.root, { 'sub/b ü.txt': 'B\n' })
  commit()
  await writeTree(folder.root, { 'c.txt': 'c\n' })
  await rm(`${folder.root}/old.txt`)
  await writeTree(folder.root, { 'new.txt': 'moved\n' })
  const head = commit()
  const files = {
    'a.txt': 'one\n',
    'notes.md': null,
    'sub/b ü.txt': 'B\n',
    'c.txt': 'other\n',
    'old.txt': null,
    'new.txt': 'moved\n',
  }
  expect(await compare(known, head, files)).toEqual({
    'sub/b ü.txt': { kind: 'same' },
    'c.txt': { kind: 'other', content: Buffer.from('c\n') },
    'old.txt': { kind: 'same' },
    'new.txt': { kind: 'same' },
  })
  expect(await compare(known, head, { 'old.txt': 'moved\n' })).toEqual({ 'old.txt': { kind: 'missing' } })
})

it('compares all files of the first commit, which deletes none', async () => {
  expect(await compare(undefined, commit(), { 'a.txt': 'one\n', 'notes.md': null })).toEqual({
    'a.txt': { kind: 'same' },
    'notes.md': { kind: 'missing' },
  })
})

it('compares nothing after a reset, a checkout of another branch, or the loss of the known commit', async () => {
  const first = commit()
  await writeTree(folder.root, { 'a.txt': 'two\n' })
  const second = commit()
  git('checkout', '-q', '-b', 'side', first)
  await writeTree(folder.root, { 'a.txt': 'three\n' })
  const side = commit()
  expect(await compare(second, first, { 'a.txt': 'one\n' })).toEqual({})
  expect(await compare(second, side, { 'a.txt': 'three\n' })).toEqual({})
  expect(await compare('0'.repeat(40), side, { 'a.txt': 'three\n' })).toEqual({})
})

it('compares amended commits, made in Tizona or in a terminal', async () => {
  const amend = () => {
    git('commit', '-q', '-a', '--amend', '--no-edit')
    return git('rev-parse', 'HEAD')
  }
  const known = commit()
  await writeTree(folder.root, { 'a.txt': 'two\n' })
  const first = amend()
  expect(await compare(known, first, { 'a.txt': 'two\n' }, true)).toEqual({ 'a.txt': { kind: 'same' } })
  expect(await compare(known, first, { 'a.txt': 'two\n' })).toEqual({ 'a.txt': { kind: 'same' } })
  await writeTree(folder.root, { 'a.txt': 'three\n' })
  commit()
  await writeTree(folder.root, { 'a.txt': 'four\n' })
  expect(await compare(known, amend(), { 'a.txt': 'four\n' })).toEqual({ 'a.txt': { kind: 'same' } })
})

it('compares nothing with a commit that was amended after a checkout or reset', async () => {
  const known = commit()
  await writeTree(folder.root, { 'a.txt': 'two\n' })
  const second = commit()
  git('reset', '-q', '--hard', known)
  await writeTree(folder.root, { 'a.txt': 'three\n' })
  git('commit', '-q', '-a', '--amend', '--no-edit')
  const amended = git('rev-parse', 'HEAD')
  expect(await compare(second, amended, { 'a.txt': 'three\n' })).toEqual({})
  // Without a reflog, only Tizona knows that the commit was amended.
  await rm(`${folder.root}/.git/logs`, { recursive: true })
  expect(await compare(known, amended, { 'a.txt': 'three\n' })).toEqual({})
  expect(await compare(known, amended, { 'a.txt': 'three\n' }, true)).toEqual({ 'a.txt': { kind: 'same' } })
})

it('reads a committed file byte by byte', async () => {
  const known = commit()
  await writeTree(folder.root, { 'a.txt': Buffer.from([0xe9, 0x0a]) })
  const head = commit()
  expect(await compare(known, head, { 'a.txt': 'other\n' })).toEqual({
    'a.txt': { kind: 'other', content: Buffer.from([0xe9, 0x0a]) },
  })
})
