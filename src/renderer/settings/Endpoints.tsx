import { useEffect, useState, type Ref } from 'react'
import type { Endpoint, EndpointStatus } from '../../shared/settings/settings.ts'
import { request } from '../platform/bridge/bridge.ts'
import { confirm } from '../platform/confirm.ts'
import { runCommand } from '../platform/commands.ts'
import { attempt } from '../platform/notices.ts'
import { Button, Icon, IconButton, Spinner } from '../ui/index.ts'
import { AllowButton } from '../platform/models/AllowButton.tsx'
import { EndpointForm } from './EndpointForm.tsx'
import { useOpenForm } from './useOpenForm.ts'
import {
  hasOnlyEmbeddingModels,
  isUsable,
  loadEndpoints,
  modelsText,
  useEndpoints,
} from '../platform/models/endpointsStore.ts'

/** Lists the endpoints with their status, and the form to add or edit one. */
export function Endpoints() {
  const { endpoints, busy, problem, loadedAt, formToOpen } = useEndpoints()
  /** Id of the endpoint that the form edits, `new` or `newFile`. */
  const { editing, open, close, opener } = useOpenForm()
  /** Model whose context size the form shows initially. */
  const [sizedModel, setSizedModel] = useState<string>()
  useEffect(() => {
    if (loadedAt === null) void loadEndpoints(true)
  }, [loadedAt])
  useEffect(() => {
    if (formToOpen === null) return
    open(formToOpen === 'new' ? 'new' : formToOpen.endpointId)
    setSizedModel(formToOpen === 'new' ? undefined : formToOpen.model)
    useEndpoints.setState({ formToOpen: null })
  }, [formToOpen, open])

  return (
    <div className="endpoints">
      {problem !== '' && <p className="endpoint-problem">{problem}</p>}
      {endpoints.length === 0 && loadedAt !== null && editing === null && (
        <p className="endpoints-none">
          No model server was found on this machine. Start Ollama, LM Studio, llama.cpp, vLLM or Jan and search again,
          add the address of another one, open a model file, or take the scripted tour, which needs none.
        </p>
      )}
      <ul className="endpoints-list">
        {endpoints.map((status) =>
          editing === status.endpoint.id && status.endpoint.kind !== 'tour' ? (
            // The key includes the model, so that another model opens a new form.
            <li key={`${status.endpoint.id} ${sizedModel ?? ''}`}>
              <EndpointForm endpoint={status.endpoint} contextSizeOf={sizedModel} onDone={close} />
            </li>
          ) : (
            <EndpointRow
              key={status.endpoint.id}
              status={status}
              openerRef={opener(status.endpoint.id)}
              onEdit={() => {
                setSizedModel(undefined)
                open(status.endpoint.id)
              }}
            />
          ),
        )}
      </ul>
      {editing === 'new' || editing === 'newFile' ? (
        <EndpointForm kind={editing === 'new' ? 'openai' : 'gguf'} onDone={close} />
      ) : (
        <div className="endpoints-actions">
          <Button ref={opener('new')} icon="add" onClick={() => open('new')}>
            Add endpoint
          </Button>
          <Button ref={opener('newFile')} icon="file" onClick={() => open('newFile')}>
            Add model file
          </Button>
          <Button variant="ghost" icon="refresh" disabled={busy} onClick={() => void loadEndpoints(true)}>
            {busy ? 'Searching…' : 'Search again'}
          </Button>
          <Button variant="ghost" icon="beaker" onClick={() => runCommand('help.checkModel')}>
            Check my model
          </Button>
          <Button variant="ghost" icon="compass" onClick={() => runCommand('tour.start')}>
            Take the tour
          </Button>
          {busy && <Spinner label="Searching for model servers" />}
        </div>
      )}
    </div>
  )
}

const kindNames: Readonly<Record<Endpoint['kind'], string>> = {
  openai: 'OpenAI-compatible',
  ollama: 'Ollama',
  gguf: 'Model file',
  tour: 'scripted',
}

function removalText({ kind, on }: Endpoint): string {
  if (on === 'desktop') return 'The host may no longer use it. Its address and key stay on this computer.'
  return kind === 'gguf' ? 'The file stays on disk.' : 'Its address and stored key will be deleted.'
}

interface EndpointRowProps {
  status: EndpointStatus
  /** Ref of the button that calls `onEdit`. */
  openerRef: Ref<HTMLButtonElement>
  onEdit: () => void
}

function EndpointRow({ status, openerRef, onEdit }: EndpointRowProps) {
  const { endpoint } = status
  const usable = isUsable(status) || hasOnlyEmbeddingModels(status)
  async function remove(): Promise<void> {
    const choice = await confirm({
      title: `Remove ${endpoint.name}?`,
      message: removalText(endpoint),
      choices: [{ id: 'remove', label: 'Remove', variant: 'danger' }],
    })
    if (choice !== 'remove') return
    await request('endpoints.remove', { id: endpoint.id })
    await loadEndpoints(false)
  }
  const isHere = endpoint.on === 'desktop'
  return (
    <li className="endpoint" data-testid="endpoint" data-reachable={status.reachable}>
      <span
        className={`endpoint-dot ${usable ? 'endpoint-dot-good' : status.reachable ? 'endpoint-dot-warning' : 'endpoint-dot-bad'}`}
        role="img"
        aria-label={
          usable ? 'Ready' : status.reachable ? 'No models' : endpoint.kind === 'gguf' ? 'Not usable' : 'Not responding'
        }
      />
      <div className="endpoint-main">
        <div className="endpoint-name">
          {endpoint.name}
          <span className="endpoint-kind">{kindNames[endpoint.kind]}</span>
          {status.discovered && !isHere && <span className="ui-badge">discovered</span>}
          {isHere && <span className="ui-badge">on this computer</span>}
          {endpoint.hasKey && <Icon name="key" label="A key is stored" />}
        </div>
        <code className="endpoint-url">{endpoint.baseUrl}</code>
        {usable ? (
          <div className="endpoint-models">{modelsText(status)}</div>
        ) : (
          <div className="endpoint-problem">
            {status.problem ?? (status.reachable ? 'The server has no models.' : 'The server does not respond.')}
          </div>
        )}
      </div>
      {status.offered && <AllowButton endpoint={endpoint} />}
      {endpoint.kind !== 'tour' && !status.offered && (
        <span className="endpoint-actions">
          <IconButton
            ref={openerRef}
            icon="edit"
            label={`${status.discovered ? 'Set up' : 'Change'} ${endpoint.name}`}
            onClick={onEdit}
          />
          {!status.discovered && (
            <IconButton
              icon="trash"
              label={`Remove ${endpoint.name}`}
              onClick={() => attempt(remove, 'The endpoint could not be removed')}
            />
          )}
        </span>
      )}
    </li>
  )
}
