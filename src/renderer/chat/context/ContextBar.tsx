import { useEffect, useRef, useState } from 'react'
import { useShallow } from 'zustand/react/shallow'
import { usedTokens } from '../../../shared/agent/contextUse.ts'
import { formatNumber } from '../../../shared/text/formatNumber.ts'
import { plural } from '../../../shared/text/plural.ts'
import { runCommand } from '../../platform/commands.ts'
import { Button } from '../../ui/index.ts'
import { useChat } from '../../platform/conversation/chatStore.ts'
import { profileTexts } from '../../../shared/agent/profileTexts.ts'
import { contextFill, type ContextFill } from './contextFill.ts'
import './context.css'

const segments = [
  { key: 'system', label: 'Instructions' },
  { key: 'tools', label: 'Tools' },
  { key: 'files', label: 'Files' },
  { key: 'conversation', label: 'Conversation' },
] as const

/** Shows how full the context window is, with details by category. Hidden before the first request. */
export function ContextBar() {
  const filled = useChat(useShallow(contextFill))
  const [open, setOpen] = useState<'closed' | 'hover' | 'pinned'>('closed')
  const frame = useRef<HTMLDivElement>(null)

  useEffect(() => {
    if (open !== 'pinned') return
    const onDown = (event: PointerEvent) => {
      if (event.target instanceof Node && !frame.current?.contains(event.target)) setOpen('closed')
    }
    document.addEventListener('pointerdown', onDown)
    return () => document.removeEventListener('pointerdown', onDown)
  }, [open])

  if (!filled) return null
  const percent = Math.round((usedTokens(filled) / filled.window) * 100)
  return (
    <div
      ref={frame}
      className="context"
      onMouseEnter={() => setOpen((now) => (now === 'closed' ? 'hover' : now))}
      onMouseLeave={() => setOpen((now) => (now === 'hover' ? 'closed' : now))}
      onKeyDown={(event) => {
        if (event.key === 'Escape' && open !== 'closed') {
          event.stopPropagation()
          setOpen('closed')
        }
      }}
    >
      <button
        type="button"
        className={`context-button${filled.nearlyFull ? ' context-nearly-full' : ''}`}
        aria-label={`Context: ${percent}% of the model's window is used`}
        aria-expanded={open !== 'closed'}
        data-testid="context-bar"
        onClick={() => setOpen((now) => (now === 'pinned' ? 'closed' : 'pinned'))}
      >
        <Meter filled={filled} />
        {percent}%
      </button>
      {open !== 'closed' && <Details filled={filled} onDone={() => setOpen('closed')} />}
    </div>
  )
}

function Meter({ filled }: { filled: ContextFill }) {
  return (
    <span className="context-meter" aria-hidden="true">
      {segments.map(({ key }) => (
        <span
          key={key}
          className={`context-segment context-${key}`}
          style={{ width: `${(filled[key] / filled.window) * 100}%` }}
        />
      ))}
    </span>
  )
}

function Details({ filled, onDone }: { filled: ContextFill; onDone: () => void }) {
  const running = useChat((state) => state.running)
  const { window, answer, available, exact, assumed, compactAt, profile } = filled
  return (
    <div className="context-details" role="group" aria-label="Context usage" data-testid="context-details">
      <Meter filled={filled} />
      <table>
        <tbody>
          {segments.map(({ key, label }) => (
            <Row key={key} swatch={key} label={label} tokens={filled[key]} />
          ))}
          <Row swatch="answer" label="Reserved for the answer" tokens={answer} />
          <Row swatch="available" label="Available" tokens={available} />
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">Window</th>
            <td>{formatNumber(window)}</td>
          </tr>
        </tfoot>
      </table>
      <p className="context-note">
        {exact ? 'Tokens as counted by the server.' : 'Tokens are estimated because the server does not count them.'}{' '}
        {assumed
          ? `Context size unknown; assuming ${formatNumber(window)}. Set it in the settings of the endpoint.`
          : `Above ${plural(compactAt, 'token')}, old results are truncated and the conversation is summarized.`}
      </p>
      <div className="context-actions">
        <Button
          size="small"
          disabled={running}
          onClick={() => {
            onDone()
            runCommand('chat.compact')
          }}
        >
          Summarize now
        </Button>
        <Button
          size="small"
          variant="ghost"
          onClick={() => {
            onDone()
            runCommand('chat.pickProfile')
          }}
        >
          {`Prompt: ${profileTexts[profile].label.toLowerCase()}…`}
        </Button>
      </div>
    </div>
  )
}

function Row({ swatch, label, tokens }: { swatch: string; label: string; tokens: number }) {
  return (
    <tr>
      <th scope="row">
        <span className={`context-swatch context-${swatch}`} aria-hidden="true" />
        {label}
      </th>
      <td>{formatNumber(tokens)}</td>
    </tr>
  )
}
