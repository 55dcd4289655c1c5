import { useMemo, useState } from 'react'
import type { ExceptionFilter, FunctionBreakpoint, LineBreakpoint } from '../../../shared/debug/debug.ts'
import { visibleText } from '../../../shared/text/visibleText.ts'
import { useDebug } from '../../platform/debug/debugStore.ts'
import { openFile } from '../../platform/editor/editorService.ts'
import { formatKeys } from '../../platform/keymap/keyNotation.ts'
import { attempt } from '../../platform/notices.ts'
import { Icon, IconButton, Menu, type MenuAnchor, type MenuItem } from '../../ui/index.ts'
import {
  addFunctionBreakpoint,
  breakpointSession,
  changeFunction,
  changeLine,
  editCondition,
  enableAllBreakpoints,
  enabledFilters,
  removeAllBreakpoints,
  removeDataBreakpoints,
  toggleFilter,
  useDataBreakpoints,
  whyUnverified,
} from './breakpointChanges.ts'
import { RowTree, type RowAttributes } from '../values/RowTree.tsx'
import { Section } from './Section.tsx'

interface BreakpointRow {
  id: string
  depth: number
  /** Null: it cannot be disabled. */
  checked: boolean | null
  icon: string
  title: string
  /** Folder, condition or similar. */
  detail: string
  /** Why it does not stop the program. */
  problem: string | null
  target:
    | { kind: 'exception'; filter: ExceptionFilter }
    | { kind: 'function'; breakpoint: FunctionBreakpoint }
    | { kind: 'line'; breakpoint: LineBreakpoint }
    | { kind: 'data'; sessionId: string }
}

function conditionOf({ condition, hitCondition, logMessage }: Omit<LineBreakpoint, 'path' | 'line'>): string {
  return [
    condition === undefined ? '' : `Condition: ${condition}`,
    hitCondition === undefined ? '' : `Hit count: ${hitCondition}`,
    logMessage === undefined ? '' : `Log message: ${logMessage}`,
  ]
    .filter(Boolean)
    .join(', ')
}

/** Breakpoints of all kinds: exceptions first, as in VS Code. */
function useBreakpointRows(): BreakpointRow[] {
  const breakpoints = useDebug((state) => state.breakpoints)
  const session = useDebug(breakpointSession)
  const data = useDataBreakpoints(({ bySession }) => (session ? bySession[session.id] : undefined))
  return useMemo(() => {
    const exceptions = (session?.exceptionFilters ?? []).map((filter): BreakpointRow => ({
      id: `exception:${filter.filter}`,
      depth: 1,
      checked: session !== undefined && enabledFilters(session).includes(filter.filter),
      icon: 'zap',
      title: filter.label,
      detail: '',
      problem: null,
      target: { kind: 'exception', filter },
    }))
    const functions = breakpoints.functions.map((breakpoint): BreakpointRow => ({
      id: breakpoint.id,
      depth: 1,
      checked: breakpoint.enabled,
      icon: 'debug-breakpoint-function',
      title: breakpoint.name,
      detail: conditionOf(breakpoint),
      problem: breakpoint.enabled
        ? session && session.state !== 'ended' && session.state !== 'starting' && !session.features.functionBreakpoints
          ? 'This debugger does not support function breakpoints.'
          : whyUnverified(session?.breakpoints[breakpoint.id], session)
        : null,
      target: { kind: 'function', breakpoint },
    }))
    const lines = breakpoints.lines
      .toSorted((a, b) => a.path.localeCompare(b.path) || a.line - b.line)
      .map((breakpoint): BreakpointRow => {
        const { path, line, logMessage, condition, hitCondition } = breakpoint
        const status = session?.state === 'ended' ? undefined : session?.breakpoints[breakpoint.id]
        const slash = path.lastIndexOf('/')
        const kind =
          logMessage === undefined ? ((condition ?? hitCondition) === undefined ? '' : '-conditional') : '-log'
        return {
          id: breakpoint.id,
          depth: 1,
          checked: breakpoint.enabled,
          icon: `debug-breakpoint${kind}`,
          title: `${path.slice(slash + 1)}:${status?.line ?? line}`,
          detail: conditionOf(breakpoint) || path.slice(0, Math.max(0, slash)),
          problem: breakpoint.enabled ? whyUnverified(status, session) : null,
          target: { kind: 'line', breakpoint },
        }
      })
    const dataRows = (session && session.state !== 'ended' ? (data ?? []) : []).map((label): BreakpointRow => ({
      id: `data:${label}`,
      depth: 1,
      checked: null,
      icon: 'debug-breakpoint-data',
      title: label,
      detail: 'Break on value change',
      problem: null,
      target: { kind: 'data', sessionId: session?.id ?? '' },
    }))
    return [...exceptions, ...functions, ...dataRows, ...lines]
  }, [breakpoints, session, data])
}

function toggle({ target }: BreakpointRow): void {
  attempt(async () => {
    const session = breakpointSession()
    if (target.kind === 'exception' && session) await toggleFilter(session, target.filter.filter)
    else if (target.kind === 'line')
      await changeLine(target.breakpoint, { ...target.breakpoint, enabled: !target.breakpoint.enabled })
    else if (target.kind === 'function')
      await changeFunction(target.breakpoint, { ...target.breakpoint, enabled: !target.breakpoint.enabled })
  }, 'The breakpoint could not be changed')
}

function remove({ target }: BreakpointRow): void {
  attempt(async () => {
    if (target.kind === 'line') await changeLine(target.breakpoint, null)
    else if (target.kind === 'function') await changeFunction(target.breakpoint, null)
    else if (target.kind === 'data') await removeDataBreakpoints(target.sessionId)
  }, 'The breakpoint could not be removed')
}

