import { useEffect } from 'react'
import type { EndpointStatus } from '../../../shared/settings/settings.ts'
import { modeTexts } from '../../../shared/tools/modeTexts.ts'
import { plural } from '../../../shared/text/plural.ts'
import { visibleText } from '../../../shared/text/visibleText.ts'
import { modes } from '../../../shared/tools/risk.ts'
import { saveSettings, useApp, useSettings, useWorkspace } from '../../platform/appState.ts'
import { runCommand } from '../../platform/commands.ts'
import { isUsable, openEndpointForm, useEndpoints } from '../../platform/models/endpointsStore.ts'
import { AllowButton } from '../../platform/models/AllowButton.tsx'
import { attempt } from '../../platform/notices.ts'
import { Button } from '../../ui/index.ts'
import { AskStep, KeepStep } from './ChangeSteps.tsx'
import { loadMachine } from './firstStepsStore.ts'
import { ModelChecks } from './ModelChecks.tsx'
import { OllamaModels } from './OllamaModels.tsx'
import { ServerGuides } from './ServerGuides.tsx'
import { Step } from './Step.tsx'
import './firstSteps.css'

/** Models are downloaded where the server is, which this window cannot do on another machine. */
const isOllama = ({ endpoint, reachable }: EndpointStatus) =>
  endpoint.kind === 'ollama' && reachable && endpoint.on !== 'desktop'

/** Explains why no server can be used, and what to do. */
function noModelText(servers: readonly EndpointStatus[]): string {
  const running = servers.find(({ reachable }) => reachable)
  if (running && isOllama(running)) return 'Ollama is running and has no model yet. Download one:'
  if (running)
    return running.problem ?? `${running.endpoint.name} is running and has no model. Load a chat model in it.`
  const problem = servers.find((server) => server.problem !== undefined)?.problem
  return problem ?? 'No model server is running. When you start one, it appears here.'
}

function ModelServerStep() {
  const { endpoints, loadedAt } = useEndpoints()
  const servers = endpoints.filter(({ endpoint, offered }) => endpoint.kind !== 'tour' && !offered)
  const offers = endpoints.filter(({ offered }) => offered)
  const usable = servers.filter((server) => isUsable(server))
  const models = usable.reduce((sum, { models: list }) => sum + list.length, 0)
  const ollama = servers.find(isOllama)
  const title = '1. Connect to a model'
  if (loadedAt === null)
    return <Step title={title} state="waiting" status="Looking for model servers on this machine…" />
  if (usable.length === 0)
    return (
      <Step title={title} state={servers.length > 0 && !ollama ? 'failed' : 'current'} status={noModelText(servers)}>
        {offers.length > 0 && (
          <div className="first-step-actions">
            {offers.map(({ endpoint }) => (
              <AllowButton key={endpoint.id} endpoint={endpoint} />
            ))}
          </div>
        )}
        {ollama ? <OllamaModels endpoint={ollama} /> : <ServerGuides />}
        <Button size="small" variant="ghost" onClick={() => openEndpointForm('new')}>
          Enter the address of another server
        </Button>
      </Step>
    )
  const names = usable.map(({ endpoint }) => endpoint.name).join(', ')
  return (
    <Step title={title} state="done" status={`Ready: ${names} (${plural(models, 'model')})`}>
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

/** @param actions whether to show the buttons that the welcome page has as cards */
function FolderStep({ actions }: { actions: boolean }) {
  const workspace = useWorkspace()
  const hasModel = useEndpoints(({ endpoints }) =>
    endpoints.some((status) => isUsable(status) && status.endpoint.kind !== 'tour'),
  )
  const title = '2. Open a folder'
  if (workspace && !workspace.tour) {
    const name = visibleText(workspace.name)
    return (
      <Step
        title={title}
        state="done"
        status={
          workspace.restricted
            ? `${name} is open. The model can change its files, but runs no commands until you trust the folder.`
            : `${name} is open.`
        }
      />
    )
  }
  return (
    <Step
      title={title}
      state={hasModel ? 'current' : 'later'}
      status="Open a project of yours, or a small shop to try Tizona with. The sample is created in tizona-sample in your home folder."
    >
      <div className="first-step-actions">
        <Button
          size="small"
          variant={hasModel ? 'primary' : 'default'}
          icon="folder-library"
          onClick={() => runCommand('sample.open')}
        >
          Open sample folder
        </Button>
        {actions && (
          <>
            <Button size="small" icon="folder-opened" onClick={() => runCommand('workspace.open')}>
              Open folder…
            </Button>
            <Button size="small" icon="repo-clone" onClick={() => runCommand('git.clone')}>
              Clone repository…
            </Button>
          </>
        )}
      </div>
    </Step>
  )
}

/** The choice of what the model may do without approval. */
function Modes() {
  const mode = useApp((store) => store.state?.settings.mode)
  if (mode === undefined) return null
  return (
    <details className="first-steps-more">
      <summary>{`What needs your approval: ${modeTexts[mode].label} mode`}</summary>
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
    </details>
  )
}

/**
 * The steps to the first change that the user keeps: a model, a folder, a message and a review, each with its current
 * state.
 * @param inFolder whether a folder is open; without one, the buttons that open a folder are cards of the welcome page
 */
export function FirstSteps({ inFolder }: { inFolder: boolean }) {
  const everKept = useSettings()?.firstSteps === 'done'
  useEffect(() => attempt(loadMachine), [])
  return (
    <ol className="first-steps">
      <ModelServerStep />
      <FolderStep actions={inFolder} />
      <AskStep everKept={everKept}>
        <Modes />
      </AskStep>
      <KeepStep everKept={everKept} />
    </ol>
  )
}
