import { rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { testErrors, type ErrorRow } from '../testing/errorRows.ts'
import { rustyToolset } from './rustyToolset.ts'

const envelope = (...lines: string[]) => ({ patch: ['*** Begin Patch', ...lines, '*** End Patch'].join('\n') })
const changed: ErrorRow['during'] = ({ root }) => writeFile(path.join(root, 'a.txt'), 'somebody else\n')
const vanished: ErrorRow['during'] = ({ root }) => rm(path.join(root, 'a.txt'))
const again: ErrorRow['before'] = ({ root }) => writeFile(path.join(root, 'a.txt'), 'one\ntwo\n')
const bad: [what: string, file: string, code: ErrorRow['code'], says: string][] = [
  ['a missing file', 'none.txt', 'not_found', 'none.txt'],
  ['a folder', 'sub', 'is_directory', 'sub'],
  ['a binary file', 'binary.dat', 'binary_file', 'binary.dat'],
  ['a path outside', '../x.txt', 'outside_workspace', '../x.txt'],
  ['an empty path', '', 'invalid_path', 'path'],
]

testErrors({
  toolset: rustyToolset,
  files: {
    'a.txt': 'one\ntwo\n',
    'twice.txt': 'x\nx\n',
    'binary.dat': Buffer.from([0, 1, 2, 0, 255]),
    'sub/b.txt': 'b\n',
  },
  rows: [
    ...bad.map(([what, file, code, says]): ErrorRow => ({ tool: 'file_read', what, args: { path: file }, code, says })),
    {
      tool: 'file_read',
      what: 'an offset below 0',
      args: { path: 'a.txt', offset: -1 },
      code: 'invalid_arguments',
      says: 'at least 0',
    },
    {
      tool: 'file_read',
      what: 'an offset behind the end',
      args: { path: 'a.txt', offset: 2 },
      code: 'out_of_range',
      says: 'from 0 to 1',
    },
    {
      tool: 'file_read',
      what: 'a limit of 0',
      args: { path: 'a.txt', limit: 0 },
      code: 'invalid_arguments',
      says: 'at least 1',
    },

    ...bad.map(([what, file, code, says]): ErrorRow => ({
      tool: 'file_edit',
      what,
      args: { path: file, old_string: 'a', new_string: 'b' },
      code,
      says,
    })),
    {
      tool: 'file_edit',
      what: 'an empty text to find',
      args: { path: 'a.txt', old_string: '', new_string: 'b' },
      code: 'invalid_arguments',
      says: 'old_string is empty',
    },
    {
      tool: 'file_edit',
      what: 'the same text twice',
      args: { path: 'a.txt', old_string: 'one', new_string: 'one' },
      code: 'no_change',
      says: 'identical',
    },
    {
      tool: 'file_edit',
      what: 'a text that is not there',
      args: { path: 'a.txt', old_string: 'onee', new_string: 'b' },
      code: 'no_match',
      says: '1: one',
    },
    {
      tool: 'file_edit',
      what: 'a text at two places',
      args: { path: 'twice.txt', old_string: 'x', new_string: 'b' },
      code: 'ambiguous_match',
      says: 'lines 1, 2',
    },
    {
      tool: 'file_edit',
      what: 'a file that changes meanwhile',
      args: { path: 'a.txt', old_string: 'one', new_string: 'b' },
      code: 'changed_on_disk',
      says: 'has changed',
      before: again,
      during: changed,
    },
    {
      tool: 'file_edit',
      what: 'a file that vanishes meanwhile',
      args: { path: 'a.txt', old_string: 'one', new_string: 'b' },
      code: 'changed_on_disk',
      says: 'was deleted',
      before: again,
      during: vanished,
    },

    ...bad
      .filter(([, file]) => file !== 'none.txt' && file !== 'binary.dat')
      .map(([what, file, code, says]): ErrorRow => ({
        tool: 'file_write',
        what,
        args: { path: file, content: 'x' },
        code,
        says,
      })),
    {
      tool: 'file_write',
      what: 'a binary file',
      args: { path: 'binary.dat', content: 'x' },
      code: 'binary_file',
      says: 'binary.dat',
    },
    {
      tool: 'file_write',
      what: 'a file as a folder',
      args: { path: 'sub/b.txt/c', content: 'x' },
      code: 'not_a_directory',
      says: 'sub/b.txt',
    },
    {
      tool: 'file_write',
      what: 'a tab with unsaved changes',
      args: { path: 'sub/b.txt', content: 'x' },
      code: 'unsaved_changes',
      says: 'Edit parts of the file',
      before: async ({ editor }) => void editor.tabs.set('sub/b.txt', { text: 'typed', dirty: true }),
    },

    ...bad
      .filter(([, file]) => file !== '')
      .map(([what, file, code, says]): ErrorRow => ({
        tool: 'apply_patch',
        what,
        args: envelope(`*** Update File: ${file}`, '-a', '+b'),
        code,
        says,
      })),
    {
      tool: 'apply_patch',
      what: 'an empty patch',
      args: { patch: '' },
      code: 'invalid_arguments',
      says: '*** Begin Patch',
    },
    {
      tool: 'apply_patch',
      what: 'a patch without sections',
      args: envelope(),
      code: 'invalid_arguments',
      says: 'section',
    },
    {
      tool: 'apply_patch',
      what: 'a malformed line',
      args: envelope('*** Update File: a.txt', '?one'),
      code: 'invalid_arguments',
      says: 'Line 3',
    },
    {
      tool: 'apply_patch',
      what: 'lines that are not there',
      args: envelope('*** Add File: new.txt', '+n', '*** Update File: a.txt', '-onee', '+b'),
      code: 'no_match',
      says: '1: one',
      before: again,
    },
    {
      tool: 'apply_patch',
      what: 'a new file that exists',
      args: envelope('*** Add File: a.txt', '+n'),
      code: 'already_exists',
      says: 'Update File',
    },
    {
      tool: 'apply_patch',
      what: 'a file that changes meanwhile',
      args: envelope('*** Add File: new.txt', '+n', '*** Update File: a.txt', '-one', '+b'),
      code: 'changed_on_disk',
      says: 'has changed',
      before: again,
      during: changed,
    },
    {
      tool: 'apply_patch',
      what: 'a file that vanishes meanwhile',
      args: envelope('*** Update File: a.txt', '-one', '+b'),
      code: 'changed_on_disk',
      says: 'was deleted',
      before: again,
      during: vanished,
    },
  ],
  cancelled: {
    file_read: { path: 'twice.txt' },
    file_edit: { path: 'twice.txt', old_string: 'x\nx', new_string: 'y' },
    file_write: { path: 'made/new.txt', content: 'x' },
    apply_patch: envelope('*** Add File: made.txt', '+n', '*** Update File: twice.txt', ' x', '-x', '+y'),
  },
})
