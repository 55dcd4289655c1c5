import { useEffect, useRef, useState, type KeyboardEvent } from 'react'
import { mentionAt } from '../../../shared/mentions.ts'
import { slashSuggestions } from './slashCommands.ts'
import { mentionSuggestions, type Suggestion } from './suggestions.ts'

/** The letters that rows are offered for. */
interface Asked {
  kind: 'mention' | 'slash'
  query: string
}

/** Where they stand in the text. */
interface Span {
  from: number
  to: number
}

/** A pause in typing before names are looked up, in milliseconds. */
const pause = 60

function askedAt(text: string, cursor: number): (Asked & Span) | undefined {
  const slash = /^\/([\w-]*)$/.exec(text.slice(0, cursor))
  if (slash) return { kind: 'slash', from: 0, to: cursor, query: slash[1] ?? '' }
  const mention = mentionAt(text, cursor)
  return mention && { kind: 'mention', from: mention.from, to: cursor, query: mention.query }
}

export interface Suggestions {
  rows: readonly Suggestion[]
  kind: Asked['kind']
  active: number
  setActive(at: number): void
  /** After every change of the text and every move of the cursor. */
  follow(text: string, cursor: number): void
  choose(row: Suggestion): void
  /** Until letters are typed again. */
  hide(): void
  /** @returns whether the key was the menu's */
  onKey(event: KeyboardEvent): boolean
}

/**
 * The rows offered while `@…` or `/…` is being written.
 * @param onChoose puts the row's text in place of what was typed, from `from` to `to`
 */
export function useSuggestions(onChoose: (row: Suggestion, asked: Asked & Span) => void): Suggestions {
  const [asked, setAsked] = useState<Asked>()
  const [rows, setRows] = useState<readonly Suggestion[]>([])
  const [active, setActive] = useState(0)
  /** Where Escape was pressed: the same mention does not open the menu again. */
  const dismissed = useRef(-1)
  const span = useRef<Span>({ from: 0, to: 0 })
  const typed = useRef('')

  useEffect(() => {
    if (!asked) return setRows([])
    let wanted = true
    const timer = setTimeout(() => {
      const finding = asked.kind === 'slash' ? slashSuggestions(asked.query) : mentionSuggestions(asked.query)
      finding.then(
        (found) => {
          if (!wanted) return
          setRows(found)
          setActive(0)
        },
        // A folder that cannot be searched offers nothing; what is typed stands all the same.
        () => wanted && setRows([]),
      )
    }, pause)
    return () => {
      wanted = false
      clearTimeout(timer)
    }
  }, [asked])

  const suggestions: Suggestions = {
    rows: asked ? rows : [],
    kind: asked?.kind ?? 'mention',
    active: Math.min(active, Math.max(0, rows.length - 1)),
    setActive,
    follow(text, cursor) {
      const now = askedAt(text, cursor)
      if (now?.from !== dismissed.current) dismissed.current = -1
      if (now) {
        span.current = { from: now.from, to: now.to }
        typed.current = text.slice(now.from, now.to)
      }
      const shown = now && now.from !== dismissed.current ? { kind: now.kind, query: now.query } : undefined
      // The same letters at another place are not looked up again.
      setAsked((before) =>
        before && shown && before.kind === shown.kind && before.query === shown.query ? before : shown,
      )
      // While letters are added the rows stay until the next ones are found; for others they would be wrong.
      if (!shown || shown.kind !== asked?.kind || !shown.query.startsWith(asked.query)) setRows([])
    },
    choose(row) {
      if (!asked) return
      setAsked(undefined)
      onChoose(row, { ...asked, ...span.current })
    },
    hide: () => setAsked(undefined),
    onKey(event) {
      if (suggestions.rows.length === 0 || event.shiftKey || event.ctrlKey || event.metaKey || event.altKey)
        return false
      const { length } = suggestions.rows
      const row = suggestions.rows[suggestions.active]
      if (event.key === 'ArrowDown') setActive((suggestions.active + 1) % length)
      else if (event.key === 'ArrowUp') setActive((suggestions.active + length - 1) % length)
      // Written to its end already: Enter sends, as it does without a menu.
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
