import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it } from 'vitest'
import { permissionMeaning, type PermissionMeaning, type PermissionReport } from './permissionMeaning.ts'

const meaningOf = (report: Partial<PermissionReport>): PermissionMeaning =>
  permissionMeaning({
    agent: 'Other',
    kind: 'other',
    title: 'Title',
    rawInput: undefined,
    paths: [],
    diffs: [],
    ...report,
  })

/** What the approval of a request depends on. */
const summary = ({ risk, command, reads, writes, unclear }: PermissionMeaning) => ({
  risk,
  ...(command && { command: command.line, folder: command.folder }),
  ...(reads.length > 0 && { reads }),
  ...(writes.length > 0 && { writes }),
  ...(unclear !== undefined && { unclear: true }),
})

/** Requests as these agents send them, by their sources, and what they mean. */
const requests: [string, Partial<PermissionReport>, ReturnType<typeof summary>][] = [
  [
    'Claude Code: Bash',
    {
      kind: 'execute',
      title: 'npm test',
      rawInput: { command: 'npm test', description: 'Run tests', timeout: 1000, run_in_background: false },
    },
    { risk: 'execute', command: 'npm test', folder: undefined },
  ],
  [
    'Claude Code: Bash without its sandbox',
    { kind: 'execute', title: 'ls', rawInput: { command: 'ls', dangerouslyDisableSandbox: true } },
    { risk: 'execute', command: 'ls', folder: undefined, unclear: true },
  ],
  [
    'Claude Code: Read',
    {
      kind: 'read',
      title: 'Read a.txt',
      paths: ['/w/a.txt'],
      rawInput: { file_path: '/w/a.txt', offset: 1, limit: 9 },
    },
    { risk: 'read', reads: ['/w/a.txt'] },
  ],
  [
    'Claude Code: Grep, which has no location',
    {
      kind: 'search',
      title: 'grep "x" /etc',
      rawInput: {
        pattern: 'x',
        path: '/etc',
        output_mode: 'content',
        '-i': true,
        '-n': true,
        head_limit: 3,
        glob: '*.ts',
      },
    },
    { risk: 'read', reads: ['/etc'] },
  ],
  [
    'Claude Code: Edit',
    {
      kind: 'edit',
      title: 'Edit a.txt',
      paths: ['/w/a.txt'],
      diffs: [{ path: '/w/a.txt', newText: 'b' }],
      rawInput: { file_path: '/w/a.txt', old_string: 'a', new_string: 'b', replace_all: false },
    },
    { risk: 'write', writes: ['/w/a.txt'] },
  ],
  [
    'Claude Code: the end of its plan mode',
    { kind: 'switch_mode', title: 'Ready to code?', rawInput: { plan: 'Do it.' } },
    { risk: 'execute', unclear: true },
  ],
  [
    'Codex: a command',
    { kind: 'execute', title: 'npm test', rawInput: { command: 'npm test', cwd: '/w' }, paths: ['/w/a.txt'] },
    { risk: 'execute', command: 'npm test', folder: '/w' },
  ],
  [
    'Codex: a command with further permissions',
    {
      kind: 'execute',
      title: 'cat a.txt',
      rawInput: { command: 'cat a.txt', cwd: '/w', additionalPermissions: { network: { enabled: true } } },
    },
    { risk: 'execute', command: 'cat a.txt', folder: '/w', unclear: true },
  ],
  [
    'Codex: a network access',
    { kind: 'execute', title: 'https network access to a.example', rawInput: { url: 'https://a.example' } },
    { risk: 'execute', command: 'https network access to a.example', folder: undefined, unclear: true },
  ],
  [
    'Codex: edits without an input',
    { kind: 'edit', title: 'Edit files', paths: ['/w/a.txt', '/w/b.txt'] },
    { risk: 'write', writes: ['/w/a.txt', '/w/b.txt'] },
  ],
  [
    'Codex (Zed): a command that it takes for a read',
    {
      kind: 'read',
      title: 'Read a.txt',
      paths: ['a.txt'],
      rawInput: {
        call_id: 'c',
        turn_id: 't',
        process_id: '1',
        started_at_ms: 1,
        source: 'unified_exec_startup',
        command: ['bash', '-lc', "awk 'BEGIN{system(1)}' a.txt"],
        cwd: '/w',
        parsed_cmd: [{ type: 'read', cmd: 'cat a.txt', name: 'a.txt', path: 'a.txt' }],
        reason: null,
      },
    },
    {
      risk: 'execute',
      command: String.raw`bash -lc 'awk '\''BEGIN{system(1)}'\'' a.txt'`,
      folder: '/w',
      reads: ['a.txt'],
    },
  ],
  [
    'Codex (Zed): edits by their paths',
    {
      kind: 'edit',
      title: 'Edit',
      diffs: [{ path: '/w/a.txt', newText: 'b' }],
      rawInput: {
        call_id: 'c',
        turn_id: 't',
        auto_approved: false,
        started_at_ms: 1,
        changes: { '/w/a.txt': { type: 'update', unified_diff: '@@', move_path: '/w/b.txt' } },
      },
    },
    { risk: 'write', writes: ['/w/a.txt', '/w/b.txt'] },
  ],
  [
    'Gemini CLI: a command, of which it sends only the title',
    { kind: 'execute', title: 'ls' },
    { risk: 'execute', command: 'ls', folder: undefined, unclear: true },
  ],
  [
    'Gemini CLI: a read outside the folder, which only the title names',
    { kind: 'read', title: 'Allow access to absolute path: /etc/passwd' },
    { risk: 'read', unclear: true },
  ],
  [
    'Gemini CLI: an edit',
    { kind: 'edit', title: 'a.txt: a => b', paths: ['/w/a.txt'], diffs: [{ path: '/w/a.txt', newText: 'b' }] },
    { risk: 'write', writes: ['/w/a.txt'] },
  ],
  [
    'Goose: its shell',
    { title: 'shell', rawInput: { command: 'make', timeout_secs: 60 } },
    { risk: 'execute', command: 'make', folder: undefined },
  ],
  [
    'Goose: its editor, whose command is none for the shell',
    { title: 'text editor', rawInput: { command: 'write', path: '/w/a.txt', file_text: 'x' } },
    { risk: 'execute', command: 'write', folder: undefined, unclear: true },
  ],
  [
    'opencode: a command in another folder',
    { kind: 'execute', title: 'ls', rawInput: { command: 'ls', description: 'List', cwd: '/etc' }, paths: ['/etc'] },
    { risk: 'execute', command: 'ls', folder: '/etc' },
  ],
  [
    'opencode: folders outside that a command uses',
    { title: 'cat /etc/hosts', rawInput: { command: 'cat a.txt', directories: ['/etc'], patterns: ['/etc/*'] } },
    { risk: 'execute', command: 'cat a.txt', folder: undefined, unclear: true },
  ],
  [
    'opencode: an edit of several files',
    {
      kind: 'edit',
      title: '2 files',
      paths: ['/w/a.txt', '/w/b.txt'],
      diffs: [{ path: '/w/a.txt', newText: 'b' }],
      rawInput: {
        diff: '@@',
        files: [
          {
            filePath: '/w/a.txt',
            relativePath: 'a.txt',
            type: 'update',
            patch: '@@',
            additions: 1,
            movePath: '/w/b.txt',
          },
        ],
      },
    },
    { risk: 'write', writes: ['/w/a.txt', '/w/b.txt', 'a.txt'] },
  ],
  [
    'Qwen Code: a command',
    {
      kind: 'execute',
      title: 'npm test (Run tests)',
      rawInput: { command: 'npm test', is_background: false, description: 'Run tests', directory: '/w/sub' },
    },
    { risk: 'execute', command: 'npm test', folder: '/w/sub' },
  ],
  [
    'Qwen Code: a list of a folder',
    { kind: 'search', title: 'src', paths: ['/w/src'], rawInput: { path: '/w/src', ignore: ['*.log'] } },
    { risk: 'read', reads: ['/w/src'] },
  ],
  [
    'Qwen Code: a web page',
    { kind: 'fetch', title: 'Fetch', rawInput: { url: 'https://a.example', prompt: 'Summarize' } },
    { risk: 'network' },
  ],
  [
    'a deletion',
    { kind: 'delete', title: 'Delete', paths: ['/w/a.txt'] },
    { risk: 'destructive', writes: ['/w/a.txt'] },
  ],
]

