import { plural } from '../../../shared/plural.ts'
import { useMemo, useState } from 'react'
import { request } from '../bridge/bridge.ts'
import { notifyFailure } from '../notices.ts'
import { Button, VisibleCode } from '../../ui/index.ts'
import { CopyButton } from '../CopyButton.tsx'

/** Lines rendered at first, and maximum number of characters rendered. More text makes scrolling slow. */
const firstLines = 200
const maxCharacters = 400_000

interface CollapsibleTextProps {
  text: string
  label: string
  /** Main has the full text under `callId`. */
  truncated?: boolean
  callId?: string
}

/** A long text in a scrollable frame, collapsed to its first lines. The copy button copies all of it. */
export function CollapsibleText({ text, label, truncated = false, callId }: CollapsibleTextProps) {
  const [full, setFull] = useState<string | null>(null)
  const [unfolded, setUnfolded] = useState(false)
  const [loading, setLoading] = useState(false)
  const all = full ?? text
  const { head, lines } = useMemo(() => firstPart(all), [all])
  const shown = unfolded ? all.slice(0, maxCharacters) : head

  async function loadFull(id: string): Promise<void> {
    setLoading(true)
    try {
      setFull(await request('results.full', { callId: id }))
      setUnfolded(true)
    } catch (error) {
      notifyFailure(error, 'The full result could not be loaded')
    } finally {
      setLoading(false)
    }
  }

  if (all === '') return <p className="tool-note">The result is empty.</p>
  return (
    <div className="bounded-text">
      <div className="bounded-text-copy">
        <CopyButton text={all} label={`Copy ${label.toLowerCase()}`} />
      </div>
      <pre tabIndex={0} role="region" aria-label={label}>
        <VisibleCode text={shown} />
      </pre>
      {unfolded && all.length > maxCharacters && (
        <p className="tool-note">
          {plural(all.length - maxCharacters, 'more character')} not shown. The copy button copies all of it.
        </p>
      )}
      {!unfolded && head.length < all.length && (
        <Button size="small" variant="ghost" onClick={() => setUnfolded(true)}>
          Show all {plural(lines, 'line')}
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

function firstPart(text: string): { head: string; lines: number } {
  let lines = 1
  let cut: number | undefined
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) {
    if (lines === firstLines) cut = at
    lines += 1
  }
  const head = cut === undefined ? text : text.slice(0, cut)
  return { head: head.slice(0, maxCharacters / 10), lines }
}
