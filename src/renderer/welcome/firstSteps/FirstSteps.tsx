import { type ReactNode, useEffect } from 'react'
import { modeTexts } from '../../../shared/tools/modeTexts.ts'
import { plural } from '../../../shared/text/plural.ts'
import { modes } from '../../../shared/tools/risk.ts'
import { saveSettings, useApp } from '../../platform/appState.ts'
import { runCommand } from '../../platform/commands.ts'
import { isUsable, openEndpointForm, useEndpoints } from '../../platform/models/endpointsStore.ts'
import { attempt } from '../../platform/notices.ts'
import { Button, Icon } from '../../ui/index.ts'
import { leaveDialog, loadMachine } from './firstStepsStore.ts'
import { ModelChecks } from './ModelChecks.tsx'
import { OllamaModels } from './OllamaModels.tsx'
import { ServerGuides } from './ServerGuides.tsx'
import './firstSteps.css'

interface StepProps {
  title: string
  state: 'done' | 'open' | 'waiting'
  /** The state as one sentence, announced when it changes. */
  status: string
  children?: ReactNode
}

const icons = { done: 'pass-filled', open: 'circle-large-outline', waiting: 'loading' } as const

function Step({ title, state, status, children }: StepProps) {
  return (
    <li className="first-step" data-state={state}>
      <Icon name={icons[state]} spin={state === 'waiting'} />
      <div className="first-step-content">
        <h3>{title}</h3>
        <p role="status">{status}</p>
        {children}
      </div>
    </li>
  )
}

function ModelServerStep() {
  const { endpoints, loadedAt } = useEndpoints()
  const servers = endpoints.filter(({ endpoint }) => endpoint.kind !== 'tour')
  const usable = servers.filter((server) => isUsable(server))
  const models = usable.reduce((sum, { models: list }) => sum + list.length, 0)
  const ollama = servers.find(({ endpoint, reachable }) => endpoint.kind === 'ollama' && reachable)
  if (loadedAt === null)
    return <Step title="Model server" state="waiting" status="Looking for model servers on this machine…" />
  if (usable.length === 0)
    return (
      <Step
        title="Model server"
        state="open"
        status={
          ollama
            ? 'Ollama is running and has no model yet.'
            : 'No model server is running. When you start one, it appears here.'
        }
      >
        {ollama ? <OllamaModels endpoint={ollama} /> : <ServerGuides />}
        <Button size="small" variant="ghost" onClick={() => leaveDialog(() => openEndpointForm('new'))}>
          Enter the address of another server
        </Button>
      </Step>
    )
  const names = usable.map(({ endpoint }) => endpoint.name).join(', ')
  return (
    <Step title="Model server" state="done" status={`Ready: ${names} (${plural(models, 'model')})`}>
      <ModelChecks servers={usable} />
      {ollama && (
        <details className="first-steps-more">
          <summary>Download another model</summary>
          <OllamaModels endpoint={ollama} />
        </details>
      )}
      <details className="first-steps-more">
        <summary>Install another server</summary>
        <ServerGuides />
      </details>
    </Step>
  )
}

function FolderStep({ actions }: { actions: boolean }) {
  const workspace = useApp((store) => store.state?.workspace)
  return (
    <Step
      title="Folder"
      state={workspace ? 'done' : 'open'}
      status={workspace ? `${workspace.name} is open.` : 'Open a project to work in with the model.'}
    >
      {!workspace && actions && (
        <div className="first-step-actions">
          <Button size="small" icon="folder-opened" onClick={() => leaveDialog(() => runCommand('workspace.open'))}>
            Open folder…
          </Button>
          <Button size="small" icon="repo-clone" onClick={() => leaveDialog(() => runCommand('git.clone'))}>
            Clone repository…
          </Button>
        </div>
      )}
    </Step>
  )
}

function ModeStep() {
  const mode = useApp((store) => store.state?.settings.mode)
  if (mode === undefined) return null
  return (
    <Step title="Mode" state="done" status={`New conversations start in ${modeTexts[mode].label} mode.`}>
      <fieldset className="first-step-modes">
        <legend className="visually-hidden">Mode for new conversations</legend>
        {modes.map((each) => (
          <label key={each}>
            <input
              type="radio"
              name="first-steps-mode"
              checked={each === mode}
              onChange={() => attempt(() => saveSettings({ mode: each }), 'The mode could not be saved')}
            />
            <span>
              <strong>{modeTexts[each].label}</strong> {modeTexts[each].detail}
            </span>
          </label>
        ))}
      </fieldset>
    </Step>
  )
}

/**
 * The three steps to a first answer: a model server, a folder and a mode, each with its current state.
 * @param folderActions whether to show buttons that open a folder
 */
export function FirstSteps({ folderActions }: { folderActions: boolean }) {
  useEffect(() => attempt(loadMachine), [])
  return (
    <ol className="first-steps">
      <ModelServerStep />
      <FolderStep actions={folderActions} />
      <ModeStep />
    </ol>
  )
}
