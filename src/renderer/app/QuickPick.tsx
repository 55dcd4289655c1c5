import { useEffect, useId, useRef, useState, type KeyboardEvent, type ReactNode } from 'react'
import { notifyFailure } from '../platform/notices.ts'
import { useQuickPick, type QuickPickItem, type QuickPickOptions } from '../platform/quickPick/quickPick.ts'
import { filterRows, markRow, rowsOf, type QuickPickRow } from '../platform/quickPick/quickPickRows.ts'
import { FileIcon } from '../ui/FileIcon.tsx'
import { Icon } from '../ui/index.ts'

/** Maximum number of rows in the DOM. */
const maxRendered = 300

/** A label with the matched characters in bold. */
function HighlightedText({ text, positions }: { text: string; positions: number[] }) {
  if (positions.length === 0) return text
  const set = new Set(positions)
  const parts: ReactNode[] = []
  let start = 0
  for (let index = 1; index <= text.length; index++) {
    if (index === text.length || set.has(index) !== set.has(start)) {
      const part = text.slice(start, index)
      parts.push(set.has(start) ? <b key={start}>{part}</b> : part)
      start = index
    }
  }
  return parts
}

/** Filters a fixed list of items, or requests items for the query. */
function useRows(options: QuickPickOptions, query: string): { rows: QuickPickRow[]; searching: boolean } {
  const [found, setFound] = useState<{ query: string; items: readonly QuickPickItem[] } | null>(null)
  const { items } = options
  useEffect(() => {
    if (typeof items !== 'function') return
    let stale = false
    items(query)
      .then((result) => {
        if (!stale) setFound({ query, items: result })
      })
      .catch((error: unknown) => {
        if (!stale) {
          setFound({ query, items: [] })
          notifyFailure(error)
        }
      })
    return () => {
      stale = true
    }
  }, [items, query])
  if (typeof items !== 'function') return { rows: filterRows(query, items), searching: false }
  const matched = options.matched?.(found?.query ?? '') ?? ''
  const rows = rowsOf(found?.items ?? [])
  return {
    rows: matched === '' ? rows : rows.slice(0, maxRendered).map((row) => markRow(row, matched)),
    searching: found?.query !== query,
  }
}

const chosen = ({ item }: QuickPickRow, toSide: boolean): QuickPickItem => (toSide ? { ...item, toSide } : item)

/** The index of the highlighted row, which keeps its item when others are added. */
function useHighlight(rows: readonly QuickPickRow[], query: string, searching: boolean) {
  const firstIndex = Math.max(0, query === '' ? rows.findIndex(({ item }) => item.current) : 0)
  const [moved, setMoved] = useState<{ query: string; index: number } | null>(null)
  const held = useRef<{ query: string; id: string } | null>(null)
  const heldAt = held.current?.query === query ? rows.findIndex(({ item }) => item.id === held.current?.id) : -1
  const hasMoved = moved?.query === query
  // The current item can arrive later.
  const isCurrent = !hasMoved && query === '' && rows[firstIndex]?.item.current === true
  const wanted = hasMoved ? moved.index : firstIndex
  const index = Math.min(heldAt < 0 || isCurrent ? wanted : heldAt, rows.length - 1)
  const id = rows[index]?.item.id
  useEffect(() => {
    held.current = id !== undefined && !searching ? { query, id } : null
  }, [id, query, searching])
  return {
    index,
    move(to: number): void {
      const item = rows[to]?.item
      held.current = item ? { query, id: item.id } : null
      setMoved({ query, index: to })
    },
  }
}

