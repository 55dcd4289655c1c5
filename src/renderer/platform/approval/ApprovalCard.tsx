import {
  useEffect,
  useId,
  useRef,
  useState,
  type KeyboardEvent,
  type MouseEvent,
  useLayoutEffect,
  type RefObject,
} from 'react'
import type { ApprovalDecision, ApprovalRequest } from '../../../shared/tools/approval.ts'
import { visibleText } from '../../../shared/text/visibleText.ts'
import { Icon } from '../../ui/index.ts'
import { shortcutOf } from '../commands.ts'
import { decideApproval } from '../conversation/toolCallActions.ts'
import { riskTexts } from '../../../shared/tools/modeTexts.ts'
import { toolIcon } from '../toolCalls/toolSummary.ts'
import { FileLinks, PreviewView } from '../toolCalls/ResultView.tsx'
import { OneTimeButtons, SessionButtons } from './ApprovalButtons.tsx'
import { Arguments, Command, DestructiveEffects, EditedCommand } from './ApprovalDetails.tsx'
import { CommandExplanations } from './ExplanationView.tsx'
import { useAcceptsInput, useEnterGuard, isTyping } from './enterGuard.ts'
import './approval.css'

interface ApprovalCardProps {
  request: ApprovalRequest
  /** Number of further requests. */
  waiting?: number
  /**
   * Moves the focus to the composer. Called if the card is removed while it has the focus, or if the user starts
   * typing.
   */
  onFocusLost?: () => void
  /** Whether a new request takes the focus unless the user is typing. Default true. */
  takesFocus?: boolean
  /** Name of the folder, if it is not the one of this window. Paths are no links then. */
  folder?: string
}

/**
 * Shows a tool call that needs the user's approval. Enter allows the call once, unless it is destructive. The card
 * ignores input for the first `guardMilliseconds`, and Enter until it has had the focus for that long. It takes the
 * focus unless the user is typing.
 */
export function ApprovalCard({ request, waiting = 0, onFocusLost, takesFocus = true, folder }: ApprovalCardProps) {
  const card = useRef<HTMLElement>(null)
  const titleId = useId()
  const armed = useAcceptsInput(request.id)
  const [sent, setSent] = useState<string | null>(null)
  const [edited, setEdited] = useState<string | null>(null)
  const disabled = !armed || sent === request.id
  const destructive = request.risk === 'destructive' || request.destructive.length > 0
  const { tone } = riskTexts[destructive ? 'destructive' : request.risk]

  const focus = useCardFocus(card, request.id, takesFocus, onFocusLost)
  const enter = useEnterGuard(focus !== 'outside', request.id)
  useEffect(() => setEdited(null), [request.id])

  function answer(decision: ApprovalDecision): void {
    if (disabled) return
    // A disabled button loses the focus, so move it to the card first.
    if (card.current?.contains(document.activeElement)) card.current.focus({ preventScroll: true })
    setSent(request.id)
    // If the request fails, the card stays and the user can decide again.
    void decideApproval(request.id, decision).then(() => setSent(null))
  }
  function allow(): void {
    if (edited !== null && edited.trim() === '') return
    answer(edited === null || edited === request.command ? { kind: 'once' } : { kind: 'once', editedCommand: edited })
  }
  function onKeyDown(event: KeyboardEvent): void {
    const onCardItself = event.target === event.currentTarget
    // Typed text belongs in the composer, where Enter does not allow the call.
    if (onCardItself && !event.repeat && event.key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey)
      onFocusLost?.()
    if (event.key !== 'Enter') return
    // An ignored Enter must not press a button or submit the reason either.
    if (!enter.counts(event.nativeEvent)) {
      if (!(event.target instanceof HTMLTextAreaElement)) event.preventDefault()
    } else if (allowKey !== undefined && (onCardItself || event.ctrlKey || event.metaKey)) {
      event.preventDefault()
      event.stopPropagation()
      allow()
    }
  }

  const { command } = request
  const allowKeys = { card: '⏎', edit: 'Ctrl ⏎', control: undefined, outside: undefined }
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
      <Header request={request} destructive={destructive} titleId={titleId} waiting={waiting} />
      {folder !== undefined && <p className="approval-folder">In {visibleText(folder)}</p>}
      <p className="approval-reason">
        {request.within !== undefined && <>Part of "{visibleText(request.within)}". </>}
        {visibleText(request.reason)}
      </p>
      <Effects request={request} />

      {command !== undefined && <Command command={command} cwd={request.cwd} sandbox={request.sandbox} />}
      {edited === null && request.explanation && <CommandExplanations explanation={request.explanation} />}
      {edited !== null && (
        <EditedCommand
          value={edited}
          onChange={setEdited}
          onCancel={() => {
            setEdited(null)
            card.current?.focus()
          }}
        />
      )}
      {request.preview && (
        <div className="approval-preview">
          <FileLinks value={folder === undefined}>
            <PreviewView view={request.preview} />
          </FileLinks>
        </div>
      )}
      {showsArguments(request) && <Arguments values={request.arguments} />}

      <OneTimeButtons
        requestId={request.id}
        command={request.fixedCommand ? undefined : command}
        edited={edited}
        disabled={disabled}
        destructive={destructive}
        allowKey={allowKey}
        onAllow={allow}
        onEdit={setEdited}
        onRefuse={(reason) => answer({ kind: 'refuse', reason })}
      />
      {edited === null && <SessionButtons request={request} disabled={disabled} answer={answer} />}
      {takesFocus && focus === 'outside' && answerKey !== undefined && (
        <p className="approval-hint">
          <kbd>{answerKey}</kbd> moves the focus here.
        </p>
      )}
    </section>
  )
}

