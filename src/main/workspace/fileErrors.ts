import { isAbort, ToolError, type ToolErrorCode } from '../../shared/errors.ts'
import { errorCode } from '../base/errorCode.ts'

export { errorCode }

interface Explanation {
  code: ToolErrorCode
  why: string
  next: string
}

const permission: Explanation = {
  code: 'permission_denied',
  why: 'the operating system does not permit it',
  next: 'Ask the user to change the permissions, or work on another path.',
}
const full: Explanation = {
  code: 'no_space',
  why: 'the disk is full',
  next: 'Ask the user to free space on the disk, then try again. Nothing was left half written.',
}
const badName: Explanation = {
  code: 'invalid_path',
  why: 'the system does not take this path',
  next: 'Use a shorter path of ordinary names.',
}

const explanations: Readonly<Record<string, Explanation>> = {
  ENOENT: { code: 'not_found', why: 'it does not exist', next: 'List the folder, or search for the file by name.' },
  EEXIST: { code: 'already_exists', why: 'something of that name exists already', next: 'Choose another name.' },
  EISDIR: { code: 'is_directory', why: 'it is a directory', next: 'Name a file inside it.' },
  ENOTDIR: {
    code: 'not_a_directory',
    why: 'a part of the path is a file and not a directory',
    next: 'List the parent folder and correct the path.',
  },
  ENOTEMPTY: {
    code: 'not_empty',
    why: 'the directory is not empty',
    next: 'Name each thing inside it, or ask for a recursive operation.',
  },
  EACCES: permission,
  EPERM: permission,
  EROFS: { ...permission, why: 'the file system is read-only' },
  ENOSPC: full,
  EDQUOT: { ...full, why: 'the disk quota is used up' },
  ENAMETOOLONG: { ...badName, why: 'a name in it is too long' },
  ELOOP: { ...badName, why: 'its symbolic links go round in a circle', next: 'Ask the user to repair the links.' },
  EINVAL: badName,
  EMFILE: { code: 'io_error', why: 'too many files are open', next: 'Try again in a moment.' },
  ENFILE: { code: 'io_error', why: 'too many files are open on this machine', next: 'Try again in a moment.' },
}

/**
 * A file system error in words. What already is a `ToolError`, an abort, or no system error (a bug) passes unchanged.
 * @param doing what failed, e.g. `read "src/a.ts"`
 */
export function fileError(error: unknown, doing: string): unknown {
  if (error instanceof ToolError || isAbort(error)) return error
  const code = errorCode(error)
  if (code === undefined || !(error instanceof Error) || !('syscall' in error)) return error
  const known = explanations[code]
  if (!known)
    return new ToolError(
      'io_error',
      `Could not ${doing}: the system reports ${code}.`,
      'Try again; if it goes on, ask the user to check the disk.',
      { cause: error },
    )
  return new ToolError(known.code, `Could not ${doing}: ${known.why}.`, known.next, { cause: error })
}
