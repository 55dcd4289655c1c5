import { cp, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { createCodeIndex } from '../../code/index/codeIndex.ts'
import { createSearch } from '../../search/search.ts'
import { testErrors, type ErrorRow } from '../testing/errorRows.ts'
import { runTool, temporaryFolder, testContext } from '../testing/toolContext.ts'
import { bladeToolset } from './bladeToolset.ts'
import { symbolOutline } from './symbolOutline.ts'
import { symbolSearch } from './symbolSearch.ts'

const changed: ErrorRow['during'] = ({ root }) => writeFile(path.join(root, 'a.txt'), 'somebody else\n')
const vanished: ErrorRow['during'] = ({ root }) => rm(path.join(root, 'a.txt'))
const again: ErrorRow['before'] = ({ root }) => writeFile(path.join(root, 'a.txt'), 'one\ntwo\n')
const noWindow: ErrorRow['before'] = async ({ editor }) => {
  editor.attached = false
}
const unsaved: ErrorRow['before'] = async ({ editor }) => {
  editor.tabs.set('sub/b.txt', { text: 'typed', dirty: true })
}
const none = { what: 'a missing file', file: 'none', code: 'not_found', says: '"none" does not exist' } as const
const folder = { what: 'a folder', file: 'sub', code: 'is_directory', says: 'sub' } as const
const binary = { what: 'a binary file', file: 'binary.dat', code: 'binary_file', says: 'binary.dat' } as const
const outside = { what: 'a path outside', file: '../x.txt', code: 'outside_workspace', says: '../x.txt' } as const
const empty = { what: 'an empty path', file: '', code: 'invalid_path', says: 'path' } as const
const file = { what: 'a file as a folder', file: 'twice.txt', code: 'not_a_directory', says: 'twice.txt' } as const
type Bad = Pick<ErrorRow, 'what' | 'code' | 'says'> & { file: string }
const paths = (tool: string, bad: readonly Bad[], rest: Record<string, unknown> = {}, field = 'path'): ErrorRow[] =>
  bad.map(({ file: given, ...row }) => ({ tool, ...row, args: { [field]: given, ...rest } }))
const edit = { old_text: 'one', new_text: 'b' }
const editing = (tool: string, old: string, now: string): ErrorRow[] => [
  ...paths(tool, [none, folder, binary, outside, empty], { [old]: 'one', [now]: 'b' }),
  {
    tool,
    what: 'an empty text to find',
    args: { path: 'a.txt', [old]: '', [now]: 'b' },
    code: 'invalid_arguments',
    says: `${old} is empty`,
  },
  {
    tool,
    what: 'the same text twice',
    args: { path: 'a.txt', [old]: 'one', [now]: 'one' },
    code: 'no_change',
    says: 'identical',
  },
  {
    tool,
    what: 'a text that is not there',
    args: { path: 'a.txt', [old]: 'onee', [now]: 'b' },
    code: 'no_match',
    says: '1: one',
  },
  {
    tool,
    what: 'a text at two places',
    args: { path: 'twice.txt', [old]: 'x', [now]: 'b' },
    code: 'ambiguous_match',
    says: 'the start_line and end_line of one',
  },
  {
    tool,
    what: 'a file that changes meanwhile',
    args: { path: 'a.txt', [old]: 'one', [now]: 'b' },
    code: 'changed_on_disk',
    says: 'has changed',
    before: again,
    during: changed,
  },
  {
    tool,
    what: 'a file that vanishes meanwhile',
    args: { path: 'a.txt', [old]: 'one', [now]: 'b' },
    code: 'changed_on_disk',
    says: 'was deleted',
    before: again,
    during: vanished,
  },
]
const pair = (tool: string): ErrorRow[] => [
  ...paths(tool, [none, outside, empty], { destination: 'new.txt' }, 'source'),
  ...paths(
    tool,
    [
      outside,
      empty,
      { what: 'a destination that exists', file: 'twice.txt', code: 'already_exists', says: 'overwrite: true' },
    ],
    { source: 'sub/b.txt' },
    'destination',
  ),
  {
    tool,
    what: 'a folder into itself',
    args: { source: 'sub', destination: 'sub/deeper' },
    code: 'invalid_path',
    says: 'into itself',
  },
  { tool, what: 'its own place', args: { source: 'sub', destination: 'sub' }, code: 'invalid_path', says: 'the same' },
  {
    tool,
    what: 'a file with unsaved changes',
    args: { source: 'sub/b.txt', destination: 'new.txt' },
    code: 'unsaved_changes',
    says: 'save or revert',
    before: unsaved,
  },
]

testErrors({
  toolset: bladeToolset,
  files: {
    'a.txt': 'one\ntwo\n',
    'twice.txt': 'x\nx\n',
    'binary.dat': Buffer.from([0, 1, 2, 0, 255]),
    'sub/b.txt': 'b\n',
    'src/code.ts': 'export function run() {}\n',
  },
  rows: [
    ...paths('read_file', [none, folder, binary, outside, empty]),
    ...paths('read_file_range', [none, folder, binary, outside, empty]),
    {
      tool: 'read_file_range',
      what: 'a line 0',
      args: { path: 'twice.txt', start_line: 0 },
      code: 'invalid_arguments',
      says: 'at least 1',
    },
    {
      tool: 'read_file_range',
      what: 'a line behind the end',
      args: { path: 'twice.txt', start_line: 3 },
      code: 'out_of_range',
      says: '2 lines',
    },
    {
      tool: 'read_file_range',
      what: 'lines that run backwards',
      args: { path: 'twice.txt', start_line: 2, end_line: 1 },
      code: 'invalid_arguments',
      says: 'before',
    },
    {
      tool: 'read_file_range',
      what: 'context below 0',
      args: { path: 'twice.txt', context_lines: -1 },
      code: 'invalid_arguments',
      says: 'at least 0',
    },
    {
      tool: 'read_many_files',
      what: 'no path',
      args: { paths: [] },
      code: 'invalid_arguments',
      says: '"paths" must not be empty',
    },
    {
      tool: 'read_many_files',
      what: 'a path outside',
      args: { paths: ['../x.txt'] },
      code: 'outside_workspace',
      says: '../x.txt',
    },
    {
      tool: 'read_many_files',
      what: 'a glob that is none',
      args: { paths: ['*.{ts'] },
      code: 'invalid_pattern',
      says: '*.{ts',
    },
    {
      tool: 'read_many_files',
      what: 'a limit of 0',
      args: { paths: ['*'], max_files: 0 },
      code: 'invalid_arguments',
      says: 'at least 1',
    },

    ...paths('grep_search', [none, outside], { pattern: 'x' }),
    { tool: 'grep_search', what: 'an empty pattern', args: { pattern: '' }, code: 'invalid_pattern', says: 'empty' },
    { tool: 'grep_search', what: 'a pattern that is none', args: { pattern: '(' }, code: 'invalid_pattern', says: '(' },
    {
      tool: 'grep_search',
      what: 'a limit of 0',
      args: { pattern: 'x', timeout_ms: 0 },
      code: 'invalid_arguments',
      says: 'at least 1',
    },
    { tool: 'codebase_search', what: 'an empty query', args: { query: '' }, code: 'invalid_pattern', says: 'empty' },
    {
      tool: 'codebase_search',
      what: 'a glob that is none',
      args: { query: 'x', file_pattern: '*.{ts' },
      code: 'invalid_pattern',
      says: '*.{ts',
    },
    {
      tool: 'codebase_search',
      what: 'a limit below 0',
      args: { query: 'x', max_results: -1 },
      code: 'invalid_arguments',
      says: 'at least 1',
    },
    ...['find_files', 'find_files_glob'].flatMap((tool): ErrorRow[] => [
      ...paths(tool, [none, outside, file], { pattern: 'x' }),
      { tool, what: 'an empty pattern', args: { pattern: '' }, code: 'invalid_pattern', says: 'empty' },
    ]),
    {
      tool: 'find_files_glob',
      what: 'a glob that is none',
      args: { pattern: '*.{ts' },
      code: 'invalid_pattern',
      says: '*.{ts',
    },
    {
      tool: 'find_files',
      what: 'a depth of 0',
      args: { pattern: 'x', max_depth: 0 },
      code: 'invalid_arguments',
      says: 'at least 1',
    },
    ...paths('list_dir', [none, outside, file]),
    { tool: 'list_dir', what: 'a depth of 0', args: { max_depth: 0 }, code: 'invalid_arguments', says: 'at least 1' },
    ...paths('get_workspace_structure', [none, outside, file]),
    {
      tool: 'get_workspace_structure',
      what: 'a limit of 0',
      args: { limit: 0 },
      code: 'invalid_arguments',
      says: 'at least 1',
    },
    ...paths('get_file_info', [none, outside, empty]),

    { tool: 'symbol_search', what: 'an empty query', args: { query: ' ' }, code: 'invalid_arguments', says: 'empty' },
    {
      tool: 'symbol_search',
      what: 'a kind that does not exist',
      args: { query: 'run', kind: 'functoin' },
      code: 'invalid_arguments',
      says: 'did you mean "function"?',
    },
    {
      tool: 'symbol_search',
      what: 'a limit of 0',
      args: { query: 'run', limit: 0 },
      code: 'invalid_arguments',
      says: 'at least 1',
    },
    ...['symbol_resolve', 'symbol_graph'].flatMap((tool): ErrorRow[] => [
      { tool, what: 'no symbol named', args: {}, code: 'invalid_arguments', says: 'No symbol was passed' },
      {
        tool,
        what: 'a symbol that does not exist',
        args: { path: 'src/code.ts', name: 'rnu' },
        code: 'not_found',
        says: 'Symbol "rnu" not found',
      },
      {
        tool,
        what: 'an id that nothing has',
        args: { symbol_id: 'src/code.ts::nothing' },
        code: 'not_found',
        says: 'symbol_outline',
      },
      {
        tool,
        what: 'a path outside',
        args: { path: '../x.ts', name: 'run' },
        code: 'outside_workspace',
        says: '../x.ts',
      },
      { tool, what: 'a missing file', args: { path: 'none.ts', name: 'run' }, code: 'not_found', says: 'none.ts' },
    ]),
    {
      tool: 'symbol_graph',
      what: 'a kind of edge that does not exist',
      args: { path: 'src/code.ts', name: 'run', relationship_type: 'cal' },
      code: 'invalid_arguments',
      says: 'did you mean "call"?',
    },
    ...paths('symbol_outline', [none, folder, outside, empty]),
    ...['get_project_index_overview', 'get_project_index_chunk'].flatMap((tool): ErrorRow[] => [
      ...paths(tool, [none, outside, file]),
      {
        tool,
        what: 'an offset behind the end',
        args: { offset: 1_000_000 },
        code: 'out_of_range',
        says: 'offset 1000000',
      },
      { tool, what: 'a limit of 0', args: { max_chars: 0 }, code: 'invalid_arguments', says: 'at least' },
    ]),
    {
      tool: 'batch',
      what: 'no calls',
      args: { calls: [] },
      code: 'invalid_arguments',
      says: '"calls" must not be empty',
    },
    {
      tool: 'batch',
      what: 'a call that writes',
      args: {
        calls: [
          { tool: 'read_file', arguments: { path: 'a.txt' } },
          { tool: 'write_file', arguments: { path: 'x', content: '' } },
        ],
      },
      code: 'invalid_arguments',
      says: 'calls[1] write_file',
    },
    {
      tool: 'batch',
      what: 'a batch',
      args: { calls: [{ tool: 'batch', arguments: { calls: [] } }] },
      code: 'invalid_arguments',
      says: 'calls[0] batch',
    },
    {
      tool: 'codebase_investigator',
      what: 'an empty objective',
      args: { objective: ' ' },
      code: 'invalid_arguments',
      says: 'no word',
    },
    {
      tool: 'codebase_investigator',
      what: 'a scope without files',
      args: { objective: 'where is run', scope: ['nowhere/**'] },
      code: 'not_found',
      says: 'nowhere/**',
    },
    {
      tool: 'codebase_investigator',
      what: 'a scope that is no glob',
      args: { objective: 'where is run', scope: ['*.{ts'] },
      code: 'invalid_pattern',
      says: '*.{ts',
    },
    ...['max_turns', 'max_tool_calls', 'cancel_after_ms'].map((limit): ErrorRow => ({
      tool: 'codebase_investigator',
      what: `${limit} of 0`,
      args: { objective: 'where is run', [limit]: 0 },
      code: 'invalid_arguments',
      says: `"${limit}" must be at least 1`,
    })),
    {
      tool: 'codebase_investigator',
      what: 'a format that it does not know',
      args: { objective: 'where is run', output_format: 'xml' },
      code: 'invalid_arguments',
      says: '"json" or "markdown"',
    },

    ...editing('apply_patch', 'old_text', 'new_text'),
    {
      tool: 'apply_patch',
      what: 'neither texts nor patches',
      args: { path: 'a.txt' },
      code: 'invalid_arguments',
      says: 'missing',
    },
    {
      tool: 'apply_patch',
      what: 'both texts and patches',
      args: { path: 'a.txt', ...edit, patches: [edit] },
      code: 'invalid_arguments',
      says: 'only one is allowed',
    },
    {
      tool: 'apply_patch',
      what: 'one patch of two that does not fit',
      args: { path: 'a.txt', patches: [edit, { old_text: 'onee', new_text: 'x' }] },
      code: 'no_match',
      says: 'patches[1]',
      before: again,
    },
    {
      tool: 'apply_patch',
      what: 'lines that run backwards',
      args: { path: 'a.txt', ...edit, start_line: 2, end_line: 1 },
      code: 'invalid_arguments',
      says: 'start_line 2',
    },
    ...editing('edit_file', 'old_content', 'new_content'),
    ...paths('write_file', [folder, binary, outside, empty], { content: 'x' }),
    {
      tool: 'write_file',
      what: 'a tab with unsaved changes',
      args: { path: 'sub/b.txt', content: 'x' },
      code: 'unsaved_changes',
      says: 'Edit parts of the file',
      before: unsaved,
    },
    ...paths('create_directory', [outside, empty, { ...file, code: 'already_exists' }]),
    ...pair('move_file'),
    ...pair('copy_file'),
    ...paths('delete_file', [none, outside, empty, { ...folder, code: 'not_empty', says: 'recursive' }]),
    {
      tool: 'delete_file',
      what: 'the workspace itself',
      args: { path: '.', recursive: true },
      code: 'invalid_path',
      says: 'workspace',
    },
    {
      tool: 'delete_file',
      what: 'a folder with a file with unsaved changes',
      args: { path: 'sub', recursive: true },
      code: 'unsaved_changes',
      says: 'sub/b.txt',
      before: unsaved,
    },

    { tool: 'run_command', what: 'nothing to run', args: {}, code: 'invalid_arguments', says: 'command' },
    {
      tool: 'run_command',
      what: 'an empty command',
      args: { command: ' ' },
      code: 'invalid_arguments',
      says: 'missing',
    },
    ...paths('run_command', [outside, none, file], { command: 'true' }, 'cwd'),
    {
      tool: 'run_command',
      what: 'a limit below 0',
      args: { command: 'true', timeout_ms: -1 },
      code: 'invalid_arguments',
      says: 'at least',
    },
    ...['read_command_output', 'stop_command'].map((tool): ErrorRow => ({
      tool,
      what: 'a job that does not exist',
      args: { job_id: 'job-99' },
      code: 'unknown_job',
      says: 'job-99',
    })),
    {
      tool: 'read_command_output',
      what: 'a wait below 0',
      args: { job_id: 'job-99', wait_ms: -1 },
      code: 'invalid_arguments',
      says: 'at least 0',
    },

    ...paths('open_file', [none, folder, outside, empty]),
    {
      tool: 'open_file',
      what: 'a line 0',
      args: { path: 'twice.txt', line: 0 },
      code: 'invalid_arguments',
      says: 'at least 1',
    },
    { tool: 'goto_line', what: 'a line 0', args: { line: 0 }, code: 'invalid_arguments', says: 'at least 1' },
    ...(
      [
        ['open_file', { path: 'twice.txt' }],
        ['goto_line', { line: 1 }],
        ['get_selection', {}],
        ['replace_selection', { content: 'x' }],
        ['insert_at_cursor', { content: 'x' }],
        ['get_editor_state', {}],
      ] as const
    ).map(([tool, args]): ErrorRow => ({
      tool,
      what: 'no window',
      args,
      code: 'no_window',
      says: 'window',
      before: noWindow,
    })),
  ],
  cancelled: {
    read_file: { path: 'twice.txt' },
    read_file_range: { path: 'twice.txt' },
    read_many_files: { paths: ['*'] },
    grep_search: { pattern: 'x' },
    codebase_search: { query: 'x' },
    find_files: { pattern: 'x' },
    find_files_glob: { pattern: '*' },
    list_dir: {},
    get_workspace_structure: {},
    symbol_search: { query: 'run' },
    symbol_resolve: { path: 'src/code.ts', name: 'run' },
    symbol_outline: { path: 'src/code.ts' },
    symbol_graph: { path: 'src/code.ts', name: 'run' },
    get_project_index_overview: {},
    get_project_index_chunk: {},
    batch: { calls: [{ tool: 'read_file', arguments: { path: 'twice.txt' } }] },
    codebase_investigator: { objective: 'where is run' },
    apply_patch: { path: 'twice.txt', old_text: 'x\nx', new_text: 'y' },
    edit_file: { path: 'twice.txt', old_content: 'x\nx', new_content: 'y' },
    write_file: { path: 'made/new.txt', content: 'x' },
    move_file: { source: 'twice.txt', destination: 'made/moved.txt' },
    copy_file: { source: 'src', destination: 'made' },
    delete_file: { path: 'twice.txt' },
    create_directory: { path: 'made' },
    run_command: { command: 'touch made.txt' },
    read_command_output: { job_id: 'job-99' },
    stop_command: { job_id: 'job-99' },
    get_file_info: { path: 'twice.txt' },
    open_file: { path: 'twice.txt' },
    goto_line: { line: 1 },
    get_selection: {},
    replace_selection: { content: 'x' },
    insert_at_cursor: { content: 'x' },
    get_editor_state: {},
  },
})

test('symbol tools say that a grammar cannot be read, and go on with the other languages', async () => {
  const made = await temporaryFolder({
    'w/a.py': 'def run():\n    pass\n',
    'w/b.ts': 'export function run() {}\n',
    'data/': '',
  })
  const at = (name: string) => path.join(made.root, name)
  await cp(fileURLToPath(new URL('../../../../resources', import.meta.url)), at('resources'), { recursive: true })
  await writeFile(at('resources/grammars/python.scm'), '(no such pattern')
  const context = await testContext(at('w'))
  const { workspace, documents, signal } = context
  const search = createSearch(workspace)
  const code = createCodeIndex({
    workspace,
    documents,
    search,
    userData: at('data'),
    resources: at('resources'),
    watched: false,
    dirtyBuffers: () => [],
    onNotice: () => undefined,
  })
  try {
    const withCode = { ...context, code, search, signal }
    expect((await runTool(symbolOutline, { path: 'a.py' }, withCode)).text).toContain(
      'The Python grammar could not be loaded',
    )
    expect((await runTool(symbolOutline, { path: 'b.ts' }, withCode)).text).toContain('run')
    expect((await runTool(symbolSearch, { query: 'run' }, withCode)).text).toContain('b.ts')
  } finally {
    await code.dispose()
    await made.remove()
  }
})
