import { mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ToolResult } from '../../shared/tools/tool.ts'
import { bladeToolset } from './blade/bladeToolset.ts'
import { rustantToolset } from './rustant/rustantToolset.ts'
import { rustyToolset } from './rusty/rustyToolset.ts'
import { calledFile, calledFiles, failingCalls, pathCalls } from './testing/pathCalls.ts'
import { createWorld, type ErrorWorld } from './testing/toolErrorTests.ts'
import { writeTree } from './testing/toolContext.ts'
import type { Toolset } from './common/toolDefinition.ts'
import { ultraSushiTronToolset } from './ultrasushitron/ultraSushiTronToolset.ts'

// Names that are written in another way than on disk, for every tool that takes a path.

const toolsets: readonly Toolset[] = [bladeToolset, ultraSushiTronToolset, rustantToolset, rustyToolset]
const composed = 'src/caf\u00e9/r\u00e9sum\u00e9.rs'.normalize('NFC')
const decomposed = composed.normalize('NFD')

/** A folder opened through a link, one per family. */
const worlds = new Map<Toolset, { world: ErrorWorld; link: string }>()
const links: string[] = []
beforeAll(async () => {
  for (const toolset of toolsets) {
    let link = ''
    const world = await createWorld(toolset, calledFiles, async (root) => {
      const folder = await mkdtemp(path.join(tmpdir(), 'tizona-link-'))
      links.push(folder)
      link = path.join(folder, 'project')
      await symlink(root, link)
      return link
    })
    worlds.set(toolset, { world, link })
  }
})
afterAll(async () => {
  for (const { world } of worlds.values()) await world.dispose()
  for (const link of links) await rm(link, { recursive: true })
})

const rows = toolsets.flatMap((toolset) =>
  Object.entries(pathCalls[toolset.name] ?? {}).flatMap(([tool, calls]) =>
    calls.map(([parameter, args]) => ({ family: toolset.title, toolset, tool, parameter, args })),
  ),
)

function worldOf(toolset: Toolset): { world: ErrorWorld; link: string } {
  const found = worlds.get(toolset)
  if (!found) throw new Error('The toolset has no world.')
  return found
}

/** Makes a call in a folder with only these files. */
async function call(toolset: Toolset, files: Record<string, string>, tool: string, args: unknown): Promise<ToolResult> {
  const { world } = worldOf(toolset)
  for (const name of await readdir(world.root)) await rm(path.join(world.root, name), { recursive: true })
  await writeTree(world.root, files)
  return world.call(tool, args)
}

function replaced(args: Record<string, unknown>, change: (text: string) => string): Record<string, unknown> {
  const rewrite = (value: unknown): unknown =>
    Array.isArray(value) ? value.map(rewrite) : typeof value === 'string' ? change(value) : value
  return Object.fromEntries(Object.entries(args).map(([name, value]) => [name, rewrite(value)]))
}

const isPath = ({ parameter }: { parameter: string }) =>
  !['exclude', 'pattern', 'file_pattern', 'scope'].includes(parameter)

describe('a folder opened through a link', () => {
  test.each(rows.filter(isPath))('$family: $tool takes absolute paths of the link ($parameter)', async (row) => {
    const { toolset, tool, args } = row
    const { link } = worldOf(toolset)
    const absolute = replaced(args, (text) =>
      text.replaceAll(/src\/app(?:\/main\.rs)?/g, (found) => `${link}/${found}`),
    )
    const plain = await call(toolset, calledFiles, tool, args)
    const result = await call(toolset, calledFiles, tool, absolute)
    expect({ ok: result.ok, code: result.error?.code }).toEqual({ ok: plain.ok, code: plain.error?.code })
  })
})

describe('a name in another Unicode form', () => {
  test.each(rows)('$family: $tool finds it ($parameter)', async ({ toolset, tool, args }) => {
    const named = replaced(args, (text) =>
      text.replaceAll(calledFile, composed).replaceAll('src/app', path.dirname(composed)),
    )
    const files = { [decomposed]: 'fn main() {}\n', [`${path.dirname(decomposed)}/other.rs`]: 'fn other() {}\n' }
    const result = await call(toolset, files, tool, named)
    if (!failingCalls.has(tool)) expect(result).toMatchObject({ ok: true })
    const { world } = worldOf(toolset)
    // Nothing is created beside it.
    const all = await readdir(world.root, { recursive: true })
    const twins = Map.groupBy(all, (name) => name.normalize('NFC'))
    expect([...twins.values()].filter((same) => same.length > 1)).toEqual([])
  })
})

