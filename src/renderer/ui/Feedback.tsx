import type { ReactNode } from 'react'
import { Icon } from './Icon.tsx'

/**
 * Indicates progress. `label` is for screen readers, but they do not announce it, because each step of a turn has a
 * spinner.
 */
export function Spinner({ label = 'Loading' }: { label?: string }) {
  return <span className="ui-spinner" role="progressbar" aria-label={label} />
}

interface EmptyStateProps {
  icon?: string
  title: string
  /** What to do next. */
  children?: ReactNode
  actions?: ReactNode
}

/** Placeholder for an empty view, with a hint on what to do. */
export function EmptyState({ icon, title, children, actions }: EmptyStateProps) {
  return (
    <div className="ui-empty">
      {icon && <Icon name={icon} />}
      <div className="ui-empty-title">{title}</div>
      {children && <div className="ui-empty-text">{children}</div>}
      {actions && <div className="ui-empty-actions">{actions}</div>}
    </div>
  )
}
