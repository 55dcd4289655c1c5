import { useEffect, useRef, useState, type KeyboardEvent } from 'react'
import { mentionAt } from '../../../shared/agent/mentions.ts'
import { slashSuggestions } from './slashCommands.ts'
import { mentionSuggestions, type Suggestion } from './suggestions.ts'

/** Text before the cursor that opens the menu. */
interface Trigger {
  kind: 'mention' | 'slash'
  query: string
}

/** Start and end offsets of the trigger in the message. */
interface Span {
  from: number
  to: number
}

/** Milliseconds between typing and requesting suggestions. */
const debounceMilliseconds = 60

function triggerAt(text: string, cursor: number): (Trigger & Span) | undefined {
  const slash = /^\/([\w:-]*)$/.exec(text.slice(0, cursor))
  if (slash) return { kind: 'slash', from: 0, to: cursor, query: slash[1] ?? '' }
  const mention = mentionAt(text, cursor)
  return mention && { kind: 'mention', from: mention.from, to: cursor, query: mention.query }
}

export interface Suggestions {
  rows: readonly Suggestion[]
  kind: Trigger['kind']
  active: number
  setActive(at: number): void
  /** Updates the menu when the text or the cursor changes. */
  follow(text: string, cursor: number): void
  choose(row: Suggestion): void
  /** Hides the menu until the user types again. */
  hide(): void
  /** @returns whether the menu handled the key */
  onKey(event: KeyboardEvent): boolean
}

/**
 * State and keys of the suggestion menu for `@…` and `/…` at the cursor.
 * @param onChoose replaces the text from `from` to `to` with the row's text
 */
export function useSuggestions(onChoose: (row: Suggestion, trigger: Trigger & Span) => void): Suggestions {
  const [trigger, setTrigger] = useState<Trigger>()
  const [rows, setRows] = useState<readonly Suggestion[]>([])
  const [active, setActive] = useState(0)
  /** Offset of the trigger whose menu the user closed with Escape; -1 if there is none. */
  const dismissed = useRef(-1)
  const span = useRef<Span>({ from: 0, to: 0 })
  const typed = useRef('')

  useEffect(() => {
    if (!trigger) return setRows([])
    let wanted = true
    const timer = setTimeout(() => {
      const finding = trigger.kind === 'slash' ? slashSuggestions(trigger.query) : mentionSuggestions(trigger.query)
      finding.then(
        (found) => {
          if (!wanted) return
          setRows(found)
          setActive(0)
        },
        // A failed search shows no suggestions. The user can keep typing.
        () => wanted && setRows([]),
      )
    }, debounceMilliseconds)
    return () => {
      wanted = false
      clearTimeout(timer)
    }
  }, [trigger])

  const suggestions: Suggestions = {
    rows: trigger ? rows : [],
    kind: trigger?.kind ?? 'mention',
    active: Math.min(active, Math.max(0, rows.length - 1)),
    setActive,
    follow(text, cursor) {
      const now = triggerAt(text, cursor)
      if (now?.from !== dismissed.current) dismissed.current = -1
      if (now) {
        span.current = { from: now.from, to: now.to }
        typed.current = text.slice(now.from, now.to)
      }
      const shown = now && now.from !== dismissed.current ? { kind: now.kind, query: now.query } : undefined
      // Keep an equal trigger's identity, so that the effect does not request again.
      setTrigger((before) =>
        before && shown && before.kind === shown.kind && before.query === shown.query ? before : shown,
      )
      // Keep the rows while the query grows. Clear them for any other query.
      if (!shown || shown.kind !== trigger?.kind || !shown.query.startsWith(trigger.query)) setRows([])
    },
    choose(row) {
      if (!trigger) return
      setTrigger(undefined)
      onChoose(row, { ...trigger, ...span.current })
    },
    hide: () => setTrigger(undefined),
    onKey(event) {
      if (suggestions.rows.length === 0 || event.shiftKey || event.ctrlKey || event.metaKey || event.altKey)
        return false
      const { length } = suggestions.rows
      const row = suggestions.rows[suggestions.active]
      if (event.key === 'ArrowDown') setActive((suggestions.active + 1) % length)
      else if (event.key === 'ArrowUp') setActive((suggestions.active + length - 1) % length)
      // Enter sends if the user has typed the whole suggestion.
      else if (event.key === 'Enter' && row?.insert === typed.current) return false
      else if ((event.key === 'Enter' || event.key === 'Tab') && row) suggestions.choose(row)
      else if (event.key === 'Escape') {
        dismissed.current = span.current.from
        suggestions.hide()
      } else return false
      event.preventDefault()
      event.stopPropagation()
      return true
    },
  }
  return suggestions
}
