import type { Risk } from '../../shared/risk.ts'
import type { JsonSchema } from '../../shared/tool.ts'
import type { McpResult } from './mcpToolResult.ts'
/** A tool of a connected server. */
export interface McpTool {
  /** `server__tool`. */
  name: string
  server: string
  /** Which server of that name (`McpServerStatus.key`). */
  serverKey: string
  /** As the server calls it. */
  tool: string
  title: string
  description: string
  schema: JsonSchema
  risk: Risk
  off: boolean
  /** Of everything the server says about it. */
  fingerprint: string
  /** Throws what `Connection.call` throws. */
  call(
    args: Record<string, unknown>,
    options: { signal: AbortSignal; progress(text: string): void },
  ): Promise<McpResult>
}
