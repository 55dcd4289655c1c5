import {
  binaryFile,
  diffRows,
  fetchRows,
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
  webSearchRows,
  writeRows,
} from '../testing/errorRows.ts'
import { testToolErrors } from '../testing/toolErrorTests.ts'
import { ultraSushiTronToolset } from './ultraSushiTronToolset.ts'

testToolErrors({
  toolset: ultraSushiTronToolset,
  files: sharedFiles,
  rows: [
    fileRows('Read', {}, 'file_path'),
    refusals('Read', {
      'an offset after the end': [{ file_path: 'a.txt', offset: 3 }, '2 lines'],
      'an offset below 0': [{ file_path: 'a.txt', offset: -1 }, 'at least 1'],
      'a limit of 0': [{ file_path: 'a.txt', limit: 0 }],
    }),
    pathRows('Grep', [outsidePath, missingFile], { pattern: 'x' }),
    refusals('Grep', {
      'an empty pattern': [{ pattern: '' }],
      'an invalid pattern': [{ pattern: '(' }],
      'an unknown mode': [{ pattern: 'x', output_mode: 'all' }, '"content" or "files" or "count"'],
    }),
    folderRows('Find', { pattern: '*' }),
    refusals('Find', { 'an empty pattern': [{ pattern: '' }], 'an invalid glob': [{ pattern: '*.{ts' }] }),
    folderRows('ListDir'),
    refusals('ListDir', { 'a depth of 0': [{ path: '.', depth: 0 }] }),

    replaceRows('Edit', 'old_string', 'new_string', 'lines 1, 2', 'file_path'),
    diffRows('Patch', 'file_path'),
    refusals('Patch', {
      'one of two hunks that does not match': [
        { file_path: 'a.txt', patch: '@@ -1 +1 @@\n-one\n+1\n@@ -2 +2 @@\n-twoo\n+2\n' },
        'Hunk 2 rejected',
        'no_match',
        restoreEditedFile,
      ],
      'a diff that deletes the file': [
        { file_path: 'a.txt', patch: '--- a/a.txt\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-one\n-two\n' },
        'deletes',
      ],
      'a new file that exists': [
        { file_path: 'a.txt', patch: '--- /dev/null\n+++ b/a.txt\n@@ -0,0 +1 @@\n+x\n' },
        'a.txt',
      ],
    }),
    writeRows('Write', 'file_path'),

    pathRows('Diff', [missingFile, folderPath, binaryFile, outsidePath], { file_b: 'twice.txt' }, 'file_a'),
    refusals('Diff', {
      'nothing to compare': [{}, 'file_a'],
      'one side only': [{ file_a: 'twice.txt' }, 'text_b'],
      'a file and a text for the same side': [{ file_a: 'twice.txt', text_a: 'x', text_b: 'y' }, 'text_a'],
      'context below 0': [{ text_a: 'x', text_b: 'y', context_lines: -1 }],
    }),

    refusals('Bash', {
      'an empty command': [{ command: ' ' }],
      'a limit of 0': [{ command: 'true', timeout: 0 }],
    }),
    fetchRows('HttpFetch'),
    refusals('HttpFetch', {
      'an unknown method': [{ url: 'https://example.org/', method: 'BREW' }, '"GET" or'],
      'a body on GET': [{ url: 'https://example.org/', body: 'x' }, 'body'],
    }),
    webSearchRows('WebSearch', 'num_results'),
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
