import { useEffect, useRef, useState } from 'react'
import { plural } from '../../../shared/plural.ts'
import { runCommand, shortcutOf } from '../../platform/commands.ts'
import { useReview } from '../../platform/review/reviewStore.ts'
import { Button, IconButton } from '../../ui/index.ts'

export interface HunkBarProps {
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

const withKeys = (text: string, keys: string | undefined) => (keys ? `${text} (${keys})` : text)

/** The bar of a hunk: keep, undo, comment, and the way to its neighbours. */
export function HunkBar(props: HunkBarProps) {
  const { path, index, total, added, removed, commenting } = props
  const queued = useReview((state) => state.queued.has(path))
  return (
    <div
      className="review-bar"
      role="toolbar"
      aria-label={`Change ${index + 1} of ${total}: ${plural(added, 'line')} added, ${removed} removed`}
      // Monaco would move the cursor and take the focus.
      onMouseDown={(event) => event.stopPropagation()}
    >
      {commenting ? (
        <CommentField onDone={props.onCommentDone} />
      ) : queued ? (
        <span className="review-bar-queued" role="status" title="Applied when the running call ends">
          Queued
        </span>
      ) : (
        <>
          {props.canKeep && (
            <Button
              size="small"
              variant="primary"
              title={withKeys('Keep this change', shortcutOf('review.keep'))}
              onClick={props.onKeep}
            >
              Keep
            </Button>
          )}
          <Button
            size="small"
            variant="ghost"
            title={withKeys('Undo this change', shortcutOf('review.undo'))}
            onClick={props.onUndo}
          >
            Undo
          </Button>
          <IconButton
            icon="comment"
            label="Comment on this change"
            shortcut={shortcutOf('review.comment')}
            onClick={props.onComment}
          />
        </>
      )}
      {!commenting && (
        <>
          <span className="review-bar-count">
            {index + 1} of {total}
          </span>
          <IconButton
            icon="arrow-up"
            label="Previous change"
            shortcut={shortcutOf('review.previous')}
            onClick={() => runCommand('review.previous')}
          />
          <IconButton
            icon="arrow-down"
            label="Next change"
            shortcut={shortcutOf('review.next')}
            onClick={() => runCommand('review.next')}
          />
        </>
      )}
    </div>
  )
}

/** Field for a comment. Enter adds it, Escape closes the field. */
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
          // Monaco handles keys in its widgets, for example Enter and arrows.
          event.stopPropagation()
          if (event.nativeEvent.isComposing) return
          if (event.key !== 'Enter' && event.key !== 'Escape') return
          // The editor gets the focus, and must not get the key.
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
