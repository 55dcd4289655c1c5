import { useEffect, useRef } from 'react'
import { Icon } from '../../ui/index.ts'
import type { Suggestion } from './suggestions.ts'

interface SuggestionMenuProps {
  id: string
  title: string
  rows: readonly Suggestion[]
  active: number
  onChoose: (row: Suggestion) => void
  onActive: (at: number) => void
}

/** Suggestions above the composer. The focus stays in the message field, which handles the keys. */
export function SuggestionMenu({ id, title, rows, active, onChoose, onActive }: SuggestionMenuProps) {
  const list = useRef<HTMLUListElement>(null)
  useEffect(() => {
    list.current?.children[active]?.scrollIntoView({ block: 'nearest' })
  }, [active])
  return (
    // WCAG requires scrollable regions to be focusable. Tab in the message field still chooses a row.
    <ul ref={list} id={id} className="composer-menu" role="listbox" aria-label={title} tabIndex={0}>
      {rows.map((row, at) => (
        <li
          key={row.id}
          id={`${id}-${at}`}
          role="option"
          aria-selected={at === active}
          className="composer-menu-row"
          title={row.detail === '' ? row.label : `${row.label} · ${row.detail}`}
          onMouseMove={() => onActive(at)}
          // Keep the focus in the message field.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onChoose(row)}
        >
          <Icon name={row.icon} />
          <span className="composer-menu-label">{row.label}</span>
          <span className="composer-menu-detail">{row.detail}</span>
        </li>
      ))}
    </ul>
  )
}
