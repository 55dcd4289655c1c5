import type { DebuggerStatus } from '../../../shared/debug/debug.ts'
import { runCommand } from '../../platform/commands.ts'
import { attempt } from '../../platform/notices.ts'
import { Button, Icon, IconButton, Spinner } from '../../ui/index.ts'
import { Section } from './Section.tsx'
import { loadDebuggers, useDebugStart } from './startDebugging.ts'

/** Height of a debugger's row, in rows of other sections. */
const rowsOf = ({ missing }: DebuggerStatus): number => (missing === undefined ? 2 : 3)

function DebuggerRow({ title, languages, missing, version }: DebuggerStatus) {
  const command = missing?.installCommand
  const problem = missing && [missing.reason, missing.fix].filter((text) => text !== undefined).join(' ')
  return (
    <li className="debug-debugger">
      <Icon
        name={missing ? 'circle-slash' : 'pass'}
        color={missing ? 'var(--color-text-faint)' : 'var(--color-success)'}
        label={missing ? 'Not installed' : 'Installed'}
      />
      <span className="debug-debugger-text">
        <span className="debug-debugger-title">
          {title}
          {version === undefined ? '' : ` ${version}`}
        </span>
        <span className="debug-debugger-detail" title={problem}>
          {problem ?? languages.join(', ')}
        </span>
      </span>
      {command !== undefined && (
        <Button
          size="small"
          aria-label={`Install ${title}`}
          title={`Run in terminal: ${command}`}
          onClick={() => runCommand('terminal.run', { command })}
        >
          Install
        </Button>
      )}
    </li>
  )
}

/** The supported debuggers, and whether they are installed. */
export function DebuggersSection() {
  const debuggers = useDebugStart((state) => state.debuggers)
  const missing = debuggers?.filter((each) => each.missing !== undefined).length ?? 0
  return (
    <Section
      name="debuggers"
      title="Debuggers"
      rows={(debuggers ?? []).reduce((sum, each) => sum + rowsOf(each), 0)}
      note={missing > 0 && <span className="debug-section-note">{`${missing} missing`}</span>}
      actions={
        <IconButton
          icon="refresh"
          label="Search again for debuggers"
          onClick={() => attempt(loadDebuggers, 'The search for debuggers failed')}
        />
      }
    >
      {debuggers === null ? (
        <p className="debug-hint">
          <Spinner label="Searching for debuggers" />
        </p>
      ) : (
        <ul className="debug-debuggers">
          {debuggers.map((each) => (
            <DebuggerRow key={each.id} {...each} />
          ))}
        </ul>
      )}
    </Section>
  )
}
