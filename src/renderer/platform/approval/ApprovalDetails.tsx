import type { ReactNode } from 'react'
import type { ApprovalDecision, ApprovalRequest } from '../../../shared/approval.ts'
import { plural } from '../../../shared/plural.ts'
import { hasHiddenCharacters, visibleText } from '../../../shared/visibleText.ts'
import { Button, Icon, VisibleCode } from '../../ui/index.ts'

interface SessionAnswersProps {
  request: ApprovalRequest
  disabled: boolean
  answer(decision: ApprovalDecision): void
}

/** Answers that apply to the rest of the session. Offers only those that avoid the next request. */
export function SessionAnswers({
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
          {command === undefined ? 'this exact call' : 'this exact command'}
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
          {prefix === undefined ? 'every call of this tool' : <code>{visibleText(prefix)} …</code>}
        </Button>
      )}
    </div>
  )
}

/** The complete command. A long command scrolls. */
export function Command({ command, cwd }: { command: string; cwd?: string }) {
  const lines = command.split('\n').length
  return (
    <div className="approval-command">
      <pre tabIndex={0} role="region" aria-label="Command" data-testid="approval-command">
        <VisibleCode text={command} />
      </pre>
      <div className="approval-facts">
        {cwd !== undefined && <span>in {cwd === '.' ? 'the workspace folder' : visibleText(cwd)}</span>}
        {lines > 1 && <span>{plural(lines, 'line')}</span>}
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

/** All arguments in full. Strings are shown without JSON escapes. */
export function Arguments({ values }: { values: Record<string, unknown> }) {
  return (
    <div className="approval-command approval-arguments" tabIndex={0} role="region" aria-label="Arguments">
      <dl>
        {Object.entries(values).map(([name, value]) => (
          <div key={name}>
            <dt>{visibleText(name)}</dt>
            <dd>
              <VisibleCode text={typeof value === 'string' ? value : JSON.stringify(value, null, 2)} />
            </dd>
          </div>
        ))}
      </dl>
    </div>
  )
}

/** What the command deletes or overwrites permanently. */
export function DestructiveEffects({ reasons }: { reasons: readonly string[] }) {
  return (
    <ul className="approval-losses" aria-label="What cannot be undone">
      {reasons.map((reason) => (
        <li key={reason}>
          <Icon name="warning" />
          <span>{withCode(visibleText(reason))}</span>
        </li>
      ))}
    </ul>
  )
}

/** Renders text between backticks as code. */
function withCode(text: string): ReactNode[] {
  return text.split('`').map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part))
}
