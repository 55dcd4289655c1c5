import { useEffect, useRef } from 'react'
import { request } from '../platform/bridge/bridge.ts'
import { attempt, notify } from '../platform/notices.ts'
import { Button, Dialog } from '../ui/index.ts'
import { useLog } from './logStore.ts'

/** Reloads the log, unless the dialog is closed in the meantime. */
async function refreshLog(): Promise<void> {
  const log = await request('log.read', {})
  useLog.setState((state) => (state.log === null ? state : { log }))
}

/** Copies versions, platform, settings without secrets, and the latest errors to the clipboard. */
export async function copyDiagnostics(): Promise<void> {
  await navigator.clipboard.writeText(await request('app.diagnostics', {}))
  notify('success', 'Diagnostics copied', { detail: 'Paste them into your bug report. API keys are not included.' })
}

/** Dialog with the end of the log file, scrolled to the latest entry. */
export function LogDialog() {
  const log = useLog((state) => state.log)
  const text = useRef<HTMLPreElement>(null)
  useEffect(() => {
    text.current?.scrollTo({ top: text.current.scrollHeight })
  }, [log])
  if (!log) return null
  const copy = () => navigator.clipboard.writeText(log.text)
  return (
    <Dialog
      title="Log"
      width={960}
      className="log-dialog"
      onClose={() => useLog.setState({ log: null })}
      footer={
        <>
          <Button icon="copy" onClick={() => attempt(copy, 'The log could not be copied')}>
            Copy log
          </Button>
          <Button icon="refresh" onClick={() => attempt(refreshLog)}>
            Refresh
          </Button>
          <Button variant="primary" onClick={() => attempt(copyDiagnostics)}>
            Copy diagnostics
          </Button>
        </>
      }
    >
      <p className="log-path">
        <code>{log.path}</code>
        {log.truncated && ' Only the end of the file is shown.'}
      </p>
      {log.text === '' ? (
        <p>The log is empty.</p>
      ) : (
        <pre ref={text} className="log-text" tabIndex={0} aria-label="Log entries" data-autofocus>
          {log.text}
        </pre>
      )}
    </Dialog>
  )
}
