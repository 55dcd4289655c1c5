import { cp, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { createCodeIndex } from '../../code/codeIndex.ts'
import { createSearch } from '../../search/search.ts'
import {
  deleteRows,
  emptyPath,
  fileAsFolder,
  fileRows,
  folderPath,
  folderRows,
  missingFile,
  outsidePath,
  pathRows,
  refusals,
  replaceRows,
  restoreEditedFile,
  sharedFiles,
  transferRows,
  writeRows,
} from '../testing/errorRows.ts'
import { testToolErrors, type ErrorRow } from '../testing/toolErrorTests.ts'
import { runTool, temporaryFolder, testContext } from '../testing/toolContext.ts'
import { bladeToolset } from './bladeToolset.ts'
import { symbolOutline } from './symbolOutline.ts'
import { symbolSearch } from './bladeSymbolSearch.ts'

const noWindow: ErrorRow['before'] = async ({ editor }) => {
  editor.attached = false
}
const edit = { old_text: 'one', new_text: 'b' }
const oneOfTwo = 'the start_line and end_line of one'
const run = { path: 'src/code.ts', name: 'run' }
const objective = { objective: 'where is run' }

testToolErrors({
  toolset: bladeToolset,
  files: {
    ...sharedFiles,
    'src/code.ts': 'export function run() {}\n',
  },
  rows: [
    fileRows('read_file'),
    fileRows('read_file_range'),
    refusals('read_file_range', {
      'a line 0': [{ path: 'twice.txt', start_line: 0 }],
      'a line after the end': [{ path: 'twice.txt', start_line: 3 }],
      'an end line before the start line': [{ path: 'twice.txt', start_line: 2, end_line: 1 }],
      'context below 0': [{ path: 'twice.txt', context_lines: -1 }],
    }),
    refusals('read_many_files', {
      'no path': [{ paths: [] }, '"paths" must not be empty'],
      'a path outside': [{ paths: ['../x.txt'] }, '../x.txt', 'outside_workspace'],
      'an invalid glob': [{ paths: ['*.{ts'] }],
      'a limit of 0': [{ paths: ['*'], max_files: 0 }],
    }),

    pathRows('grep_search', [missingFile, outsidePath], { pattern: 'x' }),
    refusals('grep_search', {
      'an empty pattern': [{ pattern: '' }],
      'an invalid pattern': [{ pattern: '(' }],
      'a limit of 0': [{ pattern: 'x', timeout_ms: 0 }],
    }),
    refusals('codebase_search', {
      'an empty query': [{ query: '' }, 'empty', 'invalid_pattern'],
      'an invalid glob': [{ query: 'x', file_pattern: '*.{ts' }],
      'a limit below 0': [{ query: 'x', max_results: -1 }, 'at least 1'],
    }),
    folderRows('find_files', { pattern: 'x' }),
    refusals('find_files', {
      'an empty pattern': [{ pattern: '' }],
      'a depth of 0': [{ pattern: 'x', max_depth: 0 }],
    }),
    folderRows('find_files_glob', { pattern: 'x' }),
    refusals('find_files_glob', { 'an empty pattern': [{ pattern: '' }], 'an invalid glob': [{ pattern: '*.{ts' }] }),
    folderRows('list_dir'),
    refusals('list_dir', { 'a depth of 0': [{ max_depth: 0 }] }),
    folderRows('get_workspace_structure'),
    refusals('get_workspace_structure', { 'a limit of 0': [{ limit: 0 }] }),
    pathRows('get_file_info', [missingFile, outsidePath, emptyPath]),

    refusals('symbol_search', {
      'an empty query': [{ query: ' ' }, 'empty'],
      'a kind that does not exist': [{ query: 'run', kind: 'functoin' }, 'did you mean "function"?'],
      'a limit of 0': [{ query: 'run', limit: 0 }],
    }),
    ...['symbol_resolve', 'symbol_graph'].map((tool) =>
      refusals(tool, {
        'no symbol named': [{}, 'No symbol was passed'],
        'a symbol that does not exist': [{ ...run, name: 'rnu' }, 'Symbol "rnu" not found', 'not_found'],
        'an unknown id': [{ symbol_id: 'src/code.ts::nothing' }, 'symbol_outline', 'not_found'],
        'a path outside': [{ ...run, path: '../x.ts' }, '../x.ts', 'outside_workspace'],
        'a missing file': [{ ...run, path: 'none.ts' }, 'none.ts', 'not_found'],
      }),
    ),
    refusals('symbol_graph', {
      'a kind of edge that does not exist': [{ ...run, relationship_type: 'cal' }, 'did you mean "call"?'],
    }),
    pathRows('symbol_outline', [missingFile, folderPath, outsidePath, emptyPath]),
    ...['get_project_index_overview', 'get_project_index_chunk'].flatMap((tool) => [
      folderRows(tool),
      refusals(tool, {
        'an offset after the end': [{ offset: 1_000_000 }, 'offset 1000000'],
        'a limit of 0': [{ max_chars: 0 }, 'at least'],
      }),
    ]),
    refusals('batch', {
      'no calls': [{ calls: [] }, '"calls" must not be empty'],
      'a call that writes': [
        {
          calls: [
            { tool: 'read_file', arguments: { path: 'a.txt' } },
            { tool: 'write_file', arguments: { path: 'x', content: '' } },
          ],
        },
        'calls[1] write_file',
      ],
      'a batch': [{ calls: [{ tool: 'batch', arguments: { calls: [] } }] }, 'calls[0] batch'],
    }),
    refusals('codebase_investigator', {
      'an empty objective': [{ objective: ' ' }, 'no word'],
      'a scope without files': [{ ...objective, scope: ['nowhere/**'] }, 'nowhere/**', 'not_found'],
      'an invalid scope': [{ ...objective, scope: ['*.{ts'] }, '*.{ts', 'invalid_pattern'],
      'an unknown format': [{ ...objective, output_format: 'xml' }, '"json" or "markdown"'],
    }),
    ...['max_turns', 'max_tool_calls', 'cancel_after_ms'].map((limit) =>
      refusals('codebase_investigator', {
        [`${limit} of 0`]: [{ ...objective, [limit]: 0 }, `"${limit}" must be at least 1`],
      }),
    ),

    replaceRows('apply_patch', 'old_text', 'new_text', oneOfTwo),
    refusals('apply_patch', {
      'neither texts nor patches': [{ path: 'a.txt' }, 'missing'],
      'both texts and patches': [{ path: 'a.txt', ...edit, patches: [edit] }, 'only one is allowed'],
      'one of two patches that does not match': [
        { path: 'a.txt', patches: [edit, { old_text: 'onee', new_text: 'x' }] },
        'patches[1]',
        'no_match',
        restoreEditedFile,
      ],
      'an end line before the start line': [
        { path: 'a.txt', ...edit, start_line: 2, end_line: 1 },
        'start_line 2',
        'invalid_arguments',
        restoreEditedFile,
      ],
    }),
    replaceRows('edit_file', 'old_content', 'new_content', oneOfTwo),
    writeRows('write_file'),
    pathRows('create_directory', [outsidePath, emptyPath, { ...fileAsFolder, code: 'already_exists' }]),
    transferRows('move_file'),
    transferRows('copy_file'),
    deleteRows('delete_file'),

    pathRows('run_command', [outsidePath, missingFile, fileAsFolder], { command: 'true' }, 'cwd'),
    refusals('run_command', {
      'nothing to run': [{}, 'command'],
      'an empty command': [{ command: ' ' }, 'missing'],
      'a limit below 0': [{ command: 'true', timeout_ms: -1 }, 'at least'],
    }),
    ...['read_command_output', 'stop_command'].map((tool) =>
      refusals(tool, { 'a job that does not exist': [{ job_id: 'job-99' }, 'job-99', 'unknown_job'] }),
    ),
    refusals('read_command_output', { 'a wait below 0': [{ job_id: 'job-99', wait_ms: -1 }, 'at least 0'] }),

    pathRows('open_file', [missingFile, folderPath, outsidePath, emptyPath]),
    refusals('open_file', { 'a line 0': [{ path: 'twice.txt', line: 0 }] }),
    refusals('goto_line', { 'a line 0': [{ line: 0 }] }),
    ...Object.entries({
      open_file: { path: 'twice.txt' },
      goto_line: { line: 1 },
      get_selection: {},
      replace_selection: { content: 'x' },
      insert_at_cursor: { content: 'x' },
      get_editor_state: {},
    }).map(([tool, args]) => refusals(tool, { 'no window': [args, 'window', 'no_window', noWindow] })),
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
