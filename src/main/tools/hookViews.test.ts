import { homedir } from 'node:os'
import path from 'node:path'
import { expect, it } from 'vitest'
import type { ToolsetName } from '../../shared/tools/risk.ts'
import { parseMatcher } from '../hooks/hookMatcher.ts'
import { bladeToolset } from './blade/bladeToolset.ts'
import type { Tool, ToolContext } from './common/toolDefinition.ts'
import { parseArguments } from './arguments/coerceArguments.ts'
import { hookViews } from './hookViews.ts'
import { rustantToolset } from './rustant/rustantToolset.ts'
import { rustyToolset } from './rusty/rustyToolset.ts'
import { tizonaTools } from './tizona/tizonaTools.ts'
import { createToolRegistry } from './toolRegistry.ts'
import { ultraSushiTronToolset } from './ultrasushitron/ultraSushiTronToolset.ts'

const registry = createToolRegistry(
  [bladeToolset, ultraSushiTronToolset, rustantToolset, rustyToolset],
  () => tizonaTools,
)
const context = {
  workspace: { root: '/w', resolve: async (path: string) => ({ relative: path, type: 'directory' }) },
  editor: {},
  signal: new AbortController().signal,
} as unknown as ToolContext

const patch = '*** Begin Patch\n*** Update File: a.ts\n@@\n-a\n+b\n*** Add File: b.ts\n+x\n*** End Patch'
const diff = '--- a/a.ts\n+++ b/a.ts\n@@ -1 +1 @@\n-a\n+b\n'

type Row = [ToolsetName, string, Record<string, unknown>, string, Record<string, unknown>]

const table: Row[] = [
  ['blade', 'run_command', { command: 'ls' }, 'Bash', { command: 'ls' }],
  ['blade', 'run_command', { program: 'ls', args: ['a b'] }, 'Bash', { command: "ls 'a b'" }],
  ['blade', 'read_file', { path: 'a.ts' }, 'Read', { file_path: '/w/a.ts' }],
  ['blade', 'read_file_range', { path: 'a.ts', start_line: 2 }, 'Read', { file_path: '/w/a.ts', start_line: 2 }],
  ['blade', 'write_file', { path: 'a.ts', content: 'x' }, 'Write', { file_path: '/w/a.ts', content: 'x' }],
  [
    'blade',
    'edit_file',
    { path: 'a.ts', old_content: 'a', new_content: 'b' },
    'Edit',
    { file_path: '/w/a.ts', old_string: 'a', new_string: 'b' },
  ],
  [
    'blade',
    'apply_patch',
    { path: 'a.ts', old_text: 'a', new_text: 'b' },
    'Edit',
    { file_path: '/w/a.ts', old_string: 'a', new_string: 'b' },
  ],
  ['blade', 'grep_search', { pattern: 'x', path: 'src' }, 'Grep', { pattern: 'x', path: '/w/src' }],
  ['blade', 'find_files_glob', { pattern: '*.ts' }, 'Glob', { pattern: '*.ts', path: '/w' }],
  ['blade', 'list_dir', { path: '.' }, 'LS', { path: '/w' }],
  ['blade', 'delete_file', { path: 'a.ts' }, 'Edit', { file_path: '/w/a.ts' }],
  ['ultrasushitron', 'Bash', { command: 'ls' }, 'Bash', { command: 'ls' }],
  ['ultrasushitron', 'Read', { file_path: 'a.ts', limit: 5 }, 'Read', { file_path: '/w/a.ts', limit: 5 }],
  ['ultrasushitron', 'Write', { file_path: 'a.ts', content: 'x' }, 'Write', { file_path: '/w/a.ts', content: 'x' }],
  [
    'ultrasushitron',
    'Edit',
    { file_path: 'a.ts', old_string: 'a', new_string: 'b' },
    'Edit',
    { file_path: '/w/a.ts', old_string: 'a', new_string: 'b', replace_all: false },
  ],
  ['ultrasushitron', 'Patch', { file_path: 'a.ts', patch: diff }, 'Edit', { file_path: '/w/a.ts', command: diff }],
  ['ultrasushitron', 'Grep', { pattern: 'x' }, 'Grep', { pattern: 'x', path: '/w' }],
  ['ultrasushitron', 'Find', { pattern: '*.ts' }, 'Glob', { pattern: '*.ts' }],
  ['ultrasushitron', 'HttpFetch', { url: 'https://x.example' }, 'WebFetch', { url: 'https://x.example' }],
  ['ultrasushitron', 'WebSearch', { query: 'x' }, 'WebSearch', { query: 'x' }],
  ['rustant', 'shell_exec', { command: 'ls' }, 'Bash', { command: 'ls' }],
  ['rustant', 'file_read', { path: 'a.ts' }, 'Read', { file_path: '/w/a.ts' }],
  ['rustant', 'file_write', { path: 'a.ts', content: 'x' }, 'Write', { file_path: '/w/a.ts', content: 'x' }],
  ['rustant', 'file_patch', { path: 'a.ts', patch: diff }, 'Edit', { file_path: '/w/a.ts', command: diff }],
  [
    'rustant',
    'smart_edit',
    { path: 'a.ts', location: '1', operation: 'replace', content: 'b' },
    'Edit',
    { file_path: '/w/a.ts', new_string: 'b', location: '1' },
  ],
  ['rustant', 'file_search', { pattern: '*.ts' }, 'Glob', { pattern: '*.ts' }],
  ['rustant', 'web_fetch', { url: 'https://x.example' }, 'WebFetch', { url: 'https://x.example' }],
  ['rusty', 'file_read', { path: 'a.ts' }, 'Read', { file_path: '/w/a.ts' }],
  ['rusty', 'file_write', { path: 'a.ts', content: 'x' }, 'Write', { file_path: '/w/a.ts', content: 'x' }],
  [
    'rusty',
    'file_edit',
    { path: 'a.ts', old_string: 'a', new_string: 'b' },
    'Edit',
    { file_path: '/w/a.ts', old_string: 'a', new_string: 'b' },
  ],
  ['rusty', 'task', { prompt: 'Look.' }, 'Task', { prompt: 'Look.' }],
]

