import { useCallback, useEffect, useState } from 'react'
import type { ListedConversation } from '../../../shared/agent/conversation.ts'
import { useWorkspace } from '../../platform/appState.ts'
import { on, onConnected } from '../../platform/bridge/bridge.ts'
import { confirm } from '../../platform/confirm.ts'
import { attempt, notifyFailure } from '../../platform/notices.ts'
import { EmptyState, Icon, IconButton, MenuButton, Spinner, TextField, type MenuItem } from '../../ui/index.ts'
import {
  deleteConversation,
  listConversations,
  openConversation,
  pinConversation,
  renameConversation,
} from '../chatActions.ts'
import { useChat } from '../../platform/conversation/chatStore.ts'
import { useChatView } from '../chatViewStore.ts'
import { TitleField } from '../TitleField.tsx'
import { exportConversation } from './conversationFiles.ts'
import { Latest } from '../../../shared/async/latest.ts'

/** Past conversations in this folder, with search and actions. */
export function ConversationList() {
  const [query, setQuery] = useState('')
  /** `now` is the time of loading in milliseconds since the epoch, for computing ages. */
  const [loaded, setLoaded] = useState<{ list: readonly ListedConversation[]; query: string; now: number } | null>(null)
  const shownId = useChat((state) => state.info?.id)
  const [changes, setChanges] = useState(0)

  const load = useCallback(
    async (isCurrent: () => boolean) => {
      try {
        const found = await listConversations(query.trim())
        if (isCurrent()) setLoaded({ list: found, query: query.trim(), now: Date.now() })
      } catch (error) {
        if (!isCurrent()) return
        setLoaded({ list: [], query: query.trim(), now: Date.now() })
        notifyFailure(error, 'The conversations could not be listed')
      }
    },
    [query],
  )
  useEffect(() => {
    // Responses can arrive out of order.
    const loads = new Latest()
    const reload = () => void load(loads.begin())
    reload()
    const stops = [on('conversation.info', reload), onConnected(reload)]
    return () => {
      loads.begin()
      stops.forEach((stop) => stop())
    }
  }, [load, changes])

  return (
    <section className="chat-history" aria-label="Past conversations">
      <div className="chat-history-search">
        <TextField
          label="Search conversations"
          hideLabel
          placeholder="Search conversations"
          type="search"
          autoFocus
          value={query}
          onChange={(event) => setQuery(event.target.value)}
        />
      </div>
      {loaded === null ? (
        <div className="chat-history-loading">
          <Spinner label="Loading conversations" />
        </div>
      ) : loaded.list.length === 0 ? (
        <EmptyState icon="comment-discussion" title={query.trim() === '' ? 'No conversations yet' : 'Nothing found'}>
          {query.trim() === ''
            ? 'Conversations in this workspace appear here.'
            : 'No conversation in this workspace contains these words.'}
        </EmptyState>
      ) : (
        <ul className="chat-history-list">
          {loaded.list.map((info) => (
            <ConversationRow
              key={info.id}
              info={info}
              query={loaded.query}
              now={loaded.now}
              current={info.id === shownId}
              onChanged={() => setChanges((count) => count + 1)}
            />
          ))}
        </ul>
      )}
    </section>
  )
}

interface RowProps {
  info: ListedConversation
  query: string
  now: number
  current: boolean
  onChanged: () => void
}