function QuickPickDialog({
  options,
  answer,
}: {
  options: QuickPickOptions
  answer: (item: QuickPickItem | null) => void
}) {
  const [query, setQuery] = useState(options.initialQuery ?? '')
  const { rows, searching } = useRows(options, query)
  const { index, move } = useHighlight(rows, query, searching)
  /**
   * Query for which the user pressed Enter before its results arrived. The highlighted row is chosen when they arrive.
   */
  const [pendingEnter, setPendingEnter] = useState<{ query: string; toSide: boolean } | null>(null)
  const input = useRef<HTMLInputElement>(null)
  const previousFocus = useRef(document.activeElement)
  const id = useId()

  useEffect(() => {
    input.current?.focus()
    input.current?.setSelectionRange(input.current.value.length, input.current.value.length)
    const origin = previousFocus.current
    return () => {
      // Keep the focus if the chosen item has moved it.
      if (document.activeElement === document.body && origin instanceof HTMLElement) origin.focus()
    }
  }, [])

  function choose(row: QuickPickRow | undefined, toSide = false): void {
    if (row && !row.item.disabled) answer(chosen(row, toSide))
  }

  const highlighted = rows[index]?.item
  const { onHighlight } = options
  useEffect(() => {
    if (highlighted && onHighlight) onHighlight(highlighted)
  }, [highlighted, onHighlight])

  useEffect(() => {
    if (pendingEnter?.query !== query || searching) return
    setPendingEnter(null)
    const best = rows[index]
    if (best && !best.item.disabled) answer(chosen(best, pendingEnter.toSide))
  }, [pendingEnter, query, searching, rows, index, answer])

  function onKeyDown(event: KeyboardEvent): void {
    const go = (to: number) => move((to + rows.length) % Math.max(1, rows.length))
    if (event.key === 'ArrowDown') go(index + 1)
    else if (event.key === 'ArrowUp') go(index - 1)
    else if (event.key === 'PageDown') go(Math.min(rows.length - 1, index + 10))
    else if (event.key === 'PageUp') go(Math.max(0, index - 10))
    else if (event.key === 'Enter') {
      const toSide = event.ctrlKey || event.metaKey
      if (searching) setPendingEnter({ query, toSide })
      else choose(rows[index], toSide)
    } else if (event.key === 'Escape') answer(null)
    else if (event.key !== 'Tab') return
    event.preventDefault()
    event.stopPropagation()
  }

  return (
    <div
      className="quick-shade"
      onPointerDown={(event) => {
        if (event.target === event.currentTarget) answer(null)
      }}
    >
      <div className="quick" role="dialog" aria-label={options.title} onKeyDown={onKeyDown}>
        <input
          ref={input}
          className="quick-input"
          role="combobox"
          aria-label={options.title}
          aria-expanded
          aria-controls={`${id}-list`}
          aria-activedescendant={rows[index] ? `${id}-list-${index}` : undefined}
          placeholder={options.placeholder ?? options.title}
          value={query}
          spellCheck={false}
          onChange={(event) => setQuery(event.target.value)}
          onBlur={(event) => {
            if (!event.currentTarget.closest('.quick')?.contains(event.relatedTarget) && document.hasFocus())
              answer(null)
          }}
        />
        <QuickPickList
          id={`${id}-list`}
          label={options.title}
          rows={rows}
          active={index}
          busy={searching}
          onActive={move}
          onChoose={choose}
        />
        {rows.length === 0 && (
          <div className="quick-empty">{searching ? 'Searching…' : (options.empty ?? 'No matches.')}</div>
        )}
      </div>
    </div>
  )
}

interface QuickPickListProps {
  /** Element id. Option ids are `${id}-${index}`. */
  id: string
  label: string
  rows: readonly QuickPickRow[]
  /** Index of the highlighted row. */
  active: number
  busy: boolean
  onActive: (index: number) => void
  onChoose: (row: QuickPickRow) => void
}

function QuickPickList({ id, label, rows, active, busy, onActive, onChoose }: QuickPickListProps) {
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' })
  }, [active, rows])
  return (
    <div ref={list} id={id} className="quick-list" role="listbox" aria-label={label} aria-busy={busy}>
      {rows.slice(0, maxRendered).map(({ item, positions, descriptionPositions = [], heading }, index) => (
        <div key={item.id} role="presentation">
          {heading !== undefined && heading !== rows[index - 1]?.heading && (
            <div className="quick-heading">{heading}</div>
          )}
          <div
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === active}
            aria-disabled={item.disabled}
            title={item.disabled ? item.description : undefined}
            className="quick-item"
            onPointerMove={() => index !== active && onActive(index)}
            onPointerDown={(event) => event.preventDefault()}
            onClick={() => rows[index] && onChoose(rows[index])}
          >
            {item.icon && <Icon name={item.icon} color={item.iconColor} />}
            {item.file && <FileIcon {...item.file} />}
            <span className="quick-label">
              <HighlightedText text={item.label} positions={positions} />
            </span>
            {item.description && (
              <span className="quick-description">
                <HighlightedText text={item.description} positions={descriptionPositions} />
              </span>
            )}
            {item.current && <Icon name="check" label="current" />}
            {item.detail && <kbd className="quick-detail">{item.detail}</kbd>}
          </div>
        </div>
      ))}
    </div>
  )
}

/** Renders the picker that `quickPick()` opens. */
export function QuickPick() {
  const open = useQuickPick((state) => state.open)
  return open && <QuickPickDialog key={open.key} options={open.options} answer={open.answer} />
}
