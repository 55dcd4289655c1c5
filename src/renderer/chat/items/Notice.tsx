import type { NoticeItem } from '../../../shared/agent/conversation.ts'
import { runCommand } from '../../platform/commands.ts'
import { Button, Icon } from '../../ui/index.ts'
import { openEndpointForm } from '../../platform/models/endpointsStore.ts'
import { continueTurn, retry } from '../chatActions.ts'
import { undoRestore } from '../restore/restoreActions.ts'
import { useChat } from '../../platform/conversation/chatStore.ts'

interface NoticeAction {
  label: string
  run(notice: NoticeItem): void
}

const actions = {
  continue: { label: 'Continue', run: continueTurn },
  retry: { label: 'Retry', run: retry },
  settings: { label: 'Open settings', run: () => void runCommand('settings.open') },
  contextSize: { label: 'Set context size', run: () => openEndpointForm(useChat.getState().info?.model ?? null) },
  undoRestore: { label: 'Undo restore', run: ({ id }) => undoRestore(id) },
} satisfies Record<NonNullable<NoticeItem['action']>, NoticeAction>

/** Actions that stay available when other items follow. */
const permanentActions: readonly NoticeItem['action'][] = ['settings', 'contextSize']

/** A notice from Tizona in the transcript, with an action such as Retry. */
export function Notice({ item }: { item: NoticeItem }) {
  // Continue, retry and undo act on the end of the conversation.
  const isLast = useChat((state) => state.order.at(-1) === item.id && !state.running)
  const action: NoticeAction | undefined =
    item.action && (isLast || permanentActions.includes(item.action)) ? actions[item.action] : undefined
  // Settings can fix a failing endpoint, but not an internal error.
  const offersSettings = useChat((state) => state.lastOutcome !== 'failed')
  return (
    <div className={`chat-notice chat-notice-${item.level}`} role={item.level === 'error' ? 'alert' : 'status'}>
      <Icon name={item.level} />
      <span className="chat-notice-text">{item.text}</span>
      {action && (
        <span className="chat-notice-actions">
          {action === actions.contextSize && item.level === 'error' && isLast && (
            <Button size="small" variant="ghost" onClick={retry}>
              {actions.retry.label}
            </Button>
          )}
          {action === actions.retry && item.level === 'error' && offersSettings && (
            <Button size="small" variant="ghost" onClick={actions.settings.run}>
              {actions.settings.label}
            </Button>
          )}
          <Button size="small" onClick={() => action.run(item)}>
            {action.label}
          </Button>
        </span>
      )}
    </div>
  )
}