it.each(table)('%s %s %o is %s with %o', async (toolset, name, args, theirs, input) => {
  const tool = registry.find(toolset, name)
  const parsed = parseArguments(tool, args)
  const [view, ...others] = await hookViews(tool, parsed, context)
  expect(others).toEqual([])
  expect(view).toMatchObject({ name: theirs, input })
  expect(view?.names).toContain(name)
  // An unchanged input means the same call.
  if (view?.apply) expect(parseArguments(tool, view.apply({ ...view.input }))).toEqual(parsed)
})

it('a changed field changes the argument of the tool', async () => {
  const changed: [ToolsetName, string, Record<string, unknown>, Record<string, unknown>, Record<string, unknown>][] = [
    ['blade', 'run_command', { program: 'ls' }, { command: 'ls -l' }, { command: 'ls -l' }],
    ['rustant', 'shell_exec', { command: 'ls' }, { command: 'ls -l' }, { command: 'ls -l', timeout_secs: 60 }],
    [
      'blade',
      'edit_file',
      { path: 'a', old_content: 'a', new_content: 'b' },
      { new_string: 'c' },
      { new_content: 'c' },
    ],
    ['rusty', 'file_write', { path: 'a', content: 'x' }, { file_path: '/w/b' }, { path: '/w/b', content: 'x' }],
  ]
  for (const [toolset, name, args, change, expected] of changed) {
    const tool = registry.find(toolset, name)
    const [view] = await hookViews(tool, parseArguments(tool, args), context)
    expect(view?.apply?.({ ...view.input, ...change })).toMatchObject(expected)
  }
})

