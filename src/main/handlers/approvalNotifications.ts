import type { ApprovalRequest } from '../../shared/tools/approval.ts'
import { approvalNotification } from '../../shared/tools/approvalNotification.ts'
import type { Platform } from '../appServices/platform.ts'

interface ApprovalNotificationDeps {
  notify: Platform['notifyInBackground']
  enabled(): boolean
  /** Shows the card of a pending approval. */
  showCard(): void
}

/** System notifications about calls that wait for approval, closed when they are answered. */
export function createApprovalNotifications({ notify, enabled, showCard }: ApprovalNotificationDeps) {
  const closing = new Map<string, () => void>()
  return {
    requested(request: ApprovalRequest): void {
      if (notify === undefined || !enabled()) return
      closing.set(request.id, notify({ ...approvalNotification(request), onClick: showCard }))
    },
    resolved(requestId: string): void {
      closing.get(requestId)?.()
      closing.delete(requestId)
    },
  }
}
