import { plural } from '../../../shared/text/plural.ts'
import type { CommandSandbox } from '../../../shared/commands/sandbox.ts'
import { hasHiddenInCommand, visibleText } from '../../../shared/text/visibleText.ts'
import { withCode } from './ExplanationView.tsx'
import { CommandText, Icon, TextArea, VisibleCode } from '../../ui/index.ts'
import { SandboxLine } from '../toolCalls/SandboxLine.tsx'

interface CommandProps {
  command: string
  /** Undefined if unknown. */
  cwd?: string
  sandbox?: CommandSandbox
}

/** Shows the complete command. Long commands scroll. */
export function Command({ command, cwd, sandbox }: CommandProps) {
  const lines = command.split('\n').length
  return (
    <div className="approval-command">
      <pre tabIndex={0} role="region" aria-label="Command" data-testid="approval-command">
        <CommandText text={command} />
      </pre>
      <div className="approval-facts">
        <span>{folderText(cwd)}</span>
        {sandbox && <SandboxLine sandbox={sandbox} />}
        {lines > 1 && <span>{plural(lines, 'line')}</span>}
        {hasHiddenInCommand(command) && (
          <span className="approval-hidden">
            <Icon name="warning" />
            Hidden characters are shown as symbols.
          </span>
        )}
      </div>
    </div>
  )
}

function folderText(cwd: string | undefined): string {
  if (cwd === undefined) return 'Unknown folder'
  return cwd === '.' ? 'Workspace folder' : `Folder: ${visibleText(cwd)}`
}

interface EditedCommandProps {
  value: string
  onChange: (command: string) => void
  /** Called on Escape. */
  onCancel: () => void
}

/** A field to edit the command before it is allowed. */
export function EditedCommand({ value, onChange, onCancel }: EditedCommandProps) {
  return (
    <TextArea
      label="Edited command"
      className="approval-edit"
      value={value}
      autoFocus
      onChange={(event) => onChange(event.target.value)}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return
        event.stopPropagation()
        onCancel()
      }}
    />
  )
}

/** Shows all arguments in full, strings without JSON escapes. */
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

/** Lists what the command deletes or overwrites permanently. */
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
