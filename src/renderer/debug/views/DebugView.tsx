import { useEffect, useState } from 'react'
import type { DebugChoice } from '../../../shared/debug/debug.ts'
import { useWorkspace } from '../../platform/appState.ts'
import { runCommand } from '../../platform/commands.ts'
import { selectedSession, useDebug } from '../../platform/debug/debugStore.ts'
import { useTabs } from '../../platform/editor/tabsStore.ts'
import { useLayout } from '../../platform/layout/layoutStore.ts'
import { attempt } from '../../platform/notices.ts'
import { Button, EmptyState, Icon, IconButton, MenuButton, Select, Spinner, type SelectOption } from '../../ui/index.ts'
import { AttachDialog } from './AttachDialog.tsx'
import { BreakpointsSection } from './BreakpointsSection.tsx'
import { CallStackSection } from './CallStackSection.tsx'
import { DebuggersSection } from './DebuggersSection.tsx'
import {
  activeFile,
  effectiveChoice,
  fileChoice,
  loadChoices,
  loadDebuggers,
  openLaunchFile,
  saveChoice,
  startChosen,
  useDebugStart,
} from './startDebugging.ts'
import { setSectionOpen } from './Section.tsx'
import { VariablesSection } from './VariablesSection.tsx'
import { WatchSection } from './WatchSection.tsx'
import './debugViews.css'

function options(choices: readonly DebugChoice[], file: string | null): SelectOption[] {
  const name = file?.slice(file.lastIndexOf('/') + 1)
  return [
    {
      value: fileChoice,
      label: name === undefined ? 'Debug this file (no active file)' : `Debug this file (${name})`,
      disabled: name === undefined,
    },
    ...choices.map(({ name: title, kind, problem }) => ({
      value: title,
      label: `${title}${kind === 'compound' ? ' (compound)' : ''}${problem === undefined ? '' : ` — ${problem}`}`,
      disabled: problem !== undefined,
    })),
  ]
}

/** Shows which debuggers are missing, and how to install them. */
function showDebuggers(): void {
  setSectionOpen('debuggers', true)
  attempt(loadDebuggers, 'The search for debuggers failed')
}

function StartBar() {
  const { choices, problem, starting, failure } = useDebugStart()
  const activity = useDebug((state) => selectedSession(state)?.activity)
  const file = useTabs(activeFile)
  const stored = useLayout(({ debug }) => debug.choice)
  const choice = effectiveChoice(stored, choices, file !== null)
  const canStart = choice !== fileChoice || file !== null
  // A tooltip, because problems can be longer than the selector.
  const problems = choices.flatMap(({ name, problem: its }) => (its === undefined ? [] : [`${name}: ${its}`]))
  return (
    <div className="debug-start">
      <div className="debug-start-line">
        <Select
          label="Configuration"
          hideLabel
          value={choice}
          title={problems.length > 0 ? problems.join('\n') : undefined}
          options={options(choices, file)}
          onChange={(event) => saveChoice(event.target.value)}
        />
        <Button
          variant="primary"
          icon={starting === null ? 'debug-start' : undefined}
          data-autofocus
          disabled={!canStart || starting !== null}
          onClick={() => attempt(startChosen, 'The program could not be started')}
        >
          {starting === null ? (
            'Start'
          ) : (
            <>
              <Spinner label="Starting" /> Starting
            </>
          )}
        </Button>
      </div>
      {activity !== undefined && starting !== null && <p className="debug-start-note">{activity}</p>}
      {problem !== null && (
        <p className="debug-start-note" data-look="warning">
          <Icon name="warning" />
          {` launch.json: ${problem}`}
        </p>
      )}
      {failure && (
        <div className="debug-failure" role="alert">
          <div className="debug-failure-text">
            {failure.message} {failure.next}
          </div>
          <div className="debug-failure-actions">
            {failure.detail !== undefined && (
              <Button size="small" onClick={() => runCommand('view.debugConsole')}>
                Show output
              </Button>
            )}
            {failure.code === 'not_found' && (
              <Button size="small" onClick={showDebuggers}>
                Show debuggers
              </Button>
            )}
            <Button size="small" variant="ghost" onClick={() => useDebugStart.setState({ failure: null })}>
              Dismiss
            </Button>
          </div>
        </div>
      )}
    </div>
  )
}

/** The Run view: starts programs, and shows the state of the stopped one. */
export function DebugView() {
  const workspace = useWorkspace()
  const [attaching, setAttaching] = useState(false)
  const restricted = workspace?.restricted !== undefined && workspace.restricted !== null
  useEffect(() => {
    if (!restricted) attempt(loadDebuggers, 'The search for debuggers failed')
  }, [restricted])
  return (
    <div className="debug-view">
      <header className="sidebar-header">
        <h2 className="sidebar-title">Run and debug</h2>
        <IconButton
          icon="gear"
          label="Open launch.json"
          onClick={() => attempt(openLaunchFile, 'launch.json could not be opened')}
        />
        <IconButton icon="debug-console" label="Show debug console" onClick={() => runCommand('view.debugConsole')} />
        <MenuButton
          icon="ellipsis"
          label="More actions"
          align="end"
          groups={() => [
            {
              items: [
                {
                  id: 'attach',
                  label: 'Attach to a process… (outside the sandbox)',
                  icon: 'plug',
                  disabled: restricted,
                  run: () => setAttaching(true),
                },
                {
                  id: 'refresh',
                  label: 'Refresh configurations and debuggers',
                  icon: 'refresh',
                  run: () =>
                    attempt(
                      () => Promise.all([loadChoices(), loadDebuggers()]),
                      'The configurations could not be read',
                    ),
                },
              ],
            },
          ]}
        />
      </header>
      {restricted ? (
        <EmptyState
          icon="shield"
          title="Debugging is off in a restricted folder"
          actions={
            <Button data-autofocus onClick={() => runCommand('trust.manage')}>
              Review trust
            </Button>
          }
        >
          Debuggers run programs in the folder, so they start only in folders that you trust.
        </EmptyState>
      ) : (
        <>
          <StartBar />
          <div className="debug-sections">
            <VariablesSection />
            <WatchSection />
            <CallStackSection />
            <BreakpointsSection />
            <DebuggersSection />
          </div>
        </>
      )}
      {attaching && <AttachDialog onClose={() => setAttaching(false)} />}
    </div>
  )
}
