import type { OpenedFileTarget } from '../core/openedFiles.ts'
import { toFailure } from '../../shared/errors.ts'
import { userDataFolder } from './installation.ts'
import { openInRunning } from './openRequests.ts'

/**
 * Opens the files of a command line in a running Tizona.
 * @param wait whether to wait until the tabs of all are closed
 * @returns whether a running Tizona has opened them
 */
export async function openAllElsewhere(files: readonly OpenedFileTarget[], wait: boolean): Promise<boolean> {
  const [first, ...others] = files
  if (first === undefined) return false
  if (!wait) {
    if (!(await openElsewhere(first, false))) return false
    for (const file of others) await openElsewhere(file, false)
    return true
  }
  const opened = await Promise.all(files.map((file) => openElsewhere(file, true)))
  return opened.some(Boolean)
}

/**
 * Opens the file of a command line in a running Tizona. Sets the exit code to 1 if that ended before the tab was closed,
 * so that a program that waits does not use an unfinished text.
 * @returns whether a running Tizona has opened it
 */
async function openElsewhere(file: OpenedFileTarget, wait: boolean): Promise<boolean> {
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
