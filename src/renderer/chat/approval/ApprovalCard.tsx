import { useEffect, useId, useLayoutEffect, useRef, useState, type KeyboardEvent, type MouseEvent } from 'react'
import type { ApprovalDecision, ApprovalRequest } from '../../../shared/approval.ts'
import { hasHiddenCharacters, visibleText } from '../../../shared/visibleText.ts'
import { Button, Icon, TextArea, TextField, VisibleCode } from '../../workbench/ui/index.ts'
import { shortcutOf } from '../../workbench/commands.ts'
import { decide } from '../actions.ts'
import { riskTexts } from '../modes.ts'
import { toolIcon } from '../tool/summary.ts'
import { PreviewView } from '../tool/ResultView.tsx'
import { isTyping, useArmed } from './guard.ts'
import './approval.css'

interface ApprovalCardProps {
  request: ApprovalRequest
  /** More of them wait behind this one. */
  waiting?: number
  /** The focus was in the card when it went, or the user begins to write: it belongs to the composer. */
  onFocusLost?: () => void
}

/**
 * A call that waits for the user. Enter allows it once; nothing else does by itself, Escape least of all. For the first
 * moments it takes no answer, and it takes the focus only from somebody who is not writing.
 */
export function ApprovalCard({ request, waiting = 0, onFocusLost }: ApprovalCardProps) {
  const card = useRef<HTMLElement>(null)
  const titleId = useId()
  const armed = useArmed(request.id)
  const [sent, setSent] = useState<string | null>(null)
  const [edited, setEdited] = useState<string | null>(null)
  const [reason, setReason] = useState('')
  const disabled = !armed || sent === request.id

  const focus = useFocusOfCard(card, request.id, onFocusLost)
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
    void decide(request.id, decision).then(() => setSent(null))
  }
  function allow(): void {
    if (edited !== null && edited.trim() === '') return
    answer(edited === null || edited === request.command ? { kind: 'once' } : { kind: 'once', editedCommand: edited })
  }
  function onKeyDown(event: KeyboardEvent): void {
    if (event.repeat || event.nativeEvent.isComposing) return
    const onCardItself = event.target === event.currentTarget
    // Whoever begins to write means the composer: the character goes there, and no Enter at its end allows anything.
    if (onCardItself && event.key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey) onFocusLost?.()
    if (event.key !== 'Enter') return
    if (!onCardItself && !event.ctrlKey && !event.metaKey) return
    event.preventDefault()
    event.stopPropagation()
    allow()
  }

  const { command } = request
  const key = focus === 'outside' ? shortcutOf('approval.focus') : focus === 'card' && edited === null ? '⏎' : 'Ctrl ⏎'
  return (
    <section
      ref={card}
      className={`approval approval-${riskTexts[request.risk].tone}`}
      role="group"
      aria-labelledby={titleId}
      tabIndex={-1}
      data-testid="approval-card"
      data-armed={armed}
      data-request={request.id}
      onKeyDown={onKeyDown}
      onMouseDown={keepFocus}
    >
      <header className="approval-header">
        <Icon name={toolIcon(request.tool)} />
        <h3 id={titleId} className="approval-title">
          {request.title}
        </h3>
        <span className={`approval-risk approval-risk-${riskTexts[request.risk].tone}`}>{riskTexts[request.risk].label}</span>
        {waiting > 0 && <span className="approval-waiting">{waiting} more</span>}
      </header>
      <p className="approval-reason">
        {request.within !== undefined && <>Part of “{request.within}”. </>}
        {request.reason}
      </p>

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
          variant="primary"
          disabled={disabled || edited?.trim() === ''}
          onClick={allow}
          title={key}
        >
          {edited === null ? 'Allow once' : 'Allow edited'}
          <kbd className="approval-key" aria-hidden="true">
            {key}
          </kbd>
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

interface SessionAnswersProps {
  request: ApprovalRequest
  disabled: boolean
  answer(decision: ApprovalDecision): void
}

/** The answers that hold until the session ends; only those that would spare the user the next question. */
function SessionAnswers({ request: { command, prefix, scope, grantable }, disabled, answer }: SessionAnswersProps) {
  if (!grantable.exact && !grantable.prefix && scope === undefined) return null
  return (
    <div className="approval-session">
      <span>Always, this session:</span>
      {grantable.exact && (
        <Button size="small" variant="ghost" disabled={disabled} onClick={() => answer({ kind: 'exact' })}>
          {command === undefined ? 'this call' : 'this exact command'}
        </Button>
      )}
      {scope !== undefined && (
        <Button
          size="small"
          variant="ghost"
          disabled={disabled}
          onClick={() => answer({ kind: 'scope' })}
          aria-label={`every ${scope} of this tool`}
        >
          <code>{visibleText(scope)}/…</code>
        </Button>
      )}
      {grantable.prefix && (
        <Button
          size="small"
          variant="ghost"
          disabled={disabled}
          onClick={() => answer({ kind: 'prefix' })}
          aria-label={prefix === undefined ? undefined : `every command that starts with ${prefix}`}
        >
          {prefix === undefined ? 'this tool' : <code>{visibleText(prefix)} …</code>}
        </Button>
      )}
    </div>
  )
}

/** The whole command, never shortened: a long one scrolls inside its frame. */
function Command({ command, cwd }: { command: string; cwd?: string }) {
  const lines = command.split('\n').length
  return (
    <div className="approval-command">
      <pre tabIndex={0} role="region" aria-label="Command" data-testid="approval-command">
        <VisibleCode text={command} />
      </pre>
      <div className="approval-facts">
        {cwd !== undefined && <span>in {cwd === '.' ? 'the workspace folder' : visibleText(cwd)}</span>}
        {lines > 1 && <span>{lines} lines</span>}
        {hasHiddenCharacters(command) && (
          <span className="approval-hidden">
            <Icon name="warning" />
            Hidden characters are shown as symbols
          </span>
        )}
      </div>
    </div>
  )
}

/** All arguments, whole; texts as they are rather than with JSON's escapes. */
function Arguments({ values }: { values: Record<string, unknown> }) {
  return (
    <dl className="approval-command approval-arguments" tabIndex={0} role="region" aria-label="Arguments">
      {Object.entries(values).map(([name, value]) => (
        <div key={name}>
          <dt>{visibleText(name)}</dt>
          <dd>
            <VisibleCode text={typeof value === 'string' ? value : JSON.stringify(value, null, 2)} />
          </dd>
        </div>
      ))}
    </dl>
  )
}

/** Where the focus is: on the card or its main button, where Enter allows; on another part of it; or somewhere else. */
type CardFocus = 'card' | 'part' | 'outside'

function focusOf(card: HTMLElement | null): CardFocus {
  const { activeElement } = document
  if (!card?.contains(activeElement)) return 'outside'
  return activeElement === card || activeElement?.matches('.ui-button-primary') ? 'card' : 'part'
}

/** Takes the focus for a new request, unless the user is writing; tells when the card goes with the focus inside. */
function useFocusOfCard(card: React.RefObject<HTMLElement | null>, requestId: string, onFocusLost?: () => void): CardFocus {
  const [focus, setFocus] = useState<CardFocus>('outside')
  const lost = useRef(onFocusLost)
  lost.current = onFocusLost
  useLayoutEffect(() => {
    const element = card.current
    if (!isTyping() || element?.contains(document.activeElement)) element?.focus({ preventScroll: true })
    setFocus(focusOf(element))
  }, [card, requestId])
  useEffect(() => {
    const look = () => setFocus(focusOf(card.current))
    // A focus that goes nowhere else is told by its leaving only, after which the focus is known.
    const left = () => queueMicrotask(look)
    document.addEventListener('focusin', look)
    document.addEventListener('focusout', left)
    return () => {
      document.removeEventListener('focusin', look)
      document.removeEventListener('focusout', left)
    }
  }, [card])
  // A layout effect: its clean-up runs while the card and the focus in it are still there.
  useLayoutEffect(() => {
    const element = card.current
    return () => {
      if (element?.contains(document.activeElement)) lost.current?.()
    }
  }, [card])
  return focus
}
