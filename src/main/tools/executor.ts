import type { Mode, ToolsetName } from '../../shared/risk.ts'
import type { ToolInfo, ToolProgress, ToolResult } from '../../shared/tool.ts'

export interface ToolCallRequest {
  callId: string
  conversationId?: string
  name: string
  /** An object, or the JSON text a model wrote. */
  arguments: unknown
  toolset: ToolsetName
  mode: Mode
  /** Whether somebody can answer an approval. */
  attended: boolean
  signal: AbortSignal
  onProgress?(progress: ToolProgress): void
  /** The call waits for the user (`approval`) or runs. */
  onState?(state: 'approval' | 'running'): void
}

export interface Executor {
  /** Runs one call; never throws: every failure is a result with `ok: false`. */
  call(request: ToolCallRequest): Promise<ToolResult>
  /** The tools of a toolset as models, windows and documents see them. */
  describe(toolset: ToolsetName): ToolInfo[]
  /** The text of a recent result before it was shortened. Throws `not_found` when it is gone. */
  fullText(callId: string): string
}
