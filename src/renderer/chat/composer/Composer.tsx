import { useEffect, useRef, useState, type KeyboardEvent } from 'react'
import { initialItemCount, type UserItem } from '../../../shared/agent/conversation.ts'
import { shortcutOf } from '../../platform/commands.ts'
import { attempt, notifyFailure } from '../../platform/notices.ts'
import { Button, IconButton, Icon } from '../../ui/index.ts'
import { prepareCheckpoint, send, sendReviewComments, stop, type Delivery } from '../chatActions.ts'
import { useChat, type ChatState } from '../../platform/conversation/chatStore.ts'
import { loadEarlier } from '../../platform/conversation/earlierItems.ts'
import { newDraft, setDraft, useChatView } from '../chatViewStore.ts'
import { returnToDraft } from '../returnToDraft.ts'
import { useLayout } from '../../platform/layout/layoutStore.ts'
import { formatKeys } from '../../platform/keymap/keyNotation.ts'
import { ComposerPickers } from './ComposerPickers.tsx'
import { addPasted, clearPasted, setAttachments, setServerPrompt, takeAttachments } from './draftAttachments.ts'
import { MessageField } from './MessageField.tsx'
import { Queue } from './Queue.tsx'
import { unattachedMentions } from './pastedMentions.ts'
import { recallMessage } from '../../platform/conversation/messageRecall.ts'
import { runSlash } from './slashCommands.ts'
import './composer.css'
import { imageTypes } from '../../../shared/agent/attachments.ts'
import { pictureFiles, attachPictures } from './pictures.ts'
import { openLocation } from '../../platform/editor/openLocation.ts'
import { removeComment } from '../../platform/review/reviewStore.ts'
import { todosOf } from '../../../shared/agent/todos.ts'
import type { TodoItem } from '../../../shared/tools/tool.ts'
import { plural } from '../../../shared/text/plural.ts'
import { TodoList } from '../../platform/toolCalls/TodoList.tsx'
import '../todos/todos.css'

/** Shortcut that sends a message to the running turn, after its current tool calls. */
const steerKeys = 'Mod+Enter'
/** Shortcut that stops the running turn and sends a message. */
const interruptKeys = 'Mod+Shift+Enter'

/**
 * The message composer. During a turn, a message is queued until the turn ends, or steers it.
 * @param onSent called after a message is sent
 */
export function Composer({ onSent }: { onSent: () => void }) {
  const field = useRef<HTMLTextAreaElement>(null)
  const conversationId = useChat((state) => state.info?.id ?? newDraft)
  const running = useChat((state) => state.running)
  const text = useChatView((state) => state.drafts[conversationId] ?? '')
  const focusRequests = useChatView((state) => state.focusRequests)
  /** Number of messages back from the draft; 0 is the draft. */
  const [recalled, setRecalled] = useState(0)
  const [sending, setSending] = useState(false)
  const hasComments = useLayout(({ review }) => review.comments.length > 0)

  useEffect(() => {
    if (focusRequests > 0) field.current?.focus()
  }, [focusRequests])

  function write(value: string): void {
    setRecalled(0)
    if (text === '' && value !== '') prepareCheckpoint()
    if (value === '') clearPasted(conversationId)
    setDraft(conversationId, value)
  }

  async function sendNow(delivery: Delivery): Promise<void> {
    setSending(true)
    // Clear now, so that the message cannot be sent twice. If main rejects it, the text returns.
    setDraft(conversationId, '')
    const attachments = takeAttachments(conversationId)
    const { serverPrompt, ...rest } = attachments
    // A message with comments cannot have attachments. They stay for the next one.
    if (hasComments) setAttachments(conversationId, rest)
    setRecalled(0)
    onSent()
    const when = running ? delivery : 'queue'
    await (hasComments ? sendReviewComments(text, serverPrompt, when) : send(text, attachments, when))
    setSending(false)
  }

  /** Runs the text as a slash command, or sends it. */
  async function submit(message: string, delivery: Delivery = 'queue'): Promise<void> {
    if ((message.trim() === '' && !hasComments) || sending) return
    if (hasComments || !message.trimStart().startsWith('/')) return sendNow(delivery)
    setDraft(conversationId, '')
    try {
      const rest = await runSlash(message)
      if (rest === undefined) return await sendNow(delivery)
      returnToDraft(useChat.getState().info?.id ?? newDraft, rest)
    } catch (error) {
      returnToDraft(conversationId, message)
      notifyFailure(error, 'The command failed')
    }
  }

  function onKeyDown(event: KeyboardEvent<HTMLTextAreaElement>): void {
    const modifier = event.ctrlKey || event.metaKey
    if (event.key === 'Enter' && (!event.shiftKey || modifier) && !event.altKey) {
      event.preventDefault()
      void submit(text, modifier ? (event.shiftKey ? 'interrupt' : 'steer') : 'queue')
    } else if ((event.key === 'ArrowUp' || event.key === 'ArrowDown') && (text === '' || recalled > 0)) {
      const found = findRecalled(recalled, event.key === 'ArrowUp' ? 1 : -1)
      if (!found) return
      event.preventDefault()
      setRecalled(found.at)
      setDraft(conversationId, found.text)
      setServerPrompt(conversationId, found.message?.serverPrompt)
      addPasted(conversationId, unattachedMentions(found.text, found.message?.attachments))
    }
  }

  return (
    <div className="composer">
      <TodoBar />
      <Queue />
      <ReviewComments />
      <div className="composer-box">
        <MessageField
          field={field}
          conversationId={conversationId}
          text={text}
          placeholder={
            running
              ? `Enter queues the message, ${formatKeys(steerKeys)} steers the turn`
              : 'Ask a question or describe a change (@ to mention, / for commands)'
          }
          onWrite={write}
          onKeyDown={onKeyDown}
          onCommand={(command) => void submit(command)}
        />
        <div className="composer-bar">
          <ComposerPickers />
          <AttachButton conversationId={conversationId} />
          <span className="composer-space" />
          {running && <StopHint />}
          <ComposerActions
            running={running}
            hasText={text.trim() !== '' || hasComments}
            sending={sending}
            onSubmit={(delivery) => void submit(text, delivery)}
          />
        </div>
      </div>
    </div>
  )
}

