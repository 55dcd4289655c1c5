import { execFile } from 'node:child_process'
import { rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { testErrors, type ErrorRow, type ErrorWorld } from '../testing/errorRows.ts'
import { rustantToolset } from './rustantToolset.ts'

const changed: ErrorRow['during'] = ({ root }) => writeFile(path.join(root, 'a.txt'), 'somebody else\n')
const vanished: ErrorRow['during'] = ({ root }) => rm(path.join(root, 'a.txt'))
const again: ErrorRow['before'] = ({ root }) => writeFile(path.join(root, 'a.txt'), 'one\ntwo\n')
const none = { what: 'a missing file', file: 'none.txt', code: 'not_found', says: 'none.txt' } as const
const folder = { what: 'a folder', file: 'sub', code: 'is_directory', says: 'sub' } as const
const binary = { what: 'a binary file', file: 'binary.dat', code: 'binary_file', says: 'binary.dat' } as const
const outside = { what: 'a path outside', file: '../x.txt', code: 'outside_workspace', says: '../x.txt' } as const
const empty = { what: 'an empty path', file: '', code: 'invalid_path', says: 'path' } as const
const file = { what: 'a file as a folder', file: 'a.txt', code: 'not_a_directory', says: 'a.txt' } as const
type Bad = Pick<ErrorRow, 'what' | 'code' | 'says'> & { file: string }
const paths = (tool: string, bad: readonly Bad[], rest: Record<string, unknown> = {}): ErrorRow[] =>
  bad.map(({ file: given, ...row }) => ({ tool, ...row, args: { path: given, ...rest } }))

/** Repositories of the user in the folder, as the calls below need them. */
async function git({ root }: ErrorWorld, name: string, ...commands: string[][]): Promise<void> {
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
async function conflicting(world: ErrorWorld): Promise<void> {
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
  // Git answers 1 where the merge ends in a conflict.
  await more('merge', 'other').catch((error: unknown) => {
    if (!(error instanceof Error && 'code' in error && error.code === 1)) throw error
  })
}

testErrors({
  toolset: rustantToolset,
  files: {
    'a.txt': 'one\ntwo\n',
    'twice.txt': 'x\nx\n',
    'binary.dat': Buffer.from([0, 1, 2, 0, 255]),
    'sub/b.txt': 'b\n',
    'repository/r.txt': 'r\n',
    'src/main.rs': 'fn main() {}\n',
    'broken.pdf': 'no PDF',
    'broken.odt': 'no archive',
  },
  rows: [
    ...paths('file_read', [none, folder, binary, outside, empty]),
    {
      tool: 'file_read',
      what: 'a line 0',
      args: { path: 'a.txt', start_line: 0 },
      code: 'invalid_arguments',
      says: 'at least 1',
    },
    {
      tool: 'file_read',
      what: 'a line behind the end',
      args: { path: 'a.txt', start_line: 3 },
      code: 'out_of_range',
      says: '2 lines',
    },
    {
      tool: 'file_read',
      what: 'lines that run backwards',
      args: { path: 'a.txt', start_line: 2, end_line: 1 },
      code: 'invalid_arguments',
      says: 'before',
    },

    ...paths('file_search', [outside, { ...none, file: 'none', says: '"none" does not exist' }, file], {
      pattern: 'x',
    }),
    { tool: 'file_search', what: 'an empty pattern', args: { pattern: '' }, code: 'invalid_pattern', says: 'empty' },
    {
      tool: 'file_search',
      what: 'a glob that is none',
      args: { pattern: '*.{ts' },
      code: 'invalid_pattern',
      says: '*.{ts',
    },
    ...paths('file_list', [outside, { ...none, file: 'none', says: '"none" does not exist' }, file]),

    ...paths('file_patch', [none, folder, binary, outside, empty], { patch: '@@ -1 +1 @@\n-a\n+b\n' }),
    {
      tool: 'file_patch',
      what: 'an empty patch',
      args: { path: 'a.txt', patch: '' },
      code: 'invalid_arguments',
      says: /patch|diff/,
    },
    {
      tool: 'file_patch',
      what: 'a text that is no patch',
      args: { path: 'a.txt', patch: 'make it better' },
      code: 'invalid_arguments',
      says: '@@',
    },
    {
      tool: 'file_patch',
      what: 'a hunk that does not fit',
      args: { path: 'a.txt', patch: '@@ -1 +1 @@\n-onee\n+b\n' },
      code: 'no_match',
      says: 'Hunk 1 rejected',
    },
    {
      tool: 'file_patch',
      what: 'a block that is not closed',
      args: { path: 'a.txt', patch: '<<<<<<< SEARCH\none\n=======\n1\n' },
      code: 'invalid_arguments',
      says: 'not closed',
    },
    {
      tool: 'file_patch',
      what: 'a block without anything to find',
      args: { path: 'a.txt', patch: '<<<<<<< SEARCH\n=======\n1\n>>>>>>> REPLACE\n' },
      code: 'invalid_arguments',
      says: 'empty',
    },
    {
      tool: 'file_patch',
      what: 'a block that stands twice',
      args: { path: 'twice.txt', patch: '<<<<<<< SEARCH\nx\n=======\n1\n>>>>>>> REPLACE\n' },
      code: 'ambiguous_match',
      says: 'the SEARCH part until it is unique.',
    },
    {
      tool: 'file_patch',
      what: 'a file that changes meanwhile',
      args: { path: 'a.txt', patch: '@@ -1 +1 @@\n-one\n+b\n' },
      code: 'changed_on_disk',
      says: 'has changed',
      before: again,
      during: changed,
    },
    {
      tool: 'file_patch',
      what: 'a file that vanishes meanwhile',
      args: { path: 'a.txt', patch: '@@ -1 +1 @@\n-one\n+b\n' },
      code: 'changed_on_disk',
      says: 'was deleted',
      before: again,
      during: vanished,
    },

    ...paths('smart_edit', [none, folder, binary, outside, empty], { location: 'line 1', operation: 'delete' }),
    {
      tool: 'smart_edit',
      what: 'an operation that it does not know',
      args: { path: 'twice.txt', location: 'line 1', operation: 'improve' },
      code: 'invalid_arguments',
      says: '"replace" or',
    },
    {
      tool: 'smart_edit',
      what: 'an empty location',
      args: { path: 'twice.txt', location: ' ', operation: 'delete' },
      code: 'invalid_arguments',
      says: 'empty',
    },
    {
      tool: 'smart_edit',
      what: 'a line behind the end',
      args: { path: 'twice.txt', location: 'line 9', operation: 'delete' },
      code: 'out_of_range',
      says: '2 lines',
    },
    {
      tool: 'smart_edit',
      what: 'a line 0',
      args: { path: 'twice.txt', location: 'line 0', operation: 'delete' },
      code: 'out_of_range',
      says: 'line 0',
    },
    {
      tool: 'smart_edit',
      what: 'lines that run backwards',
      args: { path: 'twice.txt', location: 'lines 2-1', operation: 'delete' },
      code: 'invalid_arguments',
      says: 'after line 1',
    },
    {
      tool: 'smart_edit',
      what: 'nothing to put there',
      args: { path: 'twice.txt', location: 'line 1', operation: 'replace' },
      code: 'invalid_arguments',
      says: 'content',
    },
    {
      tool: 'smart_edit',
      what: 'a text at two places',
      args: { path: 'twice.txt', location: 'x', operation: 'delete' },
      code: 'ambiguous_match',
      says: 'x',
    },
    {
      tool: 'smart_edit',
      what: 'a place that nothing answers',
      args: { path: 'twice.txt', location: 'where whales sing', operation: 'delete' },
      code: 'no_match',
      says: 'twice.txt',
    },
    {
      tool: 'smart_edit',
      what: 'a file that changes meanwhile',
      args: { path: 'a.txt', location: 'line 1', operation: 'replace', content: '1' },
      code: 'changed_on_disk',
      says: 'has changed',
      before: again,
      during: changed,
    },
    {
      tool: 'smart_edit',
      what: 'a file that vanishes meanwhile',
      args: { path: 'a.txt', location: 'line 1', operation: 'replace', content: '1' },
      code: 'changed_on_disk',
      says: 'was deleted',
      before: again,
      during: vanished,
    },

    ...paths('file_write', [folder, binary, outside, empty], { content: 'x' }),
    {
      tool: 'file_write',
      what: 'more than 10 MB',
      args: { path: 'new.txt', content: 'x'.repeat(10 * 1024 * 1024 + 1) },
      code: 'too_large',
      says: '10',
    },

    ...['git_status', 'git_diff', 'git_commit'].flatMap((tool): ErrorRow[] => {
      const rest = tool === 'git_commit' ? { message: 'm' } : {}
      return [
        ...paths(tool, [outside, { ...none, file: 'none', says: '"none" does not exist' }], rest),
        { tool, what: 'no repository', args: { path: 'sub', ...rest }, code: 'not_found', says: 'repository' },
      ]
    }),
    {
      tool: 'git_diff',
      what: 'a commit in a repository without any',
      args: { path: 'repository', commit: 'HEAD' },
      code: 'not_found',
      says: 'HEAD',
      before: fresh,
    },
    {
      tool: 'git_diff',
      what: 'a commit that does not exist',
      args: { path: 'repository', commit: 'nowhere' },
      code: 'not_found',
      says: 'nowhere',
      before: committed,
    },
    {
      tool: 'git_diff',
      what: 'an option as a commit',
      args: { path: 'repository', commit: '--output=x' },
      code: 'invalid_arguments',
      says: '--output=x',
      before: committed,
    },
    {
      tool: 'git_commit',
      what: 'nothing staged in a repository without commits',
      args: { path: 'repository', message: 'm' },
      code: 'no_change',
      says: 'git add',
      before: fresh,
    },
    {
      tool: 'git_commit',
      what: 'nothing staged',
      args: { path: 'repository', message: 'm' },
      code: 'no_change',
      says: 'git add',
      before: committed,
    },
    {
      tool: 'git_commit',
      what: 'nothing staged with a detached HEAD',
      args: { path: 'repository', message: 'm' },
      code: 'no_change',
      says: 'git add',
      before: detached,
    },
    {
      tool: 'git_commit',
      what: 'a merge conflict',
      args: { path: 'repository', message: 'm' },
      code: 'conflict',
      says: 'r.txt',
      before: conflicting,
    },
    {
      tool: 'git_commit',
      what: 'an empty message',
      args: { path: 'repository', message: ' ' },
      code: 'invalid_arguments',
      says: 'message',
      before: committed,
    },

    { tool: 'shell_exec', what: 'an empty command', args: { command: ' ' }, code: 'invalid_arguments', says: 'empty' },
    {
      tool: 'shell_exec',
      what: 'a limit of 0',
      args: { command: 'true', timeout_secs: 0 },
      code: 'invalid_arguments',
      says: 'at least 1',
    },
    {
      tool: 'web_search',
      what: 'an empty query',
      args: { query: ' ' },
      code: 'invalid_arguments',
      says: '"query" must not be empty',
    },
    {
      tool: 'web_search',
      what: 'a limit of 0',
      args: { query: 'a', max_results: 0 },
      code: 'invalid_arguments',
      says: 'at least 1',
    },
    {
      tool: 'web_fetch',
      what: 'no web address',
      args: { url: 'file:///etc/passwd' },
      code: 'invalid_arguments',
      says: 'http',
    },
    {
      tool: 'web_fetch',
      what: 'an address with a password',
      args: { url: 'https://a:b@example.org/' },
      code: 'invalid_arguments',
      says: 'password',
    },
    {
      tool: 'web_fetch',
      what: 'an address of the own network',
      args: { url: 'http://[::ffff:192.168.0.1]/' },
      code: 'address_refused',
      says: 'not on the public internet',
    },

    ...paths('document_read', [none, folder, binary, outside, empty]),
    {
      tool: 'document_read',
      what: 'a broken PDF',
      args: { path: 'broken.pdf' },
      code: 'invalid_encoding',
      says: 'broken',
    },
    {
      tool: 'document_read',
      what: 'a broken OpenDocument text',
      args: { path: 'broken.odt' },
      code: 'invalid_encoding',
      says: 'broken',
    },
    {
      tool: 'document_read',
      what: 'pages that are none',
      args: { path: 'broken.pdf', pages: 'two' },
      code: 'invalid_arguments',
      says: '"2-5"',
    },
    {
      tool: 'document_read',
      what: 'pages that run backwards',
      args: { path: 'broken.pdf', pages: '3-2' },
      code: 'invalid_arguments',
      says: 'smaller number first',
    },
    {
      tool: 'document_read',
      what: 'pages of a text',
      args: { path: 'a.txt', pages: '1' },
      code: 'invalid_arguments',
      says: 'no pages',
    },
    {
      tool: 'document_read',
      what: 'a line behind the end',
      args: { path: 'twice.txt', start_line: 9 },
      code: 'out_of_range',
      says: '2 lines',
    },

    {
      tool: 'codebase_search',
      what: 'an empty query',
      args: { query: ' ' },
      code: 'invalid_arguments',
      says: 'no word',
    },
    {
      tool: 'codebase_search',
      what: 'a filter that is no glob',
      args: { query: 'main', filter: '*.{ts' },
      code: 'invalid_arguments',
      says: '*.{ts',
    },
    {
      tool: 'codebase_search',
      what: 'a language that nobody knows',
      args: { query: 'main', language: 'klingon' },
      code: 'invalid_arguments',
      says: 'klingon',
    },

    {
      tool: 'calculator',
      what: 'an empty expression',
      args: { expression: '' },
      code: 'invalid_arguments',
      says: 'expected',
    },
    {
      tool: 'calculator',
      what: 'a way into JavaScript',
      args: { expression: 'constructor.constructor("x")()' },
      code: 'invalid_arguments',
      says: 'is not allowed in an expression',
    },
    {
      tool: 'calculator',
      what: 'brackets that are not closed',
      args: { expression: '(1+2' },
      code: 'invalid_arguments',
      says: ')',
    },
    { tool: 'datetime', what: 'a text as arguments', args: '"now"', code: 'invalid_arguments', says: 'JSON' },
    { tool: 'echo', what: 'JSON that is cut off', args: '{"text": "a', code: 'invalid_arguments', says: 'JSON' },
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
