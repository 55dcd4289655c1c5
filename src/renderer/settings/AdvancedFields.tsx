import type { Endpoint } from '../../shared/settings/settings.ts'
import { Button, IconButton, TextField } from '../ui/index.ts'
import {
  defaultSeconds,
  headerProblem,
  secondsProblem,
  type AdvancedFields as Fields,
  type HeaderField,
} from './endpointFields.ts'
import { ModelOptionsFields } from './ModelOptionsFields.tsx'

interface AdvancedFieldsProps {
  fields: Fields
  kind: Endpoint['kind']
  /** Ids of the models that the endpoint reported. */
  models: readonly string[]
  /** Id of the model whose context size field is shown and focused at first. */
  contextSizeOf?: string | undefined
  onChange: (change: Partial<Fields>) => void
}

/** Collapsible section with headers, certificate authority, timeouts and model options. */
export function AdvancedFields({ fields, kind, models, contextSizeOf, onChange }: AdvancedFieldsProps) {
  const { headers } = fields
  const changeHeader = (at: number, change: Partial<HeaderField>) =>
    onChange({ headers: headers.map((header, index) => (index === at ? { ...header, ...change } : header)) })
  const seconds = (field: 'answer' | 'piece' | 'loading', label: string, hint: string) => (
    <TextField
      label={label}
      hint={hint}
      inputMode="decimal"
      placeholder={defaultSeconds[field]}
      value={fields[field]}
      error={secondsProblem(fields[field])}
      onChange={(event) => onChange({ [field]: event.target.value })}
    />
  )
  const connection = (
    <>
      <fieldset className="endpoint-group">
        <legend>Headers</legend>
        <p className="settings-text">Sent with every request. Values are stored like API keys and never shown again.</p>
        {headers.map((header, at) => (
          // New rows have no unique name, so the index is the key.
          <div className="endpoint-header" key={at}>
            <TextField
              label="Name"
              hideLabel
              placeholder="X-Header"
              value={header.name}
              error={headerProblem(header)}
              onChange={(event) => changeHeader(at, { name: event.target.value, stored: false })}
            />
            <TextField
              label={`Value of ${header.name || 'the header'}`}
              hideLabel
              type="password"
              autoComplete="off"
              placeholder={header.stored ? 'Stored; leave empty to keep it' : 'Value'}
              value={header.value}
              onChange={(event) => changeHeader(at, { value: event.target.value })}
            />
            <IconButton
              icon="close"
              label={`Remove ${header.name || 'the header'}`}
              onClick={() => onChange({ headers: headers.toSpliced(at, 1) })}
            />
          </div>
        ))}
        <div>
          <Button
            variant="ghost"
            icon="add"
            onClick={() => onChange({ headers: [...headers, { name: '', value: '', stored: false }] })}
          >
            Add header
          </Button>
        </div>
      </fieldset>
      <fieldset className="endpoint-group">
        <legend>Connection</legend>
        <TextField
          label="Certificate authority"
          hint="Path of a PEM file with your own certificate authority. Those of the system are always trusted."
          placeholder="/etc/ssl/my-ca.pem"
          value={fields.caFile}
          onChange={(event) => onChange({ caFile: event.target.value })}
        />
        <div className="settings-grid endpoint-thirds">
          {seconds('answer', 'Answer timeout (s)', 'Until the answer starts, which includes processing the prompt.')}
          {seconds('piece', 'Stream timeout (s)', 'Between two chunks of an answer.')}
          {seconds('loading', 'Loading timeout (s)', 'While the server loads the model.')}
        </div>
      </fieldset>
    </>
  )
  return (
    <details className="endpoint-advanced" open={contextSizeOf !== undefined || undefined}>
      <summary>
        Advanced
        <span className="endpoint-advanced-about">
          {kind === 'gguf' ? 'Model options' : 'Headers, certificate, timeouts, model options'}
        </span>
      </summary>
      {kind !== 'gguf' && connection}
      <ModelOptionsFields
        kind={kind}
        known={models}
        models={fields.models}
        contextSizeOf={contextSizeOf}
        onChange={(changed) => onChange({ models: changed })}
      />
    </details>
  )
}
