import { plural } from '../../../shared/text/plural.ts'
import { useMemo, useState } from 'react'
import { request } from '../bridge/bridge.ts'
import { notifyFailure } from '../notices.ts'
import { Button } from '../../ui/index.ts'
import { LinkedCode } from '../textLinks/LinkedCode.tsx'
import { CopyButton } from '../CopyButton.tsx'

/** Number of lines shown before the text is expanded. */
const collapsedLines = 200
/** Maximum number of rendered characters. More would make scrolling slow. */
const maxCharacters = 400_000

interface CollapsibleTextProps {
  text: string
  label: string
  /** Whether `text` is truncated. The full text is loaded from main by `callId`. */
  truncated?: boolean
  callId?: string
}

/** A long text in a scrollable frame, collapsed to its first lines. The copy button copies the whole text. */
export function CollapsibleText({ text, label, truncated = false, callId }: CollapsibleTextProps) {
  const [full, setFull] = useState<string | null>(null)
  const [expanded, setExpanded] = useState(false)
  const [loading, setLoading] = useState(false)
  const all = full ?? text
  const { head, lines } = useMemo(() => truncateLines(all), [all])
  const visible = expanded ? all.slice(0, maxCharacters) : head

  async function loadFull(id: string): Promise<void> {
    setLoading(true)
    try {
      setFull(await request('results.full', { callId: id }))
      setExpanded(true)
    } catch (error) {
      notifyFailure(error, 'The full result could not be loaded')
    } finally {
      setLoading(false)
    }
  }

  if (all === '') return <p className="tool-note">The result is empty.</p>
  return (
    <div className="collapsible-text">
      <div className="collapsible-text-copy">
        <CopyButton text={all} label={`Copy ${label.toLowerCase()}`} />
      </div>
      <pre tabIndex={0} role="region" aria-label={label}>
        <LinkedCode text={visible} />
      </pre>
      {expanded && all.length > maxCharacters && (
        <p className="tool-note">
          {`${plural(all.length - maxCharacters, 'more character')} not shown. The copy button copies the full text.`}
        </p>
      )}
      {!expanded && head.length < all.length && (
        <Button size="small" variant="ghost" onClick={() => setExpanded(true)}>
          {`Show all ${plural(lines, 'line')}`}
        </Button>
      )}
      {truncated && full === null && callId !== undefined && (
        <Button size="small" variant="ghost" disabled={loading} onClick={() => void loadFull(callId)}>
          Show the full result
        </Button>
      )}
    </div>
  )
}

/** Truncates a text to its first lines. Also returns the number of lines of the whole text. */
function truncateLines(text: string): { head: string; lines: number } {
  let lines = 1
  let end: number | undefined
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) {
    if (lines === collapsedLines) end = at
    lines += 1
  }
  const head = end === undefined ? text : text.slice(0, end)
  return { head: head.slice(0, maxCharacters / 10), lines }
}
