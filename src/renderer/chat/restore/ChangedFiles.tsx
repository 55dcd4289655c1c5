import { useState } from 'react'
import { toFailure } from '../../../shared/errors.ts'
import type { CheckpointChange } from '../../../shared/restore.ts'
import type { FileDiff } from '../../../shared/tool.ts'
import { plural, pluralNoun } from '../../../shared/plural.ts'
import { request } from '../../platform/bridge/bridge.ts'
import { DiffView } from '../../ui/diff/DiffView.tsx'
import { Button, Icon, Spinner } from '../../ui/index.ts'

/** Number of files shown at first, and added by each "Show more". */
const pageSize = 200

/** How a file changed since the checkpoint, and what restoring does to it. */
const changeTexts = {
  created: { icon: 'diff-added', change: 'created', effect: 'will be deleted' },
  changed: { icon: 'diff-modified', change: 'changed', effect: 'will be restored' },
  deleted: { icon: 'diff-removed', change: 'deleted', effect: 'will be restored' },
} as const

/** List of files that differ from the checkpoint. Each expands to its diff. */
export function ChangedFiles({ checkpoint, changes }: { checkpoint: number; changes: readonly CheckpointChange[] }) {
  const [shown, setShown] = useState(pageSize)
  if (changes.length === 0) return <p className="restore-none">No file has changed since this message.</p>
  return (
    <section aria-label="Files changed since this message">
      <h3 className="restore-heading">
        {plural(changes.length, 'file')} {pluralNoun(changes.length, 'has', 'have')} changed since this message
      </h3>
      <ul className="restore-files">
        {changes.slice(0, shown).map((change) => (
          <Row key={change.path} checkpoint={checkpoint} {...change} />
        ))}
      </ul>
      {changes.length > shown && (
        <Button size="small" variant="ghost" onClick={() => setShown(shown + pageSize)}>
          Show {Math.min(pageSize, changes.length - shown)} more
        </Button>
      )}
    </section>
  )
}

function Row({ checkpoint, path, change }: { checkpoint: number } & CheckpointChange) {
  const [open, setOpen] = useState(false)
  const [diff, setDiff] = useState<FileDiff | string | null>(null)
  const { icon, change: changeText, effect } = changeTexts[change]

  function toggle(): void {
    setOpen(!open)
    if (open || diff !== null) return
    request('conversations.restoreDiff', { checkpoint, path }).then(setDiff, (error: unknown) =>
      setDiff(toFailure(error).message),
    )
  }
  return (
    <li>
      <button type="button" className="restore-file" aria-expanded={open} onClick={toggle}>
        <Icon name={open ? 'chevron-down' : 'chevron-right'} />
        <Icon name={icon} className={`restore-${change}`} />
        <span className="restore-path" title={path}>
          <bdi>{path}</bdi>
        </span>
        <span className="restore-word">
          {changeText}, {effect}
        </span>
      </button>
      {open && (
        <div className="restore-diff">
          {diff === null ? (
            <Spinner label="Comparing" />
          ) : typeof diff === 'string' ? (
            <p>{diff}</p>
          ) : (
            <DiffView files={[diff]} />
          )}
        </div>
      )}
    </li>
  )
}
