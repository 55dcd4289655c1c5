import type { ReactNode } from 'react'
import { useLayout } from '../../platform/layout/layoutStore.ts'
import { Icon } from '../../ui/index.ts'
import { fixedRowHeight } from '../values/RowTree.tsx'

export type SectionName = 'variables' | 'watch' | 'callStack' | 'breakpoints' | 'debuggers'

const headerHeight = 26
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

/** A section of the Run view. A click on its title collapses or expands it. Open sections share the height. */
export function Section({ name, title, rows, minRows = 4, extra = 0, note, summary, actions, children }: SectionProps) {
  const open = !useLayout(({ debug }) => debug.folded.includes(name))
  const height = headerHeight + extra + 4
  return (
    <section
      className="debug-section"
      aria-label={title}
      data-section={name}
      style={
        open && rows > 0
          ? {
              flex: `1 1 ${height + rows * fixedRowHeight}px`,
              minHeight: height + Math.min(rows, minRows) * fixedRowHeight,
              maxHeight: height + rows * fixedRowHeight,
            }
          : { flex: 'none' }
      }
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
    </section>
  )
}
