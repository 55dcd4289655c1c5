import { useMemo } from 'react'
import type { ReviewScope } from '../../shared/review/review.ts'
import { useChat } from '../platform/conversation/chatStore.ts'
import { attempt } from '../platform/notices.ts'
import {
  canKeep,
  latestTurn,
  redoReview,
  refreshReview,
  revertReview,
  scopeKey,
  useReview,
} from '../platform/review/reviewStore.ts'
import { selectedStatus, useGit } from '../platform/git/gitStore.ts'
import { Button, EmptyState, IconButton, Select, Spinner } from '../ui/index.ts'
import { FileList } from './FileList.tsx'
import { keepAllAndCommit } from './reviewCommands.ts'
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
          onClick={() => attempt(keepAllAndCommit, 'The commit could not be prepared')}
        />
      )}
      <IconButton
        icon="discard"
        label={lastAction === undefined ? 'Revert last review action' : `Revert: ${lastAction}`}
        disabled={!canUndo}
        onClick={() => attempt(revertReview, 'The action could not be reverted')}
      />
      <IconButton
        icon="redo"
        label="Repeat reverted review action"
        disabled={!canRedo}
        onClick={() => attempt(redoReview, 'The action could not be repeated')}
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
        : 'You have kept or undone all changes here.'}
    </EmptyState>
  )
}
