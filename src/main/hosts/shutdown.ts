import { log } from '../base/log/log.ts'

/** How long ending may take before the process leaves anyway. Milliseconds. */
const patience = 10_000

/**
 * Runs `end` once when the process is told to stop (Ctrl+C, TERM, a closed terminal) or meets an error nobody handled, then
 * exits: 0 when told, 1 after an error. A second Ctrl+C does not wait.
 */
export function onShutdown(end: () => Promise<void>): void {
  let ending = false
  const stop = (code: number): void => {
    if (ending) process.exit(130)
    ending = true
    setTimeout(() => {
      log.error('Shutdown took too long; exiting anyway.')
      process.exit(1)
    }, patience).unref()
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
  // A background task that failed is a bug worth reading about, and no reason to take the user's editor away.
  process.on('unhandledRejection', (error) => log.error('A background task failed', error))
}
