import { resolve } from 'node:path'
import { z } from 'zod'
import { ToolError } from '../../../shared/errors.ts'
import { formatNumber } from '../../../shared/text/formatNumber.ts'
import type { Mode, Risk } from '../../../shared/tools/risk.ts'
import type { ToolView } from '../../../shared/tools/tool.ts'
import type { AgentReport } from '../../approval/gateCall.ts'
import { findBelow } from '../../workspace/findBelow.ts'
import { approveCall, type ApprovalDeps } from '../approveCall.ts'
import { defineTool, type ToolServices } from '../common/toolDefinition.ts'
import { truncate } from '../../../shared/text/truncate.ts'

/** Maximum characters of a command or title, because the user must be able to read all of it. */
const maxShown = 100_000
/** Maximum number of paths. */
const maxPaths = 200
/** Maximum number of entries below a folder to search for secret files. */
const maxEntries = 20_000
/** Maximum characters of a title above the whole command or input. */
const maxTitle = 300

/** An action that an external agent is about to perform in its own process. */
export interface PermissionCall {
  callId: string
  conversationId: string
  mode: Mode
  attended: boolean
  /** Name of the agent. */
  agent: string
  title: string
  risk: Risk
  /** Paths, absolute or relative to the workspace. */
  reads: readonly string[]
  writes: readonly string[]
  /** Paths that the call names without saying what it does with them. They may be outside the workspace. */
  mentions: readonly string[]
  /** Command line that the agent runs itself. `folder`: as reported; undefined if unknown. */
  command?: { line: string; folder?: string }
  report: AgentReport
  /** For the card. */
  arguments: Record<string, unknown>
  preview?: () => Promise<ToolView | undefined>
  onState?(state: 'approval' | 'running'): void
}

/**
 * Checks an agent's own action with the gate: containment, modes, rules, protected and secret places. Commands count as
 * not sandboxed. The user cannot edit them, because the agent runs its own text.
 * @throws ToolError if the agent may not do it
 */
export async function askPermission(
  approval: ApprovalDeps,
  services: ToolServices,
  call: PermissionCall,
  signal: AbortSignal,
): Promise<void> {
  const { agent, title, risk, command, preview } = call
  refuseOversized(call)
  const folder = command && (await commandFolder(command.folder, services))
  const places = await placesOf(call, approval, services, signal)
  const report = { ...call.report, unclear: call.report.unclear ?? folder?.unclear ?? places.unclear }
  const tool = defineTool({
    name: `${agent}: ${title}`.slice(0, 200),
    title: truncate(title, maxTitle),
    description: '',
    // Anything unknown may be whatever a command could do.
    risk: report.unclear !== undefined && (risk === 'read' || risk === 'write') ? 'execute' : risk,
    schema: () => z.object({}).loose(),
    reads: () => places.reads,
    writes: () => places.writes,
    writesBelow: () => places.writes,
    ...(command && { commandLine: async () => ({ command: command.line, cwd: folder?.cwd }) }),
    ...(preview && { preview: async () => ({ view: await preview() }) }),
    run: async () => ({ text: '' }),
  })
  const jobs = {
    ...services.jobs,
    plan: async () => ({ sandboxed: false as const, reason: `${agent} runs it itself` }),
  }
  const context = { ...services, jobs, callId: call.callId, signal, progress: () => undefined }
  await approveCall(approval, tool, call.arguments, context, { ...call, report, client: 'agent' })
}

/** @throws ToolError `too_large` if it is too large for a card and for the checks */
function refuseOversized({ agent, title, command, reads, writes, mentions }: PermissionCall): void {
  const length = Math.max(title.length, command?.line.length ?? 0)
  if (length > maxShown)
    throw new ToolError(
      'too_large',
      command
        ? `${agent} requested permission for a command of more than ${formatNumber(maxShown)} characters, which is too long to show for approval.`
        : `${agent} requested permission for a call of more than ${formatNumber(maxShown)} characters, which is too long to show for approval.`,
    )
  if (reads.length + writes.length + mentions.length > maxPaths)
    throw new ToolError('too_large', `${agent} requested permission for more than ${maxPaths} paths at a time.`)
}

/**
 * Returns the folder of a command, relative to the workspace; if it is outside, the absolute path and why it is
 * unclear.
 */
async function commandFolder(
  folder: string | undefined,
  { workspace }: Pick<ToolServices, 'workspace'>,
): Promise<{ cwd?: string; unclear?: string }> {
  if (folder === undefined) return {}
  try {
    return { cwd: (await workspace.resolve(folder, { missing: 'allow' })).relative }
  } catch (error) {
    if (!(error instanceof ToolError)) throw error
    return { cwd: resolve(workspace.root, folder), unclear: 'It runs outside the workspace.' }
  }
}

/**
 * Returns the paths for the gate to check, including secret files below the folders.
 * @throws ToolError if the call reads or writes outside the workspace
 */
async function placesOf(
  { reads, writes, mentions }: PermissionCall,
  { rules }: ApprovalDeps,
  { workspace }: Pick<ToolServices, 'workspace'>,
  signal: AbortSignal,
): Promise<{ reads: string[]; writes: string[]; unclear?: string }> {
  const inside = []
  for (const path of mentions) {
    if (await isInside(path, workspace)) inside.push(path)
  }
  const secrets = []
  let unclear: string | undefined
  for (const path of [...reads, ...writes]) {
    const { absolute, relative, type } = await workspace.resolve(path, { missing: 'allow' })
    if (type !== 'directory') continue
    const isSecret = (name: string): boolean => rules.secret(name) !== undefined
    try {
      const found = await findBelow(absolute, relative, isSecret, signal, { entries: maxEntries })
      if (found !== undefined) secrets.push(found)
    } catch (error) {
      if (!(error instanceof ToolError) || error.code !== 'too_large') throw error
      unclear = `"${relative}" has too many entries to search them for secret files.`
    }
  }
  return { reads: [...reads, ...secrets], writes: [...writes, ...inside], unclear }
}

async function isInside(path: string, workspace: ToolServices['workspace']): Promise<boolean> {
  try {
    await workspace.resolve(path, { missing: 'allow' })
    return true
  } catch (error) {
    if (!(error instanceof ToolError)) throw error
    return false
  }
}
