import { useMemo, useState } from 'react'
import type { Match } from '../../../shared/tools/tool.ts'
import { plural } from '../../../shared/text/plural.ts'
import { openLocation } from '../editor/openLocation.ts'
import { Button, Icon } from '../../ui/index.ts'

/** Number of rows shown before the list is expanded. */
const collapsedRows = 100

/** Lists matches by file. A click opens the match in the editor. */
export function MatchList({ matches, pattern, note }: { matches: readonly Match[]; pattern?: string; note?: string }) {
  const [expanded, setExpanded] = useState(false)
  const groups = useMemo(() => {
    const shown = expanded ? matches : matches.slice(0, collapsedRows)
    return Map.groupBy(shown, (match) => match.path)
  }, [matches, expanded])
  if (matches.length === 0)
    return <p className="tool-note">{pattern ? `Nothing matches ${pattern}.` : 'No matches.'}</p>
  return (
    <div className="match-list">
      {[...groups].map(([path, found]) => (
        <section key={path} aria-label={path}>
          <button
            type="button"
            className="match-file"
            title={`Open ${path}`}
            onClick={() => openLocation(path, found[0]?.line)}
          >
            <Icon name="file" />
            <span className="match-path">{path}</span>
            <span className="ui-badge">{found.length}</span>
          </button>
          {found.map((match) => (
            <button
              key={`${match.line}:${match.column ?? 0}`}
              type="button"
              className="match-row"
              onClick={() => openLocation(path, match.line, match.column)}
            >
              <span className="match-line">{match.line}</span>
              <span className="match-text">{match.text.trim().slice(0, 400)}</span>
            </button>
          ))}
        </section>
      ))}
      {!expanded && matches.length > collapsedRows && (
        <Button size="small" variant="ghost" onClick={() => setExpanded(true)}>
          {`Show all ${plural(matches.length, 'match', 'matches')}`}
        </Button>
      )}
      {note && <p className="tool-note">{note}</p>}
    </div>
  )
}
