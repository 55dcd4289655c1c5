import {
  useRef,
  useState,
  type CSSProperties,
  type KeyboardEvent as ReactKeyboardEvent,
  type PointerEvent as ReactPointerEvent,
  type ReactNode,
} from 'react'
import { flushSync } from 'react-dom'
import { useLayout } from '../../platform/layout/layoutStore.ts'
import { Icon } from '../../ui/index.ts'
import { fixedRowHeight } from '../values/RowTree.tsx'

export type SectionName = 'variables' | 'watch' | 'callStack' | 'breakpoints' | 'debuggers'

const headerHeight = 26
/** Rows that stay visible in a section that the user resizes. */
const minSizedRows = 2

interface SectionProps {
  name: SectionName
  title: string
  /** Number of rows, which limits the height of the body. 0: the body shows a text. */
  rows: number
  /** Minimum number of visible rows, if the section has as many. */
  minRows?: number
  /** Height in pixels of the body's other content. */
  extra?: number
  /** Shown beside the title. */
  note?: ReactNode
  /** Shown beside the title of the collapsed section. */
  summary?: ReactNode
  /** Buttons in the header. */
  actions?: ReactNode
  children: ReactNode
}

/** Expands or collapses a section. */
export function setSectionOpen(name: SectionName, open: boolean): void {
  useLayout.setState(({ debug }) => {
    const others = debug.folded.filter((each) => each !== name)
    return { debug: { ...debug, folded: open ? others : [...others, name] } }
  })
}

/** Key of the height that the user chose for a section, in the stored sizes. */
const sizeKey = (name: string): string => `debug-${name}`

/** Saves the heights of all sections that the user has resized as they are now. */
function saveHeights(section: Element): void {
  const sized = [...(section.parentElement?.querySelectorAll<HTMLElement>('[data-sized]') ?? [])]
  const heights = Object.fromEntries(sized.map((each) => [sizeKey(each.dataset['section'] ?? ''), each.offsetHeight]))
  useLayout.setState(({ pixels }) => ({ pixels: { ...pixels, ...heights } }))
}

/** Lets the content of a section decide its height again. */
function forgetHeight(name: SectionName): void {
  useLayout.setState(({ pixels: { [sizeKey(name)]: _height, ...pixels } }) => ({ pixels }))
}

/** Minimum and maximum height in pixels to which a section can be resized without pushing others out of the view. */
function heightLimits(section: HTMLElement, minimum: number): { min: number; max: number } {
  const others = [...(section.parentElement?.children ?? [])].filter((each) => each !== section) as HTMLElement[]
  const needed = others.reduce((sum, each) => sum + (Number.parseFloat(each.style.minHeight) || each.offsetHeight), 0)
  return { min: minimum, max: Math.max(minimum, (section.parentElement?.clientHeight ?? 0) - needed) }
}

interface SectionEdgeProps {
  name: SectionName
  title: string
  section: HTMLElement | null
  minimum: number
  /** The height until `onSettled`. */
  onResize(height: number): void
  onSettled(): void
}

