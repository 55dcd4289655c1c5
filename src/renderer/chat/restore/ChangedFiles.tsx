import { useState } from 'react'
import { toFailure } from '../../../shared/errors.ts'
import type { CheckpointChange } from '../../../shared/restore.ts'
import type { FileDiff } from '../../../shared/tool.ts'
import { plural, pluralNoun } from '../../../shared/plural.ts'
import { request } from '../../platform/bridge/bridge.ts'
import { DiffView } from '../../ui/diff/DiffView.tsx'
import { Button, Icon, Spinner } from '../../ui/index.ts'

/** Number of files shown at first and added by "Show more". */
const page = 200

/** Labels of a change and of what a restore does about it. */
const changeTexts = {
  created: { icon: 'diff-added', did: 'created', will: 'will be deleted' },
  changed: { icon: 'diff-modified', did: 'changed', will: 'will be restored' },
  deleted: { icon: 'diff-removed', did: 'deleted', will: 'will be restored' },
} as const

/** The files that differ from the checkpoint. Each expands to its diff. */
export function ChangedFiles({ checkpoint, changes }: { checkpoint: number; changes: readonly CheckpointChange[] }) {
  const [shown, setShown] = useState(page)
  if (changes.length === 0) return <p className="restore-none">No file has changed since.</p>
  return (
    <section aria-label="Files changed since">
      <h3 className="restore-heading">
        {plural(changes.length, 'file')} {pluralNoun(changes.length, 'has', 'have')} changed since
      </h3>
      <ul className="restore-files">
        {changes.slice(0, shown).map((change) => (
          <Row key={change.path} checkpoint={checkpoint} {...change} />
        ))}
      </ul>
      {changes.length > shown && (
        <Button size="small" variant="ghost" onClick={() => setShown(shown + page)}>
          Show {Math.min(page, changes.length - shown)} more
        </Button>
      )}
    </section>
  )
}

function Row({ checkpoint, path, change }: { checkpoint: number } & CheckpointChange) {
  const [open, setOpen] = useState(false)
  const [diff, setDiff] = useState<FileDiff | string | null>(null)
  const { icon, did, will } = changeTexts[change]

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
          {did}, {will}
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
