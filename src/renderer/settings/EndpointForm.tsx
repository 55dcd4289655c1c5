import { useState } from 'react'
import { toFailure } from '../../shared/errors.ts'
import type { Endpoint } from '../../shared/settings.ts'
import { request } from '../platform/bridge/bridge.ts'
import { Button, Select, TextField } from '../ui/index.ts'
import { AdvancedFields } from './AdvancedFields.tsx'
import { endpointDraftOf, advancedFieldsOf, hasProblem } from './endpointFields.ts'
import { loadEndpoints, defaultEndpointName, useEndpoints } from '../platform/endpointsStore.ts'
import { EndpointTestResult, type EndpointTestState } from './EndpointTestResult.tsx'

interface EndpointFormProps {
  /** The endpoint to edit; undefined adds a new one. */
  endpoint?: Endpoint
  /** Model whose context size field is shown and focused. */
  contextSizeOf?: string | undefined
  onDone: () => void
}

/** The form of an endpoint, with a test. It never shows a stored key. */
export function EndpointForm({ endpoint, contextSizeOf, onDone }: EndpointFormProps) {
  const [name, setName] = useState(endpoint?.name ?? '')
  const [kind, setKind] = useState<Endpoint['kind']>(endpoint?.kind ?? 'openai')
  const [baseUrl, setBaseUrl] = useState(endpoint?.baseUrl ?? '')
  const [key, setKey] = useState('')
  const [forgetKey, setForgetKey] = useState(false)
  const [contextWindow, setContextWindow] = useState(
    endpoint?.contextWindow === undefined ? '' : String(endpoint.contextWindow),
  )
  const [advanced, setAdvanced] = useState(() => advancedFieldsOf(endpoint))
  const known = useEndpoints(({ endpoints }) => endpoints.find((status) => status.endpoint.id === endpoint?.id)?.models)
  const [test, setTest] = useState<EndpointTestState>({ kind: 'none' })
  const [problem, setProblem] = useState('')
  const [saving, setSaving] = useState(false)

  const contextProblem =
    contextWindow.trim() === '' || /^[1-9]\d*$/.test(contextWindow.trim()) ? undefined : 'A whole number of tokens.'
  const complete = baseUrl.trim() !== '' && contextProblem === undefined && !hasProblem(advanced)
  const models = (test.kind === 'answered' && test.status.models.length > 0 ? test.status.models : (known ?? [])).map(
    ({ id }) => id,
  )
  const windowTokens = contextWindow.trim() === '' ? undefined : Number(contextWindow)

  /** The request for main. Without `key` the stored key stays; `key: null` removes it. */
  function parameters() {
    return {
      endpoint: {
        ...(endpoint && { id: endpoint.id }),
        name: name.trim() || defaultEndpointName(baseUrl.trim()),
        kind,
        baseUrl: baseUrl.trim(),
        hasKey: endpoint?.hasKey ?? false,
        ...(windowTokens !== undefined && { contextWindow: windowTokens }),
        ...endpointDraftOf(advanced),
      },
      ...(key !== '' ? { key } : forgetKey ? { key: null } : {}),
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
    <form
      className="endpoint-form"
      aria-label={endpoint ? `Change ${endpoint.name}` : 'New endpoint'}
      onSubmit={(event) => {
        event.preventDefault()
        if (complete && !saving) void submit()
      }}
    >
      <div className="settings-grid">
        <TextField
          label="Address"
          hint="With or without /v1."
          placeholder="http://127.0.0.1:8080"
          value={baseUrl}
          autoFocus={contextSizeOf === undefined}
          required
          onChange={(event) => setBaseUrl(event.target.value)}
        />
        <Select
          label="Speaks"
          hint={
            kind === 'ollama'
              ? "Ollama's own interface, with the context window it is told."
              : 'LM Studio, llama.cpp, vLLM, SGLang, Jan and most others.'
          }
          value={kind}
          options={[
            { value: 'openai', label: 'OpenAI-compatible' },
            { value: 'ollama', label: 'Ollama' },
          ]}
          onChange={(event) => setKind(event.target.value === 'ollama' ? 'ollama' : 'openai')}
        />
        <TextField
          label="Name"
          placeholder={defaultEndpointName(baseUrl.trim())}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <TextField
          label="Context window"
          hint="Tokens; empty: what the server says."
          inputMode="numeric"
          value={contextWindow}
          error={contextProblem}
          onChange={(event) => setContextWindow(event.target.value)}
        />
        <TextField
          label="Key"
          hint={endpoint?.hasKey ? 'A key is stored. Leave empty to keep it.' : 'Only if the server asks for one.'}
          type="password"
          autoComplete="off"
          value={key}
          onChange={(event) => setKey(event.target.value)}
        />
        {endpoint?.hasKey && (
          <div className="settings-checks">
            <label className="settings-check">
              <input type="checkbox" checked={forgetKey} onChange={(event) => setForgetKey(event.target.checked)} />
              Forget the stored key
            </label>
          </div>
        )}
      </div>
      <AdvancedFields
        fields={advanced}
        kind={kind}
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
    </form>
  )
}

function failureText(error: unknown): string {
  const { message, next } = toFailure(error)
  return [message, next].filter(Boolean).join(' ')
}
