import type { Endpoint } from '../../shared/settings/settings.ts'
import { Button, IconButton, TextField, Select, TextArea } from '../ui/index.ts'
import {
  defaultSeconds,
  headerProblem,
  parallelProblem,
  secondsProblem,
  type AdvancedFields as Fields,
  type HeaderField,
  emptyModel,
  modelProblems,
  samplerFieldsOf,
  type ModelFields,
  type YesNo,
} from './endpointFields.ts'
import { useState } from 'react'
import { makerSamplers } from '../../shared/models/makerSamplers.ts'
import { toolCallMethods, toolCallMethodTexts } from '../../shared/settings/toolCallMethods.ts'

interface AdvancedFieldsProps {
  fields: Fields
  kind: Endpoint['kind']
  /** Whether headers and certificates are stored on another computer. */
  isElsewhere?: boolean
  /** Ids of the models that the endpoint reported. */
  models: readonly string[]
  /** Id of the model whose context size field is shown and focused initially. */
  contextSizeOf?: string | undefined
  onChange: (change: Partial<Fields>) => void
}

/** Collapsible section with headers, certificate authority, timeouts and model options. */
export function AdvancedFields({
  fields,
  kind,
  isElsewhere = false,
  models,
  contextSizeOf,
  onChange,
}: AdvancedFieldsProps) {
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
      {!isElsewhere && <HeaderFields headers={fields.headers} onChange={onChange} />}
      <fieldset className="endpoint-group">
        <legend>Connection</legend>
        {!isElsewhere && (
          <TextField
            label="Certificate authority"
            hint="Path to a PEM file with additional CA certificates. The system's certificates are trusted too."
            placeholder="/etc/ssl/my-ca.pem"
            value={fields.caFile}
            onChange={(event) => onChange({ caFile: event.target.value })}
          />
        )}
        <div className="settings-grid endpoint-thirds">
          {seconds(
            'answer',
            'Answer timeout (s)',
            'Maximum time until the answer starts, including prompt processing.',
          )}
          {seconds('piece', 'Stream timeout (s)', 'Maximum time between two chunks of an answer.')}
          {seconds('loading', 'Loading timeout (s)', 'Maximum time for loading the model.')}
        </div>
        <ParallelField value={fields.parallel} onChange={(parallel) => onChange({ parallel })} />
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

interface HeaderFieldsProps {
  headers: Fields['headers']
  onChange: (change: Pick<Fields, 'headers'>) => void
}

function HeaderFields({ headers, onChange }: HeaderFieldsProps) {
  const changeHeader = (at: number, change: Partial<HeaderField>) =>
    onChange({ headers: headers.map((header, index) => (index === at ? { ...header, ...change } : header)) })
  return (
    <fieldset className="endpoint-group">
      <legend>Headers</legend>
      <p className="settings-text">Sent with every request. Values are stored like API keys and never shown again.</p>
      {headers.map((header, at) => (
        // New rows have no unique name, so the index is the key.
        <div className="endpoint-header" key={at}>
          <TextField
            label="Header name"
            hideLabel
            placeholder="X-Header"
            value={header.name}
            error={headerProblem(header)}
            onChange={(event) => changeHeader(at, { name: event.target.value, stored: false })}
          />
          <TextField
            label={header.name === '' ? 'Header value' : `Value of ${header.name}`}
            hideLabel
            type="password"
            autoComplete="off"
            placeholder={header.stored ? 'Stored. Leave empty to keep it.' : 'Value'}
            value={header.value}
            onChange={(event) => changeHeader(at, { value: event.target.value })}
          />
          <IconButton
            icon="close"
            label={header.name === '' ? 'Remove header' : `Remove ${header.name}`}
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
  )
}

function ParallelField({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  return (
    <TextField
      label="Parallel requests"
      hint="Number of requests that the server handles in parallel. Others wait in Tizona, and your messages go first."
      placeholder="Reported by the server, otherwise measured"
      inputMode="numeric"
      value={value}
      error={parallelProblem(value)}
      onChange={(event) => onChange(event.target.value)}
    />
  )
}

interface ModelOptionsFieldsProps {
  kind: Endpoint['kind']
  /** Ids of the models that the endpoint reported. */
  known: readonly string[]
  models: Readonly<Record<string, ModelFields>>
  /** Id of the model that is selected initially, with its context size field focused. */
  contextSizeOf?: string | undefined
  onChange: (models: Record<string, ModelFields>) => void
}

const thinking: readonly { value: ModelFields['think']; label: string }[] = [
  { value: 'auto', label: 'Model default' },
  { value: 'on', label: 'On' },
  { value: 'off', label: 'Off' },
  { value: 'none', label: 'None' },
  { value: 'minimal', label: 'Minimal' },
  { value: 'low', label: 'Low' },
  { value: 'medium', label: 'Medium' },
  { value: 'high', label: 'High' },
  { value: 'xhigh', label: 'Extra high' },
  { value: 'max', label: 'Maximum' },
]

function ModelOptionsFields({ kind, known, models, contextSizeOf, onChange }: ModelOptionsFieldsProps) {
  const ids = [...new Set([...known, ...Object.keys(models), ...(contextSizeOf === undefined ? [] : [contextSizeOf])])]
  const [chosen, setChosen] = useState(contextSizeOf)
  const id = chosen !== undefined && ids.includes(chosen) ? chosen : (Object.keys(models)[0] ?? ids[0])
  const model = (id === undefined ? undefined : models[id]) ?? emptyModel
  const set = (change: Partial<ModelFields>) => {
    if (id !== undefined) onChange({ ...models, [id]: { ...model, ...change } })
  }
  const field = (name: keyof typeof modelProblems, label: string, hint: string) => (
    <TextField
      label={label}
      hint={hint}
      value={model[name]}
      error={modelProblems[name]?.(model[name])}
      autoFocus={name === 'contextWindow' && contextSizeOf !== undefined}
      onChange={(event) => set({ [name]: event.target.value })}
    />
  )
  const yesNo = (name: 'tools' | 'vision', label: string) => (
    <Select
      label={label}
      value={model[name]}
      options={[
        { value: '', label: 'Reported by the server' },
        { value: 'yes', label: 'Yes' },
        { value: 'no', label: 'No' },
      ]}
      onChange={(event) => set({ [name]: yesOrNo(event.target.value) })}
    />
  )
  return (
    <fieldset className="endpoint-group">
      <legend>Model options</legend>
      {id === undefined ? (
        <p className="settings-text">Test the endpoint to list its models here.</p>
      ) : (
        <>
          <Select
            label="Model"
            hint="Empty fields use the defaults of the server and the agent settings."
            value={id}
            options={ids.map((value) => ({ value, label: models[value] ? `${value} (changed)` : value }))}
            onChange={(event) => setChosen(event.target.value)}
          />
          <div className="settings-grid endpoint-thirds">
            {field('contextWindow', 'Context size', 'In tokens. Overrides the context window of the endpoint.')}
            {field('maxTokens', 'Maximum output', 'In tokens.')}
            {kind === 'ollama' &&
              field('keepAlive', 'Keep loaded', 'For example, 30m. Enter -1 to keep the model loaded indefinitely.')}
            {field('temperature', 'Temperature', 'From 0 to 2.')}
            {field('topP', 'Top p', 'From 0 to 1.')}
            {field('topK', 'Top k', 'Number of tokens to choose from. 0 for all.')}
            {field('minP', 'Min p', 'From 0 to 1.')}
            {field('repeatPenalty', 'Repeat penalty', 'From 0.5 to 2. 1 for none.')}
            {field('presencePenalty', 'Presence penalty', 'From -2 to 2.')}
            <Select
              label="Thinking"
              hint="An effort that the model does not have becomes the nearest one."
              value={model.think}
              options={thinking}
              onChange={(event) =>
                set({ think: thinking.find(({ value }) => value === event.target.value)?.value ?? 'auto' })
              }
            />
            {kind === 'openai' &&
              field('thinkingTokens', 'Thinking budget', 'In tokens, at llama-server and vLLM. 0 for none.')}
            {kind !== 'gguf' && yesNo('tools', 'Supports tool calls')}
            <Select
              label="Tool calling"
              hint="In guided turns, the model picks each step from a list. For small models."
              value={model.calls}
              options={callOptions.filter(({ value }) => kind !== 'gguf' || value !== 'native')}
              onChange={(event) =>
                set({ calls: callOptions.find(({ value }) => value === event.target.value)?.value ?? '' })
              }
            />
            {kind !== 'gguf' && yesNo('vision', 'Supports images')}
          </div>
          <MakerSamplers model={id} think={model.think} onUse={set} />
          {kind !== 'gguf' && (
            <TextArea
              label="Extra body"
              hint="JSON that is merged into every request, for options without a field."
              rows={3}
              placeholder={'{"top_k": 40}'}
              value={model.extraBody}
              error={modelProblems.extraBody?.(model.extraBody)}
              onChange={(event) => set({ extraBody: event.target.value })}
            />
          )}
        </>
      )}
    </fieldset>
  )
}

/** Button that fills in the samplers that the maker of a model publishes. */
function MakerSamplers({
  model,
  think,
  onUse,
}: {
  model: string
  think: ModelFields['think']
  onUse: (change: Partial<ModelFields>) => void
}) {
  const made = makerSamplers(model, think)
  if (made === undefined) return null
  return (
    <div>
      <Button size="small" title={`Source: ${made.source}`} onClick={() => onUse(samplerFieldsOf(made.samplers))}>
        {`Use the samplers that ${made.maker} publishes`}
      </Button>
    </div>
  )
}

const callOptions: readonly { value: ModelFields['calls']; label: string }[] = [
  { value: '', label: 'Automatic' },
  ...toolCallMethods.map((value) => ({ value, label: toolCallMethodTexts[value] })),
]

function yesOrNo(value: string): YesNo {
  return value === 'yes' || value === 'no' ? value : ''
}
