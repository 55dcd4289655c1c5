import { execFile } from 'node:child_process'
import { chmod, symlink } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Match } from '../../shared/tools/tool.ts'
import { temporaryFolder, writeTree } from '../tools/testing/toolContext.ts'
import { asUnprivileged, expectFailure } from '../workspace/testing/disk.ts'
import type { TextQuery, TextResult } from './search.ts'
import { call, endlessRipgrep, isRunning, searchIn } from './testing/searchIn.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
beforeEach(async () => {
  folder = await temporaryFolder()
})
afterEach(() => folder.remove())

/** Returns `path:line` of every match, in order. */
async function places(query: TextQuery): Promise<string[]> {
  const { matches } = await (await searchIn(folder.root)).text(query, call)
  return matches.map(({ path: file, line }) => `${file}:${line}`)
}

describe('matches', () => {
  test('are sorted by path and line, with the column of the first hit in UTF-16 units', async () => {
    await writeTree(folder.root, { 'b.ts': 'x\nneedle needle\n', 'a/z.ts': '😀 é needle\r\n' })
    const { matches, total, files, filesSearched, truncated } = await (
      await searchIn(folder.root)
    ).text({ pattern: 'needle' }, call)
    expect(matches).toEqual([
      { path: 'a/z.ts', line: 1, column: 6, text: '😀 é needle' },
      { path: 'b.ts', line: 2, column: 1, text: 'needle needle' },
    ])
    expect({ total, files, filesSearched, truncated }).toEqual({
      total: 2,
      files: 2,
      filesSearched: 2,
      truncated: false,
    })
  })

  test('respect the options for case, literal text and whole words', async () => {
    await writeTree(folder.root, { 'a.txt': 'foo\nFOO\nfoobar\nf.o\n' })
    expect(await places({ pattern: 'foo' })).toEqual(['a.txt:1', 'a.txt:3'])
    expect(await places({ pattern: 'foo', caseSensitive: false })).toEqual(['a.txt:1', 'a.txt:2', 'a.txt:3'])
    expect(await places({ pattern: 'f.o', fixed: true })).toEqual(['a.txt:4'])
    expect(await places({ pattern: 'foo', wholeWord: true })).toEqual(['a.txt:1'])
  })

  test('patterns and file names that look like flags are not used as flags', async () => {
    await writeTree(folder.root, { '--files': '--pre=evil\n' })
    expect(await places({ pattern: '--pre=evil' })).toEqual(['--files:1'])
    expect(await places({ pattern: 'evil', paths: ['--files'] })).toEqual(['--files:1'])
  })

  test('`$` matches before Windows line endings', async () => {
    await writeTree(folder.root, { 'a.txt': 'one\r\ntwo\r\n' })
    expect(await places({ pattern: 'one$' })).toEqual(['a.txt:1'])
  })

  test('UTF-16 with a BOM and invalid UTF-8 are searched', async () => {
    await writeTree(folder.root, {
      'wide.txt': Buffer.from('\uFEFFneedle wide', 'utf16le'),
      'latin.txt': Buffer.from('caf\xe9 needle\n', 'latin1'),
    })
    const { matches } = await (await searchIn(folder.root)).text({ pattern: 'needle' }, call)
    expect(matches).toMatchObject([
      { path: 'latin.txt', text: 'caf� needle' },
      { path: 'wide.txt', text: 'needle wide', column: 1 },
    ])
  })

  test('each match has its context, even if matches are close together', async () => {
    await writeTree(folder.root, { 'a.txt': 'one\ntwo\nhit three\nhit four\nfive\nsix\nseven\n', 'b.txt': 'hit\n' })
    const { matches } = await (await searchIn(folder.root)).text({ pattern: 'hit', context: 2 }, call)
    expect(matches).toMatchObject([
      { line: 3, before: ['one', 'two'], after: ['hit four', 'five'] },
      { line: 4, before: ['two', 'hit three'], after: ['five', 'six'] },
      { path: 'b.txt', line: 1, before: [], after: [] },
    ])
  })

  test('the last match within the maximum still has its context', async () => {
    await writeTree(folder.root, { 'a.txt': 'hit one\nhit two\nthree\nfour\nhit five\n' })
    const { matches } = await (await searchIn(folder.root)).text({ pattern: 'hit', context: 2, maxResults: 1 }, call)
    expect(matches).toMatchObject([{ line: 1, after: ['hit two', 'three'] }])
  })
})