function open({ target }: BreakpointRow, focus: boolean): void {
  if (target.kind !== 'line') return
  const { path, line } = target.breakpoint
  attempt(() => openFile(path, { line, column: 1 }, { focus, preview: !focus }))
}

interface RowViewProps {
  row: BreakpointRow
  attributes: RowAttributes
  select: () => void
  onMenu: (anchor: MenuAnchor) => void
}

function BreakpointRowView({ row, attributes, select, onMenu }: RowViewProps) {
  const { checked, title, detail, problem, target } = row
  const text = target.kind === 'line' ? `${target.breakpoint.path}:${target.breakpoint.line}` : title
  const state = problem !== null ? '-unverified' : checked === false ? '-disabled' : ''
  const icon = target.kind === 'exception' ? row.icon : `${row.icon}${state}`
  return (
    <div
      {...attributes}
      aria-checked={checked ?? undefined}
      title={[text, detail, problem].filter(Boolean).join('\n')}
      onClick={() => {
        select()
        open(row, false)
      }}
      onDoubleClick={() => open(row, true)}
      onContextMenu={(event) => {
        event.preventDefault()
        select()
        onMenu({ x: event.clientX, y: event.clientY })
      }}
    >
      <span
        className="debug-check"
        data-checked={checked ?? undefined}
        onClick={(event) => {
          event.stopPropagation()
          select()
          toggle(row)
        }}
      >
        {checked === true && <Icon name="check" />}
      </span>
      <Icon
        name={icon}
        className="debug-breakpoint-icon"
        color={
          checked === false || problem !== null
            ? 'var(--color-text-faint)'
            : target.kind === 'exception'
              ? 'var(--color-warning)'
              : 'var(--color-danger)'
        }
      />
      <span className="debug-breakpoint-name" data-off={checked === false || undefined}>
        {visibleText(title)}
      </span>
      <span className="debug-detail" data-problem={problem !== null || undefined}>
        {visibleText(problem ?? detail)}
      </span>
    </div>
  )
}

function menuItems(row: BreakpointRow): MenuItem[] {
  const { target, checked } = row
  return [
    ...(target.kind === 'line'
      ? [
          { id: 'open', label: 'Go to breakpoint', icon: 'go-to-file', run: () => open(row, true) },
          {
            id: 'condition',
            label: 'Edit condition…',
            icon: 'edit',
            run: () => attempt(() => editCondition(target.breakpoint), 'The condition could not be changed'),
          },
        ]
      : []),
    ...(checked === null
      ? []
      : [
          {
            id: 'toggle',
            label: checked ? 'Disable' : 'Enable',
            shortcut: formatKeys('Space'),
            run: () => toggle(row),
          },
        ]),
    ...(target.kind === 'exception'
      ? []
      : [
          {
            id: 'remove',
            label: target.kind === 'data' ? 'Remove data breakpoints' : 'Remove',
            icon: 'close',
            shortcut: formatKeys('Delete'),
            run: () => remove(row),
          },
        ]),
  ]
}

/** Breakpoints of the folder, and the kinds of exceptions at which the debugger stops. */
export function BreakpointsSection() {
  const rows = useBreakpointRows()
  const [menu, setMenu] = useState<{ row: BreakpointRow; anchor: MenuAnchor } | null>(null)
  const own = rows.filter(({ target }) => target.kind !== 'exception')
  const allEnabled = own.every(({ checked }) => checked !== false)

  function onKey(row: BreakpointRow, key: string): boolean {
    if (key === ' ') toggle(row)
    else if (key === 'Enter') {
      if (row.target.kind === 'line') open(row, true)
      else toggle(row)
    } else if (key === 'Delete' || key === 'Backspace') remove(row)
    else return false
    return true
  }

  return (
    <Section
      name="breakpoints"
      title="Breakpoints"
      rows={rows.length}
      actions={
        <>
          <IconButton
            icon="add"
            label="Add function breakpoint"
            onClick={() => attempt(addFunctionBreakpoint, 'The breakpoint could not be added')}
          />
          {own.length > 0 && (
            <>
              <IconButton
                icon="activate-breakpoints"
                label={allEnabled ? 'Disable all breakpoints' : 'Enable all breakpoints'}
                onClick={() => attempt(() => enableAllBreakpoints(!allEnabled), 'The breakpoints could not be changed')}
              />
              <IconButton
                icon="close-all"
                label="Remove all breakpoints"
                onClick={() => attempt(removeAllBreakpoints, 'The breakpoints could not be removed')}
              />
            </>
          )}
        </>
      }
    >
      {rows.length === 0 ? (
        <p className="debug-hint">No breakpoints.</p>
      ) : (
        <RowTree
          name="debug-breakpoint"
          label="Breakpoints"
          rows={rows}
          expandedOf={() => null}
          onToggle={() => undefined}
          onKey={onKey}
          onMenu={(row, anchor) => setMenu({ row, anchor })}
          renderRow={(row, attributes, select) => (
            <BreakpointRowView
              row={row}
              attributes={attributes}
              select={select}
              onMenu={(anchor) => setMenu({ row, anchor })}
            />
          )}
        />
      )}
      {menu && (
        <Menu
          label={`Actions for ${menu.row.title}`}
          anchor={menu.anchor}
          onClose={() => setMenu(null)}
          groups={[{ items: menuItems(menu.row) }]}
        />
      )}
    </Section>
  )
}
