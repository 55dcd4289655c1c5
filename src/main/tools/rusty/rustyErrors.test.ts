import {
  badFiles,
  binaryFile,
  changedDuringCallRows,
  emptyPath,
  folderPath,
  missingFile,
  outsidePath,
  pathRows,
  restoreEditedFile,
  sharedFiles,
} from '../testing/pathErrorRows.ts'
import { testToolErrors, type ErrorRow } from '../testing/toolErrorTests.ts'
import { rustyToolset } from './rustyToolset.ts'

const envelope = (...lines: string[]) => ({ patch: ['*** Begin Patch', ...lines, '*** End Patch'].join('\n') })

testToolErrors({
  toolset: rustyToolset,
  files: sharedFiles,
  rows: [
    ...pathRows('file_read', badFiles),
    {
      tool: 'file_read',
      mistake: 'an offset below 0',
      args: { path: 'a.txt', offset: -1 },
      code: 'invalid_arguments',
      message: 'at least 0',
    },
    {
      tool: 'file_read',
      mistake: 'an offset after the end',
      args: { path: 'a.txt', offset: 2 },
      code: 'out_of_range',
      message: 'from 0 to 1',
    },
    {
      tool: 'file_read',
      mistake: 'a limit of 0',
      args: { path: 'a.txt', limit: 0 },
      code: 'invalid_arguments',
      message: 'at least 1',
    },

    ...pathRows('file_edit', badFiles, { old_string: 'a', new_string: 'b' }),
    {
      tool: 'file_edit',
      mistake: 'an empty text to find',
      args: { path: 'a.txt', old_string: '', new_string: 'b' },
      code: 'invalid_arguments',
      message: 'old_string is empty',
    },
    {
      tool: 'file_edit',
      mistake: 'the same old and new text',
      args: { path: 'a.txt', old_string: 'one', new_string: 'one' },
      code: 'no_change',
      message: 'identical',
    },
    {
      tool: 'file_edit',
      mistake: 'a text that the file does not contain',
      args: { path: 'a.txt', old_string: 'onee', new_string: 'b' },
      code: 'no_match',
      message: '1: one',
    },
    {
      tool: 'file_edit',
      mistake: 'a text that occurs twice',
      args: { path: 'twice.txt', old_string: 'x', new_string: 'b' },
      code: 'ambiguous_match',
      message: 'lines 1, 2',
    },
    ...changedDuringCallRows('file_edit', { path: 'a.txt', old_string: 'one', new_string: 'b' }),

    ...pathRows('file_write', [folderPath, binaryFile, outsidePath, emptyPath], { content: 'x' }),
    {
      tool: 'file_write',
      mistake: 'a file as a folder',
      args: { path: 'sub/b.txt/c', content: 'x' },
      code: 'not_a_directory',
      message: 'sub/b.txt',
    },
    {
      tool: 'file_write',
      mistake: 'a tab with unsaved changes',
      args: { path: 'sub/b.txt', content: 'x' },
      code: 'unsaved_changes',
      message: 'Edit parts of the file',
      before: async ({ editor }) => void editor.tabs.set('sub/b.txt', { text: 'typed', dirty: true }),
    },

    ...[missingFile, folderPath, binaryFile, outsidePath].map(({ path: given, ...row }): ErrorRow => ({
      tool: 'apply_patch',
      ...row,
      args: envelope(`*** Update File: ${given}`, '-a', '+b'),
    })),
    {
      tool: 'apply_patch',
      mistake: 'an empty patch',
      args: { patch: '' },
      code: 'invalid_arguments',
      message: '*** Begin Patch',
    },
    {
      tool: 'apply_patch',
      mistake: 'a patch without sections',
      args: envelope(),
      code: 'invalid_arguments',
      message: 'section',
    },
    {
      tool: 'apply_patch',
      mistake: 'a malformed line',
      args: envelope('*** Update File: a.txt', '?one'),
      code: 'invalid_arguments',
      message: 'Line 3',
    },
    {
      tool: 'apply_patch',
      mistake: 'lines that the file does not contain',
      args: envelope('*** Add File: new.txt', '+n', '*** Update File: a.txt', '-onee', '+b'),
      code: 'no_match',
      message: '1: one',
      before: restoreEditedFile,
    },
    {
      tool: 'apply_patch',
      mistake: 'a new file that exists',
      args: envelope('*** Add File: a.txt', '+n'),
      code: 'already_exists',
      message: 'Update File',
    },
    ...changedDuringCallRows(
      'apply_patch',
      envelope('*** Add File: new.txt', '+n', '*** Update File: a.txt', '-one', '+b'),
    ),
  ],
  cancelled: {
    file_read: { path: 'twice.txt' },
    file_edit: { path: 'twice.txt', old_string: 'x\nx', new_string: 'y' },
    file_write: { path: 'made/new.txt', content: 'x' },
    apply_patch: envelope('*** Add File: made.txt', '+n', '*** Update File: twice.txt', ' x', '-x', '+y'),
  },
})
