import { ToolError } from '../../../shared/errors.ts'

/** Thrown if the database file is damaged. The index can be rebuilt from the workspace. */
export class IndexDamaged extends Error {
  override readonly name = 'IndexDamaged'
}

/** Primary result codes of SQLite, https://sqlite.org/rescode.html. */
const sqlite = { busy: 5, locked: 6, ioError: 10, corrupt: 11, full: 13, notADatabase: 26 } as const

/**
 * Converts SQLite errors of a damaged file or a full disk to `IndexDamaged` or a ToolError. Returns other errors
 * unchanged.
 */
export function classifyError(error: unknown): unknown {
  const code = primaryCode(error)
  const reason = error instanceof Error ? error.message : String(error)
  if (code === sqlite.corrupt || code === sqlite.notADatabase)
    return new IndexDamaged(`its file is damaged (${reason}) and is being rebuilt`, { cause: error })
  if (code === sqlite.full || code === sqlite.ioError) {
    return new ToolError(
      'no_space',
      `The code index could not be written: ${reason}.`,
      'Free up space on the disk with the user data folder; indexing then continues. Use a text search meanwhile.',
      { cause: error },
    )
  }
  return error
}

/** Whether another process has locked the file. */
export function isLocked(error: unknown): boolean {
  const code = primaryCode(error)
  return code === sqlite.busy || code === sqlite.locked
}

function primaryCode(error: unknown): number | undefined {
  // The low byte of an extended code is the primary code. node:sqlite reports it as `errcode`.
  return error instanceof Error && 'errcode' in error && typeof error.errcode === 'number'
    ? error.errcode & 0xff
    : undefined
}
