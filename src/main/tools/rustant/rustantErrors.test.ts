import { execFile } from 'node:child_process'
import { rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import {
  diffRows,
  fetchRows,
  fileRows,
  folderRows,
  missingFile,
  changedDuringCallRows,
  outsidePath,
  pathRows,
  refusals,
  restoreEditedFile,
  sharedFiles,
  webSearchRows,
  writeRows,
} from '../testing/errorRows.ts'
import { testToolErrors, type ErrorRow, type ErrorTestContext } from '../testing/toolErrorTests.ts'
import { rustantToolset } from './rustantToolset.ts'

/** Creates a repository in a folder of the workspace. */
async function git({ root }: ErrorTestContext, name: string, ...commands: string[][]): Promise<void> {
  const at = path.join(root, name)
  const run = (args: string[]) =>
    promisify(execFile)('git', ['-c', 'user.name=Ana', '-c', 'user.email=ana@example.org', ...args], { cwd: at })
  await rm(path.join(at, '.git'), { recursive: true, force: true })
  for (const args of [['init', '-q', '-b', 'main'], ...commands]) await run(args)
}
const fresh: ErrorRow['before'] = (world) => git(world, 'repository')
const committed: ErrorRow['before'] = (world) => git(world, 'repository', ['add', '-A'], ['commit', '-qm', 'first'])
const detached: ErrorRow['before'] = (world) =>
  git(world, 'repository', ['add', '-A'], ['commit', '-qm', 'first'], ['checkout', '-q', '--detach'])
async function conflicting(world: ErrorTestContext): Promise<void> {
  const change = (text: string) => writeFile(path.join(world.root, 'repository/r.txt'), text)
  await git(world, 'repository', ['add', '-A'], ['commit', '-qm', 'first'], ['checkout', '-qb', 'other'])
  const more = (...args: string[]) =>
    promisify(execFile)('git', ['-c', 'user.name=Ana', '-c', 'user.email=ana@example.org', ...args], {
      cwd: path.join(world.root, 'repository'),
    })
  await change('theirs\n')
  await more('commit', '-qam', 'theirs')
  await more('checkout', '-q', 'main')
  await change('ours\n')
  await more('commit', '-qam', 'ours')
  // Git exits with 1 if the merge ends in a conflict.
  await more('merge', 'other').catch((error: unknown) => {
    if (!(error instanceof Error && 'code' in error && error.code === 1)) throw error
  })
}
const repository = { path: 'repository' }
const twice = { path: 'twice.txt', operation: 'delete' }

testToolErrors({
  toolset: rustantToolset,
  files: {
    ...sharedFiles,
    'repository/r.txt': 'r\n',
    'src/main.rs': 'fn main() {}\n',
    'broken.pdf': 'no PDF',
    'broken.odt': 'no archive',
  },
  rows: [
    fileRows('file_read'),
    refusals('file_read', {
      'a line 0': [{ path: 'a.txt', start_line: 0 }],
      'a line after the end': [{ path: 'a.txt', start_line: 3 }],
      'an end line before the start line': [{ path: 'a.txt', start_line: 2, end_line: 1 }],
    }),
    folderRows('file_search', { pattern: 'x' }),
    refusals('file_search', { 'an empty pattern': [{ pattern: '' }], 'an invalid glob': [{ pattern: '*.{ts' }] }),
    folderRows('file_list'),

    diffRows('file_patch'),
    refusals('file_patch', {
      'a hunk that does not match': [
        { path: 'a.txt', patch: '@@ -1 +1 @@\n-onee\n+b\n' },
        'Hunk 1 rejected',
        'no_match',
        restoreEditedFile,
      ],
      'a block that is not closed': [{ path: 'a.txt', patch: '<<<<<<< SEARCH\none\n=======\n1\n' }, 'not closed'],
      'a block without anything to find': [
        { path: 'a.txt', patch: '<<<<<<< SEARCH\n=======\n1\n>>>>>>> REPLACE\n' },
        'empty',
      ],
      'a block that occurs twice': [
        { path: 'twice.txt', patch: '<<<<<<< SEARCH\nx\n=======\n1\n>>>>>>> REPLACE\n' },
        'the SEARCH part until it is unique.',
        'ambiguous_match',
      ],
    }),

    fileRows('smart_edit', { location: 'line 1', operation: 'delete' }),
    refusals('smart_edit', {
      'an unknown operation': [{ ...twice, location: 'line 1', operation: 'improve' }, '"replace" or'],
      'an empty location': [{ ...twice, location: ' ' }, 'empty'],
      'a line after the end': [{ ...twice, location: 'line 9' }],
      'a line 0': [{ ...twice, location: 'line 0' }, 'line 0', 'out_of_range'],
      'an end line before the start line': [{ ...twice, location: 'lines 2-1' }, 'after line 1'],
      'an operation without content': [{ ...twice, location: 'line 1', operation: 'replace' }, 'content'],
      'a text that occurs twice': [{ ...twice, location: 'x' }, 'x'],
      'a location that matches nothing': [{ ...twice, location: 'where whales sing' }, 'twice.txt', 'no_match'],
    }),
    changedDuringCallRows('smart_edit', { path: 'a.txt', location: 'line 1', operation: 'replace', content: '1' }),

    writeRows('file_write'),
    refusals('file_write', {
      'more than 10 MB': [{ path: 'new.txt', content: 'x'.repeat(10 * 1024 * 1024 + 1) }, '10', 'too_large'],
    }),

    ...['git_status', 'git_diff', 'git_commit'].map((tool) => {
      const rest = tool === 'git_commit' ? { message: 'm' } : {}
      return [
        ...pathRows(tool, [outsidePath, missingFile], rest),
        ...refusals(tool, { 'no repository': [{ path: 'sub', ...rest }, 'repository', 'not_found'] }),
      ]
    }),
    refusals('git_diff', {
      'a commit in a repository without commits': [{ ...repository, commit: 'HEAD' }, 'HEAD', 'not_found', fresh],
      'a commit that does not exist': [{ ...repository, commit: 'nowhere' }, 'nowhere', 'not_found', committed],
      'an option as a commit': [{ ...repository, commit: '--output=x' }, '--output=x', 'invalid_arguments', committed],
    }),
    refusals('git_commit', {
      'nothing staged in a repository without commits': [
        { ...repository, message: 'm' },
        'git add',
        'no_change',
        fresh,
      ],
      'nothing staged': [{ ...repository, message: 'm' }, 'git add', 'no_change', committed],
      'nothing staged with a detached HEAD': [{ ...repository, message: 'm' }, 'git add', 'no_change', detached],
      'a merge conflict': [{ ...repository, message: 'm' }, 'r.txt', 'conflict', conflicting],
      'an empty message': [{ ...repository, message: ' ' }, 'message', 'invalid_arguments', committed],
    }),

    refusals('shell_exec', {
      'an empty command': [{ command: ' ' }],
      'a limit of 0': [{ command: 'true', timeout_secs: 0 }],
    }),
    webSearchRows('web_search', 'max_results'),
    fetchRows('web_fetch'),

    fileRows('document_read'),
    refusals('document_read', {
      'a broken PDF': [{ path: 'broken.pdf' }, 'broken', 'invalid_encoding'],
      'a broken OpenDocument text': [{ path: 'broken.odt' }, 'broken', 'invalid_encoding'],
      'an invalid page range': [{ path: 'broken.pdf', pages: 'two' }, '"2-5"'],
      'an end page before the start page': [{ path: 'broken.pdf', pages: '3-2' }, 'smaller number first'],
      'pages of a text': [{ path: 'a.txt', pages: '1' }, 'no pages'],
      'a line after the end': [{ path: 'twice.txt', start_line: 9 }],
    }),
    refusals('codebase_search', {
      'an empty query': [{ query: ' ' }, 'no word'],
      'an unknown filter': [{ query: 'main', filter: '*.{ts' }, '*.{ts'],
      'an unknown language': [{ query: 'main', language: 'klingon' }, 'klingon'],
    }),
    refusals('calculator', {
      'an empty expression': [{ expression: '' }, 'expected'],
      'a property access': [{ expression: 'constructor.constructor("x")()' }, 'is not allowed in an expression'],
      'an unclosed bracket': [{ expression: '(1+2' }, ')'],
    }),
    refusals('datetime', { 'a text as arguments': ['"now"', 'JSON'] }),
    refusals('echo', { 'JSON that is cut off': ['{"text": "a', 'JSON'] }),
  ],
  cancelled: {
    file_read: { path: 'twice.txt' },
    file_search: { pattern: '*.txt' },
    file_list: { path: 'sub' },
    file_patch: { path: 'twice.txt', patch: '@@ -1 +1 @@\n-x\n+y\n' },
    file_write: { path: 'made/new.txt', content: 'x' },
    smart_edit: { path: 'twice.txt', location: 'line 1', operation: 'delete' },
    git_status: { path: 'repository' },
    git_diff: { path: 'repository' },
    git_commit: { path: 'repository', message: 'm' },
    shell_exec: { command: 'touch made.txt' },
    web_search: { query: 'a' },
    web_fetch: { url: 'https://example.org/' },
    document_read: { path: 'broken.odt' },
    codebase_search: { query: 'main' },
  },
  instant: ['calculator', 'datetime', 'echo'],
})
