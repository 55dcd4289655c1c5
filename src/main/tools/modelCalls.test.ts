import { rm } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ToolResult } from '../../shared/tools/tool.ts'
import { bladeToolset } from './blade/bladeToolset.ts'
import { rustantToolset } from './rustant/rustantToolset.ts'
import { rustyToolset } from './rusty/rustyToolset.ts'
import { calledFile, failingCalls, pathCalls } from './testing/pathCalls.ts'
import { createWorld, type ErrorWorld } from './testing/toolErrorTests.ts'
import { writeTree } from './testing/toolContext.ts'
import type { Toolset } from './common/toolDefinition.ts'
import { ultraSushiTronToolset } from './ultrasushitron/ultraSushiTronToolset.ts'

// Calls as models really send them: each mistake against every tool that takes such an argument.

const route = 'src/app/[id]/page.tsx'
const files = {
  [calledFile]: 'fn main() {}\n',
  'src/app/other.rs': 'fn other() {}\nstruct Shop;\nimpl Shop { fn open(&self) {} }\n',
  [route]: 'export const page = 1\n',
  'src/app/i/page.tsx': 'export const letter = 2\n',
  '{{name}}/readme.md': 'template\n',
}
const toolsets: readonly Toolset[] = [bladeToolset, ultraSushiTronToolset, rustantToolset, rustyToolset]
const worlds = new Map<Toolset, ErrorWorld>()
beforeAll(async () => {
  for (const toolset of toolsets) worlds.set(toolset, await createWorld(toolset, files))
})
afterAll(async () => {
  for (const world of worlds.values()) await world.dispose()
})

/** Makes a call on the original files. */
async function call(toolset: Toolset, tool: string, args: unknown): Promise<ToolResult> {
  const world = worlds.get(toolset)
  if (!world) throw new Error('The toolset has no world.')
  for (const left of ['moved.rs', 'copied.rs']) await rm(path.join(world.root, left), { force: true })
  await writeTree(world.root, files)
  return world.call(tool, args)
}

const rows = toolsets.flatMap((toolset) =>
  Object.entries(pathCalls[toolset.name] ?? {}).flatMap(([tool, calls]) =>
    calls.map(([parameter, args]) => ({ family: toolset.title, toolset, tool, parameter, args })),
  ),
)

describe('brackets in the name of a file that exists', () => {
  test.each<[family: string, toolset: Toolset, tool: string, args: Record<string, unknown>, found: string]>([
    ['Blade', bladeToolset, 'read_file', { path: route }, 'page = 1'],
    ['Blade', bladeToolset, 'read_many_files', { paths: [route] }, 'page = 1'],
    ['Blade', bladeToolset, 'read_many_files', { paths: ['src/app/[id]/*.tsx'] }, 'page = 1'],
    ['Blade', bladeToolset, 'read_many_files', { paths: ['{{name}}/*.md'] }, 'template'],
    ['Blade', bladeToolset, 'find_files_glob', { pattern: route }, route],
    ['Blade', bladeToolset, 'find_files_glob', { pattern: '**/[id]/*.tsx' }, route],
    ['Blade', bladeToolset, 'find_files_glob', { pattern: '*.tsx', path: 'src/app/[id]' }, route],
    ['Blade', bladeToolset, 'find_files', { pattern: '[id]' }, 'src/app/[id]/'],
    ['Blade', bladeToolset, 'grep_search', { pattern: 'page', path: 'src/app/[id]' }, 'page = 1'],
    ['Blade', bladeToolset, 'codebase_search', { query: 'page', file_pattern: route }, 'page = 1'],
    ['Blade', bladeToolset, 'codebase_search', { query: 'page', file_pattern: 'src/app/[id]/**' }, 'page = 1'],
    ['Blade', bladeToolset, 'list_dir', { path: 'src/app/[id]' }, 'page.tsx'],
    ['Blade', bladeToolset, 'get_workspace_structure', { path: 'src/app/[id]' }, 'page.tsx'],
    ['Blade', bladeToolset, 'symbol_search', { query: 'page', path: 'src/app/[id]' }, '"page"'],
    ['Blade', bladeToolset, 'symbol_outline', { path: route }, 'page'],
    ['Blade', bladeToolset, 'get_project_index_overview', { path: 'src/app/[id]' }, 'page.tsx'],
    ['UltraSushiTron', ultraSushiTronToolset, 'Read', { file_path: route }, 'page = 1'],
    ['UltraSushiTron', ultraSushiTronToolset, 'Find', { pattern: route }, route],
    ['UltraSushiTron', ultraSushiTronToolset, 'Find', { pattern: 'src/app/[id]/**' }, route],
    ['UltraSushiTron', ultraSushiTronToolset, 'Grep', { pattern: 'page', path: 'src/app/[id]' }, 'page = 1'],
    ['UltraSushiTron', ultraSushiTronToolset, 'ListDir', { path: 'src/app/[id]' }, 'page.tsx'],
    ['Rustant', rustantToolset, 'file_search', { pattern: route }, route],
    ['Rustant', rustantToolset, 'file_search', { pattern: 'src/app/[id]/*' }, route],
    ['Rustant', rustantToolset, 'file_list', { path: 'src/app/[id]' }, 'page.tsx'],
  ])('is not a class of characters: %s %4$s', async (_family, toolset, tool, args, found) => {
    const result = await call(toolset, tool, args)
    expect(result).toMatchObject({ ok: true })
    expect(result.text).toContain(found)
  })

  test('excludes that file', async () => {
    const { text } = await call(bladeToolset, 'read_many_files', { paths: ['src/app'], exclude: ['src/app/[id]'] })
    expect(text).toContain('fn main')
    expect(text).not.toContain('page = 1')
  })
})

