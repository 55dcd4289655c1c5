import { useMemo, useState, type MouseEvent } from 'react'
import type { DebugFrame, DebugSessionInfo } from '../../../shared/debug/debug.ts'
import { formatNumber } from '../../../shared/text/formatNumber.ts'
import { visibleText } from '../../../shared/text/visibleText.ts'
import { selectSession, useDebug } from '../../platform/debug/debugStore.ts'
import type { DebugAction } from '../../../shared/debug/debugRequests.ts'
import { request } from '../../platform/bridge/bridge.ts'
import { attempt } from '../../platform/notices.ts'
import { Icon, Menu, type MenuAnchor, type MenuItem } from '../../ui/index.ts'
import {
  selectStackFrame,
  stackRows,
  stopText,
  threadKey,
  toggleStackRow,
  useCallStack,
  type StackRow,
} from './callStack.ts'
import { copyText } from '../values/copyText.ts'
import { RowTree, type RowAttributes } from '../values/RowTree.tsx'
import { Section } from './Section.tsx'

const expandedOf = (row: StackRow): boolean | null =>
  row.kind === 'session' || row.kind === 'thread' ? row.expanded : null

function placeOf({ path, source, line }: DebugFrame): string {
  const file = path ?? source ?? ''
  return file === '' ? '' : `${file.slice(Math.max(file.lastIndexOf('/'), file.lastIndexOf('\\')) + 1)}:${line}`
}

interface RowViewProps {
  row: StackRow
  attributes: RowAttributes
  /** Whether the row is the selected frame. */
  current: boolean
  select: () => void
  onMenu: (anchor: MenuAnchor) => void
}

function StackRowView({ row, attributes, current, select, onMenu }: RowViewProps) {
  const expanded = expandedOf(row)
  const common = {
    ...attributes,
    'aria-expanded': expanded ?? undefined,
    onClick: () => {
      select()
      if (row.kind === 'frame') selectStackFrame(row, false)
      else toggleStackRow(row)
    },
    onContextMenu: (event: MouseEvent) => {
      event.preventDefault()
      select()
      onMenu({ x: event.clientX, y: event.clientY })
    },
  }
  const twistie = (
    <Icon name={expanded === null ? 'blank' : expanded ? 'chevron-down' : 'chevron-right'} className="debug-twistie" />
  )
  switch (row.kind) {
    case 'session':
      return (
        <div {...common} title={row.session.name}>
          {twistie}
          <Icon name="debug" />
          <span className="debug-stack-name">{visibleText(row.session.name)}</span>
          <span className="debug-detail">{sessionDetail(row.session, row.expanded)}</span>
        </div>
      )
    case 'thread': {
      const { session, thread } = row
      const isStop = session.stop?.threadId === thread.id
      const text = thread.stopped ? (isStop ? stopText(session) : 'Paused') : 'Running'
      return (
        <div {...common} title={[thread.name, text, isStop ? session.stop?.text : ''].filter(Boolean).join('\n')}>
          {twistie}
          <span className="debug-stack-name">{visibleText(thread.name)}</span>
          <span className="debug-stack-state" data-stopped={(thread.stopped && isStop) || undefined}>
            {text}
          </span>
        </div>
      )
    }
    case 'frame': {
      const { frame } = row
      return (
        <div
          {...common}
          aria-current={current || undefined}
          data-subtle={frame.subtle || frame.path === undefined || undefined}
          title={`${frame.name}\n${frame.path ?? frame.source ?? ''}:${frame.line}`}
          onDoubleClick={() => selectStackFrame(row, true)}
        >
          <Icon name={current ? 'debug-stackframe' : 'blank'} className="debug-twistie" />
          <span className="debug-stack-name">{visibleText(frame.name)}</span>
          <span className="debug-detail">{visibleText(placeOf(frame))}</span>
        </div>
      )
    }
    case 'more':
      return (
        <div {...common}>
          {twistie}
          <span className="debug-more">{`Load more… (${formatNumber(row.left)} left)`}</span>
        </div>
      )
    case 'note':
      return (
        <div {...common} title={row.text}>
          {twistie}
          <span className={row.failed ? 'debug-value' : 'debug-note'} data-look={row.failed ? 'error' : undefined}>
            {row.text}
          </span>
        </div>
      )
  }
}

/** Says who controls a session of the agent, and its state unless its threads show it. */
function sessionDetail(session: DebugSessionInfo, expanded: boolean): string {
  const control = session.owner === 'agent' ? 'Agent' : session.startedBy === 'agent' ? 'Taken over from the agent' : ''
  const state = expanded && session.threads.length > 0 ? '' : (session.activity ?? stopText(session))
  return [control, state].filter((part) => part !== '').join(' · ')
}

