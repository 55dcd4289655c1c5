import { useEffect, useMemo, useRef, useState, type KeyboardEvent, type ReactNode, type RefObject } from 'react'
import { flushSync } from 'react-dom'
import type { CodeOutline, OutlineSymbol } from '../../shared/language/codeNavigation.ts'
import type { Failure } from '../../shared/errors.ts'
import { openFile } from '../platform/editor/editorService.ts'
import { visibleFile, useTabs } from '../platform/editor/tabsStore.ts'
import { useEditorStatus } from '../platform/editor/editorViews.ts'
import { toggleOutline } from '../platform/layout/layoutStore.ts'
import { attempt } from '../platform/notices.ts'
import { Button, Icon, IconButton, SectionHeader, VirtualList } from '../ui/index.ts'
import './outline.css'
import { followEditor, outline, useOutline, type OutlineState } from './outlineStore.ts'
import { outlineRows, rowAtLine, type OutlineRow as OutlineRowData, type OutlineRow as Row } from './outlineTree.ts'
import { kindLabel, symbolIcon } from '../ui/symbolIcon.ts'

const rowHeight = 22
const none: readonly OutlineSymbol[] = []

export function OutlineHeader({ open, children }: { open: boolean; children?: ReactNode }) {
  return (
    <SectionHeader title="Outline" open={open} controls="outline-view" onToggle={toggleOutline}>
      {children}
    </SectionHeader>
  )
}

/** Message that replaces the tree; null if there is a tree. */
function emptyText({ path, outline: found, filter }: OutlineState, rows: number): string | null {
  const file = visibleFile()
  if (path === null)
    return file ? 'This file is not shown as text, so it has no outline.' : 'Open a file to see its symbols here.'
  if (!found) return null
  if (!found.supported)
    return found.language ? `${found.language} files have no outline.` : 'Files of this kind have no outline.'
  if (found.symbols.length === 0) return found.problem === '' ? 'No symbols in this file.' : found.problem
  return rows === 0 ? `No symbol matches "${filter}".` : null
}

/** The symbols of the active file. Arrow keys navigate, Enter goes to a symbol, typing filters. */
export function Outline() {
  const state = useOutline()
  const { path, outline: found, failure, filter, folded } = state
  const symbols = found?.symbols ?? none
  const rows = useMemo(() => outlineRows(symbols, filter, folded), [symbols, filter, folded])
  const line = useEditorStatus(({ cursor }) => cursor?.line ?? null)
  const inEditor = useTabs((tabs) => visibleFile(tabs)?.path ?? null) === path
  const current = line === null || !inEditor ? -1 : rowAtLine(rows, line)
  /** Symbol selected by key, and the cursor's line at that time. Reset when the cursor moves. */
  const [chosen, setChosen] = useState<{ id: string; line: number | null } | null>(null)
  const chosenIndex = chosen && chosen.line === line ? rows.findIndex(({ symbol }) => symbol.id === chosen.id) : -1
  const active = chosenIndex >= 0 ? chosenIndex : current
  const list = useRef<HTMLDivElement>(null)
  const { filtering, input, startFilter, endFilter } = useFilterField(list)
  useEffect(() => followEditor(), [])

  const choose = (index: number) => {
    const row = rows[Math.min(rows.length - 1, Math.max(0, index))]
    if (row) setChosen({ id: row.symbol.id, line })
  }
  const open = (symbol: OutlineSymbol, focus: boolean) => {
    setChosen(null)
    attempt(() => openFile(symbol.path, { line: symbol.nameLine, column: symbol.nameColumn }, { focus, reveal: true }))
  }

  const firstMatch = rows.findIndex(({ matched }) => matched)
  const text = emptyText(state, rows.length)
  return (
    <section className="outline" id="outline-view" aria-label="Outline">
      <OutlineHeader open>
        <OutlineActions
          outline={found}
          filtering={filtering}
          onToggleFilter={() => (filtering ? endFilter() : startFilter())}
        />
      </OutlineHeader>
      {filtering && (
        <FilterField
          field={input}
          filter={filter}
          onClose={endFilter}
          onLeave={() => {
            choose(firstMatch)
            list.current?.focus()
          }}
          onOpen={() => rows[firstMatch] && open(rows[firstMatch].symbol, true)}
        />
      )}
      {failure ? (
        <FailureNote failure={failure} />
      ) : text !== null ? (
        <div className="outline-note">{text}</div>
      ) : (
        <VirtualList
          ref={list}
          id="outline-tree"
          className="outline-tree"
          role="tree"
          aria-label="Symbols"
          tabIndex={0}
          aria-activedescendant={active < 0 ? undefined : `outline-${active}`}
          items={rows}
          rowHeight={rowHeight}
          levelOf={({ depth }) => depth}
          activeIndex={active}
          keyOf={({ symbol }) => symbol.id}
          onKeyDown={(event) =>
            onTreeKey(event, {
              rows,
              active,
              filter,
              choose,
              open,
              startFilter,
              endFilter: filtering ? endFilter : undefined,
            })
          }
          renderRow={(row, index) => (
            <OutlineRow
              row={row}
              id={`outline-${index}`}
              selected={index === active}
              current={index === current}
              onOpen={() => open(row.symbol, false)}
              onToggle={() => outline.toggleFolded(row.symbol.id)}
            />
          )}
        />
      )}
    </section>
  )
}

interface OutlineActionsProps {
  outline: CodeOutline | null
  filtering: boolean
  onToggleFilter: () => void
}

