import { useState } from 'react'
import { toFailure } from '../../shared/errors.ts'
import type { Endpoint } from '../../shared/settings/settings.ts'
import { request } from '../platform/bridge/bridge.ts'
import { Button } from '../ui/index.ts'
import { AdvancedFields } from './AdvancedFields.tsx'
import { endpointDraftOf, advancedFieldsOf, hasProblem } from './endpointFields.ts'
import { loadEndpoints, defaultEndpointName, useEndpoints } from '../platform/models/endpointsStore.ts'
import { EndpointTestResult, type EndpointTestState } from './EndpointTestResult.tsx'
import { SettingsForm } from './SettingsForm.tsx'
import { BasicFields, basicFieldsOf, contextSizeProblem } from './BasicFields.tsx'

interface EndpointFormProps {
  /** The endpoint to edit; undefined adds a new one. */
  endpoint?: Endpoint
  /** API of a new endpoint. */
  kind?: Endpoint['kind']
  /** Id of the model whose context size field is shown and focused at first. */
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

  const { name, kind, baseUrl, key, removeKey, contextWindow } = basic
  const complete = baseUrl.trim() !== '' && contextSizeProblem(contextWindow) === undefined && !hasProblem(advanced)
  const models = (test.kind === 'answered' && test.status.models.length > 0 ? test.status.models : (known ?? [])).map(
    ({ id }) => id,
  )
  const windowTokens = contextWindow.trim() === '' ? undefined : Number(contextWindow)

  /** Builds the request parameters. Without `key` the stored key stays; `key: null` removes it. */
  function parameters() {
    return {
      endpoint: {
        ...(endpoint && { id: endpoint.id }),
        name: name.trim() || defaultEndpointName(baseUrl.trim(), kind),
        kind,
        baseUrl: baseUrl.trim(),
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
        autoFocus={contextSizeOf === undefined}
        onChange={(change) => setBasic((before) => ({ ...before, ...change }))}
      />
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
    </SettingsForm>
  )
}

function failureText(error: unknown): string {
  const { message, next } = toFailure(error)
  return [message, next].filter(Boolean).join(' ')
}
