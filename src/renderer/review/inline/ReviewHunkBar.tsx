import { useEffect, useRef, useState } from 'react'
import { plural } from '../../../shared/text/plural.ts'
import { runCommand, shortcutOf } from '../../platform/commands.ts'
import { useReview } from '../../platform/review/reviewStore.ts'
import { HunkBar } from '../../platform/editor/hunks/hunkBar.tsx'
import { HunkActions, HunkNavigation, type HunkAction } from '../../ui/diff/HunkActions.tsx'
import { Button, IconButton } from '../../ui/index.ts'

interface ReviewHunkBarProps {
  path: string
  /** Position of the hunk in its file, from 0. */
  index: number
  total: number
  added: number
  removed: number
  /** Whether the change can be kept. */
  canKeep: boolean
  /** Whether the comment field is open. */
  commenting: boolean
  onKeep: () => void
  onUndo: () => void
  onComment: () => void
  /** @param text null to close the field without a comment */
  onCommentDone: (text: string | null) => void
}

/** The bar of a hunk: keep, undo, comment, previous and next hunk. */
export function ReviewHunkBar(props: ReviewHunkBarProps) {
  const { path, index, total, added, removed, commenting } = props
  const queued = useReview((state) => state.queued.has(path))
  const actions: HunkAction[] = [
    ...(props.canKeep
      ? [
          {
            label: 'Keep',
            title: 'Keep this change',
            shortcut: shortcutOf('review.keep'),
            primary: true,
            run: props.onKeep,
          },
        ]
      : []),
    { label: 'Undo', title: 'Undo this change', shortcut: shortcutOf('review.undo'), run: props.onUndo },
    {
      icon: 'comment',
      label: 'Comment on this change',
      shortcut: shortcutOf('review.comment'),
      run: props.onComment,
    },
  ]
  return (
    <HunkBar label={`Change ${index + 1} of ${total}: ${plural(added, 'line')} added, ${removed} removed`}>
      {commenting ? (
        <CommentField onDone={props.onCommentDone} />
      ) : queued ? (
        <span className="review-bar-queued" role="status" title="Applied when the running call ends">
          Queued
        </span>
      ) : (
        <HunkActions actions={actions} quiet />
      )}
      {!commenting && (
        <HunkNavigation
          short
          index={index}
          total={total}
          shortcuts={{ previous: shortcutOf('review.previous'), next: shortcutOf('review.next') }}
          onStep={(step) => runCommand(step === 1 ? 'review.next' : 'review.previous')}
        />
      )}
    </HunkBar>
  )
}

/** Comment field. Enter adds the comment, Escape closes the field. */
function CommentField({ onDone }: { onDone: (text: string | null) => void }) {
  const [text, setText] = useState('')
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => field.current?.focus(), [])
  const submit = () => onDone(text.trim() === '' ? null : text.trim())
  return (
    <>
      <input
        ref={field}
        className="ui-input review-bar-comment"
        aria-label="Comment on this change"
        placeholder="What should the agent change?"
        value={text}
        maxLength={10_000}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          // Otherwise Monaco would handle keys in its widgets, for example Enter and arrows.
          event.stopPropagation()
          if (event.key !== 'Enter' && event.key !== 'Escape') return
          // The editor takes the focus but must not receive the key.
          event.preventDefault()
          if (event.key === 'Enter') submit()
          else onDone(null)
        }}
      />
      <Button size="small" variant="primary" disabled={text.trim() === ''} onClick={submit}>
        Add
      </Button>
      <IconButton icon="close" label="Discard the comment" shortcut="Escape" onClick={() => onDone(null)} />
    </>
  )
}
