import type { Risk } from '../../shared/tools/risk.ts'
import type { JsonSchema } from '../../shared/tools/tool.ts'
import type { McpResult } from './mcpToolResult.ts'
/** A tool of a connected server. */
export interface McpTool {
  /** `server__tool`. */
  name: string
  server: string
  /** Identifies the server (`McpServerStatus.key`), since names can repeat. */
  serverKey: string
  /** Name used by the server. */
  tool: string
  title: string
  description: string
  schema: JsonSchema
  risk: Risk
  off: boolean
  /** Hash of the definition that the server provides. */
  fingerprint: string
  /** Throws like `Connection.call`. */
  call(
    args: Record<string, unknown>,
    options: { signal: AbortSignal; progress(text: string): void },
  ): Promise<McpResult>
}
