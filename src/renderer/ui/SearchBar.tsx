import { useEffect, useRef, type KeyboardEvent, type ReactNode } from 'react'
import { IconButton } from './Button.tsx'

interface SearchBarProps {
  /** Accessible name and placeholder of the field. */
  label: string
  query: string
  /** Number and position of the matches, as text. */
  count: string
  /** Whether anything matches. */
  found: boolean
  onQuery: (query: string) => void
  /** Moves to the next match (1) or the previous one (-1). */
  onStep: (by: 1 | -1) => void
  onClose: () => void
  /** Buttons behind the field. */
  options?: ReactNode
  /** A second row. */
  children?: ReactNode
}

/** Search field for the view below it. Enter moves to the next match, Shift+Enter to the previous one. */
export function SearchBar({ label, query, count, found, onQuery, onStep, onClose, options, children }: SearchBarProps) {
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => field.current?.select(), [])

  function onKeyDown(event: KeyboardEvent): void {
    if (event.key === 'Enter' && event.target === field.current) onStep(event.shiftKey ? -1 : 1)
    else if (event.key === 'Escape') onClose()
    else return
    event.preventDefault()
    event.stopPropagation()
  }

  return (
    <search className="ui-search" onKeyDown={onKeyDown}>
      <input
        ref={field}
        className="ui-input"
        aria-label={label}
        placeholder={label}
        value={query}
        spellCheck={false}
        autoFocus
        onChange={(event) => onQuery(event.target.value)}
      />
      {options}
      <span className="ui-search-count" role="status">
        {count}
      </span>
      <IconButton icon="arrow-up" label="Previous match" disabled={!found} onClick={() => onStep(-1)} />
      <IconButton icon="arrow-down" label="Next match" disabled={!found} onClick={() => onStep(1)} />
      <IconButton icon="close" label="Close" onClick={onClose} />
      {children && <div className="ui-search-row">{children}</div>}
    </search>
  )
}
