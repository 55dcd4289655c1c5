import { useState } from 'react'
import { callWays, callWayTexts } from '../../shared/models/callWays.ts'
import type { Endpoint } from '../../shared/settings/settings.ts'
import { Select, TextArea, TextField } from '../ui/index.ts'
import { emptyModel, modelProblems, type ModelFields, type YesNo } from './endpointFields.ts'

interface ModelOptionsFieldsProps {
  kind: Endpoint['kind']
  /** Ids of the models that the endpoint reported. */
  known: readonly string[]
  models: Readonly<Record<string, ModelFields>>
  /** Id of the model that is selected at first, with its context size field focused. */
  contextSizeOf?: string | undefined
  onChange: (models: Record<string, ModelFields>) => void
}

const thinking: readonly { value: ModelFields['think']; label: string }[] = [
  { value: 'auto', label: 'Model default' },
  { value: 'on', label: 'On' },
  { value: 'off', label: 'Off' },
  { value: 'low', label: 'Low' },
  { value: 'medium', label: 'Medium' },
  { value: 'high', label: 'High' },
]

/** Fields for the options of one model, which the user selects. */
export function ModelOptionsFields({ kind, known, models, contextSizeOf, onChange }: ModelOptionsFieldsProps) {
  const ids = [...new Set([...known, ...Object.keys(models), ...(contextSizeOf === undefined ? [] : [contextSizeOf])])]
  const [chosen, setChosen] = useState(contextSizeOf)
  const id = chosen !== undefined && ids.includes(chosen) ? chosen : (Object.keys(models)[0] ?? ids[0])
  const model = (id === undefined ? undefined : models[id]) ?? emptyModel
  const set = (change: Partial<ModelFields>) => {
    if (id !== undefined) onChange({ ...models, [id]: { ...model, ...change } })
  }
  const field = (
    name: 'contextWindow' | 'keepAlive' | 'temperature' | 'topP' | 'maxTokens',
    label: string,
    hint: string,
  ) => (
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
        { value: '', label: 'As reported by the server' },
        { value: 'yes', label: 'Yes' },
        { value: 'no', label: 'No' },
      ]}
      onChange={(event) => set({ [name]: yesOrNo(event.target.value) })}
    />
  )
  return (
    <fieldset className="endpoint-group">
      <legend>Options of a model</legend>
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
            {field('contextWindow', 'Context size of this model', 'In tokens. Overrides the endpoint.')}
            {field('maxTokens', 'Maximum output', 'In tokens.')}
            {kind === 'ollama' && field('keepAlive', 'Keep loaded', 'For example 30m; -1 for always.')}
            {field('temperature', 'Temperature of this model', '0 to 2.')}
            {field('topP', 'Top p', '0 to 1.')}
            <Select
              label="Thinking"
              value={model.think}
              options={thinking}
              onChange={(event) =>
                set({ think: thinking.find(({ value }) => value === event.target.value)?.value ?? 'auto' })
              }
            />
            {kind !== 'gguf' && yesNo('tools', 'Supports tool calls')}
            <Select
              label="Way to call tools"
              hint="Guided: each step is chosen among what is possible. For small models."
              value={model.calls}
              options={callOptions.filter(({ value }) => kind !== 'gguf' || value !== 'native')}
              onChange={(event) =>
                set({ calls: callOptions.find(({ value }) => value === event.target.value)?.value ?? '' })
              }
            />
            {kind !== 'gguf' && yesNo('vision', 'Supports images')}
          </div>
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

const callOptions: readonly { value: ModelFields['calls']; label: string }[] = [
  { value: '', label: 'Automatic' },
  ...callWays.map((value) => ({ value, label: callWayTexts[value] })),
]

function yesOrNo(value: string): YesNo {
  return value === 'yes' || value === 'no' ? value : ''
}
