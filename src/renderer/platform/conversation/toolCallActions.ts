import type { ApprovalDecision } from '../../../shared/tools/approval.ts'
import { toFailure } from '../../../shared/errors.ts'
import { request } from '../bridge/bridge.ts'
import { notifyFailure } from '../notices.ts'
import { setUndo } from './chatStore.ts'

/**
 * Sends the user's decision about a call. Shows a notice if it fails, for example because the request was withdrawn.
 */
export async function decideApproval(requestId: string, decision: ApprovalDecision): Promise<void> {
  try {
    await request('approvals.decide', { requestId, decision })
  } catch (error) {
    notifyFailure(error, 'The decision could not be sent')
  }
}

/** Undoes one of the agent's edits. Stores progress and outcome in `useChat().undo`. */
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
