import { plural } from '../../../shared/plural.ts'
import { useMemo, useState } from 'react'
import { request } from '../bridge/bridge.ts'
import { notifyFailure } from '../notices.ts'
import { Button, VisibleCode } from '../../ui/index.ts'
import { CopyButton } from '../CopyButton.tsx'

/** What is drawn at first, and at most: a page with megabytes of text scrolls badly. The copy button takes all. */
const firstLines = 200
const mostCharacters = 400_000

interface BoundedTextProps {
  text: string
  label: string
  /** Main holds more than this text. */
  truncated?: boolean
  callId?: string
}

/** A long text in a frame of its own height. */
export function BoundedText({ text, label, truncated = false, callId }: BoundedTextProps) {
  const [full, setFull] = useState<string | null>(null)
  const [unfolded, setUnfolded] = useState(false)
  const [loading, setLoading] = useState(false)
  const all = full ?? text
  const { head, lines } = useMemo(() => firstPart(all), [all])
  const shown = unfolded ? all.slice(0, mostCharacters) : head

  async function loadFull(id: string): Promise<void> {
    setLoading(true)
    try {
      setFull(await request('results.full', { callId: id }))
      setUnfolded(true)
    } catch (error) {
      notifyFailure(error, 'The full result could not be shown')
    } finally {
      setLoading(false)
    }
  }

  if (all === '') return <p className="tool-note">Nothing was returned.</p>
  return (
    <div className="bounded-text">
      <div className="bounded-text-copy">
        <CopyButton text={all} label={`Copy ${label.toLowerCase()}`} />
      </div>
      <pre tabIndex={0} role="region" aria-label={label}>
        <VisibleCode text={shown} />
      </pre>
      {unfolded && all.length > mostCharacters && (
        <p className="tool-note">
          {plural(all.length - mostCharacters, 'more character')} not drawn here; copying takes all.
        </p>
      )}
      {!unfolded && head.length < all.length && (
        <Button size="small" variant="ghost" onClick={() => setUnfolded(true)}>
          Show all {plural(lines, 'line')}
        </Button>
      )}
      {truncated && full === null && callId !== undefined && (
        <Button size="small" variant="ghost" disabled={loading} onClick={() => void loadFull(callId)}>
          Show all, as it was before it was shortened
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
  return { head: head.slice(0, mostCharacters / 10), lines }
}
