import { useState } from 'react'
import { toFailure } from '../../../shared/errors.ts'
import {
  definitionProblems,
  mcpDefinitionSchema,
  type McpDefinition,
  type McpServerStatus,
} from '../../../shared/tools/mcp.ts'
import { inputNames } from '../../../shared/tools/mcpInputs.ts'
import { Button, Select, TextArea, TextField } from '../../ui/index.ts'
import { changeMcp } from '../../platform/mcpStore.ts'
import { SettingsForm } from '../SettingsForm.tsx'

interface McpServerFormProps {
  /** The user's server to edit; undefined adds a new one. */
  server?: McpServerStatus
  onDone: () => void
}

interface Draft {
  kind: McpDefinition['type']
  command: string
  /** One argument per line. */
  args: string
  /** `NAME=value`, one per line. */
  env: string
  url: string
  /** `Name: value`, one per line. */
  headers: string
  clientId: string
  callbackPort: string
}

/** Form to add or edit one of the user's MCP servers. */
export function McpServerForm({ server, onDone }: McpServerFormProps) {
  const [name, setName] = useState(server?.name ?? '')
  const [draft, setDraft] = useState(() => draftOf(server?.definition))
  const [secrets, setSecrets] = useState<Readonly<Record<string, string>>>({})
  const [problem, setProblem] = useState('')
  const [saving, setSaving] = useState(false)
  const parsed = mcpDefinitionSchema.safeParse(definitionOf(draft))
  const set: SetField = (field) => (event) => setDraft({ ...draft, [field]: event.target.value })
  const inputs = parsed.success ? inputNames(parsed.data) : []

  async function submit(): Promise<void> {
    if (!parsed.success) return setProblem(definitionProblems(parsed.error))
    setSaving(true)
    setProblem('')
    try {
      const entered = Object.fromEntries(inputs.flatMap((input) => (secrets[input] ? [[input, secrets[input]]] : [])))
      await changeMcp('mcp.save', { name, previous: server?.name, definition: parsed.data, secrets: entered })
      onDone()
    } catch (error) {
      const { message, next } = toFailure(error)
      setProblem([message, next].filter(Boolean).join(' '))
    } finally {
      setSaving(false)
    }
  }

  return (
    <SettingsForm
      label={server ? `Change ${server.name}` : 'New MCP server'}
      onSubmit={() => {
        if (!saving) void submit()
      }}
      onCancel={onDone}
    >
      <div className="settings-grid">
        <TextField
          label="Name"
          hint="Prefix for its tool names."
          placeholder="github"
          value={name}
          autoFocus
          required
          maxLength={64}
          onChange={(event) => setName(event.target.value)}
        />
        <Select
          label="Transport"
          value={draft.kind}
          options={[
            { value: 'stdio', label: 'Program (stdio)' },
            { value: 'http', label: 'Address (HTTP)' },
          ]}
          onChange={set('kind')}
        />
        {draft.kind === 'stdio' ? <ProgramFields draft={draft} set={set} /> : <AddressFields draft={draft} set={set} />}
        <SecretFields inputs={inputs} server={server} values={secrets} onChange={setSecrets} />
      </div>
      {problem !== '' && (
        <p className="endpoint-problem" role="alert">
          {problem}
        </p>
      )}
      <div className="endpoint-form-actions">
        <span />
        <Button variant="ghost" onClick={onDone}>
          Cancel
        </Button>
        <Button variant="primary" type="submit" disabled={saving || name.trim() === ''}>
          Save
        </Button>
      </div>
    </SettingsForm>
  )
}

type SetField = (field: keyof Draft) => (event: { target: { value: string } }) => void

function ProgramFields({ draft, set }: { draft: Draft; set: SetField }) {
  return (
    <>
      <TextField
        label="Program"
        hint="Started in your home folder, without a shell."
        placeholder="npx"
        value={draft.command}
        required
        onChange={set('command')}
      />
      <div className="settings-wide mcp-pair">
        <TextArea
          label="Arguments"
          hint={
            <>
              One per line. The open folder is <code>{'${workspaceFolder}'}</code>.
            </>
          }
          placeholder={'-y\n@modelcontextprotocol/server-everything'}
          rows={4}
          value={draft.args}
          onChange={set('args')}
        />
        <TextArea
          label="Environment"
          hint={<Placeholders example="NAME=value" />}
          placeholder="API_TOKEN=${input:token}"
          rows={4}
          value={draft.env}
          onChange={set('env')}
        />
      </div>
    </>
  )
}