describe('scope', () => {
  test('ignored, hidden, binary and dependency files are skipped, even without git', async () => {
    await writeTree(folder.root, {
      '.gitignore': 'out/\n*.log\n',
      'a.txt': 'needle\n',
      'out/b.txt': 'needle\n',
      'c.log': 'needle\n',
      '.env': 'needle\n',
      '.hidden/d.txt': 'needle\n',
      'node_modules/p/e.js': 'needle\n',
      'pkg/vendor/f.go': 'needle\n',
      'g.bin': Buffer.from('\0needle\n'),
      'sub/.gitignore': 'h.txt\n',
      'sub/h.txt': 'needle\n',
    })
    expect(await places({ pattern: 'needle' })).toEqual(['a.txt:1'])
  })

  test("in a repository, git's rules apply from its top", async () => {
    await writeTree(folder.root, {
      '.git/HEAD': 'ref: refs/heads/main\n',
      '.gitignore': 'out/\n',
      'pkg/a.txt': 'needle\n',
      'pkg/out/b.txt': 'needle\n',
    })
    const { matches } = await (await searchIn(path.join(folder.root, 'pkg'))).text({ pattern: 'needle' }, call)
    expect(matches.map((match) => match.path)).toEqual(['a.txt'])
  })

  test('an ignore file above a workspace without a repository has no effect', async () => {
    await writeTree(folder.root, {
      '.gitignore': '*\n',
      'work/a.txt': 'needle\n',
      'work/sub/b.txt': 'needle\n',
      'work/sub/c.log': 'needle\n',
      'work/.gitignore': '*.log\n',
    })
    const search = await searchIn(path.join(folder.root, 'work'))
    expect((await search.text({ pattern: 'needle' }, call)).matches.map((match) => match.path)).toEqual([
      'a.txt',
      'sub/b.txt',
    ])
    expect((await search.text({ pattern: 'needle', paths: ['sub'] }, call)).matches.map((match) => match.path)).toEqual(
      ['sub/b.txt'],
    )
  })

  test('dependencies are searched on request, ignored or not, including nested ones and hidden stores, but not .git', async () => {
    await writeTree(folder.root, {
      '.gitignore': 'node_modules\n',
      'a.js': 'needle\n',
      'node_modules/p/b.js': 'needle\n',
      'node_modules/p/node_modules/q/c.js': 'needle\n',
      'node_modules/.pnpm/r/d.js': 'needle\n',
      'node_modules/p/.git/x': 'needle\n',
      '.git/config': 'needle\n',
      'pkg/vendor/e.go': 'needle\n',
      'ignored.log': 'x\n',
    })
    expect(await places({ pattern: 'needle', includeDependencies: true })).toEqual([
      'a.js:1',
      'node_modules/.pnpm/r/d.js:1',
      'node_modules/p/b.js:1',
      'node_modules/p/node_modules/q/c.js:1',
      'pkg/vendor/e.go:1',
    ])
    expect(await places({ pattern: 'needle', includeDependencies: true, globs: ['*.go', 'b.js'] })).toEqual([
      'node_modules/p/b.js:1',
      'pkg/vendor/e.go:1',
    ])
  })

  test('explicit paths are searched: files, ignored folders and dependency folders', async () => {
    await writeTree(folder.root, {
      '.gitignore': 'out/\n',
      '.env': 'needle\n',
      'out/a.txt': 'needle\n',
      'node_modules/p/b.js': 'needle\n',
    })
    expect(await places({ pattern: 'needle', paths: ['.env', 'out', 'node_modules/p'] })).toEqual([
      '.env:1',
      'node_modules/p/b.js:1',
      'out/a.txt:1',
    ])
  })

  test('nested search paths are searched once', async () => {
    await writeTree(folder.root, { 'a/b.txt': 'needle\n' })
    expect(await places({ pattern: 'needle', paths: ['a', '.', 'a/b.txt', '.'] })).toEqual(['a/b.txt:1'])
  })

  test('globs do not include ignored or hidden files', async () => {
    await writeTree(folder.root, {
      '.gitignore': '*.log\n!keep.md\n',
      'src/a.ts': 'needle\n',
      'src/deep/b.tsx': 'needle\n',
      'src/a.test.ts': 'needle\n',
      'c.log': 'needle\n',
      '.d.ts': 'needle\n',
      '.hidden/e.ts': 'needle\n',
      'keep.md': 'needle\n',
      'f.css': 'needle\n',
    })
    expect(await places({ pattern: 'needle', globs: ['*.{ts,tsx}', '*.log', '!*.test.ts'] })).toEqual([
      'src/a.ts:1',
      'src/deep/b.tsx:1',
    ])
    expect(await places({ pattern: 'needle', globs: ['src/*.ts'] })).toEqual(['src/a.test.ts:1', 'src/a.ts:1'])
    expect(await places({ pattern: 'needle', globs: ['deep'] })).toEqual(['src/deep/b.tsx:1'])
    expect(await places({ pattern: 'needle', globs: ['.hidden/**'] })).toEqual(['.hidden/e.ts:1'])
    expect(await places({ pattern: 'needle', globs: ['!src/'] })).toEqual(['f.css:1', 'keep.md:1'])
    expect(await places({ pattern: 'needle', globs: ['[[:lower:]].{css,md}'] })).toEqual(['f.css:1'])
    expect(await places({ pattern: 'needle', globs: ['!**/[[:alpha:]].*'] })).toEqual(['keep.md:1'])
  })

  test('links are not followed, inside or out of the workspace', async () => {
    const outside = await temporaryFolder({ 'secret.txt': 'needle\n' })
    await writeTree(folder.root, { 'a.txt': 'needle\n' })
    await symlink(outside.root, path.join(folder.root, 'link'))
    await symlink(path.join(outside.root, 'secret.txt'), path.join(folder.root, 'file-link'))
    await symlink('a.txt', path.join(folder.root, 'inner'))
    expect(await places({ pattern: 'needle' })).toEqual(['a.txt:1'])
    await outside.remove()
  })

  test("the user's ripgrep configuration is not used", async () => {
    await writeTree(folder.root, { 'a.txt': 'needle\n', rc: '--invert-match\n' })
    vi.stubEnv('RIPGREP_CONFIG_PATH', path.join(folder.root, 'rc'))
    try {
      expect(await places({ pattern: 'needle' })).toEqual(['a.txt:1'])
    } finally {
      vi.unstubAllEnvs()
    }
  })
})

