import { useEffect, useMemo, useRef, useState, type KeyboardEvent } from 'react'
import type { CallDirection } from '../../shared/language/codeNavigation.ts'
import { plural } from '../../shared/text/plural.ts'
import { shortcutOf } from '../platform/commands.ts'
import { focusRegionNamed } from '../platform/layout/focusRegions.ts'
import { attempt } from '../platform/notices.ts'
import { Button, EmptyState, Icon, IconButton, Spinner, ToggleButton, VirtualList } from '../ui/index.ts'
import { kindLabel, symbolIcon } from '../ui/symbolIcon.ts'
import { expand, fold, openCall, reloadCalls, selectCall, useCalls } from './callsStore.ts'
import { callRows, type CallNode, type CallRow } from './callTree.ts'
import './calls.css'

const directions: Record<CallDirection, { label: string; icon: string; empty: string }> = {
  incoming: { label: 'Callers', icon: 'call-incoming', empty: 'No callers found.' },
  outgoing: { label: 'Calls', icon: 'call-outgoing', empty: 'No calls to functions in this folder or its libraries.' },
}

function DirectionButtons() {
  const direction = useCalls((state) => state.direction)
  // The keys of `directions` are CallDirections.
  return (Object.keys(directions) as CallDirection[]).map((each) => (
    <ToggleButton
      key={each}
      icon={directions[each].icon}
      pressed={each === direction}
      onClick={() => reloadCalls(each)}
    >
      {directions[each].label}
    </ToggleButton>
  ))
}

/** Describes where the calls are, or why the row has no children. */
function note({ state, ranges, item, more }: CallNode): string {
  const [first] = ranges
  const places = ranges.length > 1 ? plural(ranges.length, 'call') : first ? `Ln ${first.startLine}` : ''
  const facts = [
    places,
    state === 'repeated' ? 'recursive' : '',
    state === 'failed' ? 'failed' : '',
    item.library === undefined ? '' : 'library',
    more > 0 ? `${plural(more, 'more function')} not listed` : '',
  ]
  return facts.filter(Boolean).join(' · ')
}

const twisties: Partial<Record<CallNode['state'], string>> = {
  folded: 'chevron-right',
  failed: 'chevron-right',
  loading: 'loading',
  open: 'chevron-down',
}

interface RowProps {
  row: CallRow
  id: string
  selected: boolean
}

function CallRowView({ row: { node, depth }, id, selected }: RowProps) {
  const { item, state, certain } = node
  const { icon, color } = symbolIcon(item.kind)
  const file = item.path.slice(item.path.lastIndexOf('/') + 1)
  return (
    <div
      id={id}
      role="treeitem"
      aria-level={depth + 1}
      aria-selected={selected}
      aria-expanded={state === 'open' ? true : state === 'folded' || state === 'failed' ? false : undefined}
      aria-busy={state === 'loading'}
      title={`${item.path}${certain ? '' : ' · found by name only'}`}
      className="ui-finding-row calls-row"
      data-certain={certain}
      style={{ paddingLeft: 8 + depth * 16 }}
      onClick={() => {
        selectCall(node.id)
        attempt(() => openCall(node, false))
      }}
      onDoubleClick={() => attempt(() => openCall(node, true))}
    >
      <span
        className="calls-twistie"
        onClick={(event) => {
          event.stopPropagation()
          selectCall(node.id)
          if (state === 'open') fold(node)
          else attempt(() => expand(node))
        }}
      >
        <Icon name={twisties[state] ?? 'blank'} className="ui-twistie" />
      </span>
      <Icon name={icon} color={color} label={kindLabel(item.kind)} />
      <span className="calls-name">{item.name}</span>
      {!certain && <span className="visually-hidden">, found by name only,</span>}
      <span className="calls-detail">
        {item.name === item.path ? '' : [item.detail, file].filter(Boolean).join(' · ')}
      </span>
      <span className="calls-note">{note(node)}</span>
    </div>
  )
}

/** Number of rows by which a key moves the selection. */
const keySteps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10 }

/**
 * Handles a key in the tree: arrows navigate and expand, Enter goes to a call, Space previews it. @returns whether it
 * did
 */
