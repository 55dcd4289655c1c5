import { maxImageBytes } from '../../shared/agent/attachments.ts'
import { ToolError, toFailure } from '../../shared/errors.ts'
import type { SandboxDenial } from '../../shared/commands/sandbox.ts'
import { readImageInfo } from '../history/imageInfo.ts'
import { approveCall, type ApprovalDeps, type ApprovalSubject, type ApprovedCall } from './approveCall.ts'
import type { Tool, ToolContext, ToolOutput } from './common/toolDefinition.ts'

/**
 * Runs an approved call. If the sandbox blocked its command, the user can allow a second run with the blocked access;
 * `approved` then has the arguments of that run.
 * @param beforeRun awaited before each run
 */
export async function runApproved(
  approval: ApprovalDeps,
  tool: Tool,
  approved: ApprovedCall,
  context: ToolContext,
  request: ApprovalSubject,
  beforeRun: (approved: ApprovedCall) => Promise<void>,
): Promise<ToolOutput> {
  await beforeRun(approved)
  const first = await runOrShowPicture(tool, approved.args, { ...context, commandSandbox: approved.sandbox })
  const { denial } = first
  if (denial === undefined) return first
  if (tool.commandLine === undefined || !request.attended) return withDenial(first, denial)
  let again: ApprovedCall
  try {
    again = await approveCall(approval, tool, approved.args, context, request, denial)
  } catch (error) {
    if (!(error instanceof ToolError) || context.signal.aborted) throw error
    return withDenial(first, denial, error.message.replace('this call', 'to run it again'))
  }
  // A server process without network may still be running. Stops it before the second run.
  if (first.view?.kind === 'command' && first.view.job.endedAt === undefined)
    await context.jobs.stop(first.view.job.id, { conversationId: context.conversationId })
  Object.assign(approved, { args: again.args, editedCommand: again.editedCommand ?? approved.editedCommand })
  await beforeRun(again)
  const second = await tool.run(again.args, { ...context, commandSandbox: again.sandbox })
  const allowed =
    denial.retry === 'network'
      ? 'The user allowed this second run with network.'
      : 'The user allowed this second run outside the sandbox.'
  const output = { ...second, text: `[${denial.message} ${allowed}]\n${second.text}` }
  return second.denial === undefined ? output : withDenial(output, second.denial)
}

/** Adds what the sandbox blocked to the output. @param refusal why the command did not run again */
function withDenial(output: ToolOutput, { message, retry }: SandboxDenial, refusal?: string): ToolOutput {
  const next =
    retry === 'network'
      ? 'If it needs network, run exactly this command again: it then has network if the user allows it.'
      : 'Change the command so that it stays in the workspace, or tell the user what it needs.'
  return { ...output, text: `${output.text}\n[${message} ${refusal ?? next}]` }
}

/** Runs a tool. If it reads a single file that turns out to be a picture, the result is the picture. */
async function runOrShowPicture(tool: Tool, args: ApprovedCall['args'], context: ToolContext): Promise<ToolOutput> {
  try {
    return await tool.run(args, context)
  } catch (error) {
    const [path, ...others] = tool.risk === 'read' ? (tool.reads?.(args) ?? []) : []
    if (path === undefined || others.length > 0 || toFailure(error).code !== 'binary_file') throw error
    const bytes = await context.files.readBytes(path, maxImageBytes, context.signal).catch(() => undefined)
    const info = bytes && readImageInfo(bytes)
    if (!info) throw error
    return {
      text: `A picture of ${info.width} × ${info.height} pixels.`,
      view: {
        kind: 'pictures',
        pictures: [{ mimeType: info.mimeType, data: Buffer.from(bytes).toString('base64') }],
      },
    }
  }
}
