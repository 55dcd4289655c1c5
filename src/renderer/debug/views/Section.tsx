import type { ReactNode } from 'react'
import { useLayout } from '../../platform/layout/layoutStore.ts'
import { Icon } from '../../ui/index.ts'

export type SectionName = 'variables' | 'watch' | 'callStack' | 'breakpoints' | 'debuggers'

/** Height of a row in pixels. */
export const rowHeight = 22
const headerHeight = 26
/** Rows that a section shows at least, if it has them. */
const minRows = 4

interface SectionProps {
  name: SectionName
  title: string
  /** Number of rows in the body, which is not higher than them. */
  rows: number
  /** Height in pixels of what the body has besides its rows. */
  extra?: number
  /** Shown beside the title. */
  note?: ReactNode
  /** Buttons in the header. */
  actions?: ReactNode
  children: ReactNode
}

function toggleSection(name: SectionName): void {
  useLayout.setState(({ debug }) => ({
    debug: {
      ...debug,
      folded: debug.folded.includes(name) ? debug.folded.filter((each) => each !== name) : [...debug.folded, name],
    },
  }))
}

/** A part of the view that a click on its title collapses or expands. Open sections share the height. */
export function Section({ name, title, rows, extra = 0, note, actions, children }: SectionProps) {
  const open = !useLayout(({ debug }) => debug.folded.includes(name))
  const height = headerHeight + extra + 4
  return (
    <section
      className="debug-section"
      aria-label={title}
      data-section={name}
      style={
        open
          ? {
              flex: `1 1 ${height + rows * rowHeight}px`,
              minHeight: height + Math.min(rows, minRows) * rowHeight,
              maxHeight: height + rows * rowHeight,
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
          onClick={() => toggleSection(name)}
        >
          <Icon name={open ? 'chevron-down' : 'chevron-right'} className="ui-twistie" />
          <span>{title}</span>
          {note}
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
