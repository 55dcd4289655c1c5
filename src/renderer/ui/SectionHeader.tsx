import type { ReactNode } from 'react'
import { Icon } from './Icon.tsx'

interface SectionHeaderProps {
  title: string
  open: boolean
  /** Id of the section's content. */
  controls: string
  onToggle: () => void
  /** Buttons on the right. */
  children?: ReactNode
}

/** Title bar of a section of a side bar. A click collapses or expands the section. */
export function SectionHeader({ title, open, controls, onToggle, children }: SectionHeaderProps) {
  return (
    <header className="ui-section-header">
      <button
        type="button"
        className="ui-section-title"
        aria-expanded={open}
        aria-controls={controls}
        onClick={onToggle}
      >
        <Icon name={open ? 'chevron-down' : 'chevron-right'} className="ui-twistie" /> {title}
      </button>
      {children}
    </header>
  )
}
