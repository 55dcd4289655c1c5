import { useEffect, useMemo, useRef, useState, type KeyboardEvent, type ReactNode } from 'react'
import type { OutlineSymbol } from '../../shared/codeNavigation.ts'
import { openFile } from '../platform/editor/editorService.ts'
import { visibleFile, useTabs } from '../platform/editor/tabsStore.ts'
import { useEditorStatus } from '../platform/editor/editorViews.ts'
import { toggleOutline } from '../platform/layoutStore.ts'
import { attempt } from '../platform/notices.ts'
import { Button, Icon, IconButton, VirtualList } from '../ui/index.ts'
import { followEditor, outline } from './windowOutline.ts'
import { OutlineRow } from './OutlineRow.tsx'
import './outline.css'
import { useOutline, type OutlineState } from './outlineStore.ts'
import { outlineRows, rowAtLine } from './outlineTree.ts'

const rowHeight = 22
const none: readonly OutlineSymbol[] = []

/** The title of the section. A click collapses or expands it. */
export function OutlineHeader({ open, children }: { open: boolean; children?: ReactNode }) {
  return (
    <header className="outline-header">
      <button
        type="button"
        className="outline-title"
        aria-expanded={open}
        aria-controls="outline-view"
        onClick={toggleOutline}
      >
        <Icon name={open ? 'chevron-down' : 'chevron-right'} className="explorer-twistie" /> Outline
      </button>
      {children}
    </header>
  )
}

/** Why there is no tree; null if there is one. */
function emptyText({ path, outline: found, filter }: OutlineState, rows: number): string | null {
  const file = visibleFile()
  if (path === null)
    return file ? 'This file is not shown as text, so it has no outline.' : 'Open a file to see its symbols here.'
  if (!found) return null
  if (!found.supported) return `${found.language ? `${found.language} files` : 'Files of this kind'} have no outline.`
  if (found.symbols.length === 0) return found.problem === '' ? 'No symbols in this file.' : found.problem
  return rows === 0 ? `No symbol matches “${filter}”.` : null
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
  /** The symbol selected with the keyboard, until the cursor moves. */
  const [chosen, setChosen] = useState<{ id: string; line: number | null } | null>(null)
  const [filtering, setFiltering] = useState(false)
  const chosenIndex = chosen && chosen.line === line ? rows.findIndex(({ symbol }) => symbol.id === chosen.id) : -1
  const active = chosenIndex >= 0 ? chosenIndex : current
  const list = useRef<HTMLDivElement>(null)
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => followEditor(), [])

  const choose = (index: number) => {
    const row = rows[Math.min(rows.length - 1, Math.max(0, index))]
    if (row) setChosen({ id: row.symbol.id, line })
  }
  const open = (symbol: OutlineSymbol, focus: boolean) => {
    setChosen(null)
    attempt(() => openFile(symbol.path, { line: symbol.nameLine, column: symbol.nameColumn }, { focus }))
  }
  const endFilter = () => {
    useOutline.setState({ filter: '' })
    setFiltering(false)
    list.current?.focus()
  }
  const startFilter = (text = '') => {
    setFiltering(true)
    if (text !== '') useOutline.setState({ filter: text })
    requestAnimationFrame(() => input.current?.focus())
  }

  function onTreeKey(event: KeyboardEvent): void {
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
    else if (event.key === 'Escape' && filtering) endFilter()
    else if (event.key.length === 1 && event.key !== ' ') startFilter(filter + event.key)
    else return
    event.preventDefault()
  }

  function onFilterKey(event: KeyboardEvent): void {
    const first = rows.findIndex(({ matched }) => matched)
    if (event.key === 'Escape') endFilter()
    else if (event.key === 'ArrowDown') {
      choose(first)
      list.current?.focus()
    } else if (event.key === 'Enter') {
      const row = rows[first]
      if (row) open(row.symbol, true)
    } else return
    event.preventDefault()
  }

  const text = emptyText(state, rows.length)
  return (
    <section className="outline" id="outline-view" aria-label="Outline">
      <OutlineHeader open>
        {found && found.problem !== '' && symbols.length > 0 && (
          <span className="outline-problem" title={found.problem}>
            <Icon name="warning" label={found.problem} />
          </span>
        )}
        {symbols.length > 0 && (
          <IconButton
            icon="filter"
            label="Filter the outline"
            aria-pressed={filtering}
            onClick={() => (filtering ? endFilter() : startFilter())}
          />
        )}
      </OutlineHeader>
      {filtering && (
        <input
          ref={input}
          className="ui-input outline-filter"
          aria-label="Filter symbols"
          placeholder="Filter symbols"
          value={filter}
          spellCheck={false}
          onChange={(event) => useOutline.setState({ filter: event.target.value })}
          onKeyDown={onFilterKey}
        />
      )}
      {failure ? (
        <div className="outline-note" role="alert">
          {failure.message}
          <Button variant="ghost" icon="refresh" onClick={() => attempt(outline.refresh)}>
            Try again
          </Button>
        </div>
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
          activeIndex={active}
          keyOf={({ symbol }) => symbol.id}
          onKeyDown={onTreeKey}
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
