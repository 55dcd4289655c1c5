import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createSearch, type TreeFolder } from '../search/search.ts'
import { roundsOf, seededRandom, type SeededRandom } from '../testing/longForm.ts'
import { temporaryFolder, writeTree } from '../tools/testing/toolContext.ts'
import { createFileOperations } from '../workspace/fileOperations.ts'
import { parseIgnoreFile } from './ignoreFile.ts'
import { openWorkspace } from '../workspace/containment.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let home: Awaited<ReturnType<typeof temporaryFolder>>
beforeEach(async () => {
  folder = await temporaryFolder()
  home = await temporaryFolder()
  vi.stubEnv('HOME', home.root)
  vi.stubEnv('XDG_CONFIG_HOME', undefined)
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await Promise.all([folder.remove(), home.remove()])
})

/** Returns the paths that git ignores. */
function ignoredByGit(root: string, paths: readonly string[]): Set<string> {
  // Exit code 1 means that none is ignored.
  const run = execFileSync('sh', ['-c', 'git check-ignore --stdin -z -v -n || test $? = 1'], {
    cwd: root,
    input: Buffer.from(paths.join('\0')),
    maxBuffer: 1e9,
    encoding: 'latin1',
  })
  const fields = run.split('\0').slice(0, -1)
  const found = new Set<string>()
  for (let at = 0; at < fields.length; at += 4) {
    const pattern = fields[at + 2] ?? ''
    if (pattern !== '' && !pattern.startsWith('!'))
      found.add(Buffer.from(fields[at + 3] ?? '', 'latin1').toString('utf8'))
  }
  return found
}

/** Lists every entry below a folder as the explorer does. */
async function listed(root: string): Promise<{ path: string; ignored: boolean }[]> {
  const files = createFileOperations(await openWorkspace(root))
  const walk = async (at: string): Promise<{ path: string; ignored: boolean }[]> => {
    const entries = (await files.list(at)).filter(({ name }) => name !== '.git')
    const below = await Promise.all(entries.filter(({ type }) => type === 'directory').map((entry) => walk(entry.path)))
    return [...entries.map(({ path: name, ignored }) => ({ path: name, ignored })), ...below.flat()]
  }
  return walk('.')
}

async function tree(root: string): Promise<string[]> {
  const search = createSearch(await openWorkspace(root))
  const { root: top } = await search.tree({ depth: 100, skip: new Set() }, { signal: new AbortController().signal })
  const flat = (at: TreeFolder): string[] =>
    at.nodes.flatMap((node) => [node.path, ...(node.folder ? flat(node.folder) : [])])
  return flat(top)
}

const git = (...args: string[]): unknown => execFileSync('git', args, { cwd: folder.root })

const names = [
  'a',
  'b',
  'ab',
  'abc',
  'foo',
  'k',
  'o',
  'A',
  'a.log',
  'x.log',
  '...',
  '..a',
  '[x]',
  'a]',
  'a b',
  'a ',
  'é',
  'a-b',
  '\\b',
  '#c',
  '!d',
  '日',
  'B.o',
] as const
const atoms = [
  'a',
  'b',
  'o',
  'k',
  'x',
  'A',
  'foo',
  '.',
  '..',
  'log',
  'é',
  ' ',
  '-',
  '*',
  '*',
  '*',
  '?',
  '**',
  '[ab]',
  '[!o]',
  '[^k]',
  '[]a]',
  '[a-c]',
  '[!a-c]',
  '[A-C]',
  '[[:alpha:]]',
  '[[:upper:]]',
  '[![:digit:]x]',
  '[[:foo:]]',
  '[a',
  '[a/x',
  '[\\]]',
  '[a\\-z]',
  '[[:',
  '[[:]',
  '[--b]',
  '\\b',
  '\\*',
  '\\ ',
  '\\',
  '\\#',
  '\\!',
  '{a,b}',
  '/',
  '/',
  '/',
] as const

function randomRule(random: SeededRandom): string {
  let rule = random.integer(4) === 0 ? '!' : ''
  if (random.integer(5) === 0) return rule + random.pick(names)
  for (let left = 1 + random.integer(5); left > 0; left--) rule += random.pick(atoms)
  if (random.integer(5) === 0) rule += random.pick(['/', ' ', '  ', '\\', '\r', '/ '])
  // Git up to 2.52 treats `a**/b` as `a` and `**/b`, unlike its documentation.
  return /[^/!]\*\*+(?:$|\\?\/|\s)/.test(rule) ? 'a' : rule
}

const randomRules = (random: SeededRandom): string =>
  Array.from({ length: 1 + random.integer(5) }, () => randomRule(random)).join(random.integer(6) === 0 ? '\r\n' : '\n')

/** Synchronous, which takes a fraction of the processor time for thousands of small files. */
function randomTree(random: SeededRandom, at: string, depth: number): void {
  mkdirSync(at, { recursive: true })
  if (random.integer(2) === 0) writeFileSync(path.join(at, '.gitignore'), `${randomRules(random)}\n`)
  for (const name of new Set(Array.from({ length: 2 + random.integer(4) }, () => random.pick(names)))) {
    const entry = path.join(at, name)
    if (depth > 0 && random.integer(3) > 0) randomTree(random, entry, depth - 1)
    else if (random.integer(12) === 0) symlinkSync('..', entry)
    else writeFileSync(entry, '')
  }
}

