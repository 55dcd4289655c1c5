import { rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { testErrors, type ErrorRow } from '../testing/errorRows.ts'
import { ultraSushiTronToolset } from './ultraSushiTronToolset.ts'

const changed: ErrorRow['during'] = ({ root }) => writeFile(path.join(root, 'a.txt'), 'somebody else\n')
const vanished: ErrorRow['during'] = ({ root }) => rm(path.join(root, 'a.txt'))
const again: ErrorRow['before'] = ({ root }) => writeFile(path.join(root, 'a.txt'), 'one\ntwo\n')
const none = { what: 'a missing file', file: 'none.txt', code: 'not_found', says: 'none.txt' } as const
const folder = { what: 'a folder', file: 'sub', code: 'is_directory', says: 'sub' } as const
const binary = { what: 'a binary file', file: 'binary.dat', code: 'binary_file', says: 'binary.dat' } as const
const outside = { what: 'a path outside', file: '../x.txt', code: 'outside_workspace', says: '../x.txt' } as const
const empty = { what: 'an empty path', file: '', code: 'invalid_path', says: 'path' } as const
type Bad = Pick<ErrorRow, 'what' | 'code' | 'says'> & { file: string }
const paths = (
  tool: string,
  bad: readonly Bad[],
  rest: Record<string, unknown> = {},
  field = 'file_path',
): ErrorRow[] => bad.map(({ file, ...row }) => ({ tool, ...row, args: { [field]: file, ...rest } }))
const edit = { old_string: 'one', new_string: 'b' }

testErrors({
  toolset: ultraSushiTronToolset,
  files: {
    'a.txt': 'one\ntwo\n',
    'twice.txt': 'x\nx\n',
    'binary.dat': Buffer.from([0, 1, 2, 0, 255]),
    'sub/b.txt': 'b\n',
  },
  rows: [
    ...paths('Read', [none, folder, binary, outside, empty]),
    {
      tool: 'Read',
      what: 'an offset behind the end',
      args: { file_path: 'a.txt', offset: 3 },
      code: 'out_of_range',
      says: '2 lines',
    },
    {
      tool: 'Read',
      what: 'an offset below 0',
      args: { file_path: 'a.txt', offset: -1 },
      code: 'invalid_arguments',
      says: 'at least',
    },
    {
      tool: 'Read',
      what: 'a limit of 0',
      args: { file_path: 'a.txt', limit: 0 },
      code: 'invalid_arguments',
      says: 'at least 1',
    },

    ...paths('Grep', [outside, { ...none, file: 'none', says: '"none" does not exist' }], { pattern: 'x' }, 'path'),
    { tool: 'Grep', what: 'an empty pattern', args: { pattern: '' }, code: 'invalid_pattern', says: 'empty' },
    { tool: 'Grep', what: 'a pattern that is none', args: { pattern: '(' }, code: 'invalid_pattern', says: '(' },
    {
      tool: 'Grep',
      what: 'a mode that it does not know',
      args: { pattern: 'x', output_mode: 'all' },
      code: 'invalid_arguments',
      says: '"content" or "files" or "count"',
    },
    ...paths(
      'Find',
      [
        outside,
        { ...none, file: 'none', says: '"none" does not exist' },
        { what: 'a file as a folder', file: 'a.txt', code: 'not_a_directory', says: 'a.txt' },
      ],
      { pattern: '*' },
      'path',
    ),
    { tool: 'Find', what: 'an empty pattern', args: { pattern: '' }, code: 'invalid_pattern', says: 'empty' },
    { tool: 'Find', what: 'a glob that is none', args: { pattern: '*.{ts' }, code: 'invalid_pattern', says: '*.{ts' },
    ...paths(
      'ListDir',
      [
        outside,
        { ...none, file: 'none', says: '"none" does not exist' },
        { what: 'a file as a folder', file: 'a.txt', code: 'not_a_directory', says: 'a.txt' },
      ],
      {},
      'path',
    ),
    {
      tool: 'ListDir',
      what: 'a depth of 0',
      args: { path: '.', depth: 0 },
      code: 'invalid_arguments',
      says: 'at least 1',
    },

    ...paths('Edit', [none, folder, binary, outside, empty], edit),
    {
      tool: 'Edit',
      what: 'an empty text to find',
      args: { file_path: 'a.txt', old_string: '', new_string: 'b' },
      code: 'invalid_arguments',
      says: 'old_string is empty',
    },
    {
      tool: 'Edit',
      what: 'the same text twice',
      args: { file_path: 'a.txt', old_string: 'one', new_string: 'one' },
      code: 'no_change',
      says: 'identical',
    },
    {
      tool: 'Edit',
      what: 'a text that is not there',
      args: { file_path: 'a.txt', old_string: 'onee', new_string: 'b' },
      code: 'no_match',
      says: '1: one',
    },
    {
      tool: 'Edit',
      what: 'a text at two places',
      args: { file_path: 'twice.txt', old_string: 'x', new_string: 'b' },
      code: 'ambiguous_match',
      says: 'lines 1, 2',
    },
    {
      tool: 'Edit',
      what: 'a file that changes meanwhile',
      args: { file_path: 'a.txt', ...edit },
      code: 'changed_on_disk',
      says: 'has changed',
      before: again,
      during: changed,
    },
    {
      tool: 'Edit',
      what: 'a file that vanishes meanwhile',
      args: { file_path: 'a.txt', ...edit },
      code: 'changed_on_disk',
      says: 'was deleted',
      before: again,
      during: vanished,
    },

    ...paths('Patch', [none, folder, binary, outside, empty], { patch: '@@ -1 +1 @@\n-a\n+b\n' }),
    {
      tool: 'Patch',
      what: 'an empty patch',
      args: { file_path: 'a.txt', patch: '' },
      code: 'invalid_arguments',
      says: /patch|diff/,
    },
    {
      tool: 'Patch',
      what: 'a text that is no patch',
      args: { file_path: 'a.txt', patch: 'make it better' },
      code: 'invalid_arguments',
      says: '@@',
    },
    {
      tool: 'Patch',
      what: 'one hunk of two that does not fit',
      args: { file_path: 'a.txt', patch: '@@ -1 +1 @@\n-one\n+1\n@@ -2 +2 @@\n-twoo\n+2\n' },
      code: 'no_match',
      says: 'Hunk 2 rejected',
      before: again,
    },
    {
      tool: 'Patch',
      what: 'a diff that deletes the file',
      args: { file_path: 'a.txt', patch: '--- a/a.txt\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-one\n-two\n' },
      code: 'invalid_arguments',
      says: 'deletes',
    },
    {
      tool: 'Patch',
      what: 'a new file that exists',
      args: { file_path: 'a.txt', patch: '--- /dev/null\n+++ b/a.txt\n@@ -0,0 +1 @@\n+x\n' },
      code: 'already_exists',
      says: 'a.txt',
    },
    {
      tool: 'Patch',
      what: 'a file that changes meanwhile',
      args: { file_path: 'a.txt', patch: '@@ -1 +1 @@\n-one\n+b\n' },
      code: 'changed_on_disk',
      says: 'has changed',
      before: again,
      during: changed,
    },
    {
      tool: 'Patch',
      what: 'a file that vanishes meanwhile',
      args: { file_path: 'a.txt', patch: '@@ -1 +1 @@\n-one\n+b\n' },
      code: 'changed_on_disk',
      says: 'was deleted',
      before: again,
      during: vanished,
    },

    ...paths('Write', [folder, binary, outside, empty], { content: 'x' }),
    {
      tool: 'Write',
      what: 'a tab with unsaved changes',
      args: { file_path: 'sub/b.txt', content: 'x' },
      code: 'unsaved_changes',
      says: 'Edit parts of the file',
      before: async ({ editor }) => void editor.tabs.set('sub/b.txt', { text: 'typed', dirty: true }),
    },

    ...paths('Diff', [none, folder, binary, outside], { file_b: 'twice.txt' }, 'file_a'),
    { tool: 'Diff', what: 'nothing to compare', args: {}, code: 'invalid_arguments', says: 'file_a' },
    { tool: 'Diff', what: 'one side only', args: { file_a: 'twice.txt' }, code: 'invalid_arguments', says: 'text_b' },
    {
      tool: 'Diff',
      what: 'a file and a text for the same side',
      args: { file_a: 'twice.txt', text_a: 'x', text_b: 'y' },
      code: 'invalid_arguments',
      says: 'text_a',
    },
    {
      tool: 'Diff',
      what: 'context below 0',
      args: { text_a: 'x', text_b: 'y', context_lines: -1 },
      code: 'invalid_arguments',
      says: 'at least 0',
    },

    { tool: 'Bash', what: 'an empty command', args: { command: ' ' }, code: 'invalid_arguments', says: 'empty' },
    {
      tool: 'Bash',
      what: 'a limit of 0',
      args: { command: 'true', timeout: 0 },
      code: 'invalid_arguments',
      says: 'at least 1',
    },
    {
      tool: 'HttpFetch',
      what: 'no web address',
      args: { url: 'file:///etc/passwd' },
      code: 'invalid_arguments',
      says: 'http',
    },
    {
      tool: 'HttpFetch',
      what: 'a method that it does not know',
      args: { url: 'https://example.org/', method: 'BREW' },
      code: 'invalid_arguments',
      says: '"GET" or',
    },
    {
      tool: 'HttpFetch',
      what: 'a body on GET',
      args: { url: 'https://example.org/', body: 'x' },
      code: 'invalid_arguments',
      says: 'body',
    },
    {
      tool: 'HttpFetch',
      what: 'an address of the own network',
      args: { url: 'http://0x7f.1.1.1/' },
      code: 'address_refused',
      says: '127',
    },
    {
      tool: 'WebSearch',
      what: 'an empty query',
      args: { query: ' ' },
      code: 'invalid_arguments',
      says: '"query" must not be empty',
    },
    {
      tool: 'WebSearch',
      what: 'a limit of 0',
      args: { query: 'a', num_results: 0 },
      code: 'invalid_arguments',
      says: 'at least 1',
    },
  ],
  cancelled: {
    Read: { file_path: 'twice.txt' },
    Grep: { pattern: 'x' },
    Find: { pattern: '**/*' },
    ListDir: { path: '.' },
    Edit: { file_path: 'twice.txt', old_string: 'x\nx', new_string: 'y' },
    Patch: { file_path: 'twice.txt', patch: '@@ -1 +1 @@\n-x\n+y\n' },
    Write: { file_path: 'made/new.txt', content: 'x' },
    Diff: { file_a: 'twice.txt', text_b: 'x\n' },
    Bash: { command: 'touch made.txt' },
    HttpFetch: { url: 'https://example.org/' },
    WebSearch: { query: 'a' },
  },
})