describe('unsaved buffers', () => {
  async function search(buffers: { path: string; text: string }[], query: TextQuery): Promise<string[]> {
    const { matches } = await (await searchIn(folder.root, { dirtyBuffers: () => buffers })).text(query, call)
    return matches.map(({ path: file, line, text }) => `${file}:${line}:${text}`)
  }

  test('are searched instead of their files, by the same rules', async () => {
    await writeTree(folder.root, {
      'a.ts': 'needle on disk\n',
      'b.ts': 'needle\n',
      '.gitignore': 'c.log\n',
      'c.log': 'x\n',
      '.env': 'x\n',
      'src/d.ts': 'x\n',
    })
    const buffers = [
      { path: 'a.ts', text: 'one\nneedle typed\n' },
      { path: 'c.log', text: 'needle\n' },
      { path: '.env', text: 'needle\n' },
      { path: 'src/d.ts', text: 'needle d' },
    ]
    expect(await search(buffers, { pattern: 'needle' })).toEqual([
      'a.ts:2:needle typed',
      'b.ts:1:needle',
      'src/d.ts:1:needle d',
    ])
    expect(await search(buffers, { pattern: 'needle', paths: ['src'] })).toEqual(['src/d.ts:1:needle d'])
    expect(await search(buffers, { pattern: 'needle', globs: ['b.ts'] })).toEqual(['b.ts:1:needle'])
    expect(await search(buffers, { pattern: 'needle', paths: ['a.ts', '.env'] })).toEqual([
      '.env:1:needle',
      'a.ts:2:needle typed',
    ])
  })

  test('hide a match that the user has deleted', async () => {
    await writeTree(folder.root, { 'a.ts': 'needle\n' })
    expect(await search([{ path: 'a.ts', text: '' }], { pattern: 'needle' })).toEqual([])
  })
})

