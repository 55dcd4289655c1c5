import { useMemo, useState } from 'react'
import type { Match } from '../../../shared/tool.ts'
import { plural } from '../../../shared/plural.ts'
import { openLocation } from '../editor/openLocation.ts'
import { Button, Icon } from '../../ui/index.ts'

/** Number of rows shown at first. */
const firstRows = 100

/** Matches grouped by file. A click opens the match in the editor. */
export function MatchList({ matches, pattern, note }: { matches: readonly Match[]; pattern?: string; note?: string }) {
  const [all, setAll] = useState(false)
  const groups = useMemo(() => {
    const shown = all ? matches : matches.slice(0, firstRows)
    return Map.groupBy(shown, (match) => match.path)
  }, [matches, all])
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
      {!all && matches.length > firstRows && (
        <Button size="small" variant="ghost" onClick={() => setAll(true)}>
          Show all {plural(matches.length, 'match', 'matches')}
        </Button>
      )}
      {note && <p className="tool-note">{note}</p>}
    </div>
  )
}

/** Paths. A click opens the file. A path that ends in `/` is a folder and cannot be opened. */
export function FileList({ paths, note }: { paths: readonly string[]; note?: string }) {
  const [all, setAll] = useState(false)
  if (paths.length === 0) return <p className="tool-note">Nothing was found.</p>
  return (
    <div className="match-list">
      {(all ? paths : paths.slice(0, firstRows)).map((path) =>
        path.endsWith('/') ? (
          <div key={path} className="match-file match-folder">
            <Icon name="folder" />
            <span className="match-path">{path}</span>
          </div>
        ) : (
          <button
            key={path}
            type="button"
            className="match-file"
            title={`Open ${path}`}
            onClick={() => openLocation(path)}
          >
            <Icon name="file" />
            <span className="match-path">{path}</span>
          </button>
        ),
      )}
      {!all && paths.length > firstRows && (
        <Button size="small" variant="ghost" onClick={() => setAll(true)}>
          Show all {plural(paths.length, 'entry', 'entries')}
        </Button>
      )}
      {note && <p className="tool-note">{note}</p>}
    </div>
  )
}
