import { useEffect, useState } from 'react'
import type { ApprovalDecision, ApprovalRequest } from '../../../shared/tools/approval.ts'
import { visibleText } from '../../../shared/text/visibleText.ts'
import { Button, TextField } from '../../ui/index.ts'

interface OneTimeAnswersProps {
  requestId: string
  /** The editable command; absent if there is none or an external program runs it. */
  command: string | undefined
  /** The edited command; null if the user is not editing. */
  edited: string | null
  disabled: boolean
  destructive: boolean
  /** Key that allows the call, shown on the button. */
  allowKey: string | undefined
  onAllow: () => void
  onEdit: (command: string) => void
  onRefuse: (reason: string) => void
}

/** Buttons that allow or refuse one call. */
export function OneTimeButtons({
  requestId,
  command,
  edited,
  disabled,
  destructive,
  allowKey,
  onAllow,
  onEdit,
  onRefuse,
}: OneTimeAnswersProps) {
  const [reason, setReason] = useState('')
  useEffect(() => setReason(''), [requestId])
  return (
    <div className="approval-row">
      <Button
        variant={destructive ? 'danger' : 'primary'}
        className="approval-allow"
        disabled={disabled || edited?.trim() === ''}
        onClick={onAllow}
      >
        {edited === null ? 'Allow once' : 'Allow edited'}
        {allowKey !== undefined && (
          <kbd className="approval-key" aria-hidden="true">
            {allowKey}
          </kbd>
        )}
      </Button>
      {command !== undefined && edited === null && (
        <Button disabled={disabled} onClick={() => onEdit(command)}>
          Edit command
        </Button>
      )}
      <form
        className="approval-refuse"
        onSubmit={(event) => {
          event.preventDefault()
          onRefuse(reason.trim())
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
  )
}

interface SessionAnswersProps {
  request: ApprovalRequest
  disabled: boolean
  answer(decision: ApprovalDecision): void
}

/**
 * Buttons that allow a call for the rest of the session. Shows only those that would approve the same call next time.
 */
export function SessionButtons({
  request: { command, prefix, scope, grantable },
  disabled,
  answer,
}: SessionAnswersProps) {
  if (!grantable.exact && !grantable.prefix && scope === undefined) return null
  return (
    <div className="approval-session">
      <span>Allow for this session:</span>
      {grantable.exact && (
        <Button size="small" variant="ghost" disabled={disabled} onClick={() => answer({ kind: 'exact' })}>
          {command === undefined ? 'This exact call' : 'This exact command'}
        </Button>
      )}
      {scope !== undefined && (
        <Button
          size="small"
          variant="ghost"
          disabled={disabled}
          onClick={() => answer({ kind: 'scope' })}
          aria-label={`All calls to ${scope}/…`}
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
          aria-label={prefix === undefined ? undefined : `All commands that start with ${prefix}`}
        >
          {prefix === undefined ? 'All calls of this tool' : <code>{visibleText(prefix)} …</code>}
        </Button>
      )}
    </div>
  )
}