describe('requests of real agents', () => {
  it.each(requests)('%s', (_name, report, meaning) => expect(summary(meaningOf(report))).toEqual(meaning))
})

describe('a command in the input', () => {
  it.each(['read', 'search', 'edit', 'move', 'think', 'other'] as const)('decides about the kind %s', (kind) => {
    expect(meaningOf({ kind, paths: ['/w/a.txt'], rawInput: { command: 'rm -rf x' } })).toMatchObject({
      risk: 'execute',
      command: { line: 'rm -rf x' },
    })
  })

  it('keeps the higher risk of its kind', () => {
    expect(meaningOf({ kind: 'delete', rawInput: { command: 'rm a' } }).risk).toBe('destructive')
    expect(meaningOf({ kind: 'fetch', rawInput: { cmd: 'curl a' } }).risk).toBe('network')
  })

  it.each<[unknown, string]>([
    [{ command: 'cat', args: ['/etc/shadow'] }, 'cat /etc/shadow'],
    [{ command: 'ls', args: ['-la', ';', 'rm'] }, "ls -la ';' rm"],
    [{ command: 'my tool', arguments: ['a b'] }, "'my tool' 'a b'"],
    [{ Command: ['cat', 'a b'] }, "cat 'a b'"],
    [{ command: ['cat'], argv: ['a'] }, 'cat a'],
    [{ command: 'cat a | head' }, 'cat a | head'],
  ])('has its arguments: %j', (rawInput, line) => {
    const { command, unclear } = meaningOf({ kind: 'execute', rawInput })
    expect([command?.line, unclear]).toEqual([line, undefined])
  })

  it.each<[unknown, string]>([
    [{ command: 'cat', args: '/etc/shadow' }, 'cat /etc/shadow'],
    [{ command: 'cat', args: { file: 'a' } }, 'cat {"file":"a"}'],
    [{ command: { program: 'rm' } }, '{"program":"rm"}'],
    [{ command: ['rm', ['-rf']] }, '["rm",["-rf"]]'],
    [{ command: 'ls', script: 'rm a' }, 'ls\nrm a'],
    [{ command: 'ls', env: { LD_PRELOAD: 'x.so' } }, 'ls'],
    [{ command: 'ls', cwd: 'a', directory: 'b' }, 'ls'],
    [{ command: 'ls', cwd: 'https://a.example' }, 'ls'],
    [{ command: 'ls', cwd: 3 }, 'ls'],
    [JSON.parse('{"command": "ls", "__proto__": {"cwd": "/etc"}}'), 'ls'],
  ])('is unclear in an unusual form, but shown and compared with rules: %j', (rawInput, line) => {
    const { command, unclear, details } = meaningOf({ kind: 'execute', rawInput })
    expect(command?.line).toBe(line)
    expect(unclear).toEqual(expect.any(String))
    expect(details).toEqual(expect.any(String))
  })

  it('that is unclear is identified by all that was sent', () => {
    const details = (permissions: string) =>
      meaningOf({ kind: 'execute', rawInput: { command: 'ls', permissions } }).details
    expect(details('a')).toBe(details('a'))
    expect(details('a')).not.toBe(details('b'))
  })

  it('leaves the other fields for the card', () => {
    const rawInput = { command: 'ls', args: ['a'], cwd: '/w', description: 'List', permissions: 'all' }
    expect(meaningOf({ rawInput }).fields).toEqual({ description: 'List', permissions: 'all' })
  })
})

