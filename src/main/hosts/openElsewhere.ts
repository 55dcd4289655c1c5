import type { OpenedFileTarget } from '../core/openedFiles.ts'
import { toFailure } from '../../shared/errors.ts'
import { userDataFolder } from './installation.ts'
import { openInRunning } from './openRequests.ts'

/**
 * Opens the file of a command line in a running Tizona. Sets the exit code to 1 if that ended before the tab was closed,
 * so that a program that waits does not use an unfinished text.
 * @returns whether a running Tizona has opened it
 */
export async function openElsewhere(file: OpenedFileTarget, wait: boolean): Promise<boolean> {
  try {
    const outcome = await openInRunning(userDataFolder(), file, wait)
    if (outcome === 'lost') {
      process.stderr.write('Tizona ended before the tab was closed.\n')
      process.exitCode = 1
    }
    return outcome !== 'notOpen'
  } catch (error) {
    process.stderr.write(`${file.path} could not be opened. ${toFailure(error).message}\n`)
    process.exitCode = 1
    return true
  }
}
