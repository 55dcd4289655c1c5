import { opendir } from 'node:fs/promises'
import path from 'node:path'
import { ToolError } from '../../shared/errors.ts'
import { errorCode } from '../base/fileErrors.ts'

/** Maximum number of entries to check, so that a large folder does not block the caller for long. */
const maxEntries = 500_000

/**
 * Returns the first entry below a folder that `test` accepts. Does not follow links, and keeps one folder open per
 * level. Skips unreadable folders, because their entries cannot be deleted or moved either.
 * @param absolute a folder; any other entry contains nothing
 * @param relative path of the folder relative to the workspace
 * @param test receives paths relative to the workspace
 * @param remaining number of entries that may still be checked; decreases
 * @returns path relative to the workspace
 * @throws ToolError `too_large` if there are more entries than `remaining`
 */
export async function findBelow(
  absolute: string,
  relative: string,
  test: (path: string) => boolean,
  signal: AbortSignal,
  remaining = { entries: maxEntries },
): Promise<string | undefined> {
  signal.throwIfAborted()
  try {
    for await (const entry of await opendir(absolute, { bufferSize: 256 })) {
      const name = relative === '.' ? entry.name : `${relative}/${entry.name}`
      remaining.entries -= 1
      if (remaining.entries < 0)
        throw new ToolError(
          'too_large',
          `"${relative}" is in a folder with too many entries to check for protected files.`,
          'Process its subfolders one at a time.',
        )
      if (test(name)) return name
      const nested = entry.isDirectory()
        ? await findBelow(path.join(absolute, entry.name), name, test, signal, remaining)
        : undefined
      if (nested !== undefined) return nested
    }
  } catch (error) {
    if (errorCode(error) === undefined || !(error instanceof Error) || !('syscall' in error)) throw error
  }
  return undefined
}
