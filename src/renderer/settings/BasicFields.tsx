import type { Endpoint } from '../../shared/settings.ts'
import { Select, TextField } from '../ui/index.ts'
import { defaultEndpointName } from '../platform/endpointsStore.ts'

import { CheckField } from './CheckField.tsx'

/** Values of the fields that are always visible. Numbers are text as typed. */
export interface BasicFieldValues {
  name: string
  kind: Endpoint['kind']
  baseUrl: string
  /** New key; '' keeps the stored one. */
  key: string
  removeKey: boolean
  contextWindow: string
}

/** Converts an endpoint to field values. Returns empty fields for a new endpoint. */
export function basicFieldsOf(endpoint: Endpoint | undefined): BasicFieldValues {
  return {
    name: endpoint?.name ?? '',
    kind: endpoint?.kind ?? 'openai',
    baseUrl: endpoint?.baseUrl ?? '',
    key: '',
    removeKey: false,
    contextWindow: endpoint?.contextWindow === undefined ? '' : String(endpoint.contextWindow),
  }
}

/** Validates the context size. @returns the error message, or undefined if it is valid or empty */
export function contextSizeProblem(contextWindow: string): string | undefined {
  const text = contextWindow.trim()
  return text === '' || /^[1-9]\d*$/.test(text) ? undefined : 'Enter a whole number of tokens.'
}

interface BasicFieldsProps {
  fields: BasicFieldValues
  hasStoredKey: boolean
  /** Whether the address takes the focus. */
  autoFocus: boolean
  onChange: (change: Partial<BasicFieldValues>) => void
}

/** Fields for address, API, name, context size and key of an endpoint. */
export function BasicFields({ fields, hasStoredKey, autoFocus, onChange }: BasicFieldsProps) {
  const { name, kind, baseUrl, key, removeKey, contextWindow } = fields
  return (
    <div className="settings-grid">
      <TextField
        label="Address"
        hint="With or without /v1."
        placeholder="http://127.0.0.1:8080"
        value={baseUrl}
        autoFocus={autoFocus}
        required
        onChange={(event) => onChange({ baseUrl: event.target.value })}
      />
      <Select
        label="API"
        hint={
          kind === 'ollama'
            ? 'Native Ollama API. Tizona sets the context size.'
            : 'LM Studio, llama.cpp, vLLM, SGLang, Jan and most others.'
        }
        value={kind}
        options={[
          { value: 'openai', label: 'OpenAI-compatible' },
          { value: 'ollama', label: 'Ollama' },
        ]}
        onChange={(event) => onChange({ kind: event.target.value === 'ollama' ? 'ollama' : 'openai' })}
      />
      <TextField
        label="Name"
        placeholder={defaultEndpointName(baseUrl.trim())}
        value={name}
        onChange={(event) => onChange({ name: event.target.value })}
      />
      <TextField
        label="Context window"
        hint="In tokens. Leave empty to use the size that the server reports."
        inputMode="numeric"
        value={contextWindow}
        error={contextSizeProblem(contextWindow)}
        onChange={(event) => onChange({ contextWindow: event.target.value })}
      />
      <TextField
        label="Key"
        hint={hasStoredKey ? 'A key is stored. Leave empty to keep it.' : 'Only if the server requires one.'}
        type="password"
        autoComplete="off"
        value={key}
        onChange={(event) => onChange({ key: event.target.value })}
      />
      {hasStoredKey && (
        <div className="settings-checks">
          <CheckField
            label="Remove the stored key"
            checked={removeKey}
            onChange={(checked) => onChange({ removeKey: checked })}
          />
        </div>
      )}
    </div>
  )
}
