import { useState } from 'react'
import type { McpServerStatus } from '../../../shared/tools/mcp.ts'
import { attempt } from '../../platform/notices.ts'
import { Button, TextField } from '../../ui/index.ts'
import { changeMcp } from '../../platform/mcpStore.ts'

/**
 * Form for the secrets that an MCP server of the workspace needs. They are stored outside the workspace and never
 * shown.
 */
export function McpSecrets({ server: { key, inputs } }: { server: Pick<McpServerStatus, 'key' | 'inputs'> }) {
  const [values, setValues] = useState<Readonly<Record<string, string>>>({})
  if (inputs.length === 0) return null
  const entered = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''))
  return (
    <form
      className="mcp-secrets"
      onSubmit={(event) => {
        event.preventDefault()
        attempt(async () => {
          await changeMcp('mcp.setSecrets', { key, secrets: entered })
          setValues({})
        }, 'The secrets could not be stored')
      }}
    >
      {inputs.map(({ name, stored }) => (
        <TextField
          key={name}
          label={name}
          type="password"
          autoComplete="off"
          placeholder={stored ? 'Stored; leave empty to keep it' : 'Not stored yet'}
          value={values[name] ?? ''}
          onChange={(event) => setValues({ ...values, [name]: event.target.value })}
        />
      ))}
      <Button type="submit" disabled={Object.keys(entered).length === 0}>
        Store
      </Button>
    </form>
  )
}