it('a call that changes several files is an edit of each, which hooks cannot change', async () => {
  for (const toolset of ['blade', 'rusty'] as const) {
    const tool = registry.find(toolset, 'apply_patch')
    const views = await hookViews(tool, parseArguments(tool, { patch }), context)
    expect(views.map(({ name, input, apply }) => [name, input['file_path'], input['command'], apply])).toEqual([
      ['Edit', '/w/a.ts', patch, undefined],
      ['Edit', '/w/b.ts', patch, undefined],
    ])
  }
  const move = registry.find('blade', 'move_file')
  const views = await hookViews(move, parseArguments(move, { source: 'a.ts', destination: 'b.ts' }), context)
  expect(views.map(({ input }) => input['file_path'])).toEqual(['/w/a.ts', '/w/b.ts'])
})

it('tools of MCP servers have their names', async () => {
  const tool = { name: 'memory__create', server: 'memory' } as unknown as Tool
  const [view] = await hookViews(tool, { a: 1 }, context)
  expect(view).toMatchObject({ name: 'mcp__memory__create', input: { a: 1 } })
  const ofPlugin = { name: 'forge_anvil__strike', server: 'forge:anvil' } as unknown as Tool
  expect((await hookViews(ofPlugin, {}, context))[0]?.names).toEqual(
    expect.arrayContaining(['mcp__forge_anvil__strike', 'mcp__plugin_forge_anvil__strike']),
  )
})

/** Tools that change something other than files of the folder, under names of their own. */
const changesNoFile = /^(?:browser_(?:click|press|select|type|evaluate)|call_tool|task|HttpFetch|web_fetch|todo_write)$/

it('every call that changes files is an Edit or a Write and every one that runs a command is a Bash, by its risk', async () => {
  const checked = new Set<string>()
  for (const toolset of ['blade', 'ultrasushitron', 'rustant', 'rusty'] as const)
    for (const tool of registry.tools(toolset)) {
      if (['read', 'network'].includes(tool.risk) || changesNoFile.test(tool.name)) continue
      const [example] = tool.examples ?? []
      // Their commands come from a session or a file.
      if (!example || /^(?:debug_|notebook_run$)/.test(tool.name)) continue
      const args = parseArguments(tool, { ...example, ...(tool.name === 'code_actions' && { action: 'Add import' }) })
      checked.add(tool.name)
      const isCommand = tool.commandLine !== undefined || tool.name === 'git_commit'
      const views = await hookViews(tool, args, context)
      expect(views.length, tool.name).toBeGreaterThan(0)
      for (const { name } of views)
        expect(isCommand ? ['Bash'] : ['Edit', 'Write', 'NotebookEdit'], tool.name).toContain(name)
    }
  expect([...checked]).toEqual(expect.arrayContaining(['rename_symbol', 'code_actions', 'git_commit']))
  expect(checked.size).toBeGreaterThan(15)
})

it('a call whose files only its run computes is an edit of each', async () => {
  const diffOf = (...paths: string[]) => ({ view: { kind: 'diff', files: paths.map((path) => ({ path })) } })
  const rename = registry.find('blade', 'rename_symbol')
  const args = parseArguments(rename, { path: 'a.ts', line: 1, name: 'a', new_name: 'b' })
  const files = async (preview: Tool['preview'], done?: object) =>
    (await hookViews({ ...rename, schema: rename.schema, preview } as Tool, args, context, done)).map(
      ({ name, input, apply }) => [name, input['file_path'], apply],
    )
  const planned = async () => diffOf('a.ts', 'src/b.ts') as never
  expect(await files(planned)).toEqual([
    ['Edit', '/w/a.ts', undefined],
    ['Edit', '/w/src/b.ts', undefined],
  ])
  expect(await files(() => Promise.reject(new Error('no server')))).toEqual([['Edit', '/w/a.ts', undefined]])
  // The name is no longer in the line after the call.
  expect(await files(() => Promise.reject(new Error('no_match')), diffOf('a.ts', 'c.ts'))).toHaveLength(2)
  const actions = registry.find('rusty', 'code_actions')
  const listed = await hookViews(actions, parseArguments(actions, { path: 'a.ts', line: 1 }), context)
  expect(listed.map(({ name }) => name)).toEqual(['Read'])
})

