import { cp, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { createCodeIndex } from '../../code/index/codeIndex.ts'
import { createSearch } from '../../search/search.ts'
import {
  badFiles,
  binaryFile,
  changedDuringCallRows,
  emptyPath,
  fileAsFolder,
  folderPath,
  missingFile,
  outsidePath,
  pathRows,
  restoreEditedFile,
  sharedFiles,
} from '../testing/pathErrorRows.ts'
import { testToolErrors, type ErrorRow } from '../testing/toolErrorTests.ts'
import { runTool, temporaryFolder, testContext } from '../testing/toolContext.ts'
import { bladeToolset } from './bladeToolset.ts'
import { symbolOutline } from './symbolOutline.ts'
import { symbolSearch } from './bladeSymbolSearch.ts'

const noWindow: ErrorRow['before'] = async ({ editor }) => {
  editor.attached = false
}
const unsaved: ErrorRow['before'] = async ({ editor }) => {
  editor.tabs.set('sub/b.txt', { text: 'typed', dirty: true })
}
const edit = { old_text: 'one', new_text: 'b' }
const editing = (tool: string, old: string, now: string): ErrorRow[] => [
  ...pathRows(tool, badFiles, { [old]: 'one', [now]: 'b' }),
  {
    tool,
    mistake: 'an empty text to find',
    args: { path: 'a.txt', [old]: '', [now]: 'b' },
    code: 'invalid_arguments',
    message: `${old} is empty`,
  },
  {
    tool,
    mistake: 'the same old and new text',
    args: { path: 'a.txt', [old]: 'one', [now]: 'one' },
    code: 'no_change',
    message: 'identical',
  },
  {
    tool,
    mistake: 'a text that the file does not contain',
    args: { path: 'a.txt', [old]: 'onee', [now]: 'b' },
    code: 'no_match',
    message: '1: one',
  },
  {
    tool,
    mistake: 'a text that occurs twice',
    args: { path: 'twice.txt', [old]: 'x', [now]: 'b' },
    code: 'ambiguous_match',
    message: 'the start_line and end_line of one',
  },
  ...changedDuringCallRows(tool, { path: 'a.txt', [old]: 'one', [now]: 'b' }),
]
const pair = (tool: string): ErrorRow[] => [
  ...pathRows(tool, [missingFile, outsidePath, emptyPath], { destination: 'new.txt' }, 'source'),
  ...pathRows(
    tool,
    [
      outsidePath,
      emptyPath,
      { mistake: 'a destination that exists', path: 'twice.txt', code: 'already_exists', message: 'overwrite: true' },
    ],
    { source: 'sub/b.txt' },
    'destination',
  ),
  {
    tool,
    mistake: 'a folder into itself',
    args: { source: 'sub', destination: 'sub/deeper' },
    code: 'invalid_path',
    message: 'into itself',
  },
  {
    tool,
    mistake: 'the same source and destination',
    args: { source: 'sub', destination: 'sub' },
    code: 'invalid_path',
    message: 'the same',
  },
  {
    tool,
    mistake: 'a file with unsaved changes',
    args: { source: 'sub/b.txt', destination: 'new.txt' },
    code: 'unsaved_changes',
    message: 'save or revert',
    before: unsaved,
  },
]

testToolErrors({
  toolset: bladeToolset,
  files: {
    ...sharedFiles,
    'src/code.ts': 'export function run() {}\n',
  },
  rows: [
    ...pathRows('read_file', badFiles),
    ...pathRows('read_file_range', badFiles),
    {
      tool: 'read_file_range',
      mistake: 'a line 0',
      args: { path: 'twice.txt', start_line: 0 },
      code: 'invalid_arguments',
      message: 'at least 1',
    },
    {
      tool: 'read_file_range',
      mistake: 'a line after the end',
      args: { path: 'twice.txt', start_line: 3 },
      code: 'out_of_range',
      message: '2 lines',
    },
    {
      tool: 'read_file_range',
      mistake: 'an end line before the start line',
      args: { path: 'twice.txt', start_line: 2, end_line: 1 },
      code: 'invalid_arguments',
      message: 'before',
    },
    {
      tool: 'read_file_range',
      mistake: 'context below 0',
      args: { path: 'twice.txt', context_lines: -1 },
      code: 'invalid_arguments',
      message: 'at least 0',
    },
    {
      tool: 'read_many_files',
      mistake: 'no path',
      args: { paths: [] },
      code: 'invalid_arguments',
      message: '"paths" must not be empty',
    },
    {
      tool: 'read_many_files',
      mistake: 'a path outside',
      args: { paths: ['../x.txt'] },
      code: 'outside_workspace',
      message: '../x.txt',
    },
    {
      tool: 'read_many_files',
      mistake: 'an invalid glob',
      args: { paths: ['*.{ts'] },
      code: 'invalid_pattern',
      message: '*.{ts',
    },
    {
      tool: 'read_many_files',
      mistake: 'a limit of 0',
      args: { paths: ['*'], max_files: 0 },
      code: 'invalid_arguments',
      message: 'at least 1',
    },

    ...pathRows('grep_search', [missingFile, outsidePath], { pattern: 'x' }),
    {
      tool: 'grep_search',
      mistake: 'an empty pattern',
      args: { pattern: '' },
      code: 'invalid_pattern',
      message: 'empty',
    },
    {
      tool: 'grep_search',
      mistake: 'an invalid pattern',
      args: { pattern: '(' },
      code: 'invalid_pattern',
      message: '(',
    },
    {
      tool: 'grep_search',
      mistake: 'a limit of 0',
      args: { pattern: 'x', timeout_ms: 0 },
      code: 'invalid_arguments',
      message: 'at least 1',
    },
    {
      tool: 'codebase_search',
      mistake: 'an empty query',
      args: { query: '' },
      code: 'invalid_pattern',
      message: 'empty',
    },
    {
      tool: 'codebase_search',
      mistake: 'an invalid glob',
      args: { query: 'x', file_pattern: '*.{ts' },
      code: 'invalid_pattern',
      message: '*.{ts',
    },
    {
      tool: 'codebase_search',
      mistake: 'a limit below 0',
      args: { query: 'x', max_results: -1 },
      code: 'invalid_arguments',
      message: 'at least 1',
    },
    ...['find_files', 'find_files_glob'].flatMap((tool): ErrorRow[] => [
      ...pathRows(tool, [missingFile, outsidePath, fileAsFolder], { pattern: 'x' }),
      { tool, mistake: 'an empty pattern', args: { pattern: '' }, code: 'invalid_pattern', message: 'empty' },
    ]),
    {
      tool: 'find_files_glob',
      mistake: 'an invalid glob',
      args: { pattern: '*.{ts' },
      code: 'invalid_pattern',
      message: '*.{ts',
    },
    {
      tool: 'find_files',
      mistake: 'a depth of 0',
      args: { pattern: 'x', max_depth: 0 },
      code: 'invalid_arguments',
      message: 'at least 1',
    },
    ...pathRows('list_dir', [missingFile, outsidePath, fileAsFolder]),
    {
      tool: 'list_dir',
      mistake: 'a depth of 0',
      args: { max_depth: 0 },
      code: 'invalid_arguments',
      message: 'at least 1',
    },
    ...pathRows('get_workspace_structure', [missingFile, outsidePath, fileAsFolder]),
    {
      tool: 'get_workspace_structure',
      mistake: 'a limit of 0',
      args: { limit: 0 },
      code: 'invalid_arguments',
      message: 'at least 1',
    },
    ...pathRows('get_file_info', [missingFile, outsidePath, emptyPath]),

    {
      tool: 'symbol_search',
      mistake: 'an empty query',
      args: { query: ' ' },
      code: 'invalid_arguments',
      message: 'empty',
    },
    {
      tool: 'symbol_search',
      mistake: 'a kind that does not exist',
      args: { query: 'run', kind: 'functoin' },
      code: 'invalid_arguments',
      message: 'did you mean "function"?',
    },
    {
      tool: 'symbol_search',
      mistake: 'a limit of 0',
      args: { query: 'run', limit: 0 },
      code: 'invalid_arguments',
      message: 'at least 1',
    },
    ...['symbol_resolve', 'symbol_graph'].flatMap((tool): ErrorRow[] => [
      { tool, mistake: 'no symbol named', args: {}, code: 'invalid_arguments', message: 'No symbol was passed' },
      {
        tool,
        mistake: 'a symbol that does not exist',
        args: { path: 'src/code.ts', name: 'rnu' },
        code: 'not_found',
        message: 'Symbol "rnu" not found',
      },
      {
        tool,
        mistake: 'an unknown id',
        args: { symbol_id: 'src/code.ts::nothing' },
        code: 'not_found',
        message: 'symbol_outline',
      },
      {
        tool,
        mistake: 'a path outside',
        args: { path: '../x.ts', name: 'run' },
        code: 'outside_workspace',
        message: '../x.ts',
      },
      {
        tool,
        mistake: 'a missing file',
        args: { path: 'none.ts', name: 'run' },
        code: 'not_found',
        message: 'none.ts',
      },
    ]),
    {
      tool: 'symbol_graph',
      mistake: 'a kind of edge that does not exist',
      args: { path: 'src/code.ts', name: 'run', relationship_type: 'cal' },
      code: 'invalid_arguments',
      message: 'did you mean "call"?',
    },
    ...pathRows('symbol_outline', [missingFile, folderPath, outsidePath, emptyPath]),
    ...['get_project_index_overview', 'get_project_index_chunk'].flatMap((tool): ErrorRow[] => [
      ...pathRows(tool, [missingFile, outsidePath, fileAsFolder]),
      {
        tool,
        mistake: 'an offset after the end',
        args: { offset: 1_000_000 },
        code: 'out_of_range',
        message: 'offset 1000000',
      },
      { tool, mistake: 'a limit of 0', args: { max_chars: 0 }, code: 'invalid_arguments', message: 'at least' },
    ]),
    {
      tool: 'batch',
      mistake: 'no calls',
      args: { calls: [] },
      code: 'invalid_arguments',
      message: '"calls" must not be empty',
    },
    {
      tool: 'batch',
      mistake: 'a call that writes',
      args: {
        calls: [
          { tool: 'read_file', arguments: { path: 'a.txt' } },
          { tool: 'write_file', arguments: { path: 'x', content: '' } },
        ],
      },
      code: 'invalid_arguments',
      message: 'calls[1] write_file',
    },
    {
      tool: 'batch',
      mistake: 'a batch',
      args: { calls: [{ tool: 'batch', arguments: { calls: [] } }] },
      code: 'invalid_arguments',
      message: 'calls[0] batch',
    },
    {
      tool: 'codebase_investigator',
      mistake: 'an empty objective',
      args: { objective: ' ' },
      code: 'invalid_arguments',
      message: 'no word',
    },
    {
      tool: 'codebase_investigator',
      mistake: 'a scope without files',
      args: { objective: 'where is run', scope: ['nowhere/**'] },
      code: 'not_found',
      message: 'nowhere/**',
    },
    {
      tool: 'codebase_investigator',
      mistake: 'an invalid scope',
      args: { objective: 'where is run', scope: ['*.{ts'] },
      code: 'invalid_pattern',
      message: '*.{ts',
    },
    ...['max_turns', 'max_tool_calls', 'cancel_after_ms'].map((limit): ErrorRow => ({
      tool: 'codebase_investigator',
      mistake: `${limit} of 0`,
      args: { objective: 'where is run', [limit]: 0 },
      code: 'invalid_arguments',
      message: `"${limit}" must be at least 1`,
    })),
    {
      tool: 'codebase_investigator',
      mistake: 'an unknown format',
      args: { objective: 'where is run', output_format: 'xml' },
      code: 'invalid_arguments',
      message: '"json" or "markdown"',
    },

    ...editing('apply_patch', 'old_text', 'new_text'),
    {
      tool: 'apply_patch',
      mistake: 'neither texts nor patches',
      args: { path: 'a.txt' },
      code: 'invalid_arguments',
      message: 'missing',
    },
    {
      tool: 'apply_patch',
      mistake: 'both texts and patches',
      args: { path: 'a.txt', ...edit, patches: [edit] },
      code: 'invalid_arguments',
      message: 'only one is allowed',
    },
    {
      tool: 'apply_patch',
      mistake: 'one of two patches that does not match',
      args: { path: 'a.txt', patches: [edit, { old_text: 'onee', new_text: 'x' }] },
      code: 'no_match',
      message: 'patches[1]',
      before: restoreEditedFile,
    },
    {
      tool: 'apply_patch',
      mistake: 'an end line before the start line',
      args: { path: 'a.txt', ...edit, start_line: 2, end_line: 1 },
      code: 'invalid_arguments',
      message: 'start_line 2',
    },
    ...editing('edit_file', 'old_content', 'new_content'),
    ...pathRows('write_file', [folderPath, binaryFile, outsidePath, emptyPath], { content: 'x' }),
    {
      tool: 'write_file',
      mistake: 'a tab with unsaved changes',
      args: { path: 'sub/b.txt', content: 'x' },
      code: 'unsaved_changes',
      message: 'Edit parts of the file',
      before: unsaved,
    },
    ...pathRows('create_directory', [outsidePath, emptyPath, { ...fileAsFolder, code: 'already_exists' }]),
    ...pair('move_file'),
    ...pair('copy_file'),
    ...pathRows('delete_file', [
      missingFile,
      outsidePath,
      emptyPath,
      { ...folderPath, code: 'not_empty', message: 'recursive' },
    ]),
    {
      tool: 'delete_file',
      mistake: 'the workspace itself',
      args: { path: '.', recursive: true },
      code: 'invalid_path',
      message: 'workspace',
    },
    {
      tool: 'delete_file',
      mistake: 'a folder with a file with unsaved changes',
      args: { path: 'sub', recursive: true },
      code: 'unsaved_changes',
      message: 'sub/b.txt',
      before: unsaved,
    },

    { tool: 'run_command', mistake: 'nothing to run', args: {}, code: 'invalid_arguments', message: 'command' },
    {
      tool: 'run_command',
      mistake: 'an empty command',
      args: { command: ' ' },
      code: 'invalid_arguments',
      message: 'missing',
    },
    ...pathRows('run_command', [outsidePath, missingFile, fileAsFolder], { command: 'true' }, 'cwd'),
    {
      tool: 'run_command',
      mistake: 'a limit below 0',
      args: { command: 'true', timeout_ms: -1 },
      code: 'invalid_arguments',
      message: 'at least',
    },
    ...['read_command_output', 'stop_command'].map((tool): ErrorRow => ({
      tool,
      mistake: 'a job that does not exist',
      args: { job_id: 'job-99' },
      code: 'unknown_job',
      message: 'job-99',
    })),
    {
      tool: 'read_command_output',
      mistake: 'a wait below 0',
      args: { job_id: 'job-99', wait_ms: -1 },
      code: 'invalid_arguments',
      message: 'at least 0',
    },

    ...pathRows('open_file', [missingFile, folderPath, outsidePath, emptyPath]),
    {
      tool: 'open_file',
      mistake: 'a line 0',
      args: { path: 'twice.txt', line: 0 },
      code: 'invalid_arguments',
      message: 'at least 1',
    },
    { tool: 'goto_line', mistake: 'a line 0', args: { line: 0 }, code: 'invalid_arguments', message: 'at least 1' },
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
      mistake: 'no window',
      args,
      code: 'no_window',
      message: 'window',
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

test('symbol tools report an unreadable grammar, and continue with the other languages', async () => {
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