function control(session: DebugSessionInfo, action: DebugAction, threadId?: number): void {
  attempt(() =>
    request('debug.control', { sessionId: session.id, action, ...(threadId !== undefined && { threadId }) }),
  )
}

/** Formats the loaded frames of a thread, one per line. */
function stackText(sessionId: string, threadId: number): string {
  const { frames = [] } = useCallStack.getState().stacks.get(threadKey(sessionId, threadId)) ?? {}
  return frames.map(({ name, path, source, line }) => `${name} (${path ?? source ?? ''}:${line})`).join('\n')
}

/** Actions for the session or thread of a row. */
function menuItems(row: StackRow): MenuItem[] {
  if (row.kind === 'note') return []
  const { session } = row
  const threadId = row.kind === 'session' ? undefined : row.kind === 'thread' ? row.thread.id : row.threadId
  const stopped = row.kind === 'thread' ? row.thread.stopped : session.state === 'stopped'
  return [
    ...(threadId === undefined || !stopped
      ? []
      : [
          {
            id: 'copy',
            label: 'Copy call stack',
            icon: 'copy',
            run: () => copyText('callStack', () => Promise.resolve(stackText(session.id, threadId))),
          },
        ]),
    stopped
      ? { id: 'continue', label: 'Continue', icon: 'debug-continue', run: () => control(session, 'continue', threadId) }
      : { id: 'pause', label: 'Pause', icon: 'debug-pause', run: () => control(session, 'pause', threadId) },
    { id: 'stop', label: 'Stop', icon: 'debug-stop', run: () => control(session, 'stop') },
  ]
}

/** Describes the last session if none runs. */
function endText(session: DebugSessionInfo | undefined): string {
  if (session === undefined) return 'Nothing is being debugged.'
  if (session.failure !== undefined) return `${session.name} failed: ${session.failure}`
  if (session.exitCode === undefined) return `${session.name} has ended.`
  return `${session.name} has ended with exit code ${session.exitCode}.`
}

/** Sessions, their threads and the frames of stopped threads. Enter selects a frame. */
export function CallStackSection() {
  const sessions = useDebug((state) => state.sessions)
  const frame = useDebug((state) => state.selectedFrame)
  const selected = useDebug((state) => state.selectedSession)
  const state = useCallStack()
  const rows = useMemo(() => stackRows(sessions, state), [sessions, state])
  const live = sessions.filter((session) => session.state !== 'ended')
  const isCurrent = (row: StackRow): boolean =>
    row.kind === 'frame' && row.frame.id === frame?.id && row.session.id === selected
  const stopped = sessions.find(({ id }) => id === selected)
  // Until its frames are loaded, select the stopped thread, which may be one of hundreds.
  const current =
    rows.find(isCurrent)?.id ?? (stopped?.stop === undefined ? undefined : threadKey(stopped.id, stopped.stop.threadId))
  const [only] = live
  const [menu, setMenu] = useState<{ row: StackRow; anchor: MenuAnchor } | null>(null)

  function onKey(row: StackRow, key: string): boolean {
    if (key !== 'Enter' && key !== ' ') return false
    if (row.kind === 'frame') selectStackFrame(row, key === 'Enter')
    else if (row.kind === 'session') selectSession(row.session.id)
    else toggleStackRow(row)
    return true
  }

  return (
    <Section
      name="callStack"
      title="Call stack"
      rows={rows.length}
      summary={
        only !== undefined &&
        live.length === 1 && (
          <span className="debug-section-note" data-stopped={only.state === 'stopped' || undefined}>
            {only.activity ?? stopText(only)}
          </span>
        )
      }
    >
      {rows.length === 0 ? (
        <p className="debug-hint">
          {only === undefined ? visibleText(endText(sessions.at(-1))) : (only.activity ?? stopText(only))}
        </p>
      ) : (
        <RowTree
          name="debug-frame"
          label="Call stack"
          rows={rows}
          expandedOf={expandedOf}
          onToggle={toggleStackRow}
          onKey={onKey}
          onMenu={(row, anchor) => setMenu({ row, anchor })}
          followed={current}
          renderRow={(row, attributes, select) => (
            <StackRowView
              row={row}
              attributes={attributes}
              current={isCurrent(row)}
              select={select}
              onMenu={(anchor) => setMenu({ row, anchor })}
            />
          )}
        />
      )}
      {menu && menu.row.kind !== 'note' && (
        <Menu
          label="Actions for the call stack"
          anchor={menu.anchor}
          onClose={() => setMenu(null)}
          groups={[{ items: menuItems(menu.row) }]}
        />
      )}
    </Section>
  )
}