function ConversationRow({ info, query, now, current, onChanged }: RowProps) {
  const [title, setTitle] = useState<string | null>(null)
  /** Folder of the workspace that had the conversation alone. */
  const folder = useWorkspace()?.multiRoot?.folders.find(({ path }) => path === info.workspace)?.name

  async function open(): Promise<void> {
    await openConversation(info.id)
    useChatView.setState({ history: false })
  }
  async function rename(text: string): Promise<void> {
    setTitle(null)
    if (text.trim() === '' || text.trim() === info.title) return
    await renameConversation(info.id, text.trim().slice(0, 200))
    onChanged()
  }
  function moreItems(): MenuItem[] {
    const { id, pinned = false } = info
    const pin = async () => {
      await pinConversation(id, !pinned)
      onChanged()
    }
    return [
      {
        id: 'pin',
        label: pinned ? 'Unpin' : 'Pin to the top',
        icon: 'pin',
        run: () => attempt(pin, 'The conversation could not be pinned'),
      },
      { id: 'markdown', label: 'Export as Markdown', icon: 'markdown', run: () => exportConversation(id, 'markdown') },
      { id: 'json', label: 'Export as JSON', icon: 'json', run: () => exportConversation(id, 'json') },
    ]
  }
  async function remove(): Promise<void> {
    const choice = await confirm({
      title: 'Delete this conversation?',
      message: `"${info.title}" will be deleted permanently. Files that it changed stay as they are.`,
      choices: [{ id: 'delete', label: 'Delete', variant: 'danger' }],
    })
    if (choice !== 'delete') return
    await deleteConversation(info.id)
    onChanged()
  }

  if (title !== null) {
    return (
      <li className="chat-history-row">
        <TitleField
          label="Title"
          value={title}
          onChange={setTitle}
          onDone={() => attempt(() => rename(title), 'The conversation could not be renamed')}
          onCancel={() => setTitle(null)}
        />
      </li>
    )
  }
  return (
    <li className={`chat-history-row ${current ? 'chat-history-current' : ''}`}>
      <button
        type="button"
        className="chat-history-open"
        aria-current={current}
        onClick={() => attempt(open, 'The conversation could not be opened')}
      >
        <Icon
          name={info.pinned ? 'pinned' : info.forkedFrom ? 'repo-forked' : 'comment'}
          label={info.pinned ? 'Pinned' : undefined}
        />
        <span className="chat-history-words">
          <span className="chat-history-title" dir="auto">
            {info.title}
          </span>
          {info.excerpt && <Excerpt text={info.excerpt} query={query} />}
        </span>
        {folder !== undefined && <span className="chat-history-time">{folder}</span>}
        <time className="chat-history-time" dateTime={new Date(info.updatedAt).toISOString()}>
          {formatAge(info.updatedAt, now)}
        </time>
      </button>
      <span className="chat-history-actions">
        <MenuButton
          icon="ellipsis"
          label={`More actions for ${info.title}`}
          align="end"
          groups={() => [{ items: moreItems() }]}
        />
        <IconButton icon="edit" label={`Rename ${info.title}`} onClick={() => setTitle(info.title)} />
        <IconButton
          icon="trash"
          label={`Delete ${info.title}`}
          onClick={() => attempt(remove, 'The conversation could not be deleted')}
        />
      </span>
    </li>
  )
}

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

/** Formats an age: "now", "5 min", "3 h", "2 d", then the date. Both times are in milliseconds since the epoch. */
function formatAge(at: number, now: number): string {
  const age = now - at
  if (age < minute) return 'now'
  if (age < hour) return `${Math.floor(age / minute)} min`
  if (age < day) return `${Math.floor(age / hour)} h`
  if (age < 7 * day) return `${Math.floor(age / day)} d`
  return new Date(at).toLocaleDateString('en', { day: 'numeric', month: 'short', year: 'numeric' })
}

/** Text around a search match, with the words of the query highlighted. */
function Excerpt({ text, query }: { text: string; query: string }) {
  const words = query
    .split(/\s+/)
    .filter(Boolean)
    .map((word) => word.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  // Splitting by a capturing group puts the matches at odd indexes.
  const parts = words.length === 0 ? [text] : text.split(new RegExp(`(${words.join('|')})`, 'gi'))
  return (
    <span className="chat-history-excerpt">
      {parts.map((part, index) => (index % 2 === 1 ? <mark key={index}>{part}</mark> : part))}
    </span>
  )
}
