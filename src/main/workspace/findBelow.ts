import { opendir } from 'node:fs/promises'
import path from 'node:path'
import { errorCode } from './fileErrors.ts'

/**
 * The first thing below a folder that `test` accepts, links not followed. Holds one open folder a level in memory, however much lies
 * below. A folder that cannot be read is passed over: what cannot be listed cannot be deleted or moved out of either.
 * @param absolute a folder; anything else has nothing below it
 * @param relative the folder as the workspace knows it
 * @param test is given paths relative to the workspace
 * @returns its path relative to the workspace
 */
export async function findBelow(absolute: string, relative: string, test: (path: string) => boolean, signal: AbortSignal): Promise<string | undefined> {
  signal.throwIfAborted()
  try {
    for await (const entry of await opendir(absolute, { bufferSize: 256 })) {
      const name = `${relative}/${entry.name}`
      if (test(name)) return name
      const deeper = entry.isDirectory() ? await findBelow(path.join(absolute, entry.name), name, test, signal) : undefined
      if (deeper !== undefined) return deeper
    }
  } catch (error) {
    if (errorCode(error) === undefined || !(error instanceof Error) || !('syscall' in error)) throw error
  }
  return undefined
}
