import { useMemo, useRef, useState, type KeyboardEvent } from 'react'
import { plural } from '../../shared/text/plural.ts'
import type { ReviewFile, ReviewScope } from '../../shared/review/review.ts'
import { attempt } from '../platform/notices.ts'
import { applyReview, canKeep, useReview } from '../platform/review/reviewStore.ts'
import { Icon, VirtualList } from '../ui/index.ts'
import { openAtChange, openAtLine, openSideBySide } from './reviewDiffs.ts'
import { toggleFile, useExpanded } from './reviewFolds.ts'
import { ReviewHunkRow, type HunkRowActions } from './ReviewHunkRow.tsx'
import { activeRow, fileRowOf, hasHunks, itemsOf, type ReviewItem } from './reviewItems.ts'
import { ReviewRow, rowId, type RowActions } from './ReviewRow.tsx'
import { filterFiles, notesOf } from './reviewRows.ts'
import { ReviewTotals } from './ReviewTotals.tsx'

/** Heights in pixels of a file row and of a diff line (review.css, diff.css). */
const fileHeight = 28
const lineHeight = 18
/** Height of a hunk without its changed lines: its bar, context and margin. */
const hunkHeight = 150
/** Maximum number of changed lines to assume for a hunk that has not loaded yet. */
const maxEstimatedLines = 40

function estimatedHeight({ kind, file }: ReviewItem): number {
  if (kind !== 'hunk') return fileHeight
  const lines = Math.min(maxEstimatedLines, Math.ceil((file.added + file.removed) / Math.max(1, file.hunks)))
  return hunkHeight + lines * lineHeight
}

interface Rows {
  items: readonly ReviewItem[]
  scope: ReviewScope
  select: (index: number) => void
}

function openFile(file: ReviewFile, scope: ReviewScope, options: { focus: boolean; sideBySide?: boolean }): void {
  attempt(() => (options.sideBySide ? openSideBySide(file, scope) : openAtChange(file, scope, options)))
}

/** Returns the actions of rows. The object stays the same, so that unchanged rows do not render again. */
function useRowActions({ items, scope, select }: Rows): RowActions & HunkRowActions {
  function apply(action: 'keep' | 'undo', { path }: ReviewFile): void {
    attempt(
      () => applyReview(action, scope, [{ path }]),
      action === 'keep' ? `${path} was not kept` : `${path} was not undone`,
    )
  }
  const latest = useRef<(RowActions & HunkRowActions) | null>(null)
  latest.current = {
    toggle(file) {
      select(items.findIndex(({ key }) => key === file.path))
      toggleFile(file.path)
    },
    open(file, options) {
      select(items.findIndex(({ key }) => key === file.path))
      openFile(file, scope, options)
    },
    keep: (file) => apply('keep', file),
    undo: (file) => apply('undo', file),
    openHunk(file, index, line, { focus }) {
      select(items.findIndex((item) => item.kind === 'hunk' && item.file.path === file.path && item.index === index))
      attempt(() => openAtLine(file, scope, { line, focus }))
    },
    applyHunk: (action, { path, hunk, revision }) =>
      attempt(
        () => applyReview(action, scope, [{ path, hunks: [hunk], revision }]),
        action === 'keep' ? 'The change could not be kept' : 'The change could not be undone',
      ),
  }
  return useMemo<RowActions & HunkRowActions>(
    () => ({
      toggle: (file) => latest.current?.toggle(file),
      open: (...args) => latest.current?.open(...args),
      keep: (file) => latest.current?.keep(file),
      undo: (file) => latest.current?.undo(file),
      openHunk: (...args) => latest.current?.openHunk(...args),
      applyHunk: (...args) => latest.current?.applyHunk(...args),
    }),
    [],
  )
}

/**
 * Returns the handler of keys that move the selection, fold files and open them. The handler returns whether it handled
 * a key.
 */
function useRowKeys({ items, scope, select }: Rows, active: number): (event: KeyboardEvent<HTMLElement>) => boolean {
  /** Expands a file, or goes to its first hunk. */
  function goInto(item: ReviewItem): void {
    if (item.kind !== 'file' || !hasHunks(item.file)) return
    if (item.expanded) select(active + 1)
    else toggleFile(item.file.path)
  }
  /** Goes to the file of a hunk, or collapses it. */
  function goOut(item: ReviewItem): void {
    if (item.kind !== 'file') select(fileRowOf(items, active))
    else if (item.expanded) toggleFile(item.file.path)
  }
  function openRow(item: ReviewItem, sideBySide: boolean): void {
    const line = Number(document.getElementById(rowId(item))?.dataset.line)
    if (item.kind === 'hunk' && !sideBySide && line > 0)
      attempt(() => openAtLine(item.file, scope, { line, focus: true }))
    else openFile(item.file, scope, { focus: true, sideBySide: sideBySide || item.kind === 'more' })
  }

  return (event) => {
    const item = items[active]
    if (event.key === 'ArrowDown') select(Math.min(items.length - 1, active + 1))
    else if (event.key === 'ArrowUp') select(Math.max(0, active - 1))
    else if (event.key === 'ArrowRight' && item) goInto(item)
    else if (event.key === 'ArrowLeft' && item) goOut(item)
    else if (event.key === 'Home') select(0)
    else if (event.key === 'End') select(items.length - 1)
    else if (event.key === 'Enter' && event.target === event.currentTarget && item)
      openRow(item, event.ctrlKey || event.metaKey)
    else return false
    return true
  }
}

