import { ToolError } from '../../../shared/errors.ts'

/** The index file holds something that SQLite cannot read. It can be built again. */
export class IndexDamaged extends Error {
  override readonly name = 'IndexDamaged'
}

/** Primary result codes of SQLite, https://sqlite.org/rescode.html. */
const sqlite = { busy: 5, locked: 6, ioError: 10, corrupt: 11, full: 13, notADatabase: 26 } as const

/** An error of SQLite by what can be done about it; any other error as it is. */
export function classifyError(error: unknown): unknown {
  const code = primaryCode(error)
  const reason = error instanceof Error ? error.message : String(error)
  if (code === sqlite.corrupt || code === sqlite.notADatabase)
    return new IndexDamaged(`its file is damaged (${reason}) and is built anew`, { cause: error })
  if (code === sqlite.full || code === sqlite.ioError) {
    return new ToolError(
      'no_space',
      `The code index could not be written: ${reason}.`,
      'Free space on the disk of the user data folder; the index continues by itself. Until then search in the text of the files.',
      { cause: error },
    )
  }
  return error
}

/** Another process has the file. */
export function isLocked(error: unknown): boolean {
  const code = primaryCode(error)
  return code === sqlite.busy || code === sqlite.locked
}

function primaryCode(error: unknown): number | undefined {
  // Extended codes hold the primary one in their low byte. node:sqlite gives them as `errcode`.
  return error instanceof Error && 'errcode' in error && typeof error.errcode === 'number'
    ? error.errcode & 0xff
    : undefined
}