describe('more matches than the maximum', () => {
  /** Searches twice, because ripgrep's threads finish in a different order each time. */
  async function sameTwice(query: TextQuery): Promise<TextResult> {
    const search = await searchIn(folder.root)
    const [first, second] = [await search.text(query, call), await search.text(query, call)]
    expect({ ...second, elapsedMs: 0 }).toEqual({ ...first, elapsedMs: 0 })
    return first
  }

  test('are distributed over the files, the same in every run', async () => {
    await writeTree(folder.root, {
      'big.txt': 'needle\n'.repeat(1000),
      ...Object.fromEntries(
        Array.from({ length: 60 }, (_, index) => [`d${index % 7}/f${index}.txt`, 'needle\nneedle\nneedle\n']),
      ),
    })
    const result = await sameTwice({ pattern: 'needle', maxResults: 20, context: 1 })
    expect([result.matches.length, result.total, result.files, result.totalIsMinimum, result.truncated]).toEqual([
      20,
      1180,
      61,
      false,
      true,
    ])
    const perFile = Map.groupBy(result.matches, (match) => match.path)
    expect([...perFile.values()].map((matches) => matches.length)).toEqual(Array.from({ length: 10 }, () => 2))
    expect(result.matches[0]).toEqual({
      path: 'big.txt',
      line: 1,
      column: 1,
      text: 'needle',
      before: [],
      after: ['needle'],
    })
  })

  test('from one file fill the share that other files do not use', async () => {
    await writeTree(folder.root, { 'big.txt': 'needle\n'.repeat(1000), 'small.txt': 'needle\n' })
    const { matches } = await sameTwice({ pattern: 'needle', maxResults: 20 })
    expect(matches.map(({ path: file, line }) => `${file}:${line}`)).toEqual([
      ...Array.from({ length: 19 }, (_, index) => `big.txt:${index + 1}`),
      'small.txt:1',
    ])
  })

  test('are the same in every run even if counting stops', async () => {
    await writeTree(
      folder.root,
      Object.fromEntries(
        Array.from({ length: 60 }, (_, index) => [`d${index % 7}/f${index}.txt`, 'needle\n'.repeat(500)]),
      ),
    )
    const result = await sameTwice({ pattern: 'needle', maxResults: 30 })
    expect([result.matches.length, result.total, result.totalIsMinimum, result.truncated]).toEqual([
      30,
      20_000,
      true,
      true,
    ])
    expect(new Set(result.matches.map((match) => match.path)).size).toBe(10)
  })

  test('include every file if there is a limit per file', async () => {
    await writeTree(
      folder.root,
      Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`f${index}.txt`, 'needle\n'.repeat(50)])),
    )
    expect(
      (await sameTwice({ pattern: 'needle', maxResults: 30, maxPerFile: 1 })).matches.map((match) => match.line),
    ).toEqual(Array.from({ length: 30 }, () => 1))
  })
})

