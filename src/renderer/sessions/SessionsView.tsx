import { useEffect, useRef, useState, type KeyboardEvent } from 'react'
import type { SessionRow } from '../../shared/agent/sessionRows.ts'
import { visibleText } from '../../shared/text/visibleText.ts'
import { runCommand, shortcutOf } from '../platform/commands.ts'
import { useChat } from '../platform/conversation/chatStore.ts'
import { useGit } from '../platform/git/gitStore.ts'
import { useLayout } from '../platform/layout/layoutStore.ts'
import { attempt, notifyFailure } from '../platform/notices.ts'
import { showTries } from '../platform/sessions/taskTries.ts'
import { followSessions, loadSessions, useSessions } from '../platform/sessions/sessionsStore.ts'
import { Button, EmptyState, IconButton, Menu, Spinner, type MenuAnchor } from '../ui/index.ts'
import { SessionItem } from './SessionItem.tsx'
import { sessionMenu } from './sessionActions.ts'
import { groupSessions } from './sessionGroups.ts'
import './sessions.css'

/** The sessions of all open folders and their worktrees. Those that need an answer are answered here. */
export function SessionsView() {
  const rows = useSessions((state) => state.rows)
  const [archived, setArchived] = useState(false)
  useEffect(() => followSessions((error) => notifyFailure(error, 'The sessions could not be loaded')), [])
  return (
    <div className="sessions">
      <Header
        archived={archived}
        hasArchived={rows?.some((row) => row.archived) === true}
        onArchived={() => setArchived(!archived)}
      />
      {rows === null ? (
        <div className="sessions-loading">
          <Spinner label="Loading sessions" />
        </div>
      ) : rows.length === 0 ? (
        <NoSessions />
      ) : (
        <SessionList rows={rows} archived={archived} />
      )}
    </div>
  )
}

/** The filtered list. Arrow keys move between rows, Enter opens one, F2 renames it, Shift+F10 opens its menu. */
function SessionList({ rows, archived }: { rows: readonly SessionRow[]; archived: boolean }) {
  const [filter, setFilter] = useState('')
  const [menu, setMenu] = useState<{ key: string; anchor: MenuAnchor } | null>(null)
  const [renamed, setRenamed] = useState<string | null>(null)
  const [active, setActive] = useState<string | null>(null)
  const list = useRef<HTMLDivElement>(null)
  const shown = useChat((state) => state.info?.id)
  const chatVisible = useLayout(({ chat }) => chat.visible)

  const now = useNow(rows.some(({ state }) => state === 'working') ? 1000 : 30_000)
  const groups = groupSessions(rows, filter, archived)
  const listed = groups.flatMap((group) => group.rows)
  const current = listed.some(({ key }) => key === active) ? active : (listed[0]?.key ?? null)
  const menuRow = listed.find(({ key }) => key === menu?.key)

  function focusRow(key: string | null | undefined): void {
    if (typeof key !== 'string') return
    setActive(key)
    rowButtons(list.current).get(key)?.focus()
  }

  function onKeyDown(event: KeyboardEvent): void {
    const row = listed.find(({ key }) => key === rowKeyOf(event.target))
    if (!row) return
    const index = listed.indexOf(row)
    const next = { ArrowDown: index + 1, ArrowUp: index - 1, Home: 0, End: listed.length - 1 }[event.key]
    if (next !== undefined) focusRow(listed[next]?.key)
    else if (event.key === 'F2' && row.conversation !== null) setRenamed(row.key)
    else if (event.key === 'ContextMenu' || (event.key === 'F10' && event.shiftKey))
      setMenu({ key: row.key, anchor: { element: event.target as Element } })
    else return
    event.preventDefault()
  }

  const item = (row: SessionRow) => (
    <SessionItem
      key={row.key}
      row={row}
      now={now}
      current={row.key === current}
      // The chat shows the cards of its conversation.
      answered={row.place === 'here' && chatVisible && row.conversation === shown}
      renaming={renamed === row.key}
      onRenamed={() => {
        setRenamed(null)
        requestAnimationFrame(() => rowButtons(list.current).get(row.key)?.focus())
      }}
      onFocus={() => setActive(row.key)}
      onMenu={(anchor) => setMenu({ key: row.key, anchor })}
    />
  )
  return (
    <>
      <input
        className="ui-input sessions-filter"
        type="search"
        aria-label="Filter sessions"
        placeholder="Filter sessions"
        title="Words of the title, folder, branch or state"
        value={filter}
        spellCheck={false}
        onChange={(event) => setFilter(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'ArrowDown') focusRow(current)
        }}
      />
      <div ref={list} className="sessions-list" onKeyDown={onKeyDown}>
        {groups.length === 0 && <p className="sessions-none">No session matches the filter.</p>}
        {groups.map(({ title, task, rows: members }) => (
          <section key={task ?? title} aria-label={task === undefined ? title : `Task: ${title}`}>
            <h3 className="sessions-group">
              <span className="sessions-group-title" dir="auto">
                {visibleText(title)}
              </span>{' '}
              <span className="sessions-count">{members.length}</span>
              {task !== undefined && (
                <IconButton
                  icon="table"
                  className="sessions-compare"
                  label="Compare the tries of this task"
                  onClick={() => showTries(task)}
                />
              )}
            </h3>
            <ul>{members.map(item)}</ul>
          </section>
        ))}
      </div>
      {menu && menuRow && (
        <Menu
          label="Session actions"
          anchor={menu.anchor}
          onClose={() => setMenu(null)}
          groups={sessionMenu(menuRow, () => setRenamed(menuRow.key))}
        />
      )}
    </>
  )
}

