import { useState, type FormEvent } from 'react'
import { attempt } from '../../platform/notices.ts'
import { Button, Dialog, Icon, Select, TextField } from '../../ui/index.ts'
import { attach, useDebugStart } from './startDebugging.ts'

/** Returns what is wrong with a process id or port; null if it is valid. */
function problemOf(text: string, by: 'process' | 'port'): string | null {
  const value = Number(text)
  const isWhole = /^\d+$/.test(text.trim())
  if (by === 'process') return isWhole && value > 0 ? null : 'Enter a process ID.'
  return isWhole && value >= 1 && value <= 65_535 ? null : 'Enter a port from 1 to 65535.'
}

/** Asks for a process or a port, and attaches a debugger to it. */
export function AttachDialog({ onClose }: { onClose: () => void }) {
  const debuggers = useDebugStart((state) => state.debuggers) ?? []
  const found = debuggers.filter(({ missing }) => missing === undefined)
  const [debuggerId, setDebugger] = useState(found[0]?.id ?? '')
  const [by, setBy] = useState<'process' | 'port'>('port')
  const [text, setText] = useState('')
  const [submitted, setSubmitted] = useState(false)
  const problem = problemOf(text, by)

  function submit(event: FormEvent): void {
    event.preventDefault()
    setSubmitted(true)
    if (problem !== null || debuggerId === '') return
    onClose()
    const value = Number(text)
    attempt(() => attach({ debugger: debuggerId, ...(by === 'port' ? { port: value } : { processId: value }) }))
  }

  return (
    <Dialog
      title="Attach to a process"
      width={440}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" type="submit" form="debug-attach" disabled={found.length === 0}>
            Attach
          </Button>
        </>
      }
    >
      <form id="debug-attach" className="debug-attach" onSubmit={submit}>
        <p className="debug-attach-warning">
          <Icon name="warning" color="var(--color-warning)" />
          <span>
            The debugger runs outside the sandbox, with your permissions. It can read and change everything that you
            can.
          </span>
        </p>
        {found.length === 0 ? (
          <p>No debugger was found on this machine.</p>
        ) : (
          <>
            <Select
              label="Debugger"
              value={debuggerId}
              options={found.map(({ id, title, languages }) => ({
                value: id,
                label: `${title} (${languages.join(', ')})`,
              }))}
              onChange={(event) => setDebugger(event.target.value)}
            />
            <Select
              label="Attach by"
              value={by}
              options={[
                { value: 'port', label: 'Port on this machine' },
                { value: 'process', label: 'Process ID' },
              ]}
              // The options are those above.
              onChange={(event) => setBy(event.target.value as 'process' | 'port')}
            />
            <TextField
              label={by === 'port' ? 'Port' : 'Process ID'}
              value={text}
              inputMode="numeric"
              autoComplete="off"
              data-autofocus
              error={problem !== null && submitted ? problem : undefined}
              onChange={(event) => setText(event.target.value)}
            />
          </>
        )}
      </form>
    </Dialog>
  )
}
