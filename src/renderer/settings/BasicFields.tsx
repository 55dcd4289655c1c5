import type { Endpoint } from '../../shared/settings/settings.ts'
import { currentHost, useApp } from '../platform/appState.ts'
import { request } from '../platform/bridge/bridge.ts'
import { attempt } from '../platform/notices.ts'
import { Button, Select, TextField } from '../ui/index.ts'
import { defaultEndpointName } from '../platform/models/endpointsStore.ts'

import { CheckField } from './CheckField.tsx'

/** Values of the fields that are always visible. Numbers are strings, as typed. */
export interface BasicFieldValues {
  name: string
  kind: Endpoint['kind']
  baseUrl: string
  /** New key; '' keeps the stored key. */
  key: string
  removeKey: boolean
  contextWindow: string
  /** Whether the server is on the computer of a window that works on another machine. */
  isOnDesktop: boolean
}

/** Converts an endpoint to field values. Without one, returns the empty fields of a new endpoint of this kind. */
export function basicFieldsOf(endpoint: Endpoint | undefined, kind: Endpoint['kind'] = 'openai'): BasicFieldValues {
  return {
    name: endpoint?.name ?? '',
    kind: endpoint?.kind ?? kind,
    baseUrl: endpoint?.baseUrl ?? '',
    key: '',
    removeKey: false,
    contextWindow: endpoint?.contextWindow === undefined ? '' : String(endpoint.contextWindow),
    isOnDesktop: endpoint?.on === 'desktop',
  }
}

/** Validates the context size. @returns the error message, or undefined if it is valid or empty */
export function contextSizeProblem(contextWindow: string): string | undefined {
  const text = contextWindow.trim()
  return text === '' || /^[1-9]\d*$/.test(text) ? undefined : 'Enter a whole number of tokens.'
}

const apiHints: Readonly<Record<Endpoint['kind'], string>> = {
  openai: 'LM Studio, llama.cpp, vLLM, SGLang, Jan and most others.',
  ollama: 'Native Ollama API. Tizona sets the context size.',
  gguf: 'Tizona runs the model itself, without a server.',
  tour: '',
}

interface BasicFieldsProps {
  fields: BasicFieldValues
  hasStoredKey: boolean
  /** Whether the endpoint is stored, so that it stays on its machine. */
  isStored: boolean
  /** Whether to focus the address. */
  autoFocus: boolean
  onChange: (change: Partial<BasicFieldValues>) => void
}

/** Chooses the machine of a new endpoint, in a window that works on another machine. */
function PlaceField({ isOnDesktop, onChange }: Pick<BasicFieldsProps, 'onChange'> & { isOnDesktop: boolean }) {
  const host = useApp(({ state }) => state?.remote?.host.label)
  if (host === undefined) return null
  return (
    <Select
      label="Runs on"
      hint={
        isOnDesktop
          ? 'The host sends its requests through this window. Address and key stay on this computer.'
          : 'The host connects to the address itself.'
      }
      value={isOnDesktop ? 'desktop' : 'host'}
      options={[
        { value: 'host', label: host },
        { value: 'desktop', label: 'This computer' },
      ]}
      onChange={(event) => onChange({ isOnDesktop: event.target.value === 'desktop' })}
    />
  )
}

/** Fields for an endpoint's address, API, name, context size and key. */
export function BasicFields({ fields, hasStoredKey, isStored, autoFocus, onChange }: BasicFieldsProps) {
  const { name, kind, baseUrl, key, removeKey, contextWindow, isOnDesktop } = fields
  const isFile = kind === 'gguf'
  // Address, API and key of a server on the user's computer are stored there.
  const isElsewhere = isOnDesktop && isStored
  async function browse(): Promise<void> {
    const file = await request('endpoints.pickFile', {})
    if (file !== null) onChange({ baseUrl: file })
  }
  return (
    <div className="settings-grid">
      {!isStored && !isFile && <PlaceField isOnDesktop={isOnDesktop} onChange={onChange} />}
      <div className={`endpoint-address ${isFile ? 'settings-wide' : ''}`}>
        <TextField
          label={isFile ? 'Model file' : 'Address'}
          hint={
            isFile
              ? 'Path to a .gguf file on this machine. For a split model, select the first file.'
              : 'With or without /v1.'
          }
          placeholder={isFile ? '/models/Qwen3-8B-Q4_K_M.gguf' : 'http://127.0.0.1:8080'}
          value={baseUrl}
          autoFocus={autoFocus && !isElsewhere}
          disabled={isElsewhere}
          required
          onChange={(event) => onChange({ baseUrl: event.target.value })}
        />
        {isFile && currentHost() === 'electron' && (
          <Button onClick={() => attempt(browse, 'The file dialog could not be opened')}>Browse…</Button>
        )}
      </div>
      <Select
        label="API"
        hint={apiHints[kind]}
        value={kind}
        disabled={isElsewhere}
        options={[
          { value: 'openai', label: 'OpenAI-compatible' },
          { value: 'ollama', label: 'Ollama' },
          ...(isOnDesktop ? [] : [{ value: 'gguf', label: 'Model file' }]),
        ]}
        onChange={(event) => {
          const chosen = event.target.value
          onChange({ kind: chosen === 'ollama' || chosen === 'gguf' ? chosen : 'openai' })
        }}
      />
      <TextField
        label="Name"
        placeholder={defaultEndpointName(baseUrl.trim(), kind)}
        value={name}
        disabled={isElsewhere}
        onChange={(event) => onChange({ name: event.target.value })}
      />
      <TextField
        label="Context window"
        hint={
          isFile
            ? 'In tokens. Leave empty for 16,384, or less if the model was trained with less.'
            : 'In tokens. Leave empty to use the size that the server reports.'
        }
        inputMode="numeric"
        value={contextWindow}
        error={contextSizeProblem(contextWindow)}
        onChange={(event) => onChange({ contextWindow: event.target.value })}
      />
      {!isFile && !isElsewhere && (
        <TextField
          label="Key"
          hint={hasStoredKey ? 'A key is stored. Leave empty to keep it.' : 'Only if the server requires one.'}
          type="password"
          autoComplete="off"
          value={key}
          onChange={(event) => onChange({ key: event.target.value })}
        />
      )}
      {hasStoredKey && !isFile && (
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
