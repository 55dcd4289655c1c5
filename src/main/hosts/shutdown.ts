import { constants } from 'node:os'
import { log } from '../base/log/log.ts'

/** Milliseconds after which the process exits even if shutdown is not finished. */
const shutdownTimeout = 10_000

/**
 * Runs `end` with a time limit, then exits.
 * @param exit called with `code`, or with 1 if `end` fails or takes too long
 */
export function shutDown(end: () => Promise<void>, code: number, exit: (code: number) => void): void {
  setTimeout(() => {
    log.error('Shutdown took too long; exiting anyway.')
    exit(1)
  }, shutdownTimeout).unref()
  end().then(
    () => exit(code),
    (error: unknown) => {
      log.error('Shutdown failed', error)
      exit(1)
    },
  )
}

/**
 * Runs `end` once when the process receives a signal (Ctrl+C, TERM, a closed terminal) or on an unhandled error, then
 * exits: with 0 after a signal, with 1 after an error. A second signal exits immediately, with 128 plus its number.
 */
export function onShutdown(end: () => Promise<void>): void {
  let ending = false
  const stop = (code: number): void => {
    ending = true
    shutDown(end, code, (exitCode) => process.exit(exitCode))
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => {
      if (ending) process.exit(128 + constants.signals[signal])
      stop(0)
    })
  process.on('uncaughtException', (error) => {
    log.error('Unhandled error; stopping', error)
    if (!ending) stop(1)
  })
  // A failed background task is a bug, but the editor remains usable.
  process.on('unhandledRejection', (error) => log.error('A background task failed', error))
}
