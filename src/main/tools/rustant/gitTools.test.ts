import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createGit } from '../../git/git.ts'
import { openWorkspace } from '../../workspace/containment.ts'
import { runTool, temporaryFolder, testContext, writeTree, type TestContext } from '../testing/toolContext.ts'
import { gitCommit } from './rustantGitCommit.ts'
import { gitDiff } from './rustantGitDiff.ts'
import { gitStatus } from './rustantGitStatus.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let context: TestContext

const plain = (...args: string[]) => promisify(execFile)('git', args, { cwd: folder.root })
const write = (files: Record<string, string>) => writeTree(folder.root, files)
const status = async (args = {}) => (await runTool(gitStatus, args, context)).text
const commit = (message: string) => runTool(gitCommit, { message }, context)

beforeEach(async () => {
  folder = await temporaryFolder({ 'a.txt': 'one\ntwo\n', 'été b.txt': 'b\n' })
  await plain('init', '-q', '-b', 'main')
  await plain('config', 'user.name', 'Ana')
  await plain('config', 'user.email', 'ana@example.org')
  context = await testContext(folder.root, { git: createGit(await openWorkspace(folder.root)) })
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await folder.remove()
})

it('runs its examples, and works in a repository without commits', async () => {
  expect(await status()).toBe('On branch main, no commits yet\n\nUntracked (2 files):\n  a.txt\n  été b.txt')
  await plain('add', 'a.txt')
  for (const example of gitDiff.examples ?? []) expect((await runTool(gitDiff, example, context)).text).not.toBe('')
  await expect(runTool(gitDiff, { commit: 'HEAD' }, context)).rejects.toMatchObject({ code: 'not_found' })
  for (const example of gitCommit.examples ?? [])
    expect((await runTool(gitCommit, example, context)).text).toMatch(
      /^Committed [0-9a-f]{40} on main: 1 file, \+2 -0\.\n {2}a\.txt \(\+2 -0\)$/,
    )
  for (const example of gitStatus.examples ?? []) expect(await status(example)).toContain('On branch main\n')
})

it('distinguishes staged, unstaged and untracked changes, and commits only staged ones', async () => {
  await plain('add', '-A')
  await commit('first')
  expect(await status()).toBe('On branch main\n\nNothing to commit, the working tree is clean.')
  await write({ 'a.txt': 'one\n2\n', 'n.bin': '\0\u0001' })
  await plain('add', 'a.txt', 'n.bin')
  await plain('mv', 'été b.txt', 'c.txt')
  await write({ 'a.txt': 'one\n3\n', 'u/x.txt': '' })
  expect(await status()).toBe(
    'On branch main\n\nStaged (3 files):\n  modified: a.txt\n  renamed: été b.txt -> c.txt\n  new: n.bin\n\nNot staged (1 file):\n  modified: a.txt\n\nUntracked (1 file):\n  u/',
  )

  const unstaged = await runTool(gitDiff, {}, context)
  expect(unstaged.text).toContain('-2\n+3')
  expect(unstaged.view).toMatchObject({
    kind: 'diff',
    files: [{ path: 'a.txt', change: 'modified', added: 1, removed: 1 }],
  })
  const preview = await gitCommit.preview?.({ message: 'second', path: '.' }, context)
  expect(preview?.view).toMatchObject({
    kind: 'diff',
    note: expect.stringMatching(/^second\n/),
    files: [
      { path: 'a.txt', diff: expect.stringContaining('+2') },
      { path: 'c.txt', change: 'renamed', from: 'été b.txt' },
      { path: 'n.bin', change: 'created', added: 0 },
    ],
  })

  const done = await commit('second\n\n# kept')
  expect(done.text).toContain('4 files, +2 -2.\n  a.txt (+1 -1)\n  c.txt (+1 -0)\n  n.bin (binary)')
  expect((await plain('log', '-1', '--format=%B')).stdout.trim()).toBe('second\n\n# kept')
  expect(await status()).toContain('Not staged (1 file):\n  modified: a.txt')
  expect((await runTool(gitDiff, { commit: 'HEAD~1' }, context)).text).toContain('-two\n+3')
  expect((await runTool(gitDiff, { commit: 'HEAD~1', staged: true }, context)).text).toContain('-two\n+2')
})

