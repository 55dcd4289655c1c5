import { symlink } from 'node:fs/promises'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { endlessRipgrep } from '../../search/testing/searchIn.ts'
import { expectFailure } from '../../workspace/testing/disk.ts'
import { runTool, temporaryFolder, writeTree } from '../testing/toolContext.ts'
import type { ToolOutput } from '../common/toolDefinition.ts'
import { grepSearch } from './grepSearch.ts'
import { searchContext } from '../testing/searchContext.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
beforeEach(async () => {
  folder = await temporaryFolder({
    'src/a.ts': 'one\nneedle two\n',
    'src/b.ts': 'Needle\n',
    'node_modules/p/c.js': 'needle\n',
    '.gitignore': 'node_modules\n',
  })
})
afterEach(() => folder.remove())

const grep = async (args: Record<string, unknown>): Promise<ToolOutput> =>
  runTool(grepSearch, args, await searchContext(folder.root))

test('returns path:line:text for every matching line', async () => {
  await writeTree(folder.root, { 'z.txt': 'needle: with:colons\n' })
  const output = await grep({ pattern: 'needle' })
  expect(output.text).toBe('src/a.ts:2:needle two\nz.txt:1:needle: with:colons')
  expect(output.view).toMatchObject({
    kind: 'matches',
    pattern: 'needle',
    total: 2,
    truncated: false,
    matches: [{ path: 'src/a.ts', line: 2, column: 1 }, {}],
  })
})

test.each(['pattern', 'query', 'regex'])('accepts the pattern as %s', async (name) => {
  expect((await grep({ [name]: 'needle' })).text).toBe('src/a.ts:2:needle two')
})

test.each(['path', 'dir', 'directory'])('accepts the folder as %s', async (name) => {
  await writeTree(folder.root, { 'other/c.ts': 'needle\n' })
  expect((await grep({ pattern: 'needle', [name]: 'other' })).text).toBe('other/c.ts:1:needle')
})

test('a file can be searched, by its absolute path too', async () => {
  expect((await grep({ pattern: 'e', path: 'src/b.ts' })).text).toBe('src/b.ts:1:Needle')
  expect((await grep({ pattern: 'e', path: path.join(folder.root, 'src/b.ts') })).text).toBe('src/b.ts:1:Needle')
})

test('include_dependencies includes node_modules', async () => {
  expect((await grep({ pattern: 'needle', include_dependencies: true })).text).toBe(
    'node_modules/p/c.js:1:needle\nsrc/a.ts:2:needle two',
  )
})

test('unsaved text of an open tab is searched', async () => {
  const context = await searchContext(folder.root, { dirtyBuffers: () => [{ path: 'src/a.ts', text: 'typed needle' }] })
  expect((await runTool(grepSearch, { pattern: 'needle' }, context)).text).toBe('src/a.ts:1:typed needle')
})

test('matches are shown while the search runs', async () => {
  const context = await searchContext(folder.root)
  await runTool(grepSearch, { pattern: 'needle' }, context)
  expect(context.progressed).toEqual([
    { kind: 'matches', matches: [expect.objectContaining({ path: 'src/a.ts', line: 2 })] },
  ])
})

test('beyond 200 lines, the result states how many are omitted and how to narrow', async () => {
  await writeTree(folder.root, { 'many.txt': 'hay\n'.repeat(250) })
  const { text, view } = await grep({ pattern: 'hay' })
  expect(text.split('\n').filter((line) => line.startsWith('many.txt:'))).toHaveLength(200)
  expect(text).toContain('showing 200 of 250 matching lines in 1 file: 50 more')
  expect(text).toContain('`path`')
  expect(view).toMatchObject({ total: 250, truncated: true })
})

test('a long line is truncated around its match', async () => {
  await writeTree(folder.root, { 'min.js': `${'x'.repeat(1000)}haystack${'y'.repeat(1000)}` })
  const { text } = await grep({ pattern: 'haystack' })
  expect(text).toMatch(/^min\.js:1:…x+haystacky+…$/)
  expect(text.length).toBeLessThan(230)
})

test('no match: the result states what was searched and what to try', async () => {
  const { text } = await grep({ pattern: 'absent' })
  expect(text).toContain('No matches for "absent" in "." (2 files searched)')
  expect(text).toContain('(?i)absent')
  expect(text).toContain('include_dependencies')
})

test('at the time limit, returns JSON with the matches so far', async () => {
  const tools = await temporaryFolder()
  const context = await searchContext(folder.root, { rgPath: (await endlessRipgrep(tools.root)).path })
  const { text, format, view } = await runTool(grepSearch, { pattern: 'needle', timeout_ms: 2500 }, context)
  expect(format).toBe('json')
  expect(JSON.parse(text)).toMatchObject({
    timed_out: true,
    timeout_ms: 2500,
    pattern: 'needle',
    path: '.',
    partial_results: ['src/a.ts:2:needle two'],
    next_step_hint: expect.stringContaining('timeout_ms'),
    metrics: { matches_found: 1, matches_returned: 1, files_with_matches: 1, elapsed_ms: expect.any(Number) },
  })
  expect(view).toMatchObject({ kind: 'matches', truncated: true })
  await tools.remove()
})

test('the time limit is 8 s by default, and is lowered to 60 s with a note', async () => {
  expect(grepSearch.schema.parse({ pattern: 'x' })).toEqual({
    pattern: 'x',
    path: '.',
    include_dependencies: false,
    timeout_ms: 8000,
  })
  expect((await grep({ pattern: 'needle', timeout_ms: 90_000 })).text).toContain(
    '`timeout_ms` 90000 is above the cap, so 60000 was used',
  )
  expect((await grep({ pattern: 'needle', timeout_ms: 60_000 })).text).not.toContain('cap')
})

describe('invalid input', () => {
  test.each([
    ['(', 'invalid_pattern'],
    ['', 'invalid_pattern'],
    ['(?=a)b', 'invalid_pattern'],
  ])('pattern %j: %s', async (pattern, code) => {
    await expectFailure(grep({ pattern }), code)
  })

  test('paths outside the workspace, missing paths and NUL', async () => {
    await symlink('/etc', path.join(folder.root, 'link'))
    for (const outside of ['../', '/etc', 'link', 'link/passwd'])
      await expectFailure(grep({ pattern: 'root', path: outside }), 'outside_workspace')
    await expectFailure(grep({ pattern: 'x', path: 'missing' }), 'not_found')
    await expectFailure(grep({ pattern: 'x', path: 'a\0b' }), 'invalid_path')
  })

  test.each([{ timeout_ms: 0 }, { timeout_ms: 1.5 }, { pattern: 7 }, { path: 3 }])(
    '%j is not a valid argument',
    (args) => {
      expect(grepSearch.schema.safeParse({ pattern: 'x', ...args }).success).toBe(false)
    },
  )

  test('a cancelled call fails', async () => {
    const context = await searchContext(folder.root, { signal: AbortSignal.abort() })
    await expect(runTool(grepSearch, { pattern: 'x' }, context)).rejects.toMatchObject({ code: 'cancelled' })
  })
})
