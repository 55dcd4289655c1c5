import { useRef, useState } from 'react'
import { runCommand, shortcutOf } from '../platform/commands.ts'
import { useWorkspace } from '../platform/appState.ts'
import { attempt } from '../platform/notices.ts'
import { useGit } from '../platform/git/gitStore.ts'
import { EmptyState, IconButton, MenuButton, Spinner, type MenuGroup } from '../ui/index.ts'
import { ApprovalCard, ApprovalDock } from './approval/ApprovalDock.tsx'
import { ToolDetails } from './items/ToolCard.tsx'
import { startConversation, renameConversation } from './chatActions.ts'
import { Composer } from './composer/Composer.tsx'
import { ContextBar } from './context/ContextBar.tsx'
import { ErrorBoundary } from '../platform/ErrorBoundary.tsx'
import { lazyView } from '../platform/layout/lazyView.tsx'
import { MessageList } from './MessageList.tsx'
import { TitleField } from './TitleField.tsx'
import { useRestoreDialog } from './restore/restoreStore.ts'
import { useChat } from '../platform/conversation/chatStore.ts'
import { useActiveToolset } from '../platform/conversation/toolsStore.ts'
import { isEscapeForTurn, pressEscape } from './escapeToStop.ts'
import { focusComposer, useChatView } from './chatViewStore.ts'
import './chat.css'

const ConversationList = lazyView(
  async () => (await import('./history/ConversationList.tsx')).ConversationList,
  <Spinner label="Loading" />,
)
const RestoreDialog = lazyView(async () => (await import('./restore/RestoreDialog.tsx')).RestoreDialog, null)

/** Loads the parts of the panel that not every conversation needs, so that they show at once. */
export async function preloadCards(): Promise<void> {
  await Promise.all([ApprovalCard.preload(), ToolDetails.preload(), import('./pickers.ts')])
}

/** The conversation panel: messages, tool calls, pending approvals and the composer. */
export function ChatPanel() {
  const workspace = useWorkspace()
  const history = useChatView((state) => state.history)
  const restores = useRestoreDialog(({ target }) => target !== null)
  const scroller = useRef<HTMLDivElement>(null)
  const [sent, setSent] = useState(0)
  useActiveToolset()

  return (
    <div
      className="chat"
      onKeyDown={(event) => {
        if (isEscapeForTurn(event.nativeEvent)) pressEscape()
      }}
    >
      <Header history={history} />
      {workspace === null ? (
        <EmptyState icon="folder-opened" title="No folder is open">
          Open a folder to work in with the model.
        </EmptyState>
      ) : (
        <>
          {history ? (
            <ErrorBoundary name="Conversations">
              <ConversationList />
            </ErrorBoundary>
          ) : (
            <MessageList scroller={scroller} sentCount={sent} />
          )}
          {restores && (
            <div className="lazy-dialog">
              <ErrorBoundary name="Restore dialog">
                <RestoreDialog />
              </ErrorBoundary>
            </div>
          )}
          <ApprovalDock onFocusLost={focusComposer} />
          <Composer
            onSent={() => {
              useChatView.setState({ history: false })
              setSent((count) => count + 1)
            }}
          />
        </>
      )}
    </div>
  )
}

/** Items of the menu beside "New conversation". */
function startMenu(): MenuGroup[] {
  const hasRepository = (useGit.getState().repositories?.length ?? 0) > 0
  return [
    {
      items: [
        {
          id: 'session',
          label: 'New session in a worktree…',
          icon: 'git-branch',
          disabled: !hasRepository,
          run: () => runCommand('git.newSession'),
        },
        {
          id: 'tries',
          label: 'Try several times…',
          icon: 'beaker',
          disabled: !hasRepository,
          run: () => runCommand('chat.trySeveralTimes'),
        },
        {
          id: 'sessions',
          label: 'Show sessions',
          icon: 'comment-discussion',
          shortcut: shortcutOf('view.sessions'),
          run: () => runCommand('view.sessions'),
        },
      ],
    },
  ]
}

function Header({ history }: { history: boolean }) {
  const info = useChat((state) => state.info)
  const [editing, setEditing] = useState<string | null>(null)
  const title = info?.title ?? 'New conversation'

  function rename(text: string): void {
    setEditing(null)
    const wanted = text.trim().slice(0, 200)
    if (info && wanted !== '' && wanted !== info.title)
      attempt(() => renameConversation(info.id, wanted), 'The conversation could not be renamed')
  }
  return (
    <header className="chat-header">
      {editing === null ? (
        <h2 className="chat-title">
          {info && !history ? (
            <button type="button" dir="auto" title={`${title}: click to rename`} onClick={() => setEditing(info.title)}>
              {title}
            </button>
          ) : (
            <span dir="auto">{history ? 'Conversations' : title}</span>
          )}
        </h2>
      ) : (
        <TitleField
          className="chat-title-edit"
          label="Conversation title"
          value={editing}
          onChange={setEditing}
          onDone={() => rename(editing)}
          onCancel={() => setEditing(null)}
        />
      )}
      {!history && <ContextBar />}
      <IconButton
        icon="history"
        label="Past conversations"
        aria-pressed={history}
        onClick={() => useChatView.setState({ history: !history })}
      />
      <IconButton
        icon="add"
        label="New conversation"
        shortcut={shortcutOf('chat.new')}
        onClick={() => attempt(startConversation, 'A new conversation could not be started')}
      />
      <MenuButton icon="chevron-down" className="chat-more" label="More ways to start" align="end" groups={startMenu} />
    </header>
  )
}
