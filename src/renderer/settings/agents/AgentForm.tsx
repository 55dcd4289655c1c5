import { useState } from 'react'
import type { AgentDefinition } from '../../../shared/agent/agents.ts'
import { Button, TextArea, TextField } from '../../ui/index.ts'
import { CheckField } from '../CheckField.tsx'
import { SettingsForm } from '../SettingsForm.tsx'
import { agentOf, draftOf, type AgentDraft } from './agentFields.ts'

interface AgentFormProps {
  /** The agent to edit. Default: a new one. */
  agent?: AgentDefinition
  onSave: (agent: AgentDefinition) => void
  onCancel: () => void
}

/** Adds or edits an external agent. */
export function AgentForm({ agent, onSave, onCancel }: AgentFormProps) {
  const [draft, setDraft] = useState(() => draftOf(agent))
  const [problem, setProblem] = useState('')
  const change = (changed: Partial<AgentDraft>): void => {
    setDraft({ ...draft, ...changed })
    setProblem('')
  }
  const set = (field: Exclude<keyof AgentDraft, 'sandbox'>) => (event: { target: { value: string } }) =>
    change({ [field]: event.target.value })

  function submit(): void {
    const read = agentOf(draft, agent?.id ?? crypto.randomUUID())
    if ('problem' in read) setProblem(read.problem)
    else onSave(read.agent)
  }

  return (
    <SettingsForm label={agent ? `Edit ${agent.name}` : 'New agent'} onSubmit={submit} onCancel={onCancel}>
      <div className="settings-grid">
        <TextField label="Name" placeholder="Qwen Code" value={draft.name} autoFocus onChange={set('name')} />
        <TextField
          label="Command"
          hint="A program on PATH, or an absolute path."
          placeholder="qwen"
          value={draft.command}
          onChange={set('command')}
        />
      </div>
      <TextArea
        label="Arguments"
        hint="One per line."
        placeholder="--acp"
        rows={2}
        value={draft.args}
        onChange={set('args')}
      />
      <TextArea
        label="Environment variables"
        hint="NAME=value, one per line. ${env:NAME} inserts a variable of Tizona, for keys that should not be stored."
        rows={2}
        value={draft.env}
        onChange={set('env')}
      />
      <CheckField
        label="Run in the sandbox, with network"
        checked={draft.sandbox}
        onChange={(sandbox) => change({ sandbox })}
      />
      <TextArea
        label="Folders that the agent may change"
        hint="Outside the workspace, one per line: where the agent keeps its login and settings."
        placeholder="~/.qwen"
        rows={2}
        value={draft.folders}
        onChange={set('folders')}
      />
      {problem !== '' && (
        <p className="ui-field-error" role="alert">
          {problem}
        </p>
      )}
      <div className="endpoints-actions">
        <Button type="submit" variant="primary">
          {agent ? 'Save agent' : 'Add'}
        </Button>
        <Button variant="ghost" onClick={onCancel}>
          Cancel
        </Button>
      </div>
    </SettingsForm>
  )
}