function onTreeKey(key: string, rows: readonly CallRow[], active: number): boolean {
  const row = rows[active]
  const select = (index: number): void => {
    const target = rows[Math.max(0, Math.min(rows.length - 1, index))]
    if (target) selectCall(target.node.id)
  }
  const step = keySteps[key]
  if (step !== undefined) select(active + step)
  else if (key === 'Home') select(0)
  else if (key === 'End') select(rows.length - 1)
  else if (!row) return false
  else if (key === 'Enter' || key === ' ') attempt(() => openCall(row.node, key === 'Enter'))
  else if (key === 'ArrowRight') {
    if (row.node.state === 'open') select(active + 1)
    else attempt(() => expand(row.node))
  } else if (key === 'ArrowLeft') {
    if (row.node.state === 'open') fold(row.node)
    else if (row.node.parent !== null) selectCall(row.node.parent)
  } else return false
  return true
}

/** Announces how much was found, but not the rows, which screen readers read by themselves. */
function summaryOf(rows: readonly CallRow[], direction: CallDirection): string {
  const [root] = rows
  if (!root) return ''
  const count = root.node.children?.length ?? 0
  return `${root.node.item.name}: ${direction === 'incoming' ? plural(count, 'caller') : plural(count, 'called function')}`
}

/** A tree of a function's callers, or of the functions that it calls. */
export function CallsView() {
  const { place, direction, tree, loading, failure, selected, focusRequested } = useCalls()
  const rows = useMemo(() => (tree ? callRows(tree) : []), [tree])
  const view = useRef<HTMLDivElement>(null)
  const [announced, setAnnounced] = useState('')
  useEffect(() => {
    if (!loading) setAnnounced(summaryOf(rows, direction))
  }, [rows, direction, loading])
  useEffect(() => {
    if (!focusRequested || loading) return
    useCalls.setState({ focusRequested: false })
    const target = view.current?.querySelector<HTMLElement>('[data-autofocus]')
    if (target) target.focus()
    else focusRegionNamed('panel')
  }, [focusRequested, loading])
  const found = rows.findIndex(({ node }) => node.id === selected)
  const active = found >= 0 ? found : 0
  const key = shortcutOf('calls.show')

  if (!place)
    return (
      <div ref={view} className="calls">
        <EmptyState icon="references" title="No function selected">
          Put the cursor on a function and choose "Show call hierarchy"{key === undefined ? '' : ` (${key})`}.
        </EmptyState>
      </div>
    )
  const isEmpty = rows[0]?.node.children?.length === 0
  return (
    <div ref={view} className="calls">
      <span className="visually-hidden" role="status">
        {announced}
      </span>
      <div className="calls-bar" role="toolbar" aria-label="Call hierarchy">
        <DirectionButtons />
        <span className="calls-space" />
        <IconButton icon="refresh" label="Reload calls" onClick={() => reloadCalls()} />
      </div>
      {failure ? (
        <EmptyState
          icon="error"
          title="The calls could not be loaded"
          actions={
            <Button data-autofocus onClick={() => reloadCalls()}>
              Try again
            </Button>
          }
        >
          {failure.message}
        </EmptyState>
      ) : loading ? (
        <div className="calls-loading">
          <Spinner label="Finding calls" />
        </div>
      ) : rows.length === 0 ? (
        <EmptyState icon="info" title="No function here">
          There is no function at the cursor or around it.
        </EmptyState>
      ) : (
        <>
          <VirtualList
            className={`ui-finding-tree ${isEmpty ? 'calls-tree-empty' : ''}`}
            role="tree"
            aria-label="Call hierarchy"
            aria-activedescendant={`call-row-${active}`}
            tabIndex={0}
            data-autofocus
            items={rows}
            rowHeight={24}
            levelOf={({ depth }) => depth}
            activeIndex={active}
            keyOf={({ node }) => node.id}
            onKeyDown={(event: KeyboardEvent) => {
              if (!event.ctrlKey && !event.metaKey && !event.altKey && onTreeKey(event.key, rows, active))
                event.preventDefault()
            }}
            renderRow={(row, index) => <CallRowView row={row} id={`call-row-${index}`} selected={index === active} />}
          />
          {isEmpty && <div className="calls-empty">{directions[direction].empty}</div>}
        </>
      )}
    </div>
  )
}
