import { useEffect, useLayoutEffect, useMemo, useRef, type RefObject } from 'react'
import { LinkedCode } from '../../platform/textLinks/LinkedCode.tsx'
import { openLocation } from '../../platform/editor/openLocation.ts'
import { attempt } from '../../platform/notices.ts'
import { EmptyState, Icon, IconButton, Select, VisibleCode } from '../../ui/index.ts'
import { RowTree, type RowAttributes } from '../values/RowTree.tsx'
import { ValueRowView } from '../values/ValueRowView.tsx'
import { copyText } from '../values/copyText.ts'
import { valueRows, type ValueRow } from '../values/valueTree.ts'
import { AnsiText } from '../../platform/AnsiText.tsx'
import { parseAnsi } from '../../platform/ansiText.ts'
import { ConsoleInput } from './ConsoleInput.tsx'
import { clearConsole, consoleValues, shownRows, useDebugConsole, type ConsoleRow } from './debugConsoleStore.ts'
import './debugConsole.css'

/** A line, or a value below the line that it belongs to. */
type Item =
  | { kind: 'line'; id: string; depth: number; row: ConsoleRow; expanded: boolean | null }
  | { kind: 'value'; id: string; depth: number; row: ValueRow }

/** Estimated height of a line in pixels. Lines wrap. */
const lineHeight = 20

const renderLinks = (text: string) => <LinkedCode text={text} />

interface LineProps {
  item: Extract<Item, { kind: 'line' }>
  attributes: RowAttributes
  select: () => void
}

function ConsoleLine({ item: { row, expanded }, attributes, select }: LineProps) {
  const { kind, category, text, node, path, line } = row
  return (
    <div
      {...attributes}
      className="debug-line"
      aria-expanded={expanded ?? undefined}
      data-kind={kind}
      data-category={category}
      onClick={() => {
        select()
        if (node && expanded !== null && getSelection()?.isCollapsed !== false)
          attempt(() => consoleValues.toggle(node))
      }}
    >
      <Icon
        className="debug-line-icon"
        name={
          kind === 'input'
            ? 'chevron-right'
            : expanded === null
              ? kind === 'result'
                ? 'arrow-small-left'
                : 'blank'
              : expanded
                ? 'chevron-down'
                : 'chevron-right'
        }
      />
      <span className="debug-line-text">
        {node ? (
          <VisibleCode text={node.value} />
        ) : kind === 'output' ? (
          <AnsiText text={row.text} style={row.style} render={renderLinks} />
        ) : (
          <VisibleCode text={text} />
        )}
      </span>
      {path !== undefined && (
        <button type="button" className="text-link debug-line-place" onClick={() => openLocation(path, line)}>
          {path.slice(path.lastIndexOf('/') + 1)}
          {line === undefined ? '' : `:${line}`}
        </button>
      )}
    </div>
  )
}

/** Lines with the expanded values below them. */
function useItems(): Item[] {
  const { rows, session, filter } = useDebugConsole()
  const { children, toggled, previous } = consoleValues.use()
  return useMemo(
    () =>
      shownRows({ rows, session, filter }).flatMap((row): Item[] => {
        const id = `line ${row.id}`
        if (!row.node || row.node.reference <= 0) return [{ kind: 'line', id, depth: 1, row, expanded: null }]
        const [own, ...below] = valueRows({ children, toggled, previous }, [row.node])
        return [
          { kind: 'line', id, depth: 1, row, expanded: own?.kind === 'value' ? own.expanded : false },
          ...below.map((each): Item => ({ kind: 'value', id: each.id, depth: each.depth, row: each })),
        ]
      }),
    [rows, session, filter, children, toggled, previous],
  )
}

function toggle(item: Item): void {
  if (item.kind === 'line') {
    const { node } = item.row
    if (node) attempt(() => consoleValues.toggle(node))
  } else if (item.row.kind === 'value') {
    const { node } = item.row
    attempt(() => consoleValues.toggle(node))
  } else if (item.row.kind === 'more') {
    const { parent } = item.row
    attempt(() => consoleValues.loadMore(parent), 'The values could not be read')
  }
}

function expandedOf(item: Item): boolean | null {
  return item.kind === 'line' ? item.expanded : item.row.kind === 'value' ? item.row.expanded : null
}

function textOf(item: Item): string {
  if (item.kind === 'line') {
    const { node, text, style } = item.row
    return node
      ? node.value
      : parseAnsi(text, style)
          .spans.map((span) => span.text)
          .join('')
  }
  return item.row.kind === 'value' ? item.row.node.value : ''
}

