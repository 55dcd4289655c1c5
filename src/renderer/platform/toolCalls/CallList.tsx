import { visibleText } from '../../../shared/text/visibleText.ts'
import { useState, type ReactNode } from 'react'
import type { CallLine } from '../../../shared/tools/tool.ts'
import { Icon } from '../../ui/index.ts'
import { useTools } from '../conversation/toolsStore.ts'
import { formatDuration } from '../../../shared/text/formatDuration.ts'
import { mainArgument } from '../../../shared/tools/callArguments.ts'
import { outcomeText, summarizeCall } from './toolSummary.ts'

/** Lists the calls of a batch or a sub-agent. Each row expands to the result. */
export function CallList({ calls, children }: { calls: readonly CallLine[]; children: (call: CallLine) => ReactNode }) {
  return (
    <ol className="call-list">
      {calls.map((call, index) => (
        // Calls can be identical. The order does not change.
        <CallRow key={index} call={call}>
          {children(call)}
        </CallRow>
      ))}
    </ol>
  )
}

function CallRow({ call, children }: { call: CallLine; children: ReactNode }) {
  const [open, setOpen] = useState(false)
  const info = useTools((state) => state.byName.get(call.tool))
  const { icon, title } = summarizeCall({ name: call.tool, arguments: '{}' }, info)
  const argument = mainArgument(call.arguments)
  return (
    <li
      className={`call-item ${call.ok ? '' : 'call-item-failed'}`}
      data-testid="nested-call"
      data-tool={call.tool}
      data-ok={call.ok}
    >
      <button type="button" className="call-row" aria-expanded={open} onClick={() => setOpen(!open)}>
        <Icon name={open ? 'chevron-down' : 'chevron-right'} />
        <Icon name={icon} className="tool-card-icon" />
        <span className="call-title">{title}</span>
        <span className="tool-card-argument" title={argument}>
          <bdi>{visibleText(argument)}</bdi>
        </span>
        {call.ok && <span className="tool-card-outcome">{outcomeText(call.view)}</span>}
        <span className="tool-card-time">{formatDuration(call.elapsedMs)}</span>
        <Icon
          name={call.ok ? 'check' : 'error'}
          label={call.ok ? 'Done' : 'Failed'}
          className={call.ok ? 'tool-card-check' : 'call-failed'}
        />
      </button>
      {!call.ok && <p className="call-error">{call.text}</p>}
      {open && call.ok && <div className="call-result">{children}</div>}
    </li>
  )
}