interface HeaderProps {
  /** Whether archived sessions are shown. */
  archived: boolean
  hasArchived: boolean
  onArchived: () => void
}

function Header({ archived, hasArchived, onArchived }: HeaderProps) {
  const hasRepository = useGit(({ repositories }) => (repositories?.length ?? 0) > 0)
  return (
    <header className="sidebar-header">
      <h2 className="sidebar-title">Sessions</h2>
      {hasArchived && (
        <IconButton
          icon="archive"
          label={archived ? 'Hide archived sessions' : 'Show archived sessions'}
          aria-pressed={archived}
          onClick={onArchived}
        />
      )}
      <IconButton
        icon="refresh"
        label="Refresh sessions"
        onClick={() => attempt(() => loadSessions(true), 'The sessions could not be loaded')}
      />
      <IconButton
        icon="beaker"
        label="Try several times"
        disabled={!hasRepository}
        onClick={() => runCommand('chat.trySeveralTimes')}
      />
      <IconButton
        icon="add"
        label="New session in a worktree"
        shortcut={shortcutOf('git.newSession')}
        disabled={!hasRepository}
        onClick={() => runCommand('git.newSession')}
      />
    </header>
  )
}

function NoSessions() {
  return (
    <EmptyState
      icon="comment-discussion"
      title="No sessions yet"
      actions={<Button onClick={() => runCommand('chat.new')}>New conversation</Button>}
    >
      Conversations of all open folders and their worktrees appear here, with what they do and what they need.
    </EmptyState>
  )
}

/** Returns the time, in milliseconds since the epoch, and renders again after each interval. */
function useNow(intervalMs: number): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    setNow(Date.now())
    const timer = setInterval(() => setNow(Date.now()), intervalMs)
    return () => clearInterval(timer)
  }, [intervalMs])
  return now
}

/** The buttons of the rows by their key. */
function rowButtons(list: HTMLElement | null): Map<string, HTMLElement> {
  const buttons = [...(list?.querySelectorAll<HTMLElement>('.sessions-open') ?? [])]
  return new Map(buttons.map((button) => [button.dataset['key'] ?? '', button]))
}

function rowKeyOf(target: EventTarget): SessionRow['key'] | undefined {
  return target instanceof HTMLElement && target.matches('.sessions-open') ? target.dataset['key'] : undefined
}