describe('bounds', () => {
  test('beyond the maximum are only counted', async () => {
    await writeTree(folder.root, { 'a.txt': 'needle\n'.repeat(300), 'b.txt': 'needle\n' })
    const result = await (await searchIn(folder.root)).text({ pattern: 'needle', maxResults: 10 }, call)
    expect(result).toMatchObject({ total: 301, files: 2, truncated: true, totalIsMinimum: false })
    expect(result.matches).toHaveLength(10)
  })

  test('stop being counted for a pattern that is too broad, which is reported', async () => {
    await writeTree(folder.root, { 'a.txt': 'needle\n'.repeat(60_000) })
    const result = await (await searchIn(folder.root)).text({ pattern: 'needle', maxResults: 10 }, call)
    expect(result).toMatchObject({ total: 20_000, totalIsMinimum: true, truncated: true })
  })

  test('in a line of ten megabytes are shown in a truncated line', async () => {
    await writeTree(folder.root, { 'a.min.js': `${'x'.repeat(5_000_000)} needle ${'y'.repeat(5_000_000)}\nneedle\n` })
    const { matches } = await (await searchIn(folder.root)).text({ pattern: 'needle', maxText: 100 }, call)
    expect(matches).toMatchObject([
      { line: 1, column: 5_000_002 },
      { line: 2, text: 'needle' },
    ])
    expect(matches[0]?.text).toMatch(/^…x{24} needle y{68}…$/)
  })

  test('a line with a million hits is one match', async () => {
    await writeTree(folder.root, { 'a.txt': `start ${'ab'.repeat(1_000_000)}\nb\n` })
    const { matches, total } = await (await searchIn(folder.root)).text({ pattern: 'b', maxText: 20 }, call)
    expect(total).toBe(2)
    expect(matches).toMatchObject([
      { line: 1, column: 8, text: '…art abababababababab…' },
      { line: 2, text: 'b' },
    ])
  })

  test('matches are reported before the search ends', async () => {
    await writeTree(folder.root, { 'a.txt': 'needle\n', 'b.txt': 'needle\n' })
    const batches: Match[][] = []
    await (
      await searchIn(folder.root)
    ).text({ pattern: 'needle' }, { ...call, onFound: (batch) => batches.push(batch) })
    expect(
      batches
        .flat()
        .map((match) => match.path)
        .toSorted(),
    ).toEqual(['a.txt', 'b.txt'])
  })
})

