import { useEffect, useRef, useState } from 'react'
import type { CellExecution } from '../../shared/notebook/kernels.ts'
import { formatDuration, formatSeconds } from '../../shared/text/formatDuration.ts'
import { Button, Icon } from '../ui/index.ts'
import type { LastRun } from './kernelStore.ts'

interface RunLineProps {
  execution: CellExecution | undefined
  lastRun: LastRun | undefined
}

/** State and duration of a cell's run. Empty if the cell was not run in this window. */
export function RunLine({ execution, lastRun }: RunLineProps) {
  if (execution)
    return (
      <p className="notebook-run" role="status">
        <Icon name={execution.state === 'running' ? 'sync' : 'watch'} />
        {execution.state === 'running' ? <Elapsed since={execution.startedAt} /> : 'Waiting'}
      </p>
    )
  if (lastRun === undefined) return null
  return (
    <p className="notebook-run" role="status" data-outcome={lastRun.outcome}>
      <Icon name={icons[lastRun.outcome]} />
      {lastRun.outcome === 'aborted' ? 'Not run' : formatDuration(lastRun.durationMs)}
    </p>
  )
}

const icons = { ok: 'pass', error: 'error', aborted: 'circle-slash' } as const

function Elapsed({ since }: { since: number | undefined }) {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 500)
    return () => clearInterval(timer)
  }, [])
  // Seconds only, and hidden from screen readers, which would read each change.
  return <span aria-hidden="true">{`Running, ${formatSeconds(Math.max(0, (now - (since ?? now)) / 1000))}`}</span>
}

interface InputFieldProps {
  prompt: string
  password: boolean
  onAnswer: (text: string) => void
}

/** What a program asks for with `input()`. Takes the focus if the focus is in its cell. */
export function InputField({ prompt, password, onAnswer }: InputFieldProps) {
  const field = useRef<HTMLInputElement>(null)
  const [text, setText] = useState('')
  useEffect(() => {
    if (field.current?.closest('.notebook')?.contains(document.activeElement)) field.current.focus()
  }, [])
  return (
    <form
      className="notebook-input"
      onSubmit={(event) => {
        event.preventDefault()
        onAnswer(text)
      }}
    >
      <label>
        <span>{prompt === '' ? 'Input' : prompt}</span>
        <input
          ref={field}
          className="ui-input"
          type={password ? 'password' : 'text'}
          value={text}
          autoComplete="off"
          onChange={({ target }) => setText(target.value)}
        />
      </label>
      <Button type="submit" size="small">
        Send
      </Button>
    </form>
  )
}
