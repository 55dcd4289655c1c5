import { afterEach, beforeEach, expect, test } from 'vitest'
import { expectFailure } from '../../workspace/testing/disk.ts'
import { runTool, temporaryFolder, writeTree } from '../testing/toolContext.ts'
import type { ToolOutput } from '../common/toolDefinition.ts'
import { codebaseSearch } from './bladeCodebaseSearch.ts'
import { searchContext } from '../testing/searchContext.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
beforeEach(async () => {
  folder = await temporaryFolder({
    'a.rs': 'one\ntwo\nthree\nstruct Config;\nfive\nsix\nseven\n',
    'b.toml': 'struct = "Config"\n',
    'c.md': 'struct Config\n',
  })
})
afterEach(() => folder.remove())

const search = async (args: Record<string, unknown>): Promise<ToolOutput> =>
  runTool(codebaseSearch, args, await searchContext(folder.root))

test('shows every match with two lines before and after, numbered', async () => {
  const { text, view } = await search({ query: 'struct.*Config', file_pattern: '*.rs,*.toml' })
  expect(text).toBe(
    [
      'a.rs:4:',
      '    2: two',
      '    3: three',
      '>>> 4: struct Config;',
      '    5: five',
      '    6: six',
      '',
      'b.toml:1:',
      '>>> 1: struct = "Config"',
    ].join('\n'),
  )
  expect(view).toMatchObject({
    kind: 'matches',
    total: 2,
    truncated: false,
    matches: [{ before: ['two', 'three'], after: ['five', 'six'] }, {}],
  })
})

test('file_pattern can exclude files', async () => {
  expect((await search({ query: 'Config', file_pattern: '!*.rs, !*.toml' })).text).toBe('c.md:1:\n>>> 1: struct Config')
})

test('max_results is 50 by default; the result states how many are omitted and how to narrow', async () => {
  await writeTree(folder.root, { 'many.txt': 'hay\n'.repeat(60) })
  const { text } = await search({ query: 'hay' })
  expect(text.match(/^>>> /gm)).toHaveLength(50)
  expect(text).toContain('showing 50 of 60 matching lines in 1 file: 10 more')
  expect(text).toContain('`file_pattern`')
  expect((await search({ query: 'hay', max_results: 60 })).text.match(/^>>> /gm)).toHaveLength(60)
})

test('max_results above its cap is lowered, with a note', async () => {
  await writeTree(folder.root, { 'many.txt': 'hay\n'.repeat(600) })
  const { text } = await search({ query: 'hay', max_results: 1000 })
  const shown = text.match(/^>>> /gm)?.length ?? 0
  expect(text).toContain(`(${500 - shown} matches did not fit. next_offset ${shown}:`)
  expect(text).toContain('`max_results` 1000 is above the cap, so 500 was used')
})

test('a page ends with a complete match, and next_offset returns all others', async () => {
  await writeTree(folder.root, { 'many.txt': `needle ${'hay '.repeat(45)}\n`.repeat(400) })
  const seen: string[] = []
  for (let offset: number | undefined = 0; offset !== undefined;) {
    const { text } = await search({ query: '^needle', max_results: 400, offset })
    expect(Buffer.byteLength(text)).toBeLessThan(51_200)
    expect(text.split('\n').length).toBeLessThan(2000)
    seen.push(...[...text.matchAll(/^many\.txt:(\d+):$/gm)].map(([, line]) => line ?? ''))
    expect(text.match(/^>>> /gm)?.length).toBe([...text.matchAll(/^many\.txt:\d+:$/gm)].length)
    const next = /next_offset (\d+)/.exec(text)?.[1]
    offset = next === undefined ? undefined : Number(next)
  }
  expect(seen).toEqual(Array.from({ length: 400 }, (_, at) => String(at + 1)))
})

test('no match: the result states what was searched and what to try', async () => {
  const { text } = await search({ query: 'absent', file_pattern: '*.rs' })
  expect(text).toContain('No matches for "absent" in files like "*.rs" (1 file searched)')
  expect(text).toContain('omit `file_pattern`')
})

test('matches are shown while the search runs', async () => {
  const context = await searchContext(folder.root)
  await runTool(codebaseSearch, { query: 'three' }, context)
  expect(context.progressed).toMatchObject([{ kind: 'matches', matches: [{ path: 'a.rs', line: 3 }] }])
})

test('invalid input is refused', async () => {
  await expectFailure(search({ query: '(' }), 'invalid_pattern')
  await expectFailure(search({ query: '' }), 'invalid_pattern')
  await expectFailure(search({ query: 'x', file_pattern: '*.{rs' }), 'invalid_pattern')
  await expectFailure(search({ query: 'x', file_pattern: '../*' }), 'invalid_pattern')
  expect(codebaseSearch.schema.safeParse({ query: 'x', max_results: 0 }).success).toBe(false)
})