function AddressFields({ draft, set }: { draft: Draft; set: SetField }) {
  return (
    <>
      <TextField
        label="Address"
        hint="Redirects are not followed."
        placeholder="http://127.0.0.1:8000/mcp"
        value={draft.url}
        required
        onChange={set('url')}
      />
      <div className="settings-wide">
        <TextArea
          label="Headers"
          hint={<Placeholders example="Name: value" />}
          placeholder="Authorization: Bearer ${input:token}"
          rows={3}
          value={draft.headers}
          onChange={set('headers')}
        />
      </div>
      <TextField
        label="Client ID for signing in"
        hint="Only if the server does not support client registration."
        value={draft.clientId}
        onChange={set('clientId')}
      />
      {draft.clientId.trim() !== '' && (
        <TextField
          label="Redirect port"
          hint="Port of the registered redirect address http://127.0.0.1:PORT/callback. Empty: any."
          inputMode="numeric"
          value={draft.callbackPort}
          onChange={set('callbackPort')}
        />
      )}
    </>
  )
}

interface SecretFieldsProps {
  /** Names of the secrets in the definition. */
  inputs: readonly string[]
  server: McpServerStatus | undefined
  values: Readonly<Record<string, string>>
  onChange: (values: Readonly<Record<string, string>>) => void
}

function SecretFields({ inputs, server, values, onChange }: SecretFieldsProps) {
  const isStored = (input: string) => server?.inputs.some((each) => each.name === input && each.stored) ?? false
  return inputs.map((input) => (
    <TextField
      key={input}
      label={`Secret ${input}`}
      hint={isStored(input) ? 'Stored. Leave empty to keep it.' : 'Stored outside the workspace and never shown again.'}
      type="password"
      autoComplete="off"
      value={values[input] ?? ''}
      onChange={(event) => onChange({ ...values, [input]: event.target.value })}
    />
  ))
}

/** Hint for a field with name-value pairs. */
function Placeholders({ example }: { example: string }) {
  return (
    <>
      <code>{example}</code>, one per line. Write secrets as <code>{'${input:key}'}</code> and variables as{' '}
      <code>{'${env:NAME}'}</code>.
    </>
  )
}

function draftOf(definition: McpDefinition | undefined): Draft {
  const empty: Draft = {
    kind: 'stdio',
    command: '',
    args: '',
    env: '',
    url: '',
    headers: '',
    clientId: '',
    callbackPort: '',
  }
  if (!definition) return empty
  if (definition.type === 'http') {
    const headers = Object.entries(definition.headers).map(([name, value]) => `${name}: ${value}`)
    const { clientId = '', callbackPort = '' } = definition.oauth ?? {}
    const signIn = { clientId, callbackPort: String(callbackPort) }
    return { ...empty, kind: 'http', url: definition.url, headers: headers.join('\n'), ...signIn }
  }
  const env = Object.entries(definition.env)
    .map(([name, value]) => `${name}=${value}`)
    .join('\n')
  return { ...empty, command: definition.command, args: definition.args.join('\n'), env }
}

/**
 * Converts the draft to a definition, which the schema validates. A line without a separator becomes a name
 * without a value.
 */
function definitionOf({ kind, command, args, env, url, headers, clientId, callbackPort }: Draft): unknown {
  if (kind === 'http') {
    const port = callbackPort.trim() === '' ? undefined : Number(callbackPort)
    const oauth = clientId.trim() === '' ? undefined : { clientId, callbackPort: port }
    return { url: url.trim(), headers: pairs(headers, ':'), ...(oauth && { oauth }) }
  }
  return { command, args: lines(args), env: pairs(env, '=') }
}

function lines(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.replace(/\r$/, ''))
    .filter((line) => line.trim() !== '')
}

function pairs(text: string, separator: string): Record<string, string> {
  return Object.fromEntries(
    lines(text).map((line) => {
      const at = line.indexOf(separator)
      return at < 0 ? [line, ''] : [line.slice(0, at).trim(), line.slice(at + 1).trim()]
    }),
  )
}
