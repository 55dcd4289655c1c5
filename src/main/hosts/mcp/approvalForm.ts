import type { ElicitRequestFormParams, ElicitResult } from '@modelcontextprotocol/sdk/types.js'
import type { ApprovalDecision, ApprovalRequest } from '../../../shared/tools/approval.ts'
import { visibleText } from '../../../shared/text/visibleText.ts'

/** Converts an approval request to a form for the client's user. The form shows the complete command or diff. */
export function approvalForm(request: ApprovalRequest): ElicitRequestFormParams {
  return {
    mode: 'form',
    message: `${heading(request)}: allow ${request.tool} to run? Risk: ${request.risk}. ${request.reason}\n\n${whatItDoes(request)}`,
    requestedSchema: {
      type: 'object',
      properties: {
        decision: {
          type: 'string',
          title: 'Decision',
          oneOf: [
            { const: 'once', title: 'Allow once' },
            { const: 'refuse', title: 'Refuse' },
          ],
        },
        reason: {
          type: 'string',
          title: 'Reason',
          description: 'Reason for refusing, and what to do instead. It is sent to the model.',
        },
      },
      required: ['decision'],
    },
  }
}

/** Converts the user's answer to a decision. Anything except an explicit approval is a refusal. */
export function toApprovalDecision({ action, content }: ElicitResult): ApprovalDecision {
  if (action === 'accept' && content?.['decision'] === 'once') return { kind: 'once' }
  const reason = content?.['reason']
  return { kind: 'refuse', reason: typeof reason === 'string' ? reason : '' }
}

function heading({ title, within }: ApprovalRequest): string {
  return within === undefined ? title : `${title}, part of “${within}”`
}

function whatItDoes({ command, cwd, preview, arguments: args }: ApprovalRequest): string {
  // In a client's terminal, invisible and control characters could hide text.
  if (command !== undefined) return `${visibleText(command)}\n(in ${visibleText(cwd ?? '.')})`
  const diffs = preview?.kind === 'diff' ? preview.files.map(({ diff }) => diff).filter(Boolean) : []
  const notes = preview?.kind === 'diff' && preview.note ? [preview.note] : []
  return visibleText([...notes, ...(diffs.length > 0 ? diffs : [JSON.stringify(args, null, 2)])].join('\n'))
}