/** The changed files of a scope, with a filter. Each expands to its hunks. */
export function FileList({ files, scope }: { files: readonly ReviewFile[]; scope: ReviewScope }) {
  const [filter, setFilter] = useState('')
  const pending = useReview((state) => state.pending)
  const [selected, setSelected] = useState<string | null>(null)
  const isExpanded = useExpanded()
  const shown = useMemo(() => filterFiles(files, filter), [files, filter])
  const items = itemsOf(shown, isExpanded)
  // A kept file leaves the list, and the next row takes its position.
  const [lastIndex, setLastIndex] = useState(0)
  const active = activeRow(items, selected, lastIndex)
  const activeItem = items[active]

  function select(index: number): void {
    setLastIndex(index)
    setSelected(items[index]?.key ?? null)
  }

  const actions = useRowActions({ items, scope, select })
  const onRowKey = useRowKeys({ items, scope, select }, active)
  function onKeyDown(event: KeyboardEvent<HTMLElement>): void {
    const typed = event.key.length === 1 && event.key !== ' ' && !event.ctrlKey && !event.metaKey && !event.altKey
    if (onRowKey(event)) event.preventDefault()
    else if (event.key === 'Escape' && filter !== '') {
      event.preventDefault()
      setFilter('')
    } else if (typed) document.querySelector<HTMLElement>('.review-filter')?.focus() // The character goes there.
  }

  return (
    <>
      <div className="review-tools">
        <input
          className="ui-input review-filter"
          type="search"
          aria-label="Filter files"
          placeholder="Filter files"
          value={filter}
          spellCheck={false}
          onChange={(event) => setFilter(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === 'ArrowDown' || event.key === 'Enter') {
              event.preventDefault()
              document.querySelector<HTMLElement>('.review-list')?.focus()
            } else if (event.key === 'Escape') setFilter('')
          }}
        />
        <ReviewTotals files={shown} all={filter === ''} scope={scope} />
      </div>
      <VirtualList
        className="review-list"
        role="tree"
        aria-label="Changed files"
        aria-activedescendant={activeItem && rowId(activeItem)}
        tabIndex={0}
        data-autofocus
        items={items}
        rowHeight={estimatedHeight}
        activeIndex={active}
        keyOf={({ key }) => key}
        renderRow={(item, index) => {
          const { file } = item
          const row = {
            id: rowId(item),
            file,
            active: index === active,
            canKeep: canKeep(scope, file.path, { pending }),
          }
          if (item.kind === 'hunk') return <ReviewHunkRow {...row} scope={scope} index={item.index} actions={actions} />
          if (item.kind === 'more') return <MoreHunks item={item} {...row} actions={actions} />
          return <ReviewRow {...row} expanded={hasHunks(file) ? item.expanded : null} actions={actions} />
        }}
        onKeyDown={onKeyDown}
      />
      {shown.length === 0 && <div className="review-none">No file matches the filter.</div>}
      <FileNotes file={activeItem?.file} />
    </>
  )
}

interface MoreHunksProps {
  item: Extract<ReviewItem, { kind: 'more' }>
  id: string
  active: boolean
  actions: RowActions
}

/** The row after the last shown hunk of a file with very many hunks. */
function MoreHunks({ item: { file, count }, id, active, actions }: MoreHunksProps) {
  return (
    <div
      id={id}
      className="review-hunk-more"
      role="treeitem"
      aria-level={2}
      aria-selected={active}
      onClick={() => actions.open(file, { focus: false, sideBySide: true })}
    >
      {`${plural(count, 'more change')}. Open the diff to see all.`}
    </div>
  )
}

/** Notes about the selected file that do not fit into its row. */
function FileNotes({ file }: { file: ReviewFile | undefined }) {
  const notes = file ? notesOf(file) : []
  if (!file || notes.length === 0) return null
  return (
    <div
      className="review-notes"
      role="note"
      aria-label={`Details of ${file.path}`}
      data-problem={file.problem !== undefined}
    >
      <Icon name={file.problem === undefined ? 'info' : 'warning'} />
      <div>
        {notes.map((note) => (
          <p key={note}>{note}</p>
        ))}
      </div>
    </div>
  )
}