describe('a bare word', () => {
  test.each<[toolset: Toolset, tool: string, args: Record<string, unknown>]>([
    [bladeToolset, 'find_files', { query: 'main' }],
    [bladeToolset, 'find_files', { pattern: '*.rs' }],
    [bladeToolset, 'find_files', { pattern: 'app/main' }],
    [bladeToolset, 'find_files_glob', { pattern: 'main' }],
    [bladeToolset, 'find_files_glob', { query: 'app/main' }],
    [ultraSushiTronToolset, 'Find', { pattern: 'main' }],
    [rustantToolset, 'file_search', { pattern: 'main' }],
  ])('finds files with it in their name: $name %1$s', async (toolset, tool, args) => {
    expect((await call(toolset, tool, args)).text).toContain(calledFile)
  })

  test.each(['rs', '.rs', '*.rs', 'rs,ts', 'app'])('selects files of an extension or folder: %s', async (pattern) => {
    const { text } = await call(bladeToolset, 'codebase_search', { query: 'main', file_pattern: pattern })
    expect(text).toContain(`${calledFile}:1`)
  })
})

describe('every tool', () => {
  test.each(rows)('$family: $tool ignores extras that change nothing ($parameter)', async ({ toolset, tool, args }) => {
    const plain = await call(toolset, tool, args)
    const extras = { title: 'Now', description: 'Why', encoding: 'utf-8', dry_run: false }
    const own = toolset.tools.find(({ name }) => name === tool)?.schema.shape ?? {}
    const extra = await call(toolset, tool, {
      ...args,
      ...Object.fromEntries(Object.entries(extras).filter(([name]) => !(name in own))),
      ...('overwrite' in own ? {} : { overwrite: true }),
      ...(tool === 'run_command' ? {} : { timeout: 30 }),
    })
    expect({ ok: extra.ok, arguments: extra.arguments }).toEqual({ ok: plain.ok, arguments: plain.arguments })
  })

  test.each(rows)('$family: $tool takes empty optional parameters as absent ($parameter)', async (row) => {
    const { toolset, tool, args } = row
    const schema = toolset.tools.find(({ name }) => name === tool)?.schema
    if (!schema) return
    const isOptional = (name: string) => schema.shape[name]?.safeParse(undefined).success === true
    // With `content` a deletion fails, and an empty patch is none.
    const empty = Object.keys(schema.shape).filter((name) => isOptional(name) && !(name in args) && name !== 'content')
    const plain = await call(toolset, tool, args)
    const given = await call(toolset, tool, { ...args, ...Object.fromEntries(empty.map((name) => [name, ''])) })
    expect({ ok: given.ok, arguments: given.arguments }).toEqual({ ok: plain.ok, arguments: plain.arguments })
    if (!failingCalls.has(tool)) expect(given.ok).toBe(true)
  })

  test.each(toolsets.flatMap(({ tools }) => tools.filter(({ server }) => server === undefined)))(
    '$name reads numbers for texts',
    async (tool) => {
      const toolset = toolsets.find(({ tools }) => tools.includes(tool))
      if (!toolset) throw new Error('The tool has no toolset.')
      for (const [name, field] of Object.entries(tool.schema.shape)) {
        if (!field.safeParse('text').success || field.safeParse(404).success) continue
        const result = await call(toolset, tool.name, { [name]: 404 })
        expect(result.text).not.toContain(`"${name}" must be`)
      }
    },
  )
})

