import type { ReactNode } from 'react'
import { Icon } from './Icon.tsx'

interface FoldToggleProps {
  open: boolean
  title?: string
  onToggle: () => void
  children: ReactNode
}

/** Small chevron button that expands or collapses the content below it. */
export function FoldToggle({ open, title, onToggle, children }: FoldToggleProps) {
  return (
    <button type="button" className="ui-fold-toggle" aria-expanded={open} title={title} onClick={onToggle}>
      <Icon name={open ? 'chevron-down' : 'chevron-right'} />
      {children}
    </button>
  )
}
