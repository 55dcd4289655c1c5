import { rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { ErrorRow } from './toolErrorTests.ts'

// Rows that the error tables of all families share: paths that no file tool accepts, and files that change during a
// call.

/** Files that the shared rows refer to. Every error table contains them. */
export const sharedFiles = {
  'a.txt': 'one\ntwo\n',
  'twice.txt': 'x\nx\n',
  'binary.dat': Buffer.from([0, 1, 2, 0, 255]),
  'sub/b.txt': 'b\n',
} as const

/** A path that a tool refuses. */
export type BadPath = Pick<ErrorRow, 'mistake' | 'code' | 'message'> & { path: string }

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
/** Paths that no tool for the content of one existing file accepts. */
export const badFiles: readonly BadPath[] = [missingFile, folderPath, binaryFile, outsidePath, emptyPath]

/**
 * Returns a row per bad path.
 * @param rest other arguments of the call
 * @param parameter name of the path parameter
 */
export function pathRows(
  tool: string,
  bad: readonly BadPath[],
  rest: Record<string, unknown> = {},
  parameter = 'path',
): ErrorRow[] {
  return bad.map(({ path: given, ...row }) => ({ tool, ...row, args: { [parameter]: given, ...rest } }))
}

/** Writes `a.txt` again, for rows that run after a row that changed it. */
export const restoreEditedFile: ErrorRow['before'] = ({ root }) =>
  writeFile(path.join(root, 'a.txt'), sharedFiles['a.txt'])

/** Returns rows for an edit of `a.txt` that another program changes or deletes during the call. */
export function changedDuringCallRows(tool: string, args: Record<string, unknown>): ErrorRow[] {
  return [
    {
      tool,
      mistake: 'a file that another program changes during the call',
      args,
      code: 'changed_on_disk',
      message: 'has changed',
      before: restoreEditedFile,
      during: ({ root }) => writeFile(path.join(root, 'a.txt'), 'another program\n'),
    },
    {
      tool,
      mistake: 'a file that another program deletes during the call',
      args,
      code: 'changed_on_disk',
      message: 'was deleted',
      before: restoreEditedFile,
      during: ({ root }) => rm(path.join(root, 'a.txt')),
    },
  ]
}
