import type { ReactNode } from 'react'
import { Icon } from './Icon.tsx'

/** A progress indicator. Screen readers read `label`. */
export function Spinner({ label = 'Loading' }: { label?: string }) {
  return <span className="ui-spinner" role="status" aria-label={label} />
}

interface EmptyStateProps {
  icon?: string
  title: string
  /** What to do next. */
  children?: ReactNode
  actions?: ReactNode
}

/** Placeholder for a part without content, with a hint what to do. */
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
