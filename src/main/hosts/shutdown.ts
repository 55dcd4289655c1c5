import { log } from '../base/log/log.ts'

/** How long shutdown may take before the process exits anyway, in milliseconds. */
const shutdownTimeout = 10_000

/**
 * Runs `end` once on a signal (Ctrl+C, TERM, a closed terminal) or an unhandled error, then exits: with 0 after a signal,
 * with 1 after an error. A second signal exits at once.
 */
export function onShutdown(end: () => Promise<void>): void {
  let ending = false
  const stop = (code: number): void => {
    if (ending) process.exit(130)
    ending = true
    setTimeout(() => {
      log.error('Shutdown took too long; exiting anyway.')
      process.exit(1)
    }, shutdownTimeout).unref()
    end().then(
      () => process.exit(code),
      (error: unknown) => {
        log.error('Shutdown failed', error)
        process.exit(1)
      },
    )
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stop(0))
  process.on('uncaughtException', (error) => {
    log.error('Unhandled error; stopping', error)
    if (!ending) stop(1)
  })
  // A failed background task is a bug, but no reason to close the editor.
  process.on('unhandledRejection', (error) => log.error('A background task failed', error))
}
