import * as fs from 'node:fs/promises'

/** File system calls used for writing. Tests replace some of them, e.g. to simulate a full disk. */
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

export const diskFileSystem: FileSystem = fs
