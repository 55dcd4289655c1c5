import type { McpServerStatus } from '../../../shared/tools/mcp.ts'
import { mentionText } from '../../../shared/agent/mentions.ts'
import { VisibleCode } from '../../ui/index.ts'

/** Lists the prompts and resources of an MCP server, as they are written in a message. */
export function McpContentList({
  server: { name: server, prompts = [], resources = [] },
}: {
  server: McpServerStatus
}) {
  return (
    <ul className="mcp-tools">
      {prompts.map(({ command, description, arguments: args }) => (
        <li key={command}>
          <div className="mcp-tool-text">
            <code className="tool-row-name">
              /{command}
              {args.map(({ name, required }) => (required ? ` ${name}="…"` : ` [${name}="…"]`))}
            </code>
            {description !== '' && (
              <p>
                <VisibleCode text={description} />
              </p>
            )}
          </div>
        </li>
      ))}
      {resources.map(({ uri, name, description }) => (
        <li key={uri}>
          <div className="mcp-tool-text">
            <code className="tool-row-name">{mentionText({ server, uri })}</code>
            <p>
              <VisibleCode text={[name, description].filter(Boolean).join(': ')} />
            </p>
          </div>
        </li>
      ))}
    </ul>
  )
}
