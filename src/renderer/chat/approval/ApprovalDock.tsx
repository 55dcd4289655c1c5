import { outerCallId, type ApprovalRequest } from '../../../shared/tools/approval.ts'
import { visibleText } from '../../../shared/text/visibleText.ts'
import { shortcutOf } from '../../platform/commands.ts'
import { Button, Icon } from '../../ui/index.ts'
import { attempt } from '../../platform/notices.ts'
import { openConversation } from '../chatActions.ts'
import { useConsoleCallIds } from '../../platform/conversation/consoleCalls.ts'
import { useChat } from '../../platform/conversation/chatStore.ts'
import { ErrorBoundary } from '../../platform/ErrorBoundary.tsx'
import { lazyView } from '../../platform/layout/lazyView.tsx'
import './approvalDock.css'

/** Loads with the first request. */
export const ApprovalCard = lazyView(
  async () => (await import('../../platform/approval/ApprovalCard.tsx')).ApprovalCard,
  null,
)

/**
 * Pending approvals: the open conversation's oldest request, and a link to another conversation with a request. Above
 * the composer, where it cannot scroll out of view.
 */
export function ApprovalDock({ onFocusLost }: { onFocusLost: () => void }) {
  const approvals = useChat((state) => state.approvals)
  const shownId = useChat((state) => state.info?.id)
  const consoleCallIds = useConsoleCallIds((state) => state.ids)
  const own = approvals.filter(({ conversationId, callId }) =>
    conversationId === undefined ? !consoleCallIds.has(outerCallId(callId)) : conversationId === shownId,
  )
  const elsewhere = approvals.find(({ conversationId }) => conversationId !== undefined && conversationId !== shownId)
  const first = own[0]

  return (
    <div className="approval-dock">
      <div className="visually-hidden" role="alert" aria-live="assertive">
        {first && announcement(first)}
      </div>
      {elsewhere?.conversationId !== undefined && (
        <div className="approval-elsewhere">
          <Icon name="bell-dot" />
          <span>A call in another conversation needs your approval.</span>
          <Button
            size="small"
            onClick={() =>
              attempt(() => openConversation(elsewhere.conversationId ?? ''), 'The conversation could not be opened')
            }
          >
            Show
          </Button>
        </div>
      )}
      {first && (
        <ErrorBoundary resetOn={first.id} name="Approval" line={unshown}>
          <ApprovalCard request={first} waiting={own.length - 1} onFocusLost={onFocusLost} />
        </ErrorBoundary>
      )}
    </div>
  )
}

const unshown =
  'A call needs your approval, but its request cannot be shown. The call waits. Try again, or reload the window: unsaved text is kept.'

function announcement({ title, command }: ApprovalRequest): string {
  const what = visibleText(command === undefined ? title : `${title}, ${command.slice(0, 200)}`)
  return `Approval needed: ${what}. Press ${shortcutOf('approval.focus') ?? 'Tab'} to answer.`
}
