import { memo } from 'react'
import type { ReviewFile } from '../../shared/review/review.ts'
import { visibleText } from '../../shared/text/visibleText.ts'
import { shortcutOf } from '../platform/commands.ts'
import { useReview } from '../platform/review/reviewStore.ts'
import { DiffCounts } from '../ui/diff/DiffCounts.tsx'
import { FileIcon } from '../ui/FileIcon.tsx'
import { Icon, IconButton } from '../ui/index.ts'
import { changeLetters, changeNames, notesOf, shortNote } from './reviewRows.ts'

/** Returns the DOM id of a row. Encodes spaces, because ARIA attributes separate ids by spaces. */
export const rowId = ({ key }: { key: string }): string => `review-${encodeURIComponent(key)}`

interface ReviewRowProps {
  file: ReviewFile
  id: string
  active: boolean
  /** Whether its lines are shown; null if it has none. */
  expanded: boolean | null
  canKeep: boolean
  /** Stays the same object, so that unchanged rows do not render again. */
  actions: RowActions
}

export interface RowActions {
  toggle(file: ReviewFile): void
  open(file: ReviewFile, options: { focus: boolean; sideBySide?: boolean }): void
  keep(file: ReviewFile): void
  undo(file: ReviewFile): void
}

/** A changed file: name, folder, counts, actions and the letter of its change. */
export const ReviewRow = memo(function ReviewRow({ file, id, active, expanded, canKeep, actions }: ReviewRowProps) {
  const { path, change, added, removed, renamedFrom, problem } = file
  const queued = useReview((state) => state.queued.has(path))
  const slash = path.lastIndexOf('/')
  const note = shortNote(file)
  const tabIndex = active ? 0 : -1
  const oldName = renamedFrom?.slice(renamedFrom.lastIndexOf('/') + 1)
  const name = path.slice(slash + 1)
  return (
    <div
      id={id}
      className="review-row"
      role="treeitem"
      aria-level={1}
      aria-expanded={expanded ?? undefined}
      aria-selected={active}
      title={[path, ...notesOf(file)].join('\n')}
      data-path={path}
      data-change={change}
      onClick={() => actions.open(file, { focus: false })}
      onDoubleClick={() => actions.open(file, { focus: true })}
    >
      {/* The row itself opens the file. The arrow keys do the same as this button. */}
      <span
        className="review-fold"
        data-open={expanded}
        title={expanded === null ? undefined : expanded ? `Hide the changes in ${name}` : `Show the changes in ${name}`}
        onClick={(event) => {
          if (expanded === null) return
          event.stopPropagation()
          actions.toggle(file)
        }}
        onDoubleClick={(event) => event.stopPropagation()}
      >
        {expanded !== null && <Icon name={expanded ? 'chevron-down' : 'chevron-right'} />}
      </span>
      <FileIcon path={path} />
      <span className="review-name">
        {oldName !== undefined && oldName !== name && (
          <>
            <span className="review-old-name">{visibleText(oldName)}</span>
            {' → '}
          </>
        )}
        <span className="review-new-name">{visibleText(name)}</span>
      </span>
      <span className="review-folder">
        <bdi>{slash < 0 ? '' : visibleText(path.slice(0, slash))}</bdi>
      </span>
      {problem !== undefined && <Icon name="warning" className="review-warning" label="Problem" />}
      {queued ? (
        <span className="review-queued" role="status">
          Queued
        </span>
      ) : (
        // A click on a button must not open the file.
        <span className="review-actions" onClick={(event) => event.stopPropagation()}>
          <IconButton
            icon="diff"
            label={`Open ${name} side by side`}
            tabIndex={tabIndex}
            onClick={() => actions.open(file, { focus: false, sideBySide: true })}
          />
          <IconButton
            icon="discard"
            label={`Undo the changes in ${name}`}
            shortcut={shortcutOf('review.undo')}
            tabIndex={tabIndex}
            onClick={() => actions.undo(file)}
          />
          {canKeep && (
            <IconButton
              icon="check"
              label={`Keep the changes in ${name}`}
              shortcut={shortcutOf('review.keep')}
              tabIndex={tabIndex}
              onClick={() => actions.keep(file)}
            />
          )}
        </span>
      )}
      <span className="review-amount">
        {note === null ? <DiffCounts added={added} removed={removed} /> : <span className="review-faint">{note}</span>}
      </span>
      <span className="review-letter" data-change={change} aria-hidden>
        {changeLetters[change]}
      </span>
      <span className="visually-hidden">{changeNames[change]}</span>
    </div>
  )
})
