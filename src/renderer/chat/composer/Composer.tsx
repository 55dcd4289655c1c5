import { useEffect, useRef, useState, type KeyboardEvent } from 'react'
import { suggestToolset } from '../../../shared/toolsetSuggestion.ts'
import { shortcutOf } from '../../platform/commands.ts'
import { useSettings } from '../../platform/appState.ts'
import { attempt, notifyFailure } from '../../platform/notices.ts'
import { Button, Icon, IconButton } from '../../ui/index.ts'
import { useEndpoints } from '../../platform/endpointsStore.ts'
import { send, stop } from '../chatActions.ts'
import { modeTexts } from '../../../shared/modeTexts.ts'
import { chooseMode, chooseModel, chooseToolset } from '../pickers.ts'
import { useChat } from '../../platform/conversation/chatStore.ts'
import { useToolset } from '../../platform/conversation/toolsStore.ts'
import { toolsetLabels } from '../../../shared/toolsetTexts.ts'
import { newDraft, setDraft, useChatView } from '../chatViewStore.ts'
import { formatKeys } from '../../platform/keyNotation.ts'
import { TodoBar } from '../todos/TodoBar.tsx'
import { AttachButton } from './AttachButton.tsx'
import { setAttachments, takeAttachments } from './draftAttachments.ts'
import { MessageField } from './MessageField.tsx'
import { Queue } from './Queue.tsx'
import { recall } from './messageRecall.ts'
import { runSlash } from './slashCommands.ts'
import './composer.css'

/** Keys that deliver a message between the calls of a running turn. */
const steerKeys = 'Mod+Enter'

/** The message editor. A message is sent at once, queued until the running turn ends, or steers the turn. */
export function Composer({ onSent }: { onSent: () => void }) {
  const field = useRef<HTMLTextAreaElement>(null)
  const conversationId = useChat((state) => state.info?.id ?? newDraft)
  const running = useChat((state) => state.running)
  const text = useChatView((state) => state.drafts[conversationId] ?? '')
  const focusWish = useChatView((state) => state.focusRequests)
  const [recalled, setRecalled] = useState(0)
  const [sending, setSending] = useState(false)

  useEffect(() => {
    if (focusWish > 0) field.current?.focus()
  }, [focusWish])

  function write(value: string): void {
    setRecalled(0)
    setDraft(conversationId, value)
  }

  async function sendNow(steer: boolean): Promise<void> {
    setSending(true)
    // Clear the draft at once so that it cannot be sent twice. It is restored if main refuses the message.
    setDraft(conversationId, '')
    const attachments = takeAttachments(conversationId)
    setRecalled(0)
    onSent()
    if (!(await send(text, attachments, steer && running))) {
      const id = useChat.getState().info?.id ?? newDraft
      setDraft(id, text)
      setAttachments(id, attachments)
    }
    setSending(false)
  }

  /** Runs a slash command, or sends the message. */
  async function submit(written = text, steer = false): Promise<void> {
    if (written.trim() === '' || sending) return
    if (!written.trimStart().startsWith('/')) return sendNow(steer)
    setDraft(conversationId, '')
    try {
      const rest = await runSlash(written)
      if (rest === undefined) return await sendNow(steer)
      setDraft(useChat.getState().info?.id ?? newDraft, rest)
    } catch (error) {
      setDraft(conversationId, written)
      notifyFailure(error, 'The command failed')
    }
  }

  function onKeyDown(event: KeyboardEvent<HTMLTextAreaElement>): void {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'Enter' && !event.shiftKey && !event.altKey) {
      event.preventDefault()
      void submit(text, event.ctrlKey || event.metaKey)
    } else if ((event.key === 'ArrowUp' || event.key === 'ArrowDown') && (text === '' || recalled > 0)) {
      const found = recall(sentMessages(), recalled, event.key === 'ArrowUp' ? 1 : -1)
      if (!found) return
      event.preventDefault()
      setRecalled(found.at)
      setDraft(conversationId, found.text)
    }
  }

  const hasText = text.trim() !== ''
  return (
    <div className="composer">
      <TodoBar />
      <Queue />
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
          <ModeButton />
          <ModelButton />
          <ToolsetButton />
          <AttachButton conversationId={conversationId} />
          <span className="composer-space" />
          {running && (
            <IconButton
              icon="debug-stop"
              className="composer-stop"
              label="Stop"
              shortcut={shortcutOf('chat.stop')}
              onClick={stop}
            />
          )}
          {running && hasText && (
            <Button
              size="small"
              variant="ghost"
              icon="compass"
              className="composer-steer"
              title={`Deliver during the turn, after the current calls (${formatKeys(steerKeys)})`}
              disabled={sending}
              onClick={() => void submit(text, true)}
            >
              Steer
            </Button>
          )}
          {running && hasText && (
            <Button
              size="small"
              icon="list-ordered"
              title="Send after this turn (Enter)"
              disabled={sending}
              onClick={() => void submit()}
            >
              Queue
            </Button>
          )}
          {!running && (
            <IconButton
              icon="arrow-up"
              className="composer-send"
              label="Send"
              shortcut="Enter"
              disabled={!hasText || sending}
              onClick={() => void submit()}
            />
          )}
        </div>
      </div>
    </div>
  )
}

