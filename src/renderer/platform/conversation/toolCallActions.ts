import type { ApprovalDecision } from '../../../shared/approval.ts'
import { toFailure } from '../../../shared/errors.ts'
import { request } from '../bridge/bridge.ts'
import { notifyFailure } from '../notices.ts'
import { setUndo } from './chatStore.ts'

/** Answers an approval request. Shows a notice if main refuses the answer, for example because the request was withdrawn. */
export async function decideApproval(requestId: string, decision: ApprovalDecision): Promise<void> {
  try {
    await request('approvals.decide', { requestId, decision })
  } catch (error) {
    notifyFailure(error, 'The answer could not be delivered')
  }
}

/** Undoes an edit of the agent. The outcome is in `useChat().undo`. */
export async function undoEdit(editId: string): Promise<void> {
  setUndo(editId, { kind: 'working' })
  try {
    await request('edits.undo', { editId })
    setUndo(editId, { kind: 'undone' })
  } catch (error) {
    const { message, next } = toFailure(error)
    setUndo(editId, { kind: 'failed', message: [message, next].filter(Boolean).join(' ') })
  }
}