/** Warning about an incomplete outline, and the filter button. */
function OutlineActions({ outline: shown, filtering, onToggleFilter }: OutlineActionsProps) {
  if (!shown || shown.symbols.length === 0) return null
  return (
    <>
      {shown.problem !== '' && (
        <span className="outline-problem" title={shown.problem}>
          <Icon name="warning" label={shown.problem} />
        </span>
      )}
      <IconButton icon="filter" label="Filter the outline" aria-pressed={filtering} onClick={onToggleFilter} />
    </>
  )
}

function FailureNote({ failure }: { failure: Failure }) {
  return (
    <div className="outline-note" role="alert">
      {failure.message}
      <Button variant="ghost" icon="refresh" onClick={() => attempt(outline.refresh)}>
        Try again
      </Button>
    </div>
  )
}

/** State of the filter field. Closing it clears the filter and focuses the tree. */
function useFilterField(tree: RefObject<HTMLDivElement | null>) {
  const [filtering, setFiltering] = useState(false)
  const input = useRef<HTMLInputElement>(null)

  function startFilter(text = ''): void {
    // Synchronously, so that the next key reaches the field: Enter in the tree would open the selected symbol.
    flushSync(() => {
      setFiltering(true)
      if (text !== '') useOutline.setState({ filter: text })
    })
    input.current?.focus()
  }
  function endFilter(): void {
    useOutline.setState({ filter: '' })
    setFiltering(false)
    tree.current?.focus()
  }
  return { filtering, input, startFilter, endFilter }
}

interface FilterFieldProps {
  field: RefObject<HTMLInputElement | null>
  filter: string
  onClose: () => void
  /** Moves the focus to the tree. */
  onLeave: () => void
  /** Goes to the first match. */
  onOpen: () => void
}

function FilterField({ field, filter, onClose, onLeave, onOpen }: FilterFieldProps) {
  return (
    <input
      ref={field}
      className="ui-input outline-filter"
      aria-label="Filter symbols"
      placeholder="Filter symbols"
      value={filter}
      spellCheck={false}
      onChange={(event) => useOutline.setState({ filter: event.target.value })}
      onKeyDown={(event) => {
        if (event.key === 'Escape') onClose()
        else if (event.key === 'ArrowDown') onLeave()
        else if (event.key === 'Enter') onOpen()
        else return
        event.preventDefault()
      }}
    />
  )
}

interface TreeKeyContext {
  rows: readonly OutlineRowData[]
  /** Index of the active row; -1 if there is none. */
  active: number
  filter: string
  choose: (index: number) => void
  open: (symbol: OutlineSymbol, focus: boolean) => void
  startFilter: (text: string) => void
  /** Undefined if the filter is closed. */
  endFilter: (() => void) | undefined
}

/** Handles a key in the tree: arrows navigate, Enter and Space go to a symbol, letters filter. */
function onTreeKey(
  event: KeyboardEvent,
  { rows, active, filter, choose, open, startFilter, endFilter }: TreeKeyContext,
): void {
  const row = rows[active]
  if (event.ctrlKey || event.metaKey || event.altKey) return
  if (event.key === 'ArrowDown') choose(active + 1)
  else if (event.key === 'ArrowUp') choose(active < 0 ? rows.length - 1 : active - 1)
  else if (event.key === 'Home') choose(0)
  else if (event.key === 'End') choose(rows.length - 1)
  else if (event.key === 'PageDown') choose(active + 10)
  else if (event.key === 'PageUp') choose(active - 10)
  else if (event.key === 'ArrowRight' && row) {
    if (row.expanded === false) outline.toggleFolded(row.symbol.id)
    else if (row.expanded) choose(active + 1)
  } else if (event.key === 'ArrowLeft' && row) {
    if (row.expanded && filter === '') outline.toggleFolded(row.symbol.id)
    else choose(rows.findLastIndex(({ depth }, index) => index < active && depth < row.depth))
  } else if (event.key === 'Enter' && row) open(row.symbol, true)
  else if (event.key === ' ' && row) open(row.symbol, false)
  else if (event.key === 'Escape' && endFilter) endFilter()
  else if (event.key.length === 1 && event.key !== ' ') startFilter(filter + event.key)
  else return
  event.preventDefault()
}

interface OutlineRowProps {
  row: Row
  id: string
  selected: boolean
  /** Whether the editor's cursor is in the symbol. */
  current: boolean
  onOpen: () => void
  onToggle: () => void
}

function OutlineRow({
  row: { symbol, depth, expanded, matched },
  id,
  selected,
  current,
  onOpen,
  onToggle,
}: OutlineRowProps) {
  const { icon, color } = symbolIcon(symbol.kind)
  return (
    <div
      id={id}
      role="treeitem"
      aria-level={depth + 1}
      aria-selected={selected}
      aria-current={current ? 'location' : undefined}
      aria-expanded={expanded ?? undefined}
      aria-label={`${symbol.name}, ${kindLabel(symbol.kind)}`}
      title={symbol.signature}
      className="outline-row"
      data-matched={matched}
      style={{ paddingLeft: 8 + depth * 12 }}
      onClick={onOpen}
    >
      <span
        className="outline-twistie"
        onClick={(event) => {
          if (expanded === null) return
          event.stopPropagation()
          onToggle()
        }}
      >
        <Icon name={expanded === null ? 'blank' : expanded ? 'chevron-down' : 'chevron-right'} className="ui-twistie" />
      </span>
      <Icon name={icon} color={color} label={kindLabel(symbol.kind)} />
      <span className="outline-name">{symbol.name}</span>
    </div>
  )
}