describe('a request that does not show what it does is unclear:', () => {
  it.each<[string, Partial<PermissionReport>]>([
    ['a read without a path', { kind: 'read' }],
    ['a search without a path', { kind: 'search', rawInput: { pattern: 'x' } }],
    ['an edit without a path', { kind: 'edit' }],
    ['a move without a path', { kind: 'move' }],
    ['an unknown field of a read', { kind: 'read', paths: ['a'], rawInput: { roots: ['/etc'] } }],
    ['a text of a read', { kind: 'read', paths: ['a'], rawInput: { content: 'x' } }],
    ['changes of a read', { kind: 'read', paths: ['a'], diffs: [{ path: 'a', newText: 'x' }] }],
    ['an unknown field of an edit', { kind: 'edit', paths: ['a'], rawInput: { grantRoot: '/' } }],
    ['an unknown field of a change', { kind: 'edit', paths: ['a'], rawInput: { edits: [{ destination_dir: '/' }] } }],
    ['a patch that the card does not show', { kind: 'edit', paths: ['a'], rawInput: { patch: '+++ /etc/x' } }],
    ['arguments without a command', { kind: 'read', paths: ['a'], rawInput: { args: ['/etc/x'] } }],
    ['a pattern that leads out', { kind: 'search', paths: ['a'], rawInput: { pattern: '/etc/*' } }],
    ['a pattern that leads up', { kind: 'search', paths: ['a'], rawInput: { glob: 'src/../../*' } }],
    ['a pattern of several that leads out', { kind: 'search', paths: ['a'], rawInput: { include: ['a', '~/x'] } }],
    ['an address for a path', { kind: 'read', paths: ['ssh://host/etc/x'] }],
    ['a file of another computer', { kind: 'read', paths: ['file://host/etc/x'] }],
    ['a path of another form', { kind: 'read', paths: ['a'], rawInput: { path: 7 } }],
    ['an input that has no fields', { kind: 'read', paths: ['a'], rawInput: 'cat /etc/x' }],
  ])('%s', (_name, report) => expect(meaningOf(report).unclear).toEqual(expect.any(String)))
})

