import { useCurrentModel } from '../platform/conversation/currentModel.ts'
import { useLayoutEffect, useRef, useState, type KeyboardEvent } from 'react'
import { useStore } from 'zustand'
import { plural } from '../../shared/text/plural.ts'
import { runCommand } from '../platform/commands.ts'
import { formatKeys } from '../platform/keymap/keyNotation.ts'
import { recallMessage } from '../platform/conversation/messageRecall.ts'
import { attempt } from '../platform/notices.ts'
import { DiffCounts } from '../ui/diff/DiffCounts.tsx'
import { Button, Icon, IconButton, Spinner } from '../ui/index.ts'
import type { InlineEditSession, InlineEditState } from './inlineEditSession.ts'
import { instructions, rememberInstruction } from './instructionHistory.ts'

/** The input of an inline edit, with the model, progress, and buttons for the proposal. */
export function InlineEditBox({ session }: { session: InlineEditSession }) {
  const state = useStore(session.store)
  const { phase, problem } = state
  return (
    <section
      className="inline-edit"
      data-phase={phase}
      aria-label={session.inserts ? 'Generate at cursor' : 'Edit selection'}
      onKeyDown={(event) => {
        onKey(event, session)
        // Otherwise Monaco would run its shortcuts for keys in the box.
        event.stopPropagation()
      }}
    >
      <InstructionField session={session} state={state} />
      {problem && (
        <p className="inline-edit-problem" data-level={problem.level} role="alert">
          <Icon name={problem.level} />
          <span>
            {problem.message} {problem.hint && <span className="inline-edit-hint">{problem.hint}</span>}
          </span>
        </p>
      )}
      <div className="inline-edit-actions">
        <ModelLabel />
        <Status inserts={session.inserts} state={state} />
        <Actions session={session} state={state} />
      </div>
    </section>
  )
}

/** Handles the box's keys outside the input. */
function onKey(event: KeyboardEvent, session: InlineEditSession): void {
  const { phase } = session.store.getState()
  if (event.key === 'Escape') {
    event.preventDefault()
    if (phase === 'running') session.stop()
    else session.reject()
  } else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && phase === 'result') {
    event.preventDefault()
    session.accept()
  }
}

function InstructionField({ session, state }: { session: InlineEditSession; state: InlineEditState }) {
  const { phase, draft, focusRequests } = state
  const field = useRef<HTMLTextAreaElement>(null)
  const [recalled, setRecalled] = useState(0)
  useLayoutEffect(() => field.current?.focus(), [focusRequests])
  // Move the focus only if it was on a button that is gone.
  useLayoutEffect(() => {
    if (document.activeElement === document.body) field.current?.focus()
  }, [phase])

  function onKeyDown(event: KeyboardEvent<HTMLTextAreaElement>): void {
    if (event.key === 'Enter' && !event.shiftKey && !event.ctrlKey && !event.metaKey) {
      event.preventDefault()
      if (draft.trim() === '' || phase === 'running') return
      rememberInstruction(draft)
      setRecalled(0)
      attempt(() => session.send(draft))
    } else if (event.key === 'ArrowUp' || event.key === 'ArrowDown') recall(event, event.key === 'ArrowUp' ? 1 : -1)
  }

  /** Recalls an earlier or later instruction if the cursor is on the first or last line. */
  function recall(event: KeyboardEvent<HTMLTextAreaElement>, step: 1 | -1): void {
    const { value, selectionStart, selectionEnd } = event.currentTarget
    const beyond = step === 1 ? value.slice(0, selectionStart) : value.slice(selectionEnd)
    const found =
      beyond.includes('\n') || phase === 'running' ? undefined : recallMessage(instructions(), recalled, step)
    if (!found) return
    event.preventDefault()
    setRecalled(found.at)
    session.setDraft(found.text)
  }

  const label = phase === 'result' ? 'Refine' : 'Instruction'
  return (
    <textarea
      ref={field}
      className="inline-edit-text"
      aria-label={label}
      rows={1}
      value={draft}
      readOnly={phase === 'running'}
      placeholder={
        phase === 'result'
          ? 'Describe another change'
          : session.inserts
            ? 'Describe what to insert'
            : 'Describe the change'
      }
      spellCheck={false}
      onChange={(event) => session.setDraft(event.target.value)}
      onKeyDown={onKeyDown}
    />
  )
}

/** Shows the conversation's model and opens its picker. */
function ModelLabel() {
  const model = useCurrentModel()?.model
  return (
    <button
      type="button"
      className="ui-picker-button inline-edit-model"
      aria-label={model ? `Model: ${model}` : 'Choose a model'}
      title={model ? `${model} (model of the conversation)` : 'Choose a model'}
      onClick={() => runCommand('chat.pickModel')}
    >
      <Icon name="hubot" />
      <span>{model ?? 'Default model'}</span>
    </button>
  )
}

function Status({ inserts, state: { phase, note, hunks } }: { inserts: boolean; state: InlineEditState }) {
  const added = hunks.reduce((sum, hunk) => sum + hunk.added.length, 0)
  // Inserted text may replace the cursor's blank line, which does not count as removed.
  const removed = inserts ? 0 : hunks.reduce((sum, hunk) => sum + hunk.removed, 0)
  return (
    <span className="inline-edit-status" role="status">
      {phase === 'running' && <Spinner label="Waiting for the model" />}
      {phase === 'running' && <span className="inline-edit-note">{note || 'Writing…'}</span>}
      {phase === 'result' && (
        <>
          <span className="inline-edit-count">{plural(hunks.length, 'change')}</span>{' '}
          <DiffCounts added={added} removed={removed} />
        </>
      )}
    </span>
  )
}

function Actions({ session, state: { phase, draft } }: { session: InlineEditSession; state: InlineEditState }) {
  if (phase === 'running')
    return (
      <Button size="small" icon="debug-stop" title="Stop (Esc)" onClick={() => session.stop()}>
        Stop
      </Button>
    )
  if (phase === 'result')
    return (
      <>
        <Button size="small" title="Reject (Esc)" onClick={() => session.reject()}>
          Reject
        </Button>
        <Button
          size="small"
          variant="primary"
          title={`Accept (${formatKeys('Mod+Enter')})`}
          onClick={() => session.accept()}
        >
          Accept
        </Button>
      </>
    )
  return (
    <>
      <IconButton
        icon="send"
        label="Send"
        shortcut={formatKeys('Enter')}
        disabled={draft.trim() === ''}
        onClick={() => {
          rememberInstruction(draft)
          attempt(() => session.send(draft))
        }}
      />
      <IconButton icon="close" label="Cancel" shortcut="Esc" onClick={() => session.close()} />
    </>
  )
}
