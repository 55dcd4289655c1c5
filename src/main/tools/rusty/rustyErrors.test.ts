import {
  binaryFile,
  changedDuringCallRows,
  fileRows,
  folderPath,
  missingFile,
  outsidePath,
  refusals,
  replaceRows,
  restoreEditedFile,
  sharedFiles,
  writeRows,
} from '../testing/errorRows.ts'
import { testToolErrors } from '../testing/toolErrorTests.ts'
import { rustyToolset } from './rustyToolset.ts'

const envelope = (...lines: string[]) => ({ patch: ['*** Begin Patch', ...lines, '*** End Patch'].join('\n') })

testToolErrors({
  toolset: rustyToolset,
  files: sharedFiles,
  rows: [
    fileRows('file_read'),
    refusals('file_read', {
      'an offset below 0': [{ path: 'a.txt', offset: -1 }],
      'an offset after the end': [{ path: 'a.txt', offset: 2 }, 'from 0 to 1'],
      'a limit of 0': [{ path: 'a.txt', limit: 0 }],
    }),
    replaceRows('file_edit', 'old_string', 'new_string', 'lines 1, 2'),
    writeRows('file_write'),
    [missingFile, folderPath, binaryFile, outsidePath].map(({ path: given, ...row }) => ({
      tool: 'apply_patch',
      ...row,
      args: envelope(`*** Update File: ${given}`, '-a', '+b'),
    })),
    refusals('apply_patch', {
      'an empty patch': [{ patch: '' }, '*** Begin Patch'],
      'a patch without sections': [envelope(), 'section'],
      'a malformed line': [envelope('*** Update File: a.txt', '?one'), 'Line 3'],
      'lines that the file does not contain': [
        envelope('*** Add File: new.txt', '+n', '*** Update File: a.txt', '-onee', '+b'),
        '1: one',
        'no_match',
        restoreEditedFile,
      ],
      'a new file that exists': [envelope('*** Add File: a.txt', '+n'), 'Update File'],
    }),
    changedDuringCallRows(
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
