import { useEffect, useRef, useState } from 'react'
import type { QueuedMessage } from '../../../shared/agent/conversation.ts'
import { attempt } from '../../platform/notices.ts'
import { Button, Icon, IconButton } from '../../ui/index.ts'
import { editQueued, sendQueued, steerQueued, unqueue } from '../chatActions.ts'
import { newDraft } from '../chatViewStore.ts'
import { useChat } from '../../platform/conversation/chatStore.ts'

/**
 * Lists the queued messages. Each is delivered after the turn, or after the current tool calls if it steers the turn.
 */
export function Queue() {
  const queue = useChat((state) => state.queue)
  if (queue.length === 0) return null
  return (
    <ul className="composer-queue" aria-label="Queued messages">
      {queue.map((message) => (
        <Row key={message.id} message={message} />
      ))}
    </ul>
  )
}

function Row({ message }: { message: QueuedMessage }) {
  const running = useChat((state) => state.running)
  const elsewhere = useChat((state) => state.elsewhere)
  const conversationId = useChat((state) => state.info?.id ?? newDraft)
  const [editing, setEditing] = useState<string>()
  const steers = message.steer === true && running

  function save(): void {
    if (editing !== undefined && editing.trim() !== '' && editing !== message.text)
      void editQueued(conversationId, message.id, editing)
    setEditing(undefined)
  }
  const sendNow = () => attempt(() => sendQueued(message), 'The message was not sent')
  const saveLatest = useRef(save)
  saveLatest.current = save
  // Delivering the message while the user edits it removes the row.
  useEffect(() => () => saveLatest.current(), [])
  return (
    <li className={steers ? 'composer-queue-steers' : ''}>
      <Icon
        name={steers ? 'compass' : 'clock'}
        label={steers ? 'Delivered after the current tool calls' : 'Delivered after the turn'}
      />
      {editing === undefined ? (
        <span className="composer-queued" dir="auto" title={message.text}>
          {message.text}
        </span>
      ) : (
        <input
          dir="auto"
          className="ui-input composer-queue-editor"
          aria-label="Edited message"
          value={editing}
          autoFocus
          onChange={(event) => setEditing(event.target.value)}
          onBlur={save}
          onKeyDown={(event) => {
            if (event.key === 'Enter') save()
            else if (event.key === 'Escape') setEditing(undefined)
          }}
        />
      )}
      {running && (
        <span className="composer-queue-when">{steers ? 'Sent after these calls' : 'Sent after this turn'}</span>
      )}
      {running && (
        <Button size="small" variant="ghost" onClick={() => steerQueued(message.id, !steers)}>
          {steers ? 'Send after turn' : 'Steer'}
        </Button>
      )}
      {running && !elsewhere && <IconButton icon="run-above" label="Stop and send now" onClick={sendNow} />}
      {!running && (
        <Button size="small" variant="ghost" onClick={sendNow}>
          Send now
        </Button>
      )}
      {/* The edit field has one line, so it cannot edit multi-line messages. */}
      {!message.text.includes('\n') && (
        <IconButton icon="edit" label="Edit queued message" onClick={() => setEditing(message.text)} />
      )}
      <IconButton icon="close" label="Remove from the queue" onClick={() => unqueue(message.id)} />
    </li>
  )
}