describe('a diff in a Markdown fence', () => {
  const diff = `--- a/${calledFile}\n+++ b/${calledFile}\n@@ -1 +1 @@\n-fn main() {}\n+fn start() {}\n`
  const blocks = '<<<<<<< SEARCH\nfn main() {}\n=======\nfn start() {}\n>>>>>>> REPLACE\n'
  const envelope = `*** Begin Patch\n*** Update File: ${calledFile}\n-fn main() {}\n+fn start() {}\n*** End Patch\n`
  const patchTools: readonly (readonly [toolset: Toolset, tool: string, args: Record<string, unknown>])[] = [
    [bladeToolset, 'apply_patch', { path: calledFile }],
    [ultraSushiTronToolset, 'Patch', { file_path: calledFile }],
    [rustantToolset, 'file_patch', { path: calledFile }],
    [rustyToolset, 'apply_patch', {}],
  ]
  test.each(
    patchTools.flatMap(([toolset, tool, args]) =>
      [diff, envelope, ...(toolset === rustyToolset ? [`${calledFile}\n${blocks}`] : [blocks])].flatMap((patch) =>
        [
          `\`\`\`diff\n${patch}\`\`\`\n`,
          `~~~\n${patch}~~~`,
          `Here is the change:\n\n\`\`\`\n${patch}\`\`\`\n\nDone.\n`,
        ].map((fenced) => [toolset.title, tool, fenced.slice(0, 60), toolset, { ...args, patch: fenced }] as const),
      ),
    ),
  )('is applied: %s %s %j', async (_title, tool, _start, toolset, args) => {
    const result = await call(toolset, tool, args)
    expect(result).toMatchObject({ ok: true })
    expect((await call(toolset, tool, args)).ok).toBe(true)
  })
})

describe('patches as JSON text', () => {
  const patches = '[{"old_text": "fn main() {}\n", "new_text": "fn start() {\n\tgo();\n}\n", "title": "Rename"}]'

  test.each([
    ['with raw line breaks inside of strings', { path: calledFile, patches }],
    [
      'with stray keys',
      { path: calledFile, title: 'x', patches: [{ old_text: 'main', new_text: 'start', title: 'x', reason: 'y' }] },
    ],
    [
      'beside empty texts',
      { path: calledFile, old_text: '', new_text: '', patches: [{ old_text: 'main', new_text: 'start' }] },
    ],
    ['as text of the whole call', JSON.stringify({ path: calledFile, patches })],
  ])('are read: %s', async (_what, args) => {
    expect(await call(bladeToolset, 'apply_patch', args)).toMatchObject({ ok: true })
  })

  test('are refused with a key that may matter', async () => {
    const args = { path: calledFile, patches: [{ old_text: 'main', new_text: 'start', all: true }] }
    expect(await call(bladeToolset, 'apply_patch', args)).toMatchObject({
      ok: false,
      error: { code: 'invalid_arguments' },
    })
  })
})

describe('a symbol', () => {
  test.each(['symbol_resolve', 'symbol_graph'])('is found by its name alone: %s', async (tool) => {
    for (const name of ['main', 'fn main', 'pub fn main()', 'fn main() {']) {
      const { ok, text } = await call(bladeToolset, tool, { name })
      expect({ name, ok }).toEqual({ name, ok: true })
      expect(text).toContain(`"path": "${calledFile}"`)
    }
    expect((await call(bladeToolset, tool, { qualified_name: 'Shop::open' })).text).toContain('other.rs')
    expect((await call(bladeToolset, tool, { symbol_id: 'other' })).text).toContain('other.rs')
    expect((await call(bladeToolset, tool, { name: 'nothing' })).error?.code).toBe('not_found')
  })

  test.each(['fn main', 'pub fn main() {', 'function main', 'struct Shop', 'impl Shop', 'async fn main(a: u8)'])(
    'is searched by its declaration: %s',
    async (query) => {
      expect((await call(bladeToolset, 'symbol_search', { query })).text).toContain(
        query.includes('Shop') ? '"Shop"' : '"main"',
      )
    },
  )
})

test.each([
  'at line 2',
  'on line 2',
  'line #2',
  'line 2 of the file',
  'line 2:',
  'L2',
  'lines 2 through 2',
  'lines 2 and 2',
])('smart_edit edits a line however it is named: %s', async (location) => {
  const result = await call(rustantToolset, 'smart_edit', { path: 'src/app/other.rs', location, operation: 'delete' })
  expect(result.text).toContain('-struct Shop;')
})

test.each<[Toolset, string, Record<string, unknown>]>([
  [bladeToolset, 'read_file_range', { path: 'src/app/other.rs', start_line: 'line 2', end_line: 'L2' }],
  [rustantToolset, 'file_read', { path: 'src/app/other.rs', start_line: 'at line 2', end_line: '2' }],
  [ultraSushiTronToolset, 'Read', { file_path: 'src/app/other.rs', offset: 'line 2', limit: '1' }],
])('%o reads lines that are named in words', async (toolset, tool, args) => {
  const { text } = await call(toolset, tool, args)
  expect(text).toContain('struct Shop;')
  expect(text).not.toContain('fn other')
})

test.each([
  ['read_many_files', { pattern: 'x' }, 'paths'],
  ['apply_patch', { path: calledFile, content: 'x' }, 'new_text'],
  ['find_files', { patern: 'x' }, 'pattern'],
  ['read_file', { filepaht: 'x' }, 'path'],
])('a hint at a parameter names one of the schema: %s', async (tool, args, parameter) => {
  const { text } = await call(bladeToolset, tool, args)
  const hinted = /did you mean "([^"]+)"/.exec(text)?.[1]
  expect(hinted).toBe(parameter)
})
