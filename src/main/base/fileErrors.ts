import { isAbort, ToolError, type ToolErrorCode } from '../../shared/errors.ts'

interface Explanation {
  code: ToolErrorCode
  /** A sentence. */
  why: string
  next: string
}

const permission: Explanation = {
  code: 'permission_denied',
  why: 'The operating system denies access.',
  next: 'Ask the user to change the permissions, or work on another path.',
}
const full: Explanation = {
  code: 'no_space',
  why: 'The disk is full.',
  next: 'Ask the user to free space on the disk, then try again. No partial file was written.',
}
const badName: Explanation = {
  code: 'invalid_path',
  why: 'The system does not allow this path.',
  next: 'Use a shorter path without special characters or reserved names.',
}

const explanations: Readonly<Record<string, Explanation>> = {
  ENOENT: { code: 'not_found', why: 'It does not exist.', next: 'List the folder, or search for the file by name.' },
  EEXIST: { code: 'already_exists', why: 'An entry with that name already exists.', next: 'Choose another name.' },
  EISDIR: { code: 'is_directory', why: 'It is a directory.', next: 'Pass a file inside it.' },
  ENOTDIR: {
    code: 'not_a_directory',
    why: 'A part of the path is a file, not a directory.',
    next: 'List the parent folder and correct the path.',
  },
  ENOTEMPTY: {
    code: 'not_empty',
    why: 'The directory is not empty.',
    next: 'Delete its entries first, or repeat with recursive: true.',
  },
  EACCES: permission,
  EPERM: permission,
  EROFS: { ...permission, why: 'The file system is read-only.' },
  ENOSPC: full,
  EDQUOT: { ...full, why: 'The disk quota is exceeded.' },
  ENAMETOOLONG: { ...badName, why: 'A name in the path is too long.' },
  ELOOP: { ...badName, why: 'Its symbolic links form a cycle.', next: 'Ask the user to repair the links.' },
  EINVAL: badName,
  EMFILE: { code: 'io_error', why: 'Too many files are open.', next: 'Try again in a moment.' },
  ENFILE: { code: 'io_error', why: 'Too many files are open on this machine.', next: 'Try again in a moment.' },
}

/**
 * Converts a file system error to a `ToolError` with cause and hint. Returns a `ToolError`, an abort and a bug (an
 * error without a system error code) unchanged.
 * @param failed sentence at the start of the message, such as `"src/a.ts" could not be read.`
 */
export function fileError(error: unknown, failed: string): unknown {
  if (error instanceof ToolError || isAbort(error)) return error
  const code = errorCode(error)
  if (code === undefined || !(error instanceof Error) || !('syscall' in error)) return error
  const known = explanations[code]
  if (!known)
    return new ToolError(
      'io_error',
      `${failed} The system reports ${code}.`,
      'Try again; if it fails again, ask the user to check the disk.',
      { cause: error },
    )
  return new ToolError(known.code, `${failed} ${known.why}`, known.next, { cause: error })
}

/** Returns the system error code of a thrown value, e.g. `ENOENT`. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}
