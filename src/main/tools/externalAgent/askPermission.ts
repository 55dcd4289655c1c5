import { z } from 'zod'
import type { Mode, Risk } from '../../../shared/risk.ts'
import type { ToolView } from '../../../shared/tool.ts'
import { approveCall, type ApprovalDeps } from '../approveCall.ts'
import type { ToolServices } from '../executor.ts'
import { defineTool } from '../toolDefinition.ts'

/** What an external agent is about to do in its own process. */
export interface PermissionCall {
  callId: string
  conversationId: string
  mode: Mode
  attended: boolean
  /** Name of the agent. */
  agent: string
  title: string
  risk: Risk
  /** Absolute paths. */
  reads: readonly string[]
  writes: readonly string[]
  /** Command line that the agent runs itself. */
  command?: string
  arguments: Record<string, unknown>
  preview?: () => Promise<ToolView | undefined>
  onState?(state: 'approval' | 'running'): void
}

/**
 * Checks with the gate what an agent does without Tizona's tools: containment, modes, rules, protected and secret
 * places. Its commands count as not sandboxed, and the user cannot edit them, because the agent runs its own text.
 * @throws ToolError why it may not
 */
export async function askPermission(
  approval: ApprovalDeps,
  services: ToolServices,
  call: PermissionCall,
  signal: AbortSignal,
): Promise<void> {
  const { agent, title, risk, reads, writes, command, preview } = call
  const tool = defineTool({
    name: `${agent}: ${title}`.slice(0, 200),
    title,
    description: '',
    risk,
    schema: z.object({}).loose(),
    reads: () => [...reads],
    writes: () => [...writes],
    ...(command !== undefined && {
      commandLine: async () => ({ command, cwd: '.' }),
    }),
    ...(preview && { preview: async () => ({ view: await preview() }) }),
    run: async () => ({ text: '' }),
  })
  const jobs = {
    ...services.jobs,
    plan: async () => ({ sandboxed: false as const, reason: `${agent} runs it itself` }),
  }
  // Also refuses reads outside the workspace, which only the tools themselves would refuse otherwise.
  for (const path of reads) await services.workspace.resolve(path, { missing: 'allow' })
  const context = { ...services, jobs, callId: call.callId, signal, progress: () => undefined }
  await approveCall(approval, tool, call.arguments, context, call)
}
