import { toFailure } from '../../shared/errors.ts'
import { errorCode, fileError } from '../base/fileErrors.ts'

/** Returns the message for a watch error, with its consequence and a hint. */
export function watchProblem(error: unknown): string {
  const consequence = 'Changes made outside Tizona may not be detected.'
  switch (errorCode(error)) {
    case 'ENOSPC':
      return `The system's limit for watched folders has been reached. ${consequence} On Linux, raise it with: sudo sysctl fs.inotify.max_user_watches=524288`
    case 'EMFILE':
    case 'ENFILE':
      return `The system's limit for open files or watchers has been reached. ${consequence} On Linux, raise fs.inotify.max_user_instances or ulimit -n.`
    default:
      return `${toFailure(fileError(error, 'The folder cannot be watched.')).message} ${consequence}`
  }
}
