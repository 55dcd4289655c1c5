import { useState } from 'react'
import type { CheckpointChange } from '../../../shared/review/restore.ts'
import { plural, pluralNoun } from '../../../shared/text/plural.ts'
import { request } from '../../platform/bridge/bridge.ts'
import { openChange } from '../../platform/editor/openLocation.ts'
import { DiffExcerpt } from '../../ui/diff/DiffExcerpt.tsx'
import { Button } from '../../ui/index.ts'
import { closeRestoreDialog } from './restoreStore.ts'

/** Number of files shown at first, and added by each "Show more". */
const pageSize = 200

/** How a file changed since the checkpoint, and what restoring does to it. */
const changes = {
  created: { change: 'created', note: 'created, will be deleted' },
  changed: { change: 'modified', note: 'changed, will be restored' },
  deleted: { change: 'deleted', note: 'deleted, will be restored' },
} as const

/** List of files that differ from the checkpoint. Each expands to its diff. */
export function ChangedFiles({ checkpoint, files }: { checkpoint: number; files: readonly CheckpointChange[] }) {
  const [shown, setShown] = useState(pageSize)
  if (files.length === 0) return <p className="restore-none">No file has changed since this message.</p>
  return (
    <section aria-label="Files changed since this message">
      <h3 className="restore-heading">
        {plural(files.length, 'file')} {pluralNoun(files.length, 'has', 'have')} changed since this message
      </h3>
      <ul className="diff diff-list">
        {files.slice(0, shown).map(({ path, change }) => (
          <li key={path}>
            <DiffExcerpt
              file={{ path, ...changes[change] }}
              load={() => request('conversations.restoreDiff', { checkpoint, path })}
              onOpenDiff={(file) => {
                // The dialog covers the editor.
                closeRestoreDialog()
                openChange(file, 'since the message')
              }}
            />
          </li>
        ))}
      </ul>
      {files.length > shown && (
        <Button size="small" variant="ghost" onClick={() => setShown(shown + pageSize)}>
          Show {Math.min(pageSize, files.length - shown)} more
        </Button>
      )}
    </section>
  )
}
