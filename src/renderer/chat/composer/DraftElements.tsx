import type { ElementAttachment } from '../../../shared/agent/attachments.ts'
import { Icon, IconButton } from '../../ui/index.ts'
import { Picture } from '../items/Picture.tsx'
import { changeElementNote, removeElement, useDraftAttachments } from './draftAttachments.ts'

/** Elements of a page in a draft, with a note for each. */
export function DraftElements({ conversationId }: { conversationId: string }) {
  const elements = useDraftAttachments((state) => state.byConversation[conversationId]?.elements)
  if (!elements || elements.length === 0) return null
  return (
    <ul className="composer-elements" aria-label="Elements of the page">
      {elements.map((element) => (
        <Element key={element.id} conversationId={conversationId} element={element} />
      ))}
    </ul>
  )
}

function Element({ conversationId, element }: { conversationId: string; element: ElementAttachment }) {
  const { id, label, path, line, guess, note, picture } = element
  return (
    <li className="composer-element">
      {picture ? <Picture picture={picture} /> : <Icon name="inspect" />}
      <div className="composer-element-text">
        <span className="composer-element-label" title={label}>
          {label}
        </span>
        {path !== undefined && (
          <span className="composer-element-source">
            {path}
            {line !== undefined && `:${line}`}
            {guess === true && ' (probably)'}
          </span>
        )}
        <input
          className="ui-input"
          aria-label={`Note on ${label}`}
          placeholder="Note"
          dir="auto"
          maxLength={2000}
          value={note}
          onChange={(event) => changeElementNote(conversationId, id, event.target.value)}
        />
      </div>
      <IconButton icon="close" label={`Remove ${label}`} onClick={() => removeElement(conversationId, id)} />
    </li>
  )
}
