import { symlink } from 'node:fs/promises'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { expectFailure } from '../../workspace/testing/disk.ts'
import { runTool, temporaryFolder, writeTree } from '../testing/toolContext.ts'
import type { ToolOutput } from '../common/toolDefinition.ts'
import { listDir } from './bladeListDir.ts'
import { searchContext } from '../testing/searchContext.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
beforeEach(async () => {
  folder = await temporaryFolder({
    'src/a/b.ts': '',
    'src/c.ts': '',
    'README.md': '',
    '.env': '',
    'node_modules/p/x.js': '',
  })
})
afterEach(() => folder.remove())

const list = async (args: Record<string, unknown>): Promise<ToolOutput> =>
  runTool(listDir, args, await searchContext(folder.root))

test('lists the workspace one level deep by default, and names excluded folders', async () => {
  expect((await list({})).text).toBe(
    `Directory: ${folder.root}\nsrc/\nREADME.md\n\n(Not listed: node_modules/. Pass one as \`path\` to see it.)`,
  )
})

test('max_depth limits the levels', async () => {
  expect((await list({ path: 'src' })).text).toBe(`Directory: ${folder.root}/src\na/\nc.ts`)
  expect((await list({ path: 'src', max_depth: 2 })).text).toBe(`Directory: ${folder.root}/src\na/\n  b.ts\nc.ts`)
})

test.each(['path', 'dir', 'directory'])('accepts the folder as %s', async (name) => {
  expect((await list({ [name]: 'src' })).text).toContain('c.ts')
})

test('an excluded folder can be listed by name; links are marked', async () => {
  await symlink('README.md', path.join(folder.root, 'link'))
  expect((await list({ path: 'node_modules' })).text).toContain('p/')
  expect((await list({})).text).toContain('\nlink (symlink)\n')
})

test('an empty folder is reported as empty', async () => {
  await writeTree(folder.root, { 'empty/': '' })
  expect((await list({ path: 'empty' })).text).toContain('(empty')
})

test('more than 200 entries: the number of omitted ones is shown', async () => {
  await writeTree(folder.root, Object.fromEntries(Array.from({ length: 230 }, (_, index) => [`many/${index}.txt`, ''])))
  const { text } = await list({ path: 'many' })
  expect(text).toContain('… 30 more')
  expect(text).toContain('showing 200 of 230 entries: 30 more')
})

test('invalid input is refused', async () => {
  await expectFailure(list({ path: 'README.md' }), 'not_a_directory')
  await expectFailure(list({ path: 'none' }), 'not_found')
  await expectFailure(list({ path: '/' }), 'outside_workspace')
  await expectFailure(list({ path: '' }), 'invalid_path')
  expect(listDir.schema.safeParse({ max_depth: 0 }).success).toBe(false)
  expect(listDir.schema.parse({})).toEqual({ path: '.', max_depth: 1 })
})
