import { useMemo, useRef, useState, type KeyboardEvent } from 'react'
import type { ReviewFile, ReviewScope } from '../../shared/review.ts'
import { plural } from '../../shared/plural.ts'
import { shortcutOf } from '../platform/commands.ts'
import { useChat } from '../platform/conversation/chatStore.ts'
import { useLayout } from '../platform/layoutStore.ts'
import { attempt } from '../platform/notices.ts'
import {
  applyReview,
  canKeep,
  latestTurn,
  redoReview,
  refreshReview,
  revertReview,
  scopeKey,
  useReview,
} from '../platform/review/reviewStore.ts'
import { selectedStatus, useGit } from '../platform/git/gitStore.ts'
import { DiffCounts } from '../ui/diff/DiffCounts.tsx'
import { Button, EmptyState, IconButton, Icon, Select, Spinner, VirtualList } from '../ui/index.ts'
import { applyToAll, keepAllAndCommit } from './reviewCommands.ts'
import { openAtChange, openAtLine, openSideBySide } from './reviewDiffs.ts'
import { expandAll, toggleFile, useExpanded } from './reviewFolds.ts'
import { ReviewHunkRow, type HunkRowActions } from './ReviewHunkRow.tsx'
import { activeRow, fileRowOf, hasHunks, itemsOf, type ReviewItem } from './reviewItems.ts'
import { ReviewRow, rowId, type RowActions } from './ReviewRow.tsx'
import { filterFiles, notesOf } from './reviewRows.ts'
import { choiceOf, chooseScope, chosenOptions, type ScopeChoice } from './reviewScopes.ts'
import './review.css'

/** The review view: all changed files of a scope, with actions for each and for all. */
export function ReviewPanel() {
  const { scope, summary, failure } = useReview()
  return (
    <div className="review">
      <Header />
      <ScopeField />
      {failure !== null ? (
        <EmptyState
          icon="error"
          title="The changes could not be listed"
          actions={
            <Button icon="refresh" onClick={() => void refreshReview()}>
              Try again
            </Button>
          }
        >
          {failure.message} {failure.next}
        </EmptyState>
      ) : summary === null ? (
        <div className="workbench-loading">
          <Spinner label="Loading changes" />
        </div>
      ) : summary.files.length === 0 ? (
        <NoChanges scope={scope} />
      ) : (
        <FileList key={scopeKey(scope)} files={summary.files} scope={scope} />
      )}
    </div>
  )
}

function Header() {
  const { canUndo, canRedo, lastAction } = useReview((state) => state.pending)
  const canCommit = useReview(
    (state) => canKeep(state.scope, undefined, state) && (state.summary?.files.length ?? 0) > 0,
  )
  const hasRepository = useGit((state) => selectedStatus(state) !== null)
  return (
    <header className="sidebar-header">
      <h2 className="sidebar-title">Review</h2>
      {hasRepository && (
        <IconButton
          icon="git-commit"
          label="Keep all and commit…"
          disabled={!canCommit}
          onClick={() => attempt(keepAllAndCommit, 'The changes were not prepared for a commit')}
        />
      )}
      <IconButton
        icon="discard"
        label={lastAction === undefined ? 'Revert last review action' : `Revert: ${lastAction}`}
        disabled={!canUndo}
        onClick={() => attempt(revertReview, 'The action was not reverted')}
      />
      <IconButton
        icon="redo"
        label="Repeat reverted review action"
        disabled={!canRedo}
        onClick={() => attempt(redoReview, 'The action was not repeated')}
      />
    </header>
  )
}

function ScopeField() {
  const scope = useReview((state) => state.scope)
  const conversation = useChat((state) => state.info?.id)
  const order = useChat((state) => state.order)
  const latest = useMemo(() => {
    const { items } = useChat.getState()
    return latestTurn(
      conversation,
      order.flatMap((id) => items[id] ?? []),
    )
  }, [conversation, order])
  const choice = choiceOf(scope, latest)
  const options: { value: ScopeChoice; label: string; disabled?: boolean }[] = [
    { value: 'pending', label: 'All pending changes' },
    { value: 'latest', label: 'Latest turn', disabled: latest === null },
    { value: 'conversation', label: 'This conversation', disabled: conversation === undefined },
    ...chosenOptions(scope, latest),
    { value: 'choose', label: 'Since a message…', disabled: conversation === undefined },
  ]
  return (
    <div className="review-scope">
      <Select
        label="Changes to show"
        hideLabel
        options={options}
        value={choice}
        // The options are the choices.
        onChange={(event) => attempt(() => chooseScope(event.target.value as ScopeChoice))}
      />
    </div>
  )
}

function NoChanges({ scope }: { scope: ReviewScope }) {
  return (
    <EmptyState icon="check" title="Nothing to review">
      {scope.kind === 'pending'
        ? 'Changes that the agent makes to files are listed here until you keep or undo them.'
        : 'All changes of this scope are kept or undone.'}
    </EmptyState>
  )
}