describe('text in another Unicode form', () => {
  const text = 'let caf\u00e9 = 1;\nlet x = 2;\n'.normalize('NFD')
  const files = { 'a.rs': text }
  const wanted = 'let caf\u00e9 = 1;'.normalize('NFC')
  const now = 'let caf\u00e9 = 3;'.normalize('NFC')
  const diff = `@@ -1,2 +1,2 @@\n-${wanted}\n+${now}\n let x = 2;\n`
  test.each<[toolset: Toolset, tool: string, args: Record<string, unknown>]>([
    [bladeToolset, 'edit_file', { path: 'a.rs', old_content: wanted, new_content: now }],
    [bladeToolset, 'edit_file', { path: 'a.rs', old_content: 'caf\u00e9 = 1', new_content: 'caf\u00e9 = 3' }],
    [bladeToolset, 'apply_patch', { path: 'a.rs', patches: [{ old_text: wanted, new_text: now }] }],
    [bladeToolset, 'apply_patch', { path: 'a.rs', patch: diff }],
    [ultraSushiTronToolset, 'Edit', { file_path: 'a.rs', old_string: wanted, new_string: now }],
    [ultraSushiTronToolset, 'Patch', { file_path: 'a.rs', patch: diff }],
    [rustantToolset, 'file_patch', { path: 'a.rs', patch: diff }],
    [rustantToolset, 'smart_edit', { path: 'a.rs', location: wanted, operation: 'replace', content: now }],
    [rustyToolset, 'file_edit', { path: 'a.rs', old_string: wanted, new_string: now }],
    [
      rustyToolset,
      'apply_patch',
      { patch: `*** Begin Patch\n*** Update File: a.rs\n-${wanted}\n+${now}\n*** End Patch` },
    ],
  ])('is edited: %o %s', async (toolset, tool, args) => {
    expect(await call(toolset, files, tool, args)).toMatchObject({ ok: true })
    const after = await readFile(path.join(worldOf(toolset).world.root, 'a.rs'), 'utf8')
    expect(after.normalize('NFC')).toBe(`${now}\nlet x = 2;\n`)
  })

  test.each<[toolset: Toolset, tool: string, args: Record<string, unknown>]>([
    [bladeToolset, 'grep_search', { pattern: 'caf\u00e9 = \\d' }],
    [bladeToolset, 'grep_search', { pattern: 'caf\u00e9+' }],
    [bladeToolset, 'codebase_search', { query: 'caf\u00e9' }],
    [ultraSushiTronToolset, 'Grep', { pattern: 'caf\u00e9' }],
  ])('is searched: %o %s', async (toolset, tool, args) => {
    expect((await call(toolset, files, tool, args)).text).toContain('a.rs:1')
  })
})

describe('a path that does not exist', () => {
  const there = {
    [calledFile]: 'fn main() {}\n',
    'src/app/two words.txt': 'x\n',
    'src/app/caf\u00e9.txt': 'x\n',
    'lib/unique_name.rs': 'x\n',
  }
  const reads = new Set([
    'read_file',
    'read_file_range',
    'read_many_files',
    'grep_search',
    'get_file_info',
    'symbol_search',
    'symbol_outline',
    'apply_patch',
    'edit_file',
    'move_file',
    'copy_file',
    'delete_file',
    'Read',
    'Grep',
    'Edit',
    'Patch',
    'Diff',
    'file_read',
    'file_patch',
    'smart_edit',
    'document_read',
    'file_edit',
  ])
  const wrong: readonly (readonly [given: string, meant: string])[] = [
    ['src/app/mian.rs', calledFile],
    ['src/app/Main.rs', calledFile],
    ['src/app/two\u00a0words.txt', 'src/app/two words.txt'],
    ['src/app/two\u202fwords.txt', 'src/app/two words.txt'],
    ['app/unique_name.rs', 'lib/unique_name.rs'],
    ['unique_nam.rs', 'lib/unique_name.rs'],
  ]
  const rowsHere = rows.filter(
    ({ tool, parameter }) => reads.has(tool) && !['exclude', 'destination'].includes(parameter),
  )
  test.each(rowsHere)('$family: $tool offers what exists ($parameter)', async ({ toolset, tool, args }) => {
    for (const [given, meant] of wrong) {
      const { text } = await call(
        toolset,
        there,
        tool,
        replaced(args, (value) => value.replaceAll(calledFile, given)),
      )
      expect({ given, text }).toEqual({ given, text: expect.stringMatching(/Did you mean/) })
      expect(text).toContain(meant)
    }
  })

  test('has no suggestion if nothing is alike', async () => {
    expect((await call(bladeToolset, there, 'read_file', { path: 'zebra/crossing.md' })).text).not.toContain(
      'Did you mean',
    )
  })
})

describe('pasted code in a search', () => {
  const files = { 'a.rs': 'fn main() {\n    println!("Hello");\n    a[0].b();\n}\n' }
  const tools: readonly (readonly [toolset: Toolset, tool: string, parameter: string])[] = [
    [bladeToolset, 'grep_search', 'pattern'],
    [bladeToolset, 'codebase_search', 'query'],
    [ultraSushiTronToolset, 'Grep', 'pattern'],
  ]
  test.each(tools)('is found as text and named a pattern: %o %s', async (toolset, tool, parameter) => {
    for (const [code, line] of [
      ['println!("Hello")', 2],
      ['a[0].b()', 3],
      ['(?i)PRINTLN!("hello")', 2],
    ] as const) {
      const { text } = await call(toolset, files, tool, { [parameter]: code })
      expect(text).toContain('read as a regular expression')
      expect(text).toContain(`a.rs:${line}:`)
    }
    const none = await call(toolset, files, tool, { [parameter]: 'eprintln!("Bye")' })
    expect(none.text).toContain('As plain text it occurs nowhere either.')
    const plain = await call(toolset, files, tool, { [parameter]: 'zebra' })
    expect(plain.text).not.toContain('regular expression.')
  })
})
