import { afterEach, beforeEach, expect, test } from 'vitest'
import { expectFailure } from '../../workspace/testing/disk.ts'
import { runTool, temporaryFolder, writeTree } from '../testing/toolContext.ts'
import type { ToolOutput } from '../common/toolDefinition.ts'
import { searchContext } from '../testing/searchContext.ts'
import { getWorkspaceStructure } from './workspaceStructure.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
beforeEach(async () => {
  folder = await temporaryFolder({ 'foo/a/deep.ts': '', 'foo/b.ts': '', 'foo-bar/c.ts': '', 'z.ts': '' })
})
afterEach(() => folder.remove())

const show = async (args: Record<string, unknown>): Promise<ToolOutput> =>
  runTool(getWorkspaceStructure, args, await searchContext(folder.root))

test('shows two levels by default, the content of a folder directly below it', async () => {
  expect((await show({})).text).toBe(`Directory: ${folder.root}\nfoo/\n  a/\n  b.ts\nfoo-bar/\n  c.ts\nz.ts`)
  expect((await show({ depth: 3 })).text).toContain('\n  a/\n    deep.ts\n')
  expect(getWorkspaceStructure.schema.parse({})).toEqual({ path: '.', depth: 2, limit: 50 })
})

test.each(['path', 'dir', 'directory'])('accepts the folder as %s', async (name) => {
  expect((await show({ [name]: 'foo-bar' })).text).toBe(`Directory: ${folder.root}/foo-bar\nc.ts`)
})

test('the limit keeps complete upper levels, and the result states what is omitted and how to narrow', async () => {
  const { text } = await show({ limit: 4 })
  expect(text).toBe(
    `Directory: ${folder.root}\nfoo/\n  a/\n  … 1 more\nfoo-bar/\n  … 1 more\nz.ts\n\n(showing 4 of 6 entries: 2 more. To narrow: name a subfolder as \`path\`, lower \`depth\`, or raise \`limit\` (at most 200).)`,
  )
})

test('the limit is 50 by default and at most 200, with a note', async () => {
  await writeTree(folder.root, Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`many/${index}.txt`, ''])))
  expect((await show({ path: 'many' })).text).toContain('showing 50 of 300 entries: 250 more')
  const { text } = await show({ path: 'many', limit: 250 })
  expect(text).toContain('showing 200 of 300 entries')
  expect(text).toContain('`limit` 250 is above the cap, so 200 was used')
})

test('invalid input is refused', async () => {
  await expectFailure(show({ path: 'z.ts' }), 'not_a_directory')
  await expectFailure(show({ path: 'none' }), 'not_found')
  await expectFailure(show({ path: 'foo/../..' }), 'outside_workspace')
  for (const args of [{ depth: 0 }, { limit: 0 }, { limit: 'many' }])
    expect(getWorkspaceStructure.schema.safeParse(args).success).toBe(false)
})
