import { useEffect, useRef, useState, type RefObject } from 'react'
import { formatNumber } from '../../../shared/text/formatNumber.ts'
import { SearchBar } from '../../ui/index.ts'
import { findRanges, maxFound } from './findRanges.ts'
import './find.css'
import { Delayer } from '../../../shared/async/delayer.ts'

/** Milliseconds between a change of the transcript and the next search. */
const updateDelayMs = 200

/** Names of the highlights in find.css. */
const allName = 'chat-find'
const currentName = 'chat-find-current'

function highlight(name: string, ranges: readonly Range[]): void {
  if (ranges.length === 0) CSS.highlights.delete(name)
  else CSS.highlights.set(name, new Highlight(...ranges))
}

/** Finds the query in the transcript, and again when the transcript changes. */
function useMatches(scroller: RefObject<HTMLElement | null>, query: string): Range[] {
  const [ranges, setRanges] = useState<Range[]>([])
  useEffect(() => {
    const root = scroller.current
    if (!root) return
    const update = () => setRanges(findRanges(root, query))
    const updateLater = new Delayer(update, updateDelayMs)
    // Not restarted by later changes: while text streams, they never pause.
    const observer = new MutationObserver(() => updateLater.start())
    observer.observe(root, { childList: true, subtree: true, characterData: true })
    update()
    return () => {
      updateLater.cancel()
      observer.disconnect()
    }
  }, [scroller, query])
  return ranges
}

interface FindBarProps {
  scroller: RefObject<HTMLDivElement | null>
  onClose: () => void
}

/** Field that finds text in the transcript. Enter moves to the next match, Shift+Enter to the previous one. */
export function FindBar({ scroller, onClose }: FindBarProps) {
  const [query, setQuery] = useState('')
  const [index, setIndex] = useState(0)
  const ranges = useMatches(scroller, query)
  const at = Math.min(index, ranges.length - 1)
  const current = ranges[at]

  useEffect(() => {
    highlight(allName, ranges)
    highlight(currentName, current ? [current] : [])
    return () => {
      highlight(allName, [])
      highlight(currentName, [])
    }
  }, [ranges, current])

  // Scroll to the first match of a new query, but not after changes of the transcript.
  const shownQuery = useRef('')
  useEffect(() => {
    if (query === shownQuery.current || !current) return
    shownQuery.current = query
    show(current)
  })

  function step(by: 1 | -1): void {
    if (ranges.length === 0) return
    const next = (at + by + ranges.length) % ranges.length
    setIndex(next)
    show(ranges[next])
  }

  function show(range: Range | undefined): void {
    const element = scroller.current
    const box = range?.getBoundingClientRect()
    if (!element || !box) return
    const view = element.getBoundingClientRect()
    if (box.top < view.top + 40 || box.bottom > view.bottom) element.scrollBy(0, box.top - view.top - view.height / 3)
  }

  const more = ranges.length === maxFound ? '+' : ''
  const count = ranges.length === 0 ? 'No matches' : `${formatNumber(at + 1)} of ${formatNumber(ranges.length)}${more}`
  return (
    <SearchBar
      label="Find in conversation"
      query={query}
      count={query === '' ? '' : count}
      found={ranges.length > 0}
      onQuery={(changed) => {
        setQuery(changed)
        setIndex(0)
      }}
      onStep={step}
      onClose={onClose}
    />
  )
}
