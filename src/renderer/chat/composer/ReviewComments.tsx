import { openLocation } from '../../platform/editor/openLocation.ts'
import { useLayout } from '../../platform/layout/layoutStore.ts'
import { removeComment } from '../../platform/review/reviewStore.ts'
import { Icon, IconButton } from '../../ui/index.ts'

/** Comments on changes that are sent with the next message. */
export function ReviewComments() {
  const comments = useLayout(({ review }) => review.comments)
  if (comments.length === 0) return null
  return (
    <ul className="composer-comments" aria-label="Comments for the agent">
      {comments.map(({ id, path, line, text }) => {
        const place = `${path.slice(path.lastIndexOf('/') + 1)}:${line}`
        return (
          <li key={id} className="composer-comment">
            <Icon name="comment" />
            <button
              type="button"
              className="composer-comment-place"
              title={path}
              onClick={() => openLocation(path, line)}
            >
              {place}
            </button>
            <span className="composer-comment-text" title={text}>
              {text}
            </span>
            <IconButton icon="close" label={`Remove the comment on ${place}`} onClick={() => removeComment(id)} />
          </li>
        )
      })}
    </ul>
  )
}
