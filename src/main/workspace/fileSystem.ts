import * as fs from 'node:fs/promises'

/** The file system calls that writing goes through, so that a full disk can be tried in a test. */
export type FileSystem = Pick<
  typeof fs,
  | 'access'
  | 'chmod'
  | 'copyFile'
  | 'lstat'
  | 'mkdir'
  | 'open'
  | 'readdir'
  | 'readlink'
  | 'rename'
  | 'rm'
  | 'rmdir'
  | 'stat'
  | 'symlink'
  | 'unlink'
>

/** The real one. */
export const diskFileSystem: FileSystem = fs