function FileList({ files, scope }: { files: readonly ReviewFile[]; scope: ReviewScope }) {
  const [filter, setFilter] = useState('')
  const pending = useReview((state) => state.pending)
  const [selected, setSelected] = useState<string | null>(null)
  const isExpanded = useExpanded()
  const shown = useMemo(() => filterFiles(files, filter), [files, filter])
  const items = itemsOf(shown, isExpanded)
  // A kept file leaves the list, and the row after it takes its place.
  const [lastIndex, setLastIndex] = useState(0)
  const active = activeRow(items, selected, lastIndex)
  const activeItem = items[active]

  function select(index: number): void {
    setLastIndex(index)
    setSelected(items[index]?.key ?? null)
  }
  function open(file: ReviewFile, options: { focus: boolean; sideBySide?: boolean }): void {
    attempt(() => (options.sideBySide ? openSideBySide(file, scope) : openAtChange(file, scope, options)))
  }
  function apply(action: 'keep' | 'undo', { path }: ReviewFile): void {
    attempt(() => applyReview(action, scope, [{ path }]), `${path} was not ${action === 'keep' ? 'kept' : 'undone'}`)
  }

  const latest = useRef<(RowActions & HunkRowActions) | null>(null)
  latest.current = {
    toggle(file) {
      select(items.findIndex(({ key }) => key === file.path))
      toggleFile(file.path)
    },
    open(file, options) {
      select(items.findIndex(({ key }) => key === file.path))
      open(file, options)
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
        action === 'keep' ? 'The change was not kept' : 'The change was not undone',
      ),
  }
  const actions = useMemo<RowActions & HunkRowActions>(
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

  /** Expands a file or goes to its first hunk. */
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
    else open(item.file, { focus: true, sideBySide: sideBySide || item.kind === 'more' })
  }

  function onKeyDown(event: KeyboardEvent<HTMLElement>): void {
    if (event.key === 'ArrowDown') select(Math.min(items.length - 1, active + 1))
    else if (event.key === 'ArrowUp') select(Math.max(0, active - 1))
    else if (event.key === 'ArrowRight' && activeItem) goInto(activeItem)
    else if (event.key === 'ArrowLeft' && activeItem) goOut(activeItem)
    else if (event.key === 'Home') select(0)
    else if (event.key === 'End') select(items.length - 1)
    else if (event.key === 'Enter' && event.target === event.currentTarget && activeItem)
      openRow(activeItem, event.ctrlKey || event.metaKey)
    else if (event.key === 'Escape' && filter !== '') setFilter('')
    else if (event.key.length === 1 && event.key !== ' ' && !event.ctrlKey && !event.metaKey && !event.altKey)
      focusFilter()
    else return
    // The typed character goes to the filter field.
    if (event.key.length > 1) event.preventDefault()
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
        <Totals files={shown} all={filter === ''} scope={scope} />
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

/** Height of a row of a file, and of a line of a diff, in pixels (review.css, diff.css). */
const fileHeight = 28
const lineHeight = 18
/** Height of a hunk besides its changed lines: its bar, its context and its margin. */
const hunkHeight = 150
/** Number of changed lines of a hunk that are not known yet. */
const maxEstimatedLines = 40

function estimatedHeight({ kind, file }: ReviewItem): number {
  if (kind !== 'hunk') return fileHeight
  const lines = Math.min(maxEstimatedLines, Math.ceil((file.added + file.removed) / Math.max(1, file.hunks)))
  return hunkHeight + lines * lineHeight
}

interface MoreHunksProps {
  item: Extract<ReviewItem, { kind: 'more' }>
  id: string
  active: boolean
  actions: RowActions
}

/** The row after the last hunk that is shown of a file with very many. */
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
      {plural(count, 'more change')}. Open the diff to see all.
    </div>
  )
}

function focusFilter(): void {
  document.querySelector<HTMLElement>('.review-filter')?.focus()
}

/** Totals of the listed files, and the actions for all files. A filter limits neither action, so it hides them. */
function Totals({ files, all, scope }: { files: readonly ReviewFile[]; all: boolean; scope: ReviewScope }) {
  const added = files.reduce((sum, file) => sum + file.added, 0)
  const removed = files.reduce((sum, file) => sum + file.removed, 0)
  const canKeepAny = useReview((state) => canKeep(scope, undefined, state))
  const expanded = useLayout(({ review }) => review.expanded)
  const title = (text: string, keys: string | undefined) => (keys ? `${text} (${keys})` : text)
  return (
    <div className="review-totals">
      <span className="review-total" role="status">
        {plural(files.length, 'file')}
      </span>
      <DiffCounts added={added} removed={removed} />
      <span className="review-space" />
      <IconButton
        icon={expanded ? 'collapse-all' : 'expand-all'}
        label={expanded ? 'Hide the changes in all files' : 'Show the changes in all files'}
        onClick={() => expandAll(!expanded)}
      />
      {all && (
        <>
          {canKeepAny && (
            <Button
              size="small"
              className="review-all"
              icon="check-all"
              aria-label="Keep all"
              title={title('Keep all listed changes', shortcutOf('review.keepAll'))}
              onClick={() => attempt(() => applyToAll('keep'), 'The changes were not kept')}
            >
              <span>Keep all</span>
            </Button>
          )}
          <Button
            size="small"
            variant="ghost"
            className="review-all"
            icon="discard"
            aria-label="Undo all"
            title={title('Undo all listed changes', shortcutOf('review.undoAll'))}
            onClick={() => attempt(() => applyToAll('undo'), 'The changes were not undone')}
          >
            <span>Undo all</span>
          </Button>
        </>
      )}
    </div>
  )
}

/** What the row of the selected file cannot show. */
function FileNotes({ file }: { file: ReviewFile | undefined }) {
  const notes = file ? notesOf(file) : []
  if (!file || notes.length === 0) return null
  return (
    <div
      className="review-notes"
      role="note"
      aria-label={`About ${file.path}`}
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
