import { useEffect, useState } from 'react'
import type { Endpoint, EndpointStatus } from '../../shared/settings.ts'
import { request } from '../platform/bridge/bridge.ts'
import { confirm } from '../platform/confirm.ts'
import { runCommand } from '../platform/commands.ts'
import { attempt } from '../platform/notices.ts'
import { Button, Icon, IconButton, Spinner } from '../ui/index.ts'
import { EndpointForm } from './EndpointForm.tsx'
import { isForEmbeddings, isUsable, loadEndpoints, modelsText, useEndpoints } from '../platform/endpointsStore.ts'

/** List of endpoints with their status, and the form to add or edit one. */
export function Endpoints() {
  const { endpoints, busy, problem, loadedAt, contextSizeOf } = useEndpoints()
  const [editing, setEditing] = useState<{ id: string; model?: string } | 'new' | 'newFile' | null>(null)
  useEffect(() => {
    if (loadedAt === null) void loadEndpoints(true)
  }, [loadedAt])
  useEffect(() => {
    if (contextSizeOf === null) return
    setEditing({ id: contextSizeOf.endpointId, model: contextSizeOf.model })
    useEndpoints.setState({ contextSizeOf: null })
  }, [contextSizeOf])
  const done = () => setEditing(null)

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
          typeof editing === 'object' && editing?.id === status.endpoint.id && status.endpoint.kind !== 'tour' ? (
            // The key includes the model, so that another model opens a new form.
            <li key={`${status.endpoint.id} ${editing.model ?? ''}`}>
              <EndpointForm endpoint={status.endpoint} contextSizeOf={editing.model} onDone={done} />
            </li>
          ) : (
            <EndpointRow
              key={status.endpoint.id}
              status={status}
              onEdit={() => setEditing({ id: status.endpoint.id })}
            />
          ),
        )}
      </ul>
      {editing === 'new' || editing === 'newFile' ? (
        <EndpointForm kind={editing === 'new' ? 'openai' : 'gguf'} onDone={done} />
      ) : (
        <div className="endpoints-actions">
          <Button icon="add" onClick={() => setEditing('new')}>
            Add endpoint
          </Button>
          <Button icon="file" onClick={() => setEditing('newFile')}>
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

function EndpointRow({ status, onEdit }: { status: EndpointStatus; onEdit: () => void }) {
  const { endpoint } = status
  const usable = isUsable(status) || isForEmbeddings(status)
  async function remove(): Promise<void> {
    const choice = await confirm({
      title: `Remove ${endpoint.name}?`,
      message: endpoint.kind === 'gguf' ? 'The file stays on disk.' : 'Its address and stored key will be deleted.',
      choices: [{ id: 'remove', label: 'Remove', variant: 'danger' }],
    })
    if (choice !== 'remove') return
    await request('endpoints.remove', { id: endpoint.id })
    await loadEndpoints(false)
  }
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
          {status.discovered && <span className="ui-badge">discovered</span>}
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
      {endpoint.kind !== 'tour' && (
        <span className="endpoint-actions">
          <IconButton
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
