import { request } from './bridge/bridge.ts'

/** Maximum characters of a log entry, below the limit of the `log.write` request. */
const maxMessageLength = 10_000

let lastEntry = ''

/** Writes an error to the log of the main process. Skips repetitions of the last entry. */
export function logError(message: string, error: unknown, details = ''): void {
  const cause = error instanceof Error ? (error.stack ?? error.message) : String(error)
  const text = `Window: ${message}: ${cause}${details}`.slice(0, maxMessageLength)
  if (text === lastEntry) return
  lastEntry = text
  // Without a connection, the entry is lost.
  request('log.write', { level: 'error', message: text }).catch(() => undefined)
}

/** Logs unhandled errors and rejections of the window. @returns a function that stops it */
export function followErrors(): () => void {
  const onError = ({ message, error }: ErrorEvent): void => {
    // Harmless: the browser postpones the layout to the next frame.
    if (!message.startsWith('ResizeObserver loop')) logError('Unhandled error', error ?? message)
  }
  const onRejection = ({ reason }: PromiseRejectionEvent): void => {
    // Harmless: Monaco rejects what it cancels, for example the announcement of an outdated suggestion.
    if (!(reason instanceof Error && reason.name === 'Canceled')) logError('Unhandled rejection', reason)
  }
  window.addEventListener('error', onError)
  window.addEventListener('unhandledrejection', onRejection)
  return () => {
    window.removeEventListener('error', onError)
    window.removeEventListener('unhandledrejection', onRejection)
  }
}