/** Finds the message that Up (1) or Down (-1) recalls. At the first loaded message, Up loads earlier ones. */
function findRecalled(at: number, step: 1 | -1) {
  const messages = sentMessages()
  const found = recallMessage(
    messages.map(({ text }) => text),
    at,
    step,
  )
  if (!found && step === 1) attempt(() => loadEarlier(initialItemCount), 'Earlier messages could not be loaded')
  return found && { ...found, message: messages.at(messages.length - found.at) }
}

/** The user's loaded messages, oldest first. */
function sentMessages(): UserItem[] {
  const { order, items } = useChat.getState()
  return order.flatMap((id) => {
    const item = items[id]
    return item?.kind === 'user' && !item.nudge ? [item] : []
  })
}

/** Announces that a second Escape stops the turn. */
function StopHint() {
  const armed = useChatView((state) => state.stopArmed)
  return (
    <span className="composer-hint" role="status">
      {armed && 'Press Escape again to stop'}
    </span>
  )
}

interface ComposerActionsProps {
  running: boolean
  hasText: boolean
  sending: boolean
  onSubmit: (delivery: Delivery) => void
}

/** Send, or during a turn: Stop, Stop and send now, Steer and Queue. */
function ComposerActions({ running, hasText, sending, onSubmit }: ComposerActionsProps) {
  const elsewhere = useChat((state) => state.elsewhere)
  if (!running)
    return (
      <IconButton
        icon="arrow-up"
        className="composer-send"
        label="Send"
        shortcut="Enter"
        disabled={!hasText || sending}
        onClick={() => onSubmit('queue')}
      />
    )
  return (
    <>
      <IconButton
        icon="debug-stop"
        className="composer-stop"
        label="Stop"
        shortcut={shortcutOf('chat.stop')}
        onClick={stop}
      />
      {hasText && (
        <>
          {!elsewhere && (
            <IconButton
              icon="run-above"
              label="Stop and send now"
              shortcut={formatKeys(interruptKeys)}
              disabled={sending}
              onClick={() => onSubmit('interrupt')}
            />
          )}
          <Button
            size="small"
            variant="ghost"
            icon="compass"
            className="composer-steer"
            title={`Deliver during the turn, after the current calls (${formatKeys(steerKeys)})`}
            disabled={sending}
            onClick={() => onSubmit('steer')}
          >
            Steer
          </Button>
          <Button
            size="small"
            icon="list-ordered"
            title="Send after this turn (Enter)"
            disabled={sending}
            onClick={() => onSubmit('queue')}
          >
            Queue
          </Button>
        </>
      )}
    </>
  )
}

/** Button that attaches pictures chosen in a file dialog. */
function AttachButton({ conversationId }: { conversationId: string }) {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <IconButton icon="attach" label="Attach an image" onClick={() => input.current?.click()} />
      <input
        ref={input}
        className="visually-hidden"
        type="file"
        tabIndex={-1}
        aria-label="Image to attach"
        accept={imageTypes.join(',')}
        multiple
        onChange={(event) => {
          attachPictures(conversationId, pictureFiles(event.target.files ?? []))
          // Otherwise choosing the same file again would cause no change event.
          event.target.value = ''
        }}
      />
    </>
  )
}

function ReviewComments() {
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

/**
 * Progress of the model's to-do list, above the composer. Hidden once the user sends a message after the list was
 * completed.
 */
function TodoBar() {
  const [open, setOpen] = useState(false)
  const todos = useChat(shownTodos)
  if (todos.length === 0) return null
  const done = todos.filter(({ status }) => status === 'completed').length
  const current =
    todos.find(({ status }) => status === 'in_progress') ?? todos.find(({ status }) => status === 'pending')
  return (
    <section className="todo-bar" aria-label="Progress" data-testid="todo-bar">
      <button type="button" className="todo-bar-toggle" aria-expanded={open} onClick={() => setOpen(!open)}>
        <Icon name={open ? 'chevron-down' : 'chevron-right'} />
        <span className="todo-bar-count">
          {done}/{todos.length}
        </span>
        <span className="todo-bar-current">{open ? 'Steps' : (current?.content ?? 'All steps are done')}</span>
        <progress
          className="todo-bar-progress"
          max={todos.length}
          value={done}
          aria-label={`${done} of ${plural(todos.length, 'step')} done`}
        />
      </button>
      {open && <TodoList todos={todos} />}
    </section>
  )
}

const none: readonly TodoItem[] = []

/** A list is abandoned after this many user messages without an update. */
const abandonedAfter = 3

/** The latest list, or an empty one if it is completed or abandoned. */
function shownTodos({ order, items }: ChatState): readonly TodoItem[] {
  let messagesSince = 0
  for (let at = order.length - 1; at >= 0; at -= 1) {
    const item = items[order[at] ?? '']
    if (item?.kind === 'user' && !item.nudge && !item.steered) messagesSince += 1
    const todos = item?.kind === 'tool' && item.result?.ok ? todosOf(item.result.view) : undefined
    if (todos)
      return messagesSince >= (todos.every(({ status }) => status === 'completed') ? 1 : abandonedAfter) ? none : todos
  }
  return none
}
