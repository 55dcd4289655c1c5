import { useState } from 'react'
import { toFailure } from '../../shared/errors.ts'
import { plural } from '../../shared/text/plural.ts'
import type { Endpoint, EndpointStatus, ModelInfo } from '../../shared/settings/settings.ts'
import { request } from '../platform/bridge/bridge.ts'
import { Button, Icon } from '../ui/index.ts'
import { AdvancedFields } from './AdvancedFields.tsx'
import { endpointDraftOf, advancedFieldsOf, hasProblem } from './endpointFields.ts'
import {
  loadEndpoints,
  defaultEndpointName,
  useEndpoints,
  hasOnlyEmbeddingModels,
  isUsable,
  modelsText,
} from '../platform/models/endpointsStore.ts'
import { SettingsForm } from './SettingsForm.tsx'
import { BasicFields, basicFieldsOf, contextSizeProblem } from './BasicFields.tsx'
import { formatTokens } from '../../shared/text/formatTokens.ts'
import { TestFailed, TestRunning } from './TestProgress.tsx'

interface EndpointFormProps {
  /** The endpoint to edit; undefined adds a new one. */
  endpoint?: Endpoint
  /** API of a new endpoint. */
  kind?: Endpoint['kind']
  /** Id of the model whose context size field is shown and focused initially. */
  contextSizeOf?: string | undefined
  onDone: () => void
}

/** Form to add or edit an endpoint, with a connection test. Stored keys are never shown. */
export function EndpointForm({ endpoint, kind: newKind, contextSizeOf, onDone }: EndpointFormProps) {
  const [basic, setBasic] = useState(() => basicFieldsOf(endpoint, newKind))
  const [advanced, setAdvanced] = useState(() => advancedFieldsOf(endpoint))
  const known = useEndpoints(({ endpoints }) => endpoints.find((status) => status.endpoint.id === endpoint?.id)?.models)
  const [test, setTest] = useState<EndpointTestState>({ kind: 'none' })
  const [problem, setProblem] = useState('')
  const [saving, setSaving] = useState(false)

  const { name, kind, baseUrl, key, removeKey, contextWindow, isOnDesktop } = basic
  const complete = baseUrl.trim() !== '' && contextSizeProblem(contextWindow) === undefined && !hasProblem(advanced)
  const models = (test.kind === 'answered' && test.status.models.length > 0 ? test.status.models : (known ?? [])).map(
    ({ id }) => id,
  )
  const windowTokens = contextWindow.trim() === '' ? undefined : Number(contextWindow)

  /** Builds the request parameters. Without `key`, the stored key is kept; `key: null` removes it. */
  function parameters() {
    return {
      endpoint: {
        ...(endpoint && { id: endpoint.id }),
        name: name.trim() || defaultEndpointName(baseUrl.trim(), kind),
        kind,
        baseUrl: baseUrl.trim(),
        ...(isOnDesktop && { on: 'desktop' as const }),
        hasKey: endpoint?.hasKey ?? false,
        ...(windowTokens !== undefined && { contextWindow: windowTokens }),
        ...endpointDraftOf(advanced),
      },
      ...(key !== '' ? { key } : removeKey ? { key: null } : {}),
    }
  }
  async function runTest(): Promise<void> {
    setTest({ kind: 'busy' })
    try {
      setTest({ kind: 'answered', status: await request('endpoints.test', parameters()) })
    } catch (error) {
      setTest({ kind: 'failed', message: failureText(error) })
    }
  }
  async function submit(): Promise<void> {
    setSaving(true)
    try {
      await request('endpoints.save', parameters())
      await loadEndpoints(false)
      onDone()
    } catch (error) {
      setProblem(failureText(error))
      setSaving(false)
    }
  }

  return (
    <SettingsForm
      label={endpoint ? `Change ${endpoint.name}` : 'New endpoint'}
      onSubmit={() => {
        if (complete && !saving) void submit()
      }}
      onCancel={onDone}
    >
      <BasicFields
        fields={basic}
        hasStoredKey={endpoint?.hasKey ?? false}
        isStored={endpoint !== undefined}
        autoFocus={contextSizeOf === undefined}
        onChange={(change) => setBasic((before) => ({ ...before, ...change }))}
      />
      <AdvancedFields
        fields={advanced}
        kind={kind}
        isElsewhere={isOnDesktop && endpoint !== undefined}
        models={models}
        contextSizeOf={contextSizeOf}
        onChange={(change) => setAdvanced((before) => ({ ...before, ...change }))}
      />
      <EndpointTestResult test={test} />
      {problem !== '' && (
        <p className="endpoint-problem" role="alert">
          {problem}
        </p>
      )}
      <div className="endpoint-form-actions">
        <Button icon="plug" disabled={!complete || test.kind === 'busy'} onClick={() => void runTest()}>
          Test
        </Button>
        <Button variant="ghost" onClick={onDone}>
          Cancel
        </Button>
        <Button variant="primary" type="submit" disabled={!complete || saving}>
          Save
        </Button>
      </div>
    </SettingsForm>
  )
}

function failureText(error: unknown): string {
  const { message, next } = toFailure(error)
  return [message, next].filter(Boolean).join(' ')
}

type EndpointTestState =
  | { kind: 'none' }
  | { kind: 'busy' }
  | { kind: 'answered'; status: EndpointStatus }
  | { kind: 'failed'; message: string }

/** Maximum number of models that are listed individually. */
const maxListedModels = 12

/** Result of a connection test: the server and the features of its models. */
function EndpointTestResult({ test }: { test: EndpointTestState }) {
  switch (test.kind) {
    case 'none':
      return null
    case 'busy':
      return <TestRunning text="Testing the endpoint…" />
    case 'failed':
      return <TestFailed message={test.message} />
    case 'answered': {
      const { status } = test
      const good = isUsable(status) || hasOnlyEmbeddingModels(status)
      return (
        <div role="status" data-testid="endpoint-test">
          <p className={`endpoint-test ${good ? 'endpoint-test-good' : 'endpoint-test-bad'}`}>
            <Icon name={good ? 'pass' : 'warning'} />
            {good
              ? modelsText(status)
              : (status.problem ??
                (status.reachable ? 'The server responds but has no models.' : 'The server does not respond.'))}
          </p>
          {status.reachable && <ServerFacts status={status} />}
        </div>
      )
    }
  }
}

function ServerFacts({ status }: { status: EndpointStatus }) {
  const { server, countsTokens, models, problem } = status
  const counting =
    countsTokens === true
      ? 'The server counts tokens.'
      : 'The server does not count tokens. Tizona estimates them and adjusts its estimates to the reported usage.'
  return (
    <div className="endpoint-facts">
      <p>
        {server ? `Server: ${server}. ` : ''}
        {counting}
      </p>
      {isUsable(status) && problem && <p className="endpoint-problem">{problem}</p>}
      <ul>
        {models.slice(0, maxListedModels).map((model) => (
          <li key={model.id}>
            <code>{model.id}</code>
            <span>{modelFacts(model)}</span>
          </li>
        ))}
      </ul>
      {models.length > maxListedModels && <p>{plural(models.length - maxListedModels, 'more model')}</p>}
    </div>
  )
}

/** Formats a model's features, for example "32k context · tool calls · images · loaded". */
function modelFacts({ contextWindow, tools, vision, loaded }: ModelInfo): string {
  return [
    contextWindow ? `${formatTokens(contextWindow)} context` : 'unknown context size',
    tools === true && 'tool calls',
    tools === false && 'calls as text',
    vision === true && 'images',
    loaded === true && 'loaded',
  ]
    .filter(Boolean)
    .join(' · ')
}