/** The lower edge of a section, which resizes it by mouse and keyboard. Enter and a double click undo that. */
function SectionEdge({ name, title, section, minimum, onResize, onSettled }: SectionEdgeProps) {
  const drag = useRef<{ y: number; height: number; min: number; max: number }>(null)
  const [range, setRange] = useState({ now: 0, min: 0, max: 0 })
  const measure = (): { now: number; min: number; max: number } | null => {
    if (section === null) return null
    const measured = { now: section.offsetHeight, ...heightLimits(section, minimum) }
    setRange(measured)
    return measured
  }
  const reset = (): void => {
    flushSync(() => forgetHeight(name))
    measure()
  }
  function start(event: ReactPointerEvent): void {
    const measured = measure()
    if (event.button !== 0 || measured === null) return
    event.currentTarget.setPointerCapture(event.pointerId)
    drag.current = { ...measured, y: event.clientY, height: measured.now }
  }
  function move(event: ReactPointerEvent): void {
    if (drag.current === null) return
    const { y, height, min, max } = drag.current
    onResize(Math.min(max, Math.max(min, height + event.clientY - y)))
  }
  function stop(): void {
    if (drag.current === null) return
    drag.current = null
    onSettled()
    measure()
  }
  function press(event: ReactKeyboardEvent): void {
    const measured = measure()
    if (measured === null || event.ctrlKey || event.altKey || event.metaKey) return
    const { now, min, max } = measured
    const heights: Record<string, number> = {
      ArrowUp: now - fixedRowHeight,
      ArrowDown: now + fixedRowHeight,
      Home: min,
      End: max,
    }
    const height = heights[event.key]
    if (height === undefined && event.key !== 'Enter') return
    event.preventDefault()
    if (height === undefined) return reset()
    flushSync(() => onResize(Math.min(max, Math.max(min, height))))
    onSettled()
    measure()
  }
  return (
    <div
      className="workbench-separator debug-section-edge"
      role="separator"
      tabIndex={0}
      aria-orientation="horizontal"
      aria-label={`Resize ${title.toLowerCase()}`}
      aria-controls={`debug-section-${name}`}
      aria-valuenow={range.now}
      aria-valuemin={range.min}
      aria-valuemax={range.max}
      onFocus={measure}
      onPointerDown={start}
      onPointerMove={move}
      onPointerUp={stop}
      onLostPointerCapture={stop}
      onDoubleClick={reset}
      onKeyDown={press}
    />
  )
}

/**
 * A section of the Run view. A click on its title collapses or expands it. Open sections share the height, except those
 * that the user has resized.
 */
export function Section({ name, title, rows, minRows = 4, extra = 0, note, summary, actions, children }: SectionProps) {
  const open = !useLayout(({ debug }) => debug.folded.includes(name))
  const stored = useLayout(({ pixels }) => pixels[sizeKey(name)])
  const [section, setSection] = useState<HTMLElement | null>(null)
  const [dragged, setDragged] = useState<number | null>(null)
  const height = headerHeight + extra + 4
  const minimum = height + Math.min(rows, minSizedRows) * fixedRowHeight
  const sized = dragged ?? stored
  function style(): CSSProperties {
    if (!open || rows === 0) return { flex: 'none' }
    // Sections that the user has not resized become smaller first.
    if (sized !== undefined) return { flex: `0 ${dragged === null ? 1 : 0} ${sized}px`, minHeight: minimum }
    return {
      flex: `1 1000 ${height + rows * fixedRowHeight}px`,
      minHeight: height + Math.min(rows, minRows) * fixedRowHeight,
      maxHeight: height + rows * fixedRowHeight,
    }
  }
  function settle(): void {
    if (section !== null) saveHeights(section)
    setDragged(null)
  }
  return (
    <section
      ref={setSection}
      className="debug-section"
      aria-label={title}
      data-section={name}
      data-sized={(open && rows > 0 && sized !== undefined) || undefined}
      style={style()}
    >
      <header className="debug-section-header">
        <button
          type="button"
          className="debug-section-title"
          aria-expanded={open}
          aria-controls={`debug-section-${name}`}
          onClick={() => setSectionOpen(name, !open)}
        >
          <Icon name={open ? 'chevron-down' : 'chevron-right'} className="ui-twistie" />
          <span>{title}</span>
          {note}
          {!open && summary}
        </button>
        {open && actions}
      </header>
      {open && (
        <div id={`debug-section-${name}`} className="debug-section-body">
          {children}
        </div>
      )}
      {open && rows > 0 && (
        <SectionEdge
          name={name}
          title={title}
          section={section}
          minimum={minimum}
          onResize={setDragged}
          onSettled={settle}
        />
      )}
    </section>
  )
}
