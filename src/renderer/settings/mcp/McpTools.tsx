import type { McpServerStatus, McpToolStatus } from '../../../shared/tools/mcp.ts'
import { risks } from '../../../shared/tools/risk.ts'
import { riskTexts } from '../../../shared/tools/modeTexts.ts'
import { attempt } from '../../platform/notices.ts'
import { Select, VisibleCode } from '../../ui/index.ts'
import { changeMcp } from '../../platform/mcpStore.ts'

/** List of the tools of an MCP server, with description, risk and a switch. */
export function McpTools({ server: { key, tools } }: { server: McpServerStatus }) {
  return (
    <ul className="mcp-tools">
      {tools.map((tool) => (
        <McpToolRow key={tool.name} serverKey={key} tool={tool} />
      ))}
    </ul>
  )
}

function McpToolRow({ serverKey, tool }: { serverKey: string; tool: McpToolStatus }) {
  const { name, tool: ownName, description, risk, ownRisk, off, fingerprint } = tool
  const change = (choice: { off?: boolean; risk?: (typeof risks)[number] | null }) =>
    attempt(
      () => changeMcp('mcp.setTool', { key: serverKey, tool: ownName, fingerprint, ...choice }),
      'The change could not be saved',
    )
  return (
    <li className={off ? 'tool-row-off' : ''}>
      <input
        type="checkbox"
        role="switch"
        aria-label={name}
        checked={!off}
        onChange={(event) => change({ off: !event.target.checked })}
      />
      <div className="mcp-tool-text">
        <code className="tool-row-name">{name}</code>
        {description !== '' && (
          <p>
            <VisibleCode text={description} />
          </p>
        )}
      </div>
      <Select
        label={`Risk of ${name}`}
        hideLabel
        value={risk}
        className={risk === ownRisk ? '' : 'mcp-risk-lowered'}
        options={risks.map((each) => ({
          value: each,
          label: riskTexts[each].label + (each === ownRisk ? ' (default)' : ''),
        }))}
        onChange={(event) => {
          const chosen = risks.find((each) => each === event.target.value)
          if (chosen) change({ risk: chosen === ownRisk ? null : chosen })
        }}
      />
    </li>
  )
}