it('fails with a hint if nothing is staged', async () => {
  await expect(commit('x')).rejects.toMatchObject({ code: 'no_change', next: expect.stringContaining('git add') })
  await expect(commit(' ')).rejects.toMatchObject({ code: 'invalid_arguments' })
})

it('does not accept an option or an unknown name as a commit', async () => {
  await expect(runTool(gitDiff, { commit: `--output=${path.join(folder.root, 'x')}` }, context)).rejects.toMatchObject({
    code: 'invalid_arguments',
  })
  await expect(runTool(gitDiff, { commit: 'no-such-branch' }, context)).rejects.toMatchObject({
    code: 'not_found',
    message: expect.stringContaining('no-such-branch'),
  })
  expect(await status()).not.toContain('  x')
})

it('works with a detached HEAD', async () => {
  await plain('add', 'a.txt')
  await commit('first')
  await plain('checkout', '-q', '--detach')
  expect(await status()).toMatch(/^Detached HEAD at [0-9a-f]{12}\n/)
  await plain('add', '-A')
  expect((await commit('second')).text).toContain('with a detached HEAD: no branch contains it')
})

it('names the conflicts of a merge, refuses to commit them, and commits the resolved merge', async () => {
  await plain('add', '-A')
  await commit('first')
  await plain('checkout', '-q', '-b', 'other')
  await write({ 'a.txt': 'theirs\n' })
  await plain('commit', '-qam', 'theirs')
  await plain('checkout', '-q', 'main')
  await write({ 'a.txt': 'ours\n' })
  await plain('commit', '-qam', 'ours')
  await expect(plain('merge', 'other')).rejects.toThrow()
  expect(await status()).toContain('Conflicts (1 file):\n  a.txt')
  expect((await runTool(gitDiff, {}, context)).view).toMatchObject({ files: [{ path: 'a.txt' }] })
  await expect(commit('merge')).rejects.toMatchObject({ code: 'conflict', message: expect.stringContaining('a.txt') })
  await write({ 'a.txt': 'both\n' })
  await plain('add', 'a.txt')
  await commit('merge')
  expect((await plain('rev-list', '--parents', '-1', 'HEAD')).stdout.trim().split(' ')).toHaveLength(3)
})

it('finds the repository of a subfolder, and reports a folder without one', async () => {
  await write({ 'deep/er/': '', 'nested/x.txt': 'x\n' })
  expect(await status({ path: 'deep/er' })).toContain('On branch main')
  await plain('init', '-q', '-b', 'inner', 'nested')
  expect(await status({ path: 'nested' })).toContain(
    'On branch inner, no commits yet (repository nested; paths are relative to it)',
  )
  await expect(status({ path: 'a.txt' })).rejects.toMatchObject({ code: 'not_a_directory' })
  const elsewhere = await temporaryFolder({ 'x.txt': '' })
  const other = await testContext(elsewhere.root, { git: createGit(await openWorkspace(elsewhere.root)) })
  for (const tool of [gitStatus, gitDiff])
    await expect(runTool(tool, {}, other)).rejects.toMatchObject({ code: 'not_found' })
  await expect(runTool(gitCommit, { message: 'x' }, other)).rejects.toMatchObject({ code: 'not_found' })
  await elsewhere.remove()
})

it('reports another running git process, and keeps its lock', async () => {
  await plain('add', '-A')
  await writeFile(path.join(folder.root, '.git/index.lock'), '')
  await expect(commit('x')).rejects.toMatchObject({ code: 'conflict', next: expect.stringContaining('index.lock') })
  expect(await status()).toContain('Staged (2 files)')
})

it('reports that git is not installed', async () => {
  vi.stubEnv('PATH', path.join(folder.root, 'no-programs'))
  await expect(status()).rejects.toMatchObject({ code: 'command_not_found' })
})
