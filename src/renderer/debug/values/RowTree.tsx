import { useEffect, useRef, useState, type KeyboardEvent, type ReactNode, type Ref } from 'react'
import { isMac } from '../../platform/keymap/keyNotation.ts'
import { VirtualList } from '../../ui/index.ts'

/** Height of a row in pixels. */
export const fixedRowHeight = 22

export interface TreeRow {
  id: string
  depth: number
}

export interface RowAttributes {
  id: string
  role: 'treeitem'
  'aria-level': number
  'aria-selected': boolean
  className: string
  style: { paddingLeft: number }
}

/** A key on a row, with its modifiers: `Mod+C`, `F2`, `Enter`. */
export type RowKey = string

interface RowTreeProps<R extends TreeRow> {
  /** Prefix of the elements' ids. */
  name: string
  label: string
  rows: readonly R[]
  /** Whether a row is expanded; null if it has no children. */
  expandedOf: (row: R) => boolean | null
  onToggle: (row: R) => void
  /** Handles other keys. @returns whether it did */
  onKey: (row: R, key: RowKey) => boolean
  /** Opens the context menu of a row. */
  onMenu?: (row: R, anchor: { x: number; y: number } | { element: Element }) => void
  /** Renders a row with the attributes of its element. */
  renderRow: (row: R, attributes: RowAttributes, select: () => void) => ReactNode
  /** Id of the row to select when it changes, for example the current frame. */
  followed?: string | undefined
  className?: string
  /** Returns the estimated height of rows that wrap. Default: all have the same height. */
  rowHeight?: number | ((row: R) => number)
  ref?: Ref<HTMLDivElement>
}

/** Number of rows by which a key moves the selection. */
const keySteps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10 }

function keyOf(event: KeyboardEvent): RowKey {
  const modifier = isMac ? event.metaKey : event.ctrlKey
  const letter = event.key.length === 1 ? event.key.toUpperCase() : event.key
  return `${modifier ? 'Mod+' : ''}${event.shiftKey ? 'Shift+' : ''}${letter}`
}

/**
 * A tree in the Run view. Arrow keys, Home and End move the selection, Left and Right collapse and expand, and the menu
 * key opens the context menu. Only visible rows are rendered.
 */
export function RowTree<R extends TreeRow>({
  name,
  label,
  rows,
  expandedOf,
  onToggle,
  onKey,
  onMenu,
  renderRow,
  followed,
  className = '',
  rowHeight = fixedRowHeight,
  ref,
}: RowTreeProps<R>) {
  /** `reveals`: the row was not clicked, so it may be out of view. */
  const [selected, setSelected] = useState({ id: '', index: 0, reveals: false })
  const latest = useRef(rows)
  latest.current = rows
  useEffect(() => {
    const index = latest.current.findIndex(({ id }) => id === followed)
    if (followed !== undefined && index >= 0) setSelected({ id: followed, index, reveals: true })
  }, [followed])
  // Keep the selection on its row while rows above appear and disappear.
  const found = rows.findIndex(({ id }) => id === selected.id)
  const active = found >= 0 ? found : Math.max(0, Math.min(selected.index, rows.length - 1))

  function select(index: number, reveals = true): void {
    const at = Math.max(0, Math.min(rows.length - 1, index))
    setSelected({ id: rows[at]?.id ?? '', index: at, reveals })
  }

  function selectParent(row: R): void {
    select(rows.findLastIndex(({ depth }, index) => index < active && depth < row.depth))
  }

  function onKeyDown(event: KeyboardEvent<HTMLDivElement>): void {
    // A field or button in a row handles its own keys.
    if (event.target !== event.currentTarget) return
    const row = rows[active]
    const key = keyOf(event)
    const step = keySteps[key]
    if (step !== undefined) select(active + step)
    else if (key === 'Home') select(0)
    else if (key === 'End') select(rows.length - 1)
    else if (row === undefined) return
    else if (key === 'ArrowRight' && expandedOf(row) === false) onToggle(row)
    else if (key === 'ArrowRight') select((rows[active + 1]?.depth ?? 0) > row.depth ? active + 1 : active)
    else if (key === 'ArrowLeft' && expandedOf(row) === true) onToggle(row)
    else if (key === 'ArrowLeft') selectParent(row)
    else if (onMenu && (key === 'ContextMenu' || key === 'Shift+F10')) {
      const element = document.getElementById(`${name}-${active}`)
      if (element) onMenu(row, { element })
    } else if (!onKey(row, key)) return
    event.preventDefault()
  }

  return (
    <VirtualList
      ref={ref}
      className={`debug-tree ${className}`}
      role="tree"
      aria-label={label}
      aria-activedescendant={rows.length > 0 ? `${name}-${active}` : undefined}
      tabIndex={0}
      items={rows}
      rowHeight={rowHeight}
      levelOf={({ depth }) => depth}
      activeIndex={selected.reveals ? active : undefined}
      keyOf={({ id }) => id}
      onKeyDown={onKeyDown}
      renderRow={(row, index) =>
        renderRow(
          row,
          {
            id: `${name}-${index}`,
            role: 'treeitem',
            'aria-level': row.depth,
            'aria-selected': index === active,
            className: 'debug-row',
            style: { paddingLeft: 4 + (row.depth - 1) * 12 },
          },
          () => select(index, false),
        )
      }
    />
  )
}