/**
 * Whether the command or preview does not show all arguments. For an agent's command, the arguments are what it sent
 * with it.
 */
function showsArguments({ command, fixedCommand, preview, unclear, arguments: values }: ApprovalRequest): boolean {
  if (command !== undefined) return fixedCommand === true && Object.keys(values).length > 0
  return !preview || unclear === true
}

interface HeaderProps {
  request: ApprovalRequest
  destructive: boolean
  titleId: string
  waiting: number
}

function Header({ request, destructive, titleId, waiting }: HeaderProps) {
  const { label, tone } = riskTexts[destructive ? 'destructive' : request.risk]
  return (
    <header className="approval-header">
      <Icon name={toolIcon(request.tool)} />
      <h3 id={titleId} className="approval-title">
        {visibleText(request.title)}
      </h3>
      <span className={`approval-risk approval-risk-${tone}`}>{label}</span>
      {waiting > 0 && <span className="approval-waiting">{`${waiting} more`}</span>}
    </header>
  )
}

/**
 * Keeps the focus when the user presses a button. A focus change would hide the key hint of "Allow once", and the
 * button could move away from the pointer before the user releases it.
 */
function keepFocus(event: MouseEvent): void {
  if (event.target instanceof Element && event.target.closest('button')) event.preventDefault()
}

/**
 * Where the focus is. `card`: the card or its main button. `edit`: the edited command. `control`: another control of
 * the card.
 */
type CardFocus = 'card' | 'edit' | 'control' | 'outside'

function focusOf(card: HTMLElement | null): CardFocus {
  const { activeElement } = document
  if (!card?.contains(activeElement)) return 'outside'
  if (activeElement?.matches('.approval-edit')) return 'edit'
  return activeElement === card || activeElement?.matches('.approval-allow') ? 'card' : 'control'
}

/**
 * Focuses the card for a new request, unless the user is typing, and tracks the focus.
 * @param onFocusLost called if the card is removed while it has the focus
 */
function useCardFocus(
  card: RefObject<HTMLElement | null>,
  requestId: string,
  takesFocus: boolean,
  onFocusLost?: () => void,
): CardFocus {
  const [focus, setFocus] = useState<CardFocus>('outside')
  const lost = useRef(onFocusLost)
  lost.current = onFocusLost
  useLayoutEffect(() => {
    const element = card.current
    if ((takesFocus && !isTyping()) || element?.contains(document.activeElement))
      element?.focus({ preventScroll: true })
    setFocus(focusOf(element))
  }, [card, requestId, takesFocus])
  useEffect(() => {
    const update = () => setFocus(focusOf(card.current))
    // If no element receives the focus, only `focusout` fires, before `activeElement` changes.
    const updateLater = () => queueMicrotask(update)
    document.addEventListener('focusin', update)
    document.addEventListener('focusout', updateLater)
    return () => {
      document.removeEventListener('focusin', update)
      document.removeEventListener('focusout', updateLater)
    }
  }, [card])
  // The cleanup of a layout effect runs while the card is still in the document.
  useLayoutEffect(() => {
    const element = card.current
    return () => {
      if (element?.contains(document.activeElement)) lost.current?.()
    }
  }, [card])
  return focus
}

/** What hooks of the folder changed in the call, and what it deletes. */
function Effects({ request: { hooks = [], destructive } }: { request: ApprovalRequest }) {
  return (
    <>
      {hooks.map((text) => (
        <p key={text} className="approval-reason approval-hook" data-testid="hook-note">
          <Icon name="zap" />
          <span>{visibleText(text)}</span>
        </p>
      ))}
      {destructive.length > 0 && <DestructiveEffects reasons={destructive} />}
    </>
  )
}
