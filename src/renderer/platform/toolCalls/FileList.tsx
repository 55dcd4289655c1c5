import { useState } from 'react'
import { plural } from '../../../shared/text/plural.ts'
import { Button, Icon } from '../../ui/index.ts'
import { openLocation } from '../editor/openLocation.ts'

/** Number of rows shown before the list is expanded. */
const collapsedRows = 100

/** Lists paths. A click opens the file. Paths that end in `/` are folders, which cannot be opened. */
export function FileList({ paths, note }: { paths: readonly string[]; note?: string }) {
  const [expanded, setExpanded] = useState(false)
  if (paths.length === 0) return <p className="tool-note">Nothing was found.</p>
  return (
    <div className="match-list">
      {(expanded ? paths : paths.slice(0, collapsedRows)).map((path) =>
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
      {!expanded && paths.length > collapsedRows && (
        <Button size="small" variant="ghost" onClick={() => setExpanded(true)}>
          Show all {plural(paths.length, 'entry', 'entries')}
        </Button>
      )}
      {note && <p className="tool-note">{note}</p>}
    </div>
  )
}
