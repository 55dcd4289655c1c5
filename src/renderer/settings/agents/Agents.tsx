import { useState } from 'react'
import { maxAgents, type AgentDefinition } from '../../../shared/agent/agents.ts'
import { unsandboxedReason, type SandboxState } from '../../../shared/commands/sandbox.ts'
import { visibleText } from '../../../shared/text/visibleText.ts'
import { useApp } from '../../platform/appState.ts'
import { Button, IconButton, TextArea, TextField } from '../../ui/index.ts'
import { saveSetting } from '../saveSetting.ts'
import type { SettingEditorProps } from '../settingValues.ts'
import { useOpenForm } from '../useOpenForm.ts'
import { agentCommand, agentOf, draftOf, type AgentDraft } from './agentFields.ts'
import { CheckField } from '../CheckField.tsx'
import { SettingsForm } from '../SettingsForm.tsx'

export function Agents({ settings: { agents }, row: { declaration } }: SettingEditorProps) {
  /** Id of the agent being edited, or `new`. */
  const { editing, open, close, opener } = useOpenForm()
  const sandbox = useApp((store) => store.state?.sandbox)
  const [saved, setSaved] = useState<string | null>(null)
  const save = (changed: AgentDefinition[], agent?: AgentDefinition): void => {
    saveSetting({ agents: changed })
    close()
    setSaved(agent?.id ?? null)
  }
  return (
    <div className="rules" role="group" aria-label={declaration.title}>
      <p className="settings-text">{declaration.description}</p>
      {agents.length === 0 && editing === null && <p className="endpoints-none">You have no agents yet.</p>}
      <ul className="rules-list" aria-label="Your agents">
        {agents.map((agent) =>
          editing === agent.id ? (
            <li key={agent.id}>
              <AgentForm
                agent={agent}
                onCancel={close}
                onSave={(changed) =>
                  save(
                    agents.map((each) => (each.id === agent.id ? changed : each)),
                    changed,
                  )
                }
              />
            </li>
          ) : (
            <li key={agent.id} ref={agent.id === saved ? showRow : undefined} className="rule" data-testid="agent">
              <span className="rule-main">
                <span>{visibleText(agent.name)}</span>
                <code>{visibleText(agentCommand(agent))}</code>
                <span className="rule-scope">{sandboxLine(agent, sandbox)}</span>
              </span>
              <IconButton
                ref={opener(agent.id)}
                icon="edit"
                label={`Edit ${agent.name}`}
                onClick={() => open(agent.id)}
              />
              <IconButton
                icon="trash"
                label={`Remove ${agent.name}`}
                onClick={() => save(agents.filter(({ id }) => id !== agent.id))}
              />
            </li>
          ),
        )}
      </ul>
      {editing === 'new' ? (
        <AgentForm onCancel={close} onSave={(added) => save([...agents, added], added)} />
      ) : (
        <div className="endpoints-actions">
          <Button ref={opener('new')} icon="add" disabled={agents.length >= maxAgents} onClick={() => open('new')}>
            Add agent
          </Button>
        </div>
      )}
    </div>
  )
}

/** Describes how an agent runs on this computer. @param state null or undefined without a folder */
function sandboxLine(agent: AgentDefinition, state: SandboxState | null | undefined): string {
  if (!agent.sandbox) return 'Not sandboxed'
  if (!state || state.kind === 'checking') return 'In the sandbox, if this computer has one'
  const reason = unsandboxedReason(state)
  return reason === undefined ? 'In the sandbox, with network' : `Not sandboxed: ${reason}`
}

/** Scrolls to a row that replaced its higher form. */
function showRow(row: HTMLElement | null): void {
  row?.scrollIntoView({ block: 'nearest' })
}

interface AgentFormProps {
  /** The agent to edit. Default: a new one. */
  agent?: AgentDefinition
  onSave: (agent: AgentDefinition) => void
  onCancel: () => void
}

/** Adds or edits an external agent. */
function AgentForm({ agent, onSave, onCancel }: AgentFormProps) {
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
    <SettingsForm
      label={agent ? `Edit ${agent.name}` : 'New agent'}
      submit={agent ? 'Save agent' : 'Add'}
      onSubmit={submit}
      onCancel={onCancel}
    >
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
        hint="NAME=value, one per line. ${env:NAME} inserts a variable from Tizona's environment, for keys that should not be stored."
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
        hint="Folders outside the workspace, one per line, where the agent stores its login and settings."
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
    </SettingsForm>
  )
}