function sentMessages(): string[] {
  const { order, items } = useChat.getState()
  return order.flatMap((id) => {
    const item = items[id]
    return item?.kind === 'user' && !item.nudge ? [item.text] : []
  })
}

function ModeButton() {
  const settings = useSettings()
  const own = useChat((state) => state.info?.mode)
  const mode = own ?? settings?.mode ?? 'safe'
  const { label, detail, icon } = modeTexts[mode]
  return (
    <button
      type="button"
      className={`composer-picker composer-mode-${mode}`}
      aria-label={`Mode: ${label}`}
      title={`${label}: ${detail}`}
      onClick={() => attempt(chooseMode)}
    >
      <Icon name={icon} />
      {label}
    </button>
  )
}

function ModelButton() {
  const settings = useSettings()
  const own = useChat((state) => state.info?.model)
  const endpoints = useEndpoints((state) => state.endpoints)
  const loaded = useEndpoints((state) => state.loadedAt !== null)
  const choice = own ?? settings?.model
  const status = endpoints.find(({ endpoint }) => endpoint.id === choice?.endpointId)
  const problem = loaded && choice ? problemOf(status, choice.model) : undefined
  return (
    <button
      type="button"
      className="composer-picker composer-model"
      aria-label={choice ? `Model: ${choice.model}` : 'Choose a model'}
      title={problem ?? (choice ? `${choice.model} · ${status?.endpoint.name ?? choice.endpointId}` : 'Choose a model')}
      onClick={() => attempt(chooseModel)}
    >
      <Icon name={problem ? 'warning' : 'hubot'} className={problem ? 'composer-problem' : ''} />
      <span className="composer-model-name">{choice?.model ?? 'Choose a model'}</span>
    </button>
  )
}

function ToolsetButton() {
  const toolset = useToolset()
  const model = useChat((state) => state.info?.model?.model)
  if (!toolset) return null
  const suggestion = model === undefined ? undefined : suggestToolset(model)
  const why = suggestion?.toolset === toolset ? `. Suggested for ${suggestion.family}: ${suggestion.why}` : ''
  return (
    <button
      type="button"
      className="composer-picker composer-toolset"
      aria-label={`Toolset: ${toolsetLabels[toolset]}`}
      title={`Toolset: ${toolsetLabels[toolset]}${why}`}
      onClick={() => attempt(chooseToolset)}
    >
      <Icon name="tools" />
    </button>
  )
}

function problemOf(
  status: { reachable: boolean; problem?: string; models: readonly { id: string }[] } | undefined,
  model: string,
): string | undefined {
  if (!status) return 'The endpoint of this model was removed. Choose another model.'
  if (!status.reachable) return status.problem ?? 'The endpoint does not answer.'
  return status.models.some(({ id }) => id === model)
    ? undefined
    : `The endpoint no longer has the model ${model}. Choose another one.`
}
