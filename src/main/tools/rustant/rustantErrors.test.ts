import { execFile } from 'node:child_process'
import { rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
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
  sharedFiles,
} from '../testing/pathErrorRows.ts'
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
    ...pathRows('file_read', badFiles),
    {
      tool: 'file_read',
      mistake: 'a line 0',
      args: { path: 'a.txt', start_line: 0 },
      code: 'invalid_arguments',
      message: 'at least 1',
    },
    {
      tool: 'file_read',
      mistake: 'a line after the end',
      args: { path: 'a.txt', start_line: 3 },
      code: 'out_of_range',
      message: '2 lines',
    },
    {
      tool: 'file_read',
      mistake: 'an end line before the start line',
      args: { path: 'a.txt', start_line: 2, end_line: 1 },
      code: 'invalid_arguments',
      message: 'before',
    },

    ...pathRows('file_search', [outsidePath, missingFile, fileAsFolder], {
      pattern: 'x',
    }),
    {
      tool: 'file_search',
      mistake: 'an empty pattern',
      args: { pattern: '' },
      code: 'invalid_pattern',
      message: 'empty',
    },
    {
      tool: 'file_search',
      mistake: 'an invalid glob',
      args: { pattern: '*.{ts' },
      code: 'invalid_pattern',
      message: '*.{ts',
    },
    ...pathRows('file_list', [outsidePath, missingFile, fileAsFolder]),

    ...pathRows('file_patch', badFiles, { patch: '@@ -1 +1 @@\n-a\n+b\n' }),
    {
      tool: 'file_patch',
      mistake: 'an empty patch',
      args: { path: 'a.txt', patch: '' },
      code: 'invalid_arguments',
      message: /patch|diff/,
    },
    {
      tool: 'file_patch',
      mistake: 'a text that is not a patch',
      args: { path: 'a.txt', patch: 'make it better' },
      code: 'invalid_arguments',
      message: '@@',
    },
    {
      tool: 'file_patch',
      mistake: 'a hunk that does not match',
      args: { path: 'a.txt', patch: '@@ -1 +1 @@\n-onee\n+b\n' },
      code: 'no_match',
      message: 'Hunk 1 rejected',
    },
    {
      tool: 'file_patch',
      mistake: 'a block that is not closed',
      args: { path: 'a.txt', patch: '<<<<<<< SEARCH\none\n=======\n1\n' },
      code: 'invalid_arguments',
      message: 'not closed',
    },
    {
      tool: 'file_patch',
      mistake: 'a block without anything to find',
      args: { path: 'a.txt', patch: '<<<<<<< SEARCH\n=======\n1\n>>>>>>> REPLACE\n' },
      code: 'invalid_arguments',
      message: 'empty',
    },
    {
      tool: 'file_patch',
      mistake: 'a block that occurs twice',
      args: { path: 'twice.txt', patch: '<<<<<<< SEARCH\nx\n=======\n1\n>>>>>>> REPLACE\n' },
      code: 'ambiguous_match',
      message: 'the SEARCH part until it is unique.',
    },
    ...changedDuringCallRows('file_patch', { path: 'a.txt', patch: '@@ -1 +1 @@\n-one\n+b\n' }),

    ...pathRows('smart_edit', badFiles, { location: 'line 1', operation: 'delete' }),
    {
      tool: 'smart_edit',
      mistake: 'an unknown operation',
      args: { path: 'twice.txt', location: 'line 1', operation: 'improve' },
      code: 'invalid_arguments',
      message: '"replace" or',
    },
    {
      tool: 'smart_edit',
      mistake: 'an empty location',
      args: { path: 'twice.txt', location: ' ', operation: 'delete' },
      code: 'invalid_arguments',
      message: 'empty',
    },
    {
      tool: 'smart_edit',
      mistake: 'a line after the end',
      args: { path: 'twice.txt', location: 'line 9', operation: 'delete' },
      code: 'out_of_range',
      message: '2 lines',
    },
    {
      tool: 'smart_edit',
      mistake: 'a line 0',
      args: { path: 'twice.txt', location: 'line 0', operation: 'delete' },
      code: 'out_of_range',
      message: 'line 0',
    },
    {
      tool: 'smart_edit',
      mistake: 'an end line before the start line',
      args: { path: 'twice.txt', location: 'lines 2-1', operation: 'delete' },
      code: 'invalid_arguments',
      message: 'after line 1',
    },
    {
      tool: 'smart_edit',
      mistake: 'an operation without content',
      args: { path: 'twice.txt', location: 'line 1', operation: 'replace' },
      code: 'invalid_arguments',
      message: 'content',
    },
    {
      tool: 'smart_edit',
      mistake: 'a text that occurs twice',
      args: { path: 'twice.txt', location: 'x', operation: 'delete' },
      code: 'ambiguous_match',
      message: 'x',
    },
    {
      tool: 'smart_edit',
      mistake: 'a location that matches nothing',
      args: { path: 'twice.txt', location: 'where whales sing', operation: 'delete' },
      code: 'no_match',
      message: 'twice.txt',
    },
    ...changedDuringCallRows('smart_edit', { path: 'a.txt', location: 'line 1', operation: 'replace', content: '1' }),

    ...pathRows('file_write', [folderPath, binaryFile, outsidePath, emptyPath], { content: 'x' }),
    {
      tool: 'file_write',
      mistake: 'more than 10 MB',
      args: { path: 'new.txt', content: 'x'.repeat(10 * 1024 * 1024 + 1) },
      code: 'too_large',
      message: '10',
    },

    ...['git_status', 'git_diff', 'git_commit'].flatMap((tool): ErrorRow[] => {
      const rest = tool === 'git_commit' ? { message: 'm' } : {}
      return [
        ...pathRows(tool, [outsidePath, missingFile], rest),
        { tool, mistake: 'no repository', args: { path: 'sub', ...rest }, code: 'not_found', message: 'repository' },
      ]
    }),
    {
      tool: 'git_diff',
      mistake: 'a commit in a repository without commits',
      args: { path: 'repository', commit: 'HEAD' },
      code: 'not_found',
      message: 'HEAD',
      before: fresh,
    },
    {
      tool: 'git_diff',
      mistake: 'a commit that does not exist',
      args: { path: 'repository', commit: 'nowhere' },
      code: 'not_found',
      message: 'nowhere',
      before: committed,
    },
    {
      tool: 'git_diff',
      mistake: 'an option as a commit',
      args: { path: 'repository', commit: '--output=x' },
      code: 'invalid_arguments',
      message: '--output=x',
      before: committed,
    },
    {
      tool: 'git_commit',
      mistake: 'nothing staged in a repository without commits',
      args: { path: 'repository', message: 'm' },
      code: 'no_change',
      message: 'git add',
      before: fresh,
    },
    {
      tool: 'git_commit',
      mistake: 'nothing staged',
      args: { path: 'repository', message: 'm' },
      code: 'no_change',
      message: 'git add',
      before: committed,
    },
    {
      tool: 'git_commit',
      mistake: 'nothing staged with a detached HEAD',
      args: { path: 'repository', message: 'm' },
      code: 'no_change',
      message: 'git add',
      before: detached,
    },
    {
      tool: 'git_commit',
      mistake: 'a merge conflict',
      args: { path: 'repository', message: 'm' },
      code: 'conflict',
      message: 'r.txt',
      before: conflicting,
    },
    {
      tool: 'git_commit',
      mistake: 'an empty message',
      args: { path: 'repository', message: ' ' },
      code: 'invalid_arguments',
      message: 'message',
      before: committed,
    },

    {
      tool: 'shell_exec',
      mistake: 'an empty command',
      args: { command: ' ' },
      code: 'invalid_arguments',
      message: 'empty',
    },
    {
      tool: 'shell_exec',
      mistake: 'a limit of 0',
      args: { command: 'true', timeout_secs: 0 },
      code: 'invalid_arguments',
      message: 'at least 1',
    },
    {
      tool: 'web_search',
      mistake: 'an empty query',
      args: { query: ' ' },
      code: 'invalid_arguments',
      message: '"query" must not be empty',
    },
    {
      tool: 'web_search',
      mistake: 'a limit of 0',
      args: { query: 'a', max_results: 0 },
      code: 'invalid_arguments',
      message: 'at least 1',
    },
    {
      tool: 'web_fetch',
      mistake: 'an address that is not on the web',
      args: { url: 'file:///etc/passwd' },
      code: 'invalid_arguments',
      message: 'http',
    },
    {
      tool: 'web_fetch',
      mistake: 'an address with a password',
      args: { url: 'https://a:b@example.org/' },
      code: 'invalid_arguments',
      message: 'password',
    },
    {
      tool: 'web_fetch',
      mistake: 'a private address',
      args: { url: 'http://[::ffff:192.168.0.1]/' },
      code: 'address_refused',
      message: 'not on the public internet',
    },

    ...pathRows('document_read', badFiles),
    {
      tool: 'document_read',
      mistake: 'a broken PDF',
      args: { path: 'broken.pdf' },
      code: 'invalid_encoding',
      message: 'broken',
    },
    {
      tool: 'document_read',
      mistake: 'a broken OpenDocument text',
      args: { path: 'broken.odt' },
      code: 'invalid_encoding',
      message: 'broken',
    },
    {
      tool: 'document_read',
      mistake: 'an invalid page range',
      args: { path: 'broken.pdf', pages: 'two' },
      code: 'invalid_arguments',
      message: '"2-5"',
    },
    {
      tool: 'document_read',
      mistake: 'an end page before the start page',
      args: { path: 'broken.pdf', pages: '3-2' },
      code: 'invalid_arguments',
      message: 'smaller number first',
    },
    {
      tool: 'document_read',
      mistake: 'pages of a text',
      args: { path: 'a.txt', pages: '1' },
      code: 'invalid_arguments',
      message: 'no pages',
    },
    {
      tool: 'document_read',
      mistake: 'a line after the end',
      args: { path: 'twice.txt', start_line: 9 },
      code: 'out_of_range',
      message: '2 lines',
    },

    {
      tool: 'codebase_search',
      mistake: 'an empty query',
      args: { query: ' ' },
      code: 'invalid_arguments',
      message: 'no word',
    },
    {
      tool: 'codebase_search',
      mistake: 'an unknown filter',
      args: { query: 'main', filter: '*.{ts' },
      code: 'invalid_arguments',
      message: '*.{ts',
    },
    {
      tool: 'codebase_search',
      mistake: 'an unknown language',
      args: { query: 'main', language: 'klingon' },
      code: 'invalid_arguments',
      message: 'klingon',
    },

    {
      tool: 'calculator',
      mistake: 'an empty expression',
      args: { expression: '' },
      code: 'invalid_arguments',
      message: 'expected',
    },
    {
      tool: 'calculator',
      mistake: 'a property access',
      args: { expression: 'constructor.constructor("x")()' },
      code: 'invalid_arguments',
      message: 'is not allowed in an expression',
    },
    {
      tool: 'calculator',
      mistake: 'an unclosed bracket',
      args: { expression: '(1+2' },
      code: 'invalid_arguments',
      message: ')',
    },
    { tool: 'datetime', mistake: 'a text as arguments', args: '"now"', code: 'invalid_arguments', message: 'JSON' },
    { tool: 'echo', mistake: 'JSON that is cut off', args: '{"text": "a', code: 'invalid_arguments', message: 'JSON' },
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
