import { useEffect, useRef, useState, type KeyboardEvent } from 'react'
import { Latest } from '../../../shared/async/latest.ts'
import { request } from '../../platform/bridge/bridge.ts'
import { selectedSession, useDebug } from '../../platform/debug/debugStore.ts'
import { attempt } from '../../platform/notices.ts'
import { Icon } from '../../ui/index.ts'
import { evaluateInput, useDebugConsole } from './debugConsoleStore.ts'

interface Suggestion {
  label: string
  text: string
  /** Characters before the cursor that it replaces. */
  length: number
}

/** Milliseconds without typing before suggestions are requested. */
const delayMs = 120
const maxShown = 50

/** Pure: the start of a word before the cursor. */
export function wordBefore(text: string, cursor: number): string {
  return /[\p{L}\p{N}_$]*$/u.exec(text.slice(0, cursor))?.[0] ?? ''
}

/** Requests completions from the debugger. Returns none if it does not support them. */
async function suggestionsFor(text: string, cursor: number): Promise<Suggestion[]> {
  const session = selectedSession()
  if (session?.features.completions !== true || session.state !== 'stopped') return []
  const frame = useDebug.getState().selectedFrame
  const word = wordBefore(text, cursor)
  const items = await request('debug.completions', {
    sessionId: session.id,
    text,
    column: cursor + 1,
    ...(frame !== null && { frameId: frame.id }),
  })
  return items
    .filter((item) => item.label.toLowerCase().startsWith(word.toLowerCase()))
    .slice(0, maxShown)
    .map((item) => ({ label: item.label, text: item.text, length: item.length ?? word.length }))
}

interface Suggestions {
  shown: readonly Suggestion[]
  /** Index of the suggestion that Enter accepts; -1: none. */
  active: number
  setActive: (index: number) => void
  close: () => void
  /** Requests suggestions now. */
  request: (text: string, cursor: number) => void
  /** Requests suggestions when typing pauses, if the text before the cursor can be completed. */
  typed: (text: string, cursor: number) => void
}

function useSuggestions(): Suggestions {
  const [shown, setShown] = useState<readonly Suggestion[]>([])
  const [active, setActive] = useState(-1)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const queries = useRef(new Latest())
  useEffect(() => () => clearTimeout(timer.current), [])
  useEffect(() => {
    document.getElementById(`debug-suggestion-${active}`)?.scrollIntoView({ block: 'nearest' })
  }, [active])

  function show(found: readonly Suggestion[]): void {
    setShown(found)
    setActive(-1)
  }

  function close(): void {
    clearTimeout(timer.current)
    queries.current.begin()
    show([])
  }

  function ask(text: string, cursor: number): void {
    const isLatest = queries.current.begin()
    suggestionsFor(text, cursor).then(
      (found) => {
        if (isLatest()) show(found)
      },
      // The program may have continued, so there are no suggestions.
      () => {
        if (isLatest()) show([])
      },
    )
  }

  return {
    shown,
    active,
    setActive,
    close,
    request: ask,
    typed(text, cursor) {
      clearTimeout(timer.current)
      if (/[\p{L}\p{N}_$.]$/u.test(text.slice(0, cursor))) timer.current = setTimeout(() => ask(text, cursor), delayMs)
      else close()
    },
  }
}

function SuggestionList({ shown, active, accept }: Suggestions & { accept: (suggestion: Suggestion) => void }) {
  return (
    <ul id="debug-suggestions" className="debug-suggestions" role="listbox" aria-label="Suggestions">
      {shown.map((suggestion, index) => (
        <li
          key={`${suggestion.label} ${index}`}
          id={`debug-suggestion-${index}`}
          role="option"
          aria-selected={index === active}
          onMouseDown={(event) => {
            // The field keeps the focus.
            event.preventDefault()
            accept(suggestion)
          }}
        >
          {suggestion.label}
        </li>
      ))}
    </ul>
  )
}

/** Input of the debug console. Evaluates expressions, with a history and the debugger's suggestions. */
export function ConsoleInput() {
  const [text, setText] = useState('')
  /** Position in the history, and the text that was typed before. Null: the text is not from the history. */
  const [recalled, setRecalled] = useState<{ index: number; typed: string } | null>(null)
  const history = useDebugConsole((state) => state.history)
  const session = useDebug(selectedSession)
  const field = useRef<HTMLTextAreaElement>(null)
  const suggestions = useSuggestions()
  const { shown, active, setActive, close } = suggestions
  const runs = session !== undefined && session.state !== 'ended'

  function change(value: string): void {
    setText(value)
    setRecalled(null)
    suggestions.typed(value, field.current?.selectionStart ?? value.length)
  }

  function accept({ text: inserted, length }: Suggestion): void {
    const cursor = field.current?.selectionStart ?? text.length
    const start = Math.max(0, cursor - length)
    setText(text.slice(0, start) + inserted + text.slice(cursor))
    close()
    requestAnimationFrame(() => field.current?.setSelectionRange(start + inserted.length, start + inserted.length))
  }

  function recall(step: -1 | 1): boolean {
    const at = (recalled?.index ?? history.length) + step
    if (at < 0 || at > history.length || (recalled === null && step === 1)) return false
    const typed = recalled?.typed ?? text
    setRecalled(at === history.length ? null : { index: at, typed })
    setText(history[at] ?? typed)
    return true
  }

  function run(): void {
    const expression = text.trim()
    close()
    if (expression === '') return
    setText('')
    setRecalled(null)
    attempt(() => evaluateInput(expression))
  }

  function onListKey(key: string): boolean {
    if (key === 'ArrowDown') setActive((active + 1) % shown.length)
    else if (key === 'ArrowUp') setActive((active <= 0 ? shown.length : active) - 1)
    else if (key === 'Escape') close()
    else if (key === 'Tab' || (key === 'Enter' && active >= 0)) {
      const chosen = shown[Math.max(0, active)]
      if (chosen) accept(chosen)
    } else return false
    return true
  }

  function onKeyDown(event: KeyboardEvent<HTMLTextAreaElement>): void {
    const { key, shiftKey, currentTarget } = event
    if (event.nativeEvent.isComposing) return
    const plain = !shiftKey && !event.ctrlKey && !event.metaKey && !event.altKey
    const recalls = plain && !text.includes('\n') && (key === 'ArrowUp' || key === 'ArrowDown')
    if (shown.length > 0 && plain && onListKey(key)) event.preventDefault()
    else if (key === 'Enter' && plain) {
      event.preventDefault()
      run()
    } else if (key === ' ' && event.ctrlKey) {
      event.preventDefault()
      suggestions.request(text, currentTarget.selectionStart)
    } else if (recalls && recall(key === 'ArrowUp' ? -1 : 1)) event.preventDefault()
  }

  return (
    <div className="debug-input">
      {shown.length > 0 && <SuggestionList {...suggestions} accept={accept} />}
      <Icon name="chevron-right" />
      <textarea
        ref={field}
        className="debug-input-field"
        aria-label="Evaluate expression"
        aria-autocomplete="list"
        aria-controls={shown.length > 0 ? 'debug-suggestions' : undefined}
        aria-activedescendant={active >= 0 ? `debug-suggestion-${active}` : undefined}
        placeholder={runs ? 'Evaluate an expression in the selected frame' : 'Start a program to evaluate expressions'}
        rows={Math.min(6, text.split('\n').length)}
        value={text}
        spellCheck={false}
        autoComplete="off"
        data-autofocus
        onChange={(event) => change(event.target.value)}
        onKeyDown={onKeyDown}
        onBlur={close}
      />
    </div>
  )
}
