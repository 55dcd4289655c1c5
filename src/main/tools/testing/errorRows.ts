import { rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { ErrorRow } from './toolErrorTests.ts'

// Rows that the error tables of all toolsets share, by act. A table adds arguments, and the words of its own errors.

/** Files that the shared rows refer to. Every error table contains them. */
export const sharedFiles = {
  'a.txt': 'one\ntwo\n',
  'twice.txt': 'x\nx\n',
  'binary.dat': Buffer.from([0, 1, 2, 0, 255]),
  'sub/b.txt': 'b\n',
} as const

type Args = Readonly<Record<string, unknown>>

/** Code and words of mistakes that several tools refuse alike. The code is usually `invalid_arguments`. */
const sharedErrors: Readonly<Record<string, Partial<Pick<ErrorRow, 'code' | 'message'>>>> = {
  'a line 0': { message: 'at least 1' },
  'a limit of 0': { message: 'at least 1' },
  'a depth of 0': { message: 'at least 1' },
  'context below 0': { message: 'at least 0' },
  'an offset below 0': { message: 'at least 0' },
  'an offset after the end': { code: 'out_of_range' },
  'a line after the end': { code: 'out_of_range', message: '2 lines' },
  'an end line before the start line': { message: 'before' },
  'an empty pattern': { code: 'invalid_pattern', message: 'empty' },
  'an invalid pattern': { code: 'invalid_pattern', message: '(' },
  'an invalid glob': { code: 'invalid_pattern', message: '*.{ts' },
  'an empty query': { message: '"query" must not be empty' },
  'an empty command': { message: 'empty' },
  'an empty text to find': { message: /old_\w+ is empty/ },
  'the same old and new text': { code: 'no_change', message: 'identical' },
  'a text that the file does not contain': { code: 'no_match', message: '1: one' },
  'a text that occurs twice': { code: 'ambiguous_match' },
  'an empty patch': { message: /patch|diff/ },
  'a text that is not a patch': { message: '@@' },
  'a new file that exists': { code: 'already_exists' },
  'an address that is not on the web': { message: 'http' },
  'a private address': { code: 'address_refused' },
}

/** A call that makes a mistake: its arguments, and code, words and set-up where the shared error lacks them. */
type Refusal = readonly [
  args: unknown,
  message?: ErrorRow['message'],
  code?: ErrorRow['code'],
  before?: ErrorRow['before'],
]

/** Returns the rows of a tool, by mistake. */
export function refusals(tool: string, calls: Readonly<Record<string, Refusal>>): ErrorRow[] {
  return Object.entries(calls).map(([mistake, [args, ownMessage, ownCode, before]]) => {
    const { code = 'invalid_arguments', message } = sharedErrors[mistake] ?? {}
    const words = ownMessage ?? message
    if (words === undefined) throw new Error(`The row "${mistake}" of ${tool} has no words.`)
    return { tool, mistake, args, code: ownCode ?? code, message: words, before }
  })
}

/** A path that a tool refuses. */
type BadPath = Pick<ErrorRow, 'mistake' | 'code' | 'message'> & { path: string }

export const missingFile: BadPath = {
  mistake: 'a missing file',
  path: 'none',
  code: 'not_found',
  message: '"none" does not exist',
}
export const folderPath: BadPath = { mistake: 'a folder', path: 'sub', code: 'is_directory', message: 'sub' }
export const binaryFile: BadPath = {
  mistake: 'a binary file',
  path: 'binary.dat',
  code: 'binary_file',
  message: 'binary.dat',
}
export const outsidePath: BadPath = {
  mistake: 'a path outside the workspace',
  path: '../x.txt',
  code: 'outside_workspace',
  message: '../x.txt',
}
export const emptyPath: BadPath = { mistake: 'an empty path', path: '', code: 'invalid_path', message: 'path' }
export const fileAsFolder: BadPath = {
  mistake: 'a file as a folder',
  path: 'twice.txt',
  code: 'not_a_directory',
  message: 'twice.txt',
}
const badFiles: readonly BadPath[] = [missingFile, folderPath, binaryFile, outsidePath, emptyPath]
const unsaved: ErrorRow['before'] = async ({ editor }) => {
  editor.tabs.set('sub/b.txt', { text: 'typed', dirty: true })
}

/**
 * Returns a row per bad path.
 * @param rest other arguments of the call
 * @param parameter name of the path parameter
 */
export function pathRows(tool: string, bad: readonly BadPath[], rest: Args = {}, parameter = 'path'): ErrorRow[] {
  return bad.map(({ path: given, ...row }) => ({ tool, ...row, args: { [parameter]: given, ...rest } }))
}

/** Rows of a tool that reads one existing file. */
export const fileRows = (tool: string, rest: Args = {}, parameter = 'path'): ErrorRow[] =>
  pathRows(tool, badFiles, rest, parameter)

/** Rows of a tool that lists or searches a folder. */
export const folderRows = (tool: string, rest: Args = {}, parameter = 'path'): ErrorRow[] =>
  pathRows(tool, [missingFile, outsidePath, fileAsFolder], rest, parameter)

/** Rows of a tool that replaces or creates a file. */
export function writeRows(tool: string, parameter = 'path'): ErrorRow[] {
  const content = 'x'
  return [
    ...pathRows(
      tool,
      [folderPath, binaryFile, outsidePath, emptyPath, { ...fileAsFolder, path: 'twice.txt/c' }],
      { content },
      parameter,
    ),
    ...refusals(tool, {
      'a tab with unsaved changes': [
        { [parameter]: 'sub/b.txt', content },
        'Edit parts of the file',
        'unsaved_changes',
        unsaved,
      ],
    }),
  ]
}

/** Rows of a tool that moves or copies a file. */
export const transferRows = (tool: string): ErrorRow[] => [
  ...pathRows(tool, [missingFile, outsidePath, emptyPath], { destination: 'new.txt' }, 'source'),
  ...pathRows(tool, [outsidePath, emptyPath], { source: 'sub/b.txt' }, 'destination'),
  ...refusals(tool, {
    'a destination that exists': [
      { source: 'sub/b.txt', destination: 'twice.txt' },
      'overwrite: true',
      'already_exists',
    ],
    'a folder into itself': [{ source: 'sub', destination: 'sub/deeper' }, 'into itself', 'invalid_path'],
    'the same source and destination': [{ source: 'sub', destination: 'sub' }, 'the same', 'invalid_path'],
    'a file with unsaved changes': [
      { source: 'sub/b.txt', destination: 'new.txt' },
      'save or revert',
      'unsaved_changes',
      unsaved,
    ],
  }),
]

/** Rows of a tool that deletes files and folders. */
export const deleteRows = (tool: string): ErrorRow[] => [
  ...pathRows(tool, [missingFile, outsidePath, emptyPath, { ...folderPath, code: 'not_empty', message: 'recursive' }]),
  ...refusals(tool, {
    'the workspace itself': [{ path: '.', recursive: true }, 'workspace', 'invalid_path'],
    'a folder with a file with unsaved changes': [
      { path: 'sub', recursive: true },
      'sub/b.txt',
      'unsaved_changes',
      unsaved,
    ],
  }),
]

/**
 * Rows of a tool that replaces one text of a file with another.
 * @param find parameter of the text to find
 * @param replace parameter of the new text
 * @param twice words of the error for a text that occurs twice
 */
export function replaceRows(tool: string, find: string, replace: string, twice: string, file = 'path'): ErrorRow[] {
  const args = (given: string, from: string, to = 'b'): Args => ({ [file]: given, [find]: from, [replace]: to })
  return [
    ...fileRows(tool, { [find]: 'one', [replace]: 'b' }, file),
    ...refusals(tool, {
      'an empty text to find': [args('a.txt', ''), `${find} is empty`],
      'the same old and new text': [args('a.txt', 'one', 'one')],
      'a text that the file does not contain': [args('a.txt', 'onee')],
      'a text that occurs twice': [args('twice.txt', 'x'), twice],
    }),
    ...changedDuringCallRows(tool, args('a.txt', 'one')),
  ]
}

/** Rows of a tool that applies a unified diff to a file. */
export const diffRows = (tool: string, parameter = 'path'): ErrorRow[] => [
  ...fileRows(tool, { patch: '@@ -1 +1 @@\n-a\n+b\n' }, parameter),
  ...refusals(tool, {
    'an empty patch': [{ [parameter]: 'a.txt', patch: '' }],
    'a text that is not a patch': [{ [parameter]: 'a.txt', patch: 'make it better' }],
  }),
  ...changedDuringCallRows(tool, { [parameter]: 'a.txt', patch: '@@ -1 +1 @@\n-one\n+b\n' }),
]

/** Rows of a tool that searches the web. @param limit parameter of the number of results */
export const webSearchRows = (tool: string, limit: string): ErrorRow[] =>
  refusals(tool, { 'an empty query': [{ query: ' ' }], 'a limit of 0': [{ query: 'a', [limit]: 0 }] })

/** Rows of a tool that fetches an address. */
export const fetchRows = (tool: string): ErrorRow[] =>
  refusals(tool, {
    'an address that is not on the web': [{ url: 'file:///etc/passwd' }],
    'an address with a password': [{ url: 'https://a:b@example.org/' }, 'password'],
    'a private address': [{ url: 'http://[::ffff:192.168.0.1]/' }, 'not on the public internet'],
    'a private address in another form': [{ url: 'http://0x7f.1.1.1/' }, '127', 'address_refused'],
  })

/** Writes `a.txt` again, for rows that run after a row that changed it. */
export const restoreEditedFile: ErrorRow['before'] = ({ root }) =>
  writeFile(path.join(root, 'a.txt'), sharedFiles['a.txt'])

/** Returns rows for an edit of `a.txt` that another program changes or deletes during the call. */
export function changedDuringCallRows(tool: string, args: Args): ErrorRow[] {
  const row = { tool, args, code: 'changed_on_disk', before: restoreEditedFile } as const
  return [
    {
      ...row,
      mistake: 'a file that another program changes during the call',
      message: 'has changed',
      during: ({ root }) => writeFile(path.join(root, 'a.txt'), 'another program\n'),
    },
    {
      ...row,
      mistake: 'a file that another program deletes during the call',
      message: 'was deleted',
      during: ({ root }) => rm(path.join(root, 'a.txt')),
    },
  ]
}