function onKey(item: Item, key: string): boolean {
  if (key === 'Mod+C') {
    // Selected text is copied by the browser.
    if (getSelection()?.isCollapsed === false) return false
    copyText('line', () => Promise.resolve(textOf(item)))
  } else if (key !== 'Enter' && key !== ' ') return false
  else if (item.kind === 'line' && item.expanded === null) {
    const { path, line } = item.row
    if (path !== undefined) openLocation(path, line)
  } else toggle(item)
  return true
}

function ConsoleBar() {
  const { names, session, filter, rows } = useDebugConsole()
  const ids = Object.keys(names)
  return (
    <div className="debug-console-bar">
      {ids.length > 1 && (
        <Select
          label="Session"
          hideLabel
          value={session ?? ''}
          options={[
            { value: '', label: 'All sessions' },
            ...ids.map((id, index) => ({ value: id, label: `${index + 1}: ${names[id]}` })),
          ]}
          onChange={(event) =>
            useDebugConsole.setState({ session: event.target.value === '' ? null : event.target.value })
          }
        />
      )}
      <input
        className="ui-input"
        type="search"
        aria-label="Filter output"
        placeholder="Filter"
        value={filter}
        spellCheck={false}
        onChange={(event) => useDebugConsole.setState({ filter: event.target.value })}
      />
      <IconButton icon="clear-all" label="Clear console" disabled={rows.length === 0} onClick={clearConsole} />
    </div>
  )
}

/** Keeps the end of the list in view while it grows, until the user scrolls up. */
function useFollowedEnd(list: RefObject<HTMLElement | null>, items: readonly Item[], hasList: boolean): void {
  const follows = useRef(true)
  useLayoutEffect(() => {
    if (!follows.current) return
    let left = maxFrames
    let handle = 0
    const scroll = (): void => {
      const element = list.current
      if (element && follows.current) element.scrollTop = element.scrollHeight
      // Lines are measured after they are rendered, which changes the height.
      left -= 1
      if (left > 0) handle = requestAnimationFrame(scroll)
    }
    scroll()
    return () => cancelAnimationFrame(handle)
  }, [list, items])
  useEffect(() => {
    const element = list.current
    if (!element) return
    const stop = (event: Event): void => {
      // Only a click on the scroll bar, not on a line.
      if (event.type === 'pointerdown' && event.target !== element) return
      if (event instanceof WheelEvent && event.deltaY >= 0) return
      if (event instanceof KeyboardEvent && !upKeys.has(event.key)) return
      follows.current = false
    }
    const resume = (): void => {
      if (element.scrollTop + element.clientHeight >= element.scrollHeight - lineHeight) follows.current = true
    }
    const types = ['wheel', 'keydown', 'pointerdown'] as const
    for (const type of types) element.addEventListener(type, stop, { passive: true })
    element.addEventListener('scroll', resume, { passive: true })
    return () => {
      for (const type of types) element.removeEventListener(type, stop)
      element.removeEventListener('scroll', resume)
    }
  }, [list, hasList])
}

/** Frames after a change in which the list is scrolled to its end. */
const maxFrames = 10
const upKeys: ReadonlySet<string> = new Set(['ArrowUp', 'PageUp', 'Home'])

/** Output of the debugged programs, and a field that evaluates expressions. */
export function DebugConsole() {
  const items = useItems()
  const trimmed = useDebugConsole((state) => state.trimmed)
  const hasRows = useDebugConsole((state) => state.rows.length > 0)
  const list = useRef<HTMLDivElement>(null)
  useFollowedEnd(list, items, hasRows)

  return (
    <div className="debug-console">
      <ConsoleBar />
      <div className="debug-console-list">
        {trimmed && <p className="debug-console-note">Earlier output was removed.</p>}
        {items.length === 0 ? (
          hasRows ? (
            <EmptyState icon="filter" title="No output matches the filter" />
          ) : (
            <EmptyState icon="debug-console" title="No output">
              What debugged programs print appears here. Expressions are evaluated in the selected frame.
            </EmptyState>
          )
        ) : (
          <RowTree
            ref={list}
            name="debug-output"
            label="Debug console output"
            className="debug-lines"
            rowHeight={measured}
            rows={items}
            expandedOf={expandedOf}
            onToggle={toggle}
            onKey={onKey}
            renderRow={(item, attributes, select) =>
              item.kind === 'line' ? (
                <ConsoleLine item={item} attributes={attributes} select={select} />
              ) : (
                <ValueRowView
                  row={item.row}
                  attributes={{ ...attributes, style: { paddingLeft: 10 + (item.depth - 1) * 12 } }}
                  onClick={select}
                  onToggle={() => toggle(item)}
                />
              )
            }
          />
        )}
      </div>
      <ConsoleInput />
    </div>
  )
}

const measured = (): number => lineHeight
