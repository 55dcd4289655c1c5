import { request } from './bridge/bridge.ts'

/** Characters of one report; main accepts no longer ones. */
const maxMessageLength = 10_000

let last = ''

/** Writes an error of the window to the log of the main process. The same error twice in a row is logged once. */
export function logError(message: string, error: unknown, details = ''): void {
  const cause = error instanceof Error ? (error.stack ?? error.message) : String(error)
  const text = `Window: ${message}: ${cause}${details}`.slice(0, maxMessageLength)
  if (text === last) return
  last = text
  // Without a connection there is nowhere to log to.
  request('log.write', { level: 'error', message: text }).catch(() => undefined)
}

/** Logs errors that nothing in the window handles. @returns stop */
export function followErrors(): () => void {
  const onError = ({ message, error }: ErrorEvent): void => {
    // Browsers report a layout that needs another frame as an error.
    if (!message.startsWith('ResizeObserver loop')) logError('Unhandled error', error ?? message)
  }
  const onRejection = ({ reason }: PromiseRejectionEvent): void => logError('Unhandled rejection', reason)
  window.addEventListener('error', onError)
  window.addEventListener('unhandledrejection', onRejection)
  return () => {
    window.removeEventListener('error', onError)
    window.removeEventListener('unhandledrejection', onRejection)
  }
}
