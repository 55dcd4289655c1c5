import type { ReactNode } from 'react'
import { runCommand, shortcutOf, type CommandId } from '../platform/commands.ts'

/** A button of the status bar that runs a command. */
export function StatusItem({
  command,
  label,
  title = label,
  children,
  className = '',
}: {
  command: CommandId
  /** Tooltip and accessible name. Contains the visible text, because voice control matches on it. */
  label?: string
  /** Tooltip. Use instead of `label` if the visible content is the accessible name. */
  title?: string
  children: ReactNode
  className?: string
}) {
  const shortcut = shortcutOf(command)
  return (
    <button
      type="button"
      className={`status-item ${className}`}
      aria-label={label}
      title={shortcut ? `${title} (${shortcut})` : title}
      onClick={() => runCommand(command)}
    >
      {children}
    </button>
  )
}