it('an edit of a notebook is matched by NotebookEdit, and by what matches edits', async () => {
  const edit = registry.find('blade', 'notebook_edit')
  const args = parseArguments(edit, { path: 'sales.ipynb', cell: 2, new_source: 'x = 1' })
  const [view] = await hookViews(edit, args, context)
  expect(view).toMatchObject({ name: 'NotebookEdit' })
  expect(view?.input).toMatchObject({
    notebook_path: '/w/sales.ipynb',
    file_path: '/w/sales.ipynb',
    new_source: 'x = 1',
  })
  for (const matcher of ['NotebookEdit', 'Edit|Write', 'notebook_edit'])
    expect(parseMatcher(matcher).matches(view?.names ?? []), matcher).toBe(true)
})

it('a commit is the command that does the same', async () => {
  const commit = registry.find('rustant', 'git_commit')
  const command = async (args: object) =>
    (await hookViews(commit, parseArguments(commit, args), context)).map(({ name, input }) => [name, input['command']])
  expect(await command({ message: "It's done" })).toEqual([['Bash', `git commit -m 'It'\\''s done'`]])
  expect(await command({ message: 'x', path: 'my sub' })).toEqual([['Bash', "cd 'my sub' && git commit -m x"]])
})

it.each([
  ['', ['Bash'], true],
  ['*', ['Bash'], true],
  ['Bash', ['Bash'], true],
  ['Bash', ['BashOutput'], false],
  ['bash', ['Bash'], false],
  ['Edit|Write', ['Write'], true],
  ['Edit|Write', ['Read'], false],
  ['^(Edit|Write)$', ['Write'], true],
  ['^Bash$', ['Bash'], true],
  ['mcp__.*', ['mcp__memory__create'], true],
  ['mcp__memory__.*', ['mcp__files__read'], false],
  ['mcp__.*__write.*', ['mcp__files__write_all'], true],
  ['Notebook.*', ['NotebookEdit'], true],
  ['.+', ['Read'], true],
])('the matcher "%s" on %o: %s', (matcher, names, expected) => {
  expect(parseMatcher(matcher)).toMatchObject({ unclear: false })
  expect(parseMatcher(matcher).matches(names)).toBe(expected)
})

it('a matcher with other operators applies to every name, in bounded time', () => {
  const matcher = parseMatcher('(a+)+$')
  expect(matcher.unclear).toBe(true)
  const started = performance.now()
  expect(matcher.matches(['a'.repeat(100_000) + '!'])).toBe(true)
  expect(parseMatcher('.*.*.*.*.*.*.*x').matches(['a'.repeat(100_000)])).toBe(false)
  expect(performance.now() - started).toBeLessThan(1000)
})

it('paths are those of the folders themselves, also in a multi-root workspace and with "~"', async () => {
  const folders = [
    { name: 'app', path: path.join(homedir(), 'app') },
    { name: 'lib', path: '/srv/lib' },
  ]
  const multiRoot = { ...context, workspace: { ...context.workspace, root: '/data/links', folders } }
  const seen = async (tool: Tool, args: Record<string, unknown>) =>
    (await hookViews(tool, args, multiRoot)).map(({ input }) => input['file_path'])
  const write = registry.find('blade', 'write_file')
  const inApp = path.join(homedir(), 'app', 'db', '1.sql')
  for (const given of [
    'app/db/1.sql',
    'APP/db/1.sql',
    './lib/../app/db/1.sql',
    '~/app/db/1.sql',
    inApp,
    '/data/links/app/db/1.sql',
  ])
    expect(await seen(write, { path: given, content: '' })).toEqual([inApp])
  expect(await seen(registry.find('blade', 'delete_file'), { path: 'lib/a.ts' })).toEqual(['/srv/lib/a.ts'])
  expect((await hookViews(write, { path: '~/app/a.ts', content: '' }, context))[0]?.input['file_path']).toBe(
    path.join(homedir(), 'app', 'a.ts'),
  )
})
