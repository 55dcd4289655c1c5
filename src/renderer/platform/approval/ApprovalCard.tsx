import { useEffect, useId, useRef, useState, type KeyboardEvent, type MouseEvent } from 'react'
import type { ApprovalDecision, ApprovalRequest } from '../../../shared/approval.ts'
import { visibleText } from '../../../shared/visibleText.ts'
import { Button, Icon, TextArea, TextField } from '../../ui/index.ts'
import { shortcutOf } from '../commands.ts'
import { decideApproval } from '../conversation/toolCallActions.ts'
import { riskTexts } from '../../../shared/modeTexts.ts'
import { toolIcon } from '../toolCalls/toolSummary.ts'
import { PreviewView } from '../toolCalls/ResultView.tsx'
import { Arguments, Command, DestructiveEffects, SessionAnswers } from './ApprovalDetails.tsx'
import { useCardFocus } from './cardFocus.ts'
import { useArmed, useEnterGuard } from './enterGuard.ts'
import './approval.css'

interface ApprovalCardProps {
  request: ApprovalRequest
  /** Number of further requests. */
  waiting?: number
  /** Called if the card is removed while it has the focus, or if the user starts typing. The composer takes the focus. */
  onFocusLost?: () => void
}

/**
 * A tool call that needs the user's approval. Enter allows the call once, unless it is destructive. The card ignores answers
 * for its first `guardMilliseconds`, and ignores Enter until it has had the focus for that long. It takes the focus unless
 * the user is typing.
 */
export function ApprovalCard({ request, waiting = 0, onFocusLost }: ApprovalCardProps) {
  const card = useRef<HTMLElement>(null)
  const titleId = useId()
  const armed = useArmed(request.id)
  const [sent, setSent] = useState<string | null>(null)
  const [edited, setEdited] = useState<string | null>(null)
  const [reason, setReason] = useState('')
  const disabled = !armed || sent === request.id
  const destructive = request.risk === 'destructive' || request.destructive.length > 0
  const { label, tone } = riskTexts[destructive ? 'destructive' : request.risk]

  const focus = useCardFocus(card, request.id, onFocusLost)
  const enter = useEnterGuard(focus !== 'outside', request.id)
  useEffect(() => {
    setEdited(null)
    setReason('')
  }, [request.id])

  function answer(decision: ApprovalDecision): void {
    if (disabled) return
    // A disabled button loses the focus, so move it to the card first.
    if (card.current?.contains(document.activeElement)) card.current.focus({ preventScroll: true })
    setSent(request.id)
    // If main refused the answer, the card stays and can be answered again.
    void decideApproval(request.id, decision).then(() => setSent(null))
  }
  function allow(): void {
    if (edited !== null && edited.trim() === '') return
    answer(edited === null || edited === request.command ? { kind: 'once' } : { kind: 'once', editedCommand: edited })
  }
  function onKeyDown(event: KeyboardEvent): void {
    if (event.nativeEvent.isComposing) return
    const onCardItself = event.target === event.currentTarget
    // Typing goes to the composer, so that Enter after a message does not allow the call.
    if (onCardItself && !event.repeat && event.key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey)
      onFocusLost?.()
    if (event.key !== 'Enter') return
    // Before Enter counts, it must not press a button or submit the reason either.
    if (!enter.counts(event.nativeEvent)) {
      if (!(event.target instanceof HTMLTextAreaElement)) event.preventDefault()
    } else if (allowKey !== undefined && (onCardItself || event.ctrlKey || event.metaKey)) {
      event.preventDefault()
      event.stopPropagation()
      allow()
    }
  }

  const { command } = request
  const allowKeys = { card: '⏎', edit: 'Ctrl ⏎', part: undefined, outside: undefined }
  const allowKey = destructive ? undefined : allowKeys[focus]
  const answerKey = shortcutOf('approval.focus')
  return (
    <section
      ref={card}
      className={`approval approval-${tone}`}
      role="group"
      aria-labelledby={titleId}
      tabIndex={-1}
      data-testid="approval-card"
      data-armed={armed && (focus === 'outside' || enter.ready)}
      data-destructive={destructive}
      data-request={request.id}
      onKeyDown={onKeyDown}
      onMouseDown={keepFocus}
    >
      <header className="approval-header">
        <Icon name={toolIcon(request.tool)} />
        <h3 id={titleId} className="approval-title">
          {visibleText(request.title)}
        </h3>
        <span className={`approval-risk approval-risk-${tone}`}>{label}</span>
        {waiting > 0 && <span className="approval-waiting">{waiting} more</span>}
      </header>
      <p className="approval-reason">
        {request.within !== undefined && <>Part of “{visibleText(request.within)}”. </>}
        {visibleText(request.reason)}
      </p>
      {request.destructive.length > 0 && <DestructiveEffects reasons={request.destructive} />}

      {command !== undefined && <Command command={command} cwd={request.cwd} />}
      {edited !== null && (
        <TextArea
          label="Edited command"
          className="approval-edit"
          value={edited}
          autoFocus
          onChange={(event) => setEdited(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Escape') return
            event.stopPropagation()
            setEdited(null)
            card.current?.focus()
          }}
        />
      )}
      {request.preview && (
        <div className="approval-preview">
          <PreviewView view={request.preview} />
        </div>
      )}
      {command === undefined && !request.preview && <Arguments values={request.arguments} />}

      <div className="approval-row">
        <Button
          variant={destructive ? 'danger' : 'primary'}
          className="approval-allow"
          disabled={disabled || edited?.trim() === ''}
          onClick={allow}
        >
          {edited === null ? 'Allow once' : 'Allow edited'}
          {allowKey !== undefined && (
            <kbd className="approval-key" aria-hidden="true">
              {allowKey}
            </kbd>
          )}
        </Button>
        {command !== undefined && edited === null && (
          <Button disabled={disabled} onClick={() => setEdited(command)}>
            Edit command
          </Button>
        )}
        <form
          className="approval-refuse"
          onSubmit={(event) => {
            event.preventDefault()
            answer({ kind: 'refuse', reason: reason.trim() })
          }}
        >
          <TextField
            label="Reason for refusing"
            hideLabel
            placeholder="Reason (optional)"
            value={reason}
            maxLength={10_000}
            onChange={(event) => setReason(event.target.value)}
          />
          <Button type="submit" disabled={disabled}>
            Refuse
          </Button>
        </form>
      </div>
      {edited === null && <SessionAnswers request={request} disabled={disabled} answer={answer} />}
      {focus === 'outside' && answerKey !== undefined && (
        <p className="approval-hint">
          <kbd>{answerKey}</kbd> moves the focus here.
        </p>
      )}
    </section>
  )
}

/**
 * Keeps the focus when a button is pressed. A focus change hides the key beside "Allow once", which can wrap the row and
 * move the button away from the pointer before it is released.
 */
function keepFocus(event: MouseEvent): void {
  if (event.target instanceof Element && event.target.closest('button')) event.preventDefault()
}
