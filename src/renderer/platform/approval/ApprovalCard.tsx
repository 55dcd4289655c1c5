import { useEffect, useId, useRef, useState, type KeyboardEvent, type MouseEvent } from 'react'
import type { ApprovalDecision, ApprovalRequest } from '../../../shared/approval.ts'
import { visibleText } from '../../../shared/visibleText.ts'
import { Button, Icon, TextArea, TextField } from '../../ui/index.ts'
import { shortcutOf } from '../commands.ts'
import { decideApproval } from '../conversation/toolCallActions.ts'
import { riskTexts } from '../../../shared/modeTexts.ts'
import { toolIcon } from '../toolCalls/toolSummary.ts'
import { PreviewView } from '../toolCalls/ResultView.tsx'
import { Arguments, Command, DestructiveEffects, SessionAnswers } from './ApprovalParts.tsx'
import { useCardFocus } from './cardFocus.ts'
import { useArmed, useEnterGuard } from './enterGuard.ts'
import './approval.css'

interface ApprovalCardProps {
  request: ApprovalRequest
  /** More of them wait behind this one. */
  waiting?: number
  /** The focus was in the card when it went, or the user begins to write: it belongs to the composer. */
  onFocusLost?: () => void
}

/**
 * A call that waits for the user. Enter allows it once, but not what is destructive: that has no default key. For the first moments it
 * takes no answer, and Enter counts only once the card has had the focus for as long. It takes the focus only from somebody who is not
 * writing.
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
    // A button loses the focus when it is disabled; the card keeps it until the answer is taken.
    if (card.current?.contains(document.activeElement)) card.current.focus({ preventScroll: true })
    setSent(request.id)
    // When main did not take the answer the card is still there, and may be answered again.
    void decideApproval(request.id, decision).then(() => setSent(null))
  }
  function allow(): void {
    if (edited !== null && edited.trim() === '') return
    answer(edited === null || edited === request.command ? { kind: 'once' } : { kind: 'once', editedCommand: edited })
  }
  function onKeyDown(event: KeyboardEvent): void {
    if (event.nativeEvent.isComposing) return
    const onCardItself = event.target === event.currentTarget
    // Whoever begins to write means the composer: the character goes there, and no Enter at its end allows anything.
    if (onCardItself && !event.repeat && event.key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey)
      onFocusLost?.()
    if (event.key !== 'Enter') return
    // On a button Enter presses it, in the field of the reason it refuses; neither before the key counts.
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
 * A press on a button leaves the focus where it is. With the focus the key beside "Allow once" changes, with its width the row may
 * break, and the button would be gone from under the pointer before it is released.
 */
function keepFocus(event: MouseEvent): void {
  if (event.target instanceof Element && event.target.closest('button')) event.preventDefault()
}