describe('stopping early', () => {
  test('a time limit returns the matches so far and stops the process', async () => {
    const tools = await temporaryFolder()
    await writeTree(folder.root, { 'a.txt': 'needle\n' })
    const rg = await endlessRipgrep(tools.root)
    const result = await (
      await searchIn(folder.root, { rgPath: rg.path })
    ).text({ pattern: 'needle', timeoutMs: 3000 }, call)
    expect(result).toMatchObject({
      timedOut: true,
      truncated: true,
      totalIsMinimum: true,
      total: 1,
      matches: [{ path: 'a.txt' }],
    })
    const pid = await rg.pid()
    await vi.waitFor(() => expect(isRunning(pid)).toBe(false))
    await tools.remove()
  })

  test('cancelling a running search fails with cancelled and stops the process', async () => {
    const tools = await temporaryFolder()
    await writeTree(folder.root, { 'a.txt': 'needle\n' })
    const rg = await endlessRipgrep(tools.root)
    const controller = new AbortController()
    const work = (await searchIn(folder.root, { rgPath: rg.path })).text(
      { pattern: 'needle' },
      { signal: controller.signal, onFound: () => controller.abort() },
    )
    await expect(work).rejects.toMatchObject({ code: 'cancelled' })
    const pid = await rg.pid()
    await vi.waitFor(() => expect(isRunning(pid)).toBe(false))
    await tools.remove()
  })

  test('an aborted signal starts no process', async () => {
    const search = await searchIn(folder.root, { rgPath: '/does/not/exist' })
    await expect(search.text({ pattern: 'x' }, { signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: 'cancelled',
    })
  })
})

describe('bad input', () => {
  test.each([
    '',
    '(open',
    '[open',
    'a{2,1}',
    '*a',
    '(?=look)',
    '(a)\\1',
    'two\nlines',
    'a\\nb',
    'nul\0',
    'x'.repeat(20_000),
    'x{1000}{1000}{1000}',
  ])('the pattern %j is rejected with a hint', async (pattern) => {
    await writeTree(folder.root, { 'a.txt': 'text\n' })
    await expectFailure((await searchIn(folder.root)).text({ pattern }, call), 'invalid_pattern')
  })

  test('the hint matches the error', async () => {
    const search = await searchIn(folder.root)
    expect((await expectFailure(search.text({ pattern: 'f(' }, call), 'invalid_pattern')).next).toContain('backslash')
    expect((await expectFailure(search.text({ pattern: '(?!x)' }, call), 'invalid_pattern')).next).toContain(
      'Look-ahead',
    )
  })

  test.each(['[', '{a', '../x', 'a\\'])('the glob %j is invalid', async (glob) => {
    await expectFailure((await searchIn(folder.root)).text({ pattern: 'x', globs: [glob] }, call), 'invalid_pattern')
  })

  test('a folder that is gone is rejected', async () => {
    const search = await searchIn(folder.root)
    await folder.remove()
    await expectFailure(search.text({ pattern: 'x' }, call), 'not_found')
  })

  test('paths outside and missing paths are rejected', async () => {
    await symlink('/etc', path.join(folder.root, 'etc'))
    const search = await searchIn(folder.root)
    for (const outside of ['..', '/etc', 'etc', 'a/../../..'])
      await expectFailure(search.text({ pattern: 'root', paths: [outside] }, call), 'outside_workspace')
    await expectFailure(search.text({ pattern: 'x', paths: ['missing'] }, call), 'not_found')
    await expectFailure(search.text({ pattern: 'x', paths: [''] }, call), 'invalid_path')
  })

  test('a pipe is rejected instead of waiting for it', async () => {
    await promisify(execFile)('mkfifo', [path.join(folder.root, 'pipe')])
    const search = await searchIn(folder.root)
    await expectFailure(search.text({ pattern: 'x', paths: ['pipe'] }, call), 'invalid_path')
    expect((await search.text({ pattern: 'x' }, call)).total).toBe(0)
  })

  test('an unreadable folder is reported, and rejected as a search path', async () => {
    await writeTree(folder.root, { 'a.txt': 'needle\n', 'private/b.txt': 'needle\n' })
    await chmod(folder.root, 0o755)
    await chmod(path.join(folder.root, 'private'), 0)
    const module = JSON.stringify(path.join(import.meta.dirname, 'search.ts'))
    const answer = await asUnprivileged(`
      const { createSearch } = await import(${module})
      const search = createSearch(await openWorkspace(${JSON.stringify(folder.root)}))
      const { signal } = new AbortController()
      const { matches, skipped } = await search.text({ pattern: 'needle' }, { signal })
      return { found: matches.map((match) => match.path), skipped, named: await codeOf(search.text({ pattern: 'needle', paths: ['private'] }, { signal })) }
    `)
    await chmod(path.join(folder.root, 'private'), 0o755)
    expect(answer).toEqual({ found: ['a.txt'], skipped: ['private: Permission denied'], named: 'permission_denied' })
  })

  test('an explicit binary file is reported as binary', async () => {
    await writeTree(folder.root, { 'a.bin': Buffer.from('needle\n\0\0\n') })
    expect(await (await searchIn(folder.root)).text({ pattern: 'needle', paths: ['a.bin'] }, call)).toMatchObject({
      binary: ['a.bin'],
    })
  })
})
