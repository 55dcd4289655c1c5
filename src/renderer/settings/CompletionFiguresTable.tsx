import { useEffect, useState } from 'react'
import type { CompletionFigures } from '../../shared/editor/inlineCompletion.ts'
import { formatNumber } from '../../shared/text/formatNumber.ts'
import { request } from '../platform/bridge/bridge.ts'
import { attempt } from '../platform/notices.ts'
import { Button } from '../ui/index.ts'

/** How many suggestions were shown, accepted and kept. The figures stay on this computer. */
export function CompletionFiguresTable() {
  const [figures, setFigures] = useState<CompletionFigures | null>(null)
  const load = async () => setFigures(await request('completion.figures', {}))
  useEffect(() => attempt(load, 'The figures of inline completion could not be read'), [])
  if (figures === null || figures.since === 0) return null
  const { since, keys, fromCache, requests, cancelled, shown, accepted } = figures
  const { acceptedCharacters, checkedCharacters, keptCharacters } = figures
  const rows = [
    { label: 'Suggestions shown', text: formatNumber(shown) },
    { label: 'Accepted', text: `${formatNumber(accepted)} (${share(accepted, shown)})` },
    { label: 'Accepted characters', text: formatNumber(acceptedCharacters) },
    { label: 'Unchanged after a minute', text: share(keptCharacters, checkedCharacters) },
    { label: 'Keys answered without the server', text: share(fromCache, keys) },
    { label: 'Requests to the server', text: `${formatNumber(requests)} (${formatNumber(cancelled)} cancelled)` },
  ]
  return (
    <>
      <table className="settings-sizes" aria-label="Figures of inline completion">
        <tbody>
          {rows.map(({ label, text }) => (
            <tr key={label}>
              <th scope="row">{label}</th>
              <td>{text}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <div className="endpoints-actions">
        <Button
          onClick={() =>
            attempt(
              async () => setFigures(await request('completion.resetFigures', {})),
              'The figures could not be reset',
            )
          }
        >
          Reset figures
        </Button>
        <span className="settings-text">
          Counted on this computer since {new Date(since).toLocaleDateString()}. They are not sent anywhere.
        </span>
      </div>
    </>
  )
}

/** Formats a part of a whole, for example "42 %"; "–" without a whole. */
function share(part: number, whole: number): string {
  return whole === 0 ? '–' : `${Math.round((100 * part) / whole)} %`
}