describe('the paths of a request', () => {
  it('are those of its input and its locations', () => {
    const rawInput = { path: '/etc/passwd', from: 'b', paths: ['c', 'd'], cell_id: null }
    expect(meaningOf({ kind: 'move', paths: ['a'], rawInput }).writes).toEqual(['a', '/etc/passwd', 'b', 'c', 'd'])
  })

  it('can be URIs', () => {
    const path = resolve('/etc/a b')
    const { href } = pathToFileURL(path)
    expect(meaningOf({ kind: 'read', paths: [href] }).reads).toEqual([path])
    expect(meaningOf({ rawInput: { command: 'ls', cwd: href } }).command?.folder).toBe(path)
  })

  it('are also below a folder that the input names', () => {
    const { reads } = meaningOf({ kind: 'search', rawInput: { path: 'a', dir_path: '/etc' } })
    expect(reads).toEqual(['/etc', 'a', join('/etc', 'a')])
  })

  it('are mentioned only, if the kind does not say what happens with them', () => {
    expect(meaningOf({ rawInput: { notebook_path: '/w/a.ipynb' } })).toMatchObject({
      mentions: ['/w/a.ipynb'],
      writes: [],
      reads: [],
    })
  })
})

it('names the fields that are not understood', () => {
  const { unclear } = meaningOf({
    kind: 'read',
    paths: ['a'],
    rawInput: { ['x'.repeat(100)]: 1, b: 1, c2: 1, d: 1, e: 1 },
  })
  expect(unclear).toBe(`Other sent the fields "${'x'.repeat(60)}…", "c2", "d" and 1 more, whose meaning is unknown.`)
})
