import { opendir } from 'node:fs/promises'
import path from 'node:path'
import { ToolError } from '../../shared/errors.ts'
import { errorCode } from './fileErrors.ts'

/** Entries to look at; a walk over more would keep its caller waiting for long. */
const maxEntries = 500_000

/**
 * The first thing below a folder that `test` accepts, links not followed. Holds one open folder a level in memory, however much lies
 * below. A folder that cannot be read is passed over: what cannot be listed cannot be deleted or moved out of either.
 * @param absolute a folder; anything else has nothing below it
 * @param relative the folder as the workspace knows it
 * @param test is given paths relative to the workspace
 * @param room how many entries may still be looked at, counted down
 * @returns its path relative to the workspace. Throws `too_large` where the folder holds more entries than may be looked at.
 */
export async function findBelow(
  absolute: string,
  relative: string,
  test: (path: string) => boolean,
  signal: AbortSignal,
  room = { entries: maxEntries },
): Promise<string | undefined> {
  signal.throwIfAborted()
  try {
    for await (const entry of await opendir(absolute, { bufferSize: 256 })) {
      const name = `${relative}/${entry.name}`
      room.entries -= 1
      if (room.entries < 0)
        throw new ToolError(
          'too_large',
          `"${relative}" lies in a folder with so many entries that not all could be checked for protected files.`,
          'Take its subfolders one by one.',
        )
      if (test(name)) return name
      const deeper = entry.isDirectory()
        ? await findBelow(path.join(absolute, entry.name), name, test, signal, room)
        : undefined
      if (deeper !== undefined) return deeper
    }
  } catch (error) {
    if (errorCode(error) === undefined || !(error instanceof Error) || !('syscall' in error)) throw error
  }
  return undefined
}