test('random rules ignore the same entries as in git, and trees list the others', async () => {
  const random = seededRandom()
  const perRepository = 50
  for (let round = 0; round < roundsOf(2000); round += perRepository) {
    const root = path.join(folder.root, `repository-${round}`)
    await mkdir(root)
    execFileSync('git', ['init', '-q'], { cwd: root })
    execFileSync('git', ['config', 'core.ignorecase', String(round % (4 * perRepository) === 3 * perRepository)], {
      cwd: root,
    })
    await writeTree(home.root, { '.config/git/ignore': randomRule(random) })
    await writeTree(root, { '.git/info/exclude': randomRule(random), '.gitignore': randomRule(random) })
    for (let at = round; at < round + perRepository; at++) randomTree(random, path.join(root, `t${at}`), 3)
    const entries = await listed(root)
    const expected = ignoredByGit(
      root,
      entries.map((entry) => entry.path),
    )
    const differing = entries
      .filter((entry) => entry.ignored !== expected.has(entry.path))
      .map((entry) => `${entry.ignored ? 'we' : 'git'}: ${entry.path}`)
    expect(differing).toEqual([])
    const hidden = (name: string): boolean => name.split('/').some((part) => part.startsWith('.'))
    expect((await tree(root)).toSorted()).toEqual(
      entries
        .map((entry) => entry.path)
        .filter((name) => !expected.has(name) && !hidden(name))
        .toSorted(),
    )
    rmSync(root, { recursive: true })
  }
}, 600_000)

test('an entry re-included by a deeper file is not ignored, including its content', async () => {
  git('init', '-q')
  await writeTree(folder.root, {
    '.gitignore': 'foo\n',
    'x/.gitignore': '!foo\n',
    'x/foo/bar': '',
    'y/foo/.gitignore': '!*\n',
    'y/foo/bar': '',
  })
  const ignored = new Map((await listed(folder.root)).map((entry) => [entry.path, entry.ignored]))
  expect([ignored.get('x/foo'), ignored.get('x/foo/bar'), ignored.get('y/foo'), ignored.get('y/foo/bar')]).toEqual([
    false,
    false,
    true,
    true,
  ])
})

test('a file named "..." and rules that cannot match anything cause no error', async () => {
  git('init', '-q')
  await writeTree(folder.root, { '.gitignore': '[ab]/[a/x\n[z\n\\\n*.log\n', '...': '', 'a.log': '', 'b.txt': '' })
  expect(await listed(folder.root)).toEqual(
    expect.arrayContaining([
      { path: '...', ignored: false },
      { path: 'a.log', ignored: true },
      { path: 'b.txt', ignored: false },
    ]),
  )
})

test('a linked worktree uses the exclude file of its repository', async () => {
  await writeTree(folder.root, { 'main/a.txt': '' })
  const root = path.join(folder.root, 'main')
  const run = (...args: string[]): unknown =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: root, stdio: 'pipe' })
  run('init', '-q')
  run('add', '.')
  run('commit', '-qm', 'first')
  run('worktree', 'add', '-q', '../linked')
  await writeTree(folder.root, { 'main/.git/info/exclude': '*.tmp\n', 'linked/x.tmp': '' })
  expect(await listed(path.join(folder.root, 'linked'))).toContainEqual({ path: 'x.tmp', ignored: true })
})

test('a hundred thousand rules without wildcards are looked up, and of those with wildcards the last ones apply', () => {
  const count = 100_000
  const lines = Array.from({ length: count }, (_, index) => [`n${index}`, `a/b${index}`, `d${index}/`, `*x${index}*y`])
  const file = parseIgnoreFile([...lines.flat(), '!n7', 'n8', '!n8/', '!a/b9'].join('\n'), false)
  const tally = { steps: 0 }
  const decide = (path: string, directory = false) => file.decides(path.split('/'), directory, { tally })
  expect([decide('n5'), decide('z/n5'), decide('n7'), decide('n8'), decide('n8', true)]).toEqual([
    true,
    true,
    false,
    true,
    false,
  ])
  expect([decide('a/b5'), decide('z/a/b5'), decide('a/b9')]).toEqual([true, undefined, false])
  expect([decide('d5'), decide('d5', true)]).toEqual([undefined, true])
  expect([decide(`x${count - 1}y`), decide('x1y')]).toEqual([true, undefined])
  tally.steps = 0
  for (let index = 0; index < 100; index++) decide(`name${index}`)
  expect(tally.steps).toBeLessThanOrEqual(100 * 2000)
})

test('five hundred hostile rules take a bounded number of steps', () => {
  const tally = { steps: 0 }
  const name = 'a'.repeat(255)
  const rules = Array.from(
    { length: 500 },
    (_, index) => `${'*a'.repeat(10 + (index % 50))}*${'a'.repeat(100)}b*`,
  ).join('\n')
  expect(parseIgnoreFile(rules, false).decides([name], false, { tally })).toBeUndefined()
  expect(tally.steps).toBeLessThanOrEqual(500 * (255 * 8 + 1))
  const deep = parseIgnoreFile(Array.from({ length: 50 }, () => `${'**/a/'.repeat(40)}b`).join('\n'), false)
  tally.steps = 0
  expect(
    deep.decides(
      Array.from({ length: 200 }, () => 'a'),
      false,
      { tally },
    ),
  ).toBeUndefined()
  expect(tally.steps).toBeLessThanOrEqual(50 * 200 * 40 * 4)
})
