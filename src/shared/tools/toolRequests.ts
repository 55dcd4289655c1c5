import { z } from 'zod'
import type { Explanation } from './explanation.ts'
import { request, noParams, id } from '../requestType.ts'
import type { ApprovalDecision } from './approval.ts'
import type { AuditLog } from './audit.ts'
import { modes, toolsetNames } from './risk.ts'
import type { HookList } from './hooks.ts'
import type { ToolInfo, ToolResult } from './tool.ts'

const decision = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('once'), editedCommand: z.string().max(100_000).optional() }),
  z.object({ kind: z.literal('exact') }),
  z.object({ kind: z.literal('prefix') }),
  z.object({ kind: z.literal('scope') }),
  z.object({ kind: z.literal('refuse'), reason: z.string().max(10_000) }),
]) satisfies z.ZodType<ApprovalDecision>

export const toolRequests = {
  /** Reads the latest decisions about tool calls. */
  'audit.read': request<AuditLog>()(() => noParams),
  /** Answers a request of any session in this process. Fails with `conflict` if it is no longer pending. */
  /** Lists the hooks that the open folder defines. */
  'hooks.list': request<HookList>()(() => noParams),
  /**
   * Stores the user's decision about a hook. `id`: identifies the definition and the scripts that the user saw.
   * @throws conflict if they have changed
   */
  'hooks.decide': request<HookList>()(() => z.object({ id, approved: z.boolean() })),
  'approvals.decide': request<void>()(() => z.object({ requestId: id, decision })),
  /** Explains whether a command line would run in the open folder, without running it. */
  'approvals.explain': request<Explanation>()(() =>
    z.object({ command: z.string().max(200_000), mode: z.enum(modes) }),
  ),
  /** Returns the commands that have a built-in read-only rule. */
  'approvals.builtIn': request<string[]>()(() => noParams),
  'tools.list': request<ToolInfo[]>()(() => z.object({ toolset: z.enum(toolsetNames) })),
  'tools.call': request<ToolResult>()(() =>
    z.object({
      callId: id,
      name: z.string().max(200),
      arguments: z.record(z.string(), z.unknown()),
      toolset: z.enum(toolsetNames),
      mode: z.enum(modes),
    }),
  ),
  'tools.cancel': request<void>()(() => z.object({ callId: id })),
} as const
